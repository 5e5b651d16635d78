-- +goose Up
-- +goose StatementBegin
-- How sure an answer must be, and what is not answered at all. A topic is a label
-- and the phrases by which a question is about it.
ALTER TABLE brains
  ADD COLUMN verify_threshold double precision NOT NULL DEFAULT 0.8 CHECK (verify_threshold BETWEEN 0.5 AND 1),
  ADD COLUMN refused_topics   jsonb NOT NULL DEFAULT '[]' CHECK (jsonb_typeof(refused_topics) = 'array' AND jsonb_array_length(refused_topics) <= 50);

-- Both become stricter at once, since that may be urgent, and laxer by two people:
-- a lower threshold, and a topic or a phrase that is gone.
CREATE FUNCTION policy_by_two() RETURNS trigger LANGUAGE plpgsql
AS $$ BEGIN
  IF (NEW.verify_threshold < OLD.verify_threshold OR NOT NEW.refused_topics @> OLD.refused_topics)
     AND NOT public.one_may(OLD.id)
     AND NOT (NEW.id = public.app_brain() AND EXISTS (SELECT FROM public.decided_now('settings.save') a
       WHERE (a->>'verify_threshold')::double precision = NEW.verify_threshold AND a->'refused_topics' = NEW.refused_topics)) THEN
    RAISE EXCEPTION 'what is answered is widened by two people' USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER policy_by_two BEFORE UPDATE OF verify_threshold, refused_topics ON brains FOR EACH ROW EXECUTE FUNCTION policy_by_two();

-- What a credential is looked up by tells of it, as it tells what is suspended.
DO $$ BEGIN
  EXECUTE format('GRANT polaris_auth TO %I', current_user);
END $$;

DROP FUNCTION auth_key(text);
DROP FUNCTION auth_session(bytea);
DROP FUNCTION auth_token(text, text);

CREATE FUNCTION auth_key(key_id text) RETURNS TABLE (
  brain_id text, id text, scopes jsonb, actor text, owner_id text, owner_disabled boolean, roles jsonb,
  hash bytea, prev_hash bytea, prev_until timestamptz, expires_at timestamptz, last_used_at timestamptz, revoked_at timestamptz,
  rate_n integer, rate_seconds integer, published integer, suspended jsonb, policy jsonb)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp ROWS 1
AS $$
#variable_conflict use_column
BEGIN
  -- In PL/pgSQL the plan is kept for the connection; an SQL function would be
  -- planned anew on each request.
  RETURN QUERY SELECT k.brain_id, k.id, k.scopes, k.actor, k.owner_id, p.disabled_at IS NOT NULL, coalesce(m.roles, '[]'::jsonb),
    k.hash, k.prev_hash, k.prev_until, k.expires_at, k.last_used_at, k.revoked_at, k.rate_n, k.rate_seconds, b.published,
    (SELECT jsonb_agg(jsonb_build_object('source_id', s.source_id, 'key', s.key) ORDER BY s.source_id, s.key) FROM public.suspensions s WHERE s.brain_id = k.brain_id),
    CASE WHEN b.verify_threshold <> 0.8 OR b.refused_topics <> '[]' THEN jsonb_build_object('verify_threshold', b.verify_threshold, 'refused_topics', b.refused_topics) END
  FROM public.api_keys k
  JOIN public.brains b ON b.id = k.brain_id
  JOIN public.persons p ON p.id = k.owner_id
  LEFT JOIN public.memberships m ON m.brain_id = k.brain_id AND m.person_id = k.owner_id
  WHERE k.id = key_id;
END $$;

CREATE FUNCTION auth_session(session_hash bytea) RETURNS TABLE (
  person_id text, email text, name text, instance_admin boolean, seen_at timestamptz, expires_at timestamptz, token_version integer, memberships jsonb)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp ROWS 1
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT p.id, p.email, p.name, p.instance_admin, s.seen_at, s.expires_at, p.token_version,
    (SELECT coalesce(jsonb_agg(jsonb_build_object('brain', b.id, 'name', b.name, 'published', b.published,
       'four_eyes', b.four_eyes, 'four_eyes_until', b.four_eyes_until, 'roles', m.roles,
       'suspended', (SELECT jsonb_agg(jsonb_build_object('source_id', x.source_id, 'key', x.key) ORDER BY x.source_id, x.key) FROM public.suspensions x WHERE x.brain_id = b.id),
       'policy', CASE WHEN b.verify_threshold <> 0.8 OR b.refused_topics <> '[]' THEN jsonb_build_object('verify_threshold', b.verify_threshold, 'refused_topics', b.refused_topics) END
       ) ORDER BY b.id), '[]'::jsonb)
     FROM public.memberships m JOIN public.brains b ON b.id = m.brain_id WHERE m.person_id = p.id AND m.roles <> '[]'::jsonb)
  FROM public.sessions s JOIN public.persons p ON p.id = s.person_id
  WHERE s.hash = session_hash AND p.disabled_at IS NULL;
END $$;

-- Whether an access token holds is for the caller to judge, by its signature and
-- by each of its claims.
CREATE FUNCTION auth_token(key_id text, grant_id text) RETURNS TABLE (
  public_key bytea, verifies_until timestamptz, brain_id text, person_id text, email text, disabled boolean, token_version integer,
  roles jsonb, grant_version integer, scopes jsonb, expires_at timestamptz, revoked_at timestamptz, published integer, suspended jsonb, policy jsonb)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp ROWS 1
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT s.public_key, s.verifies_until, g.brain_id, g.person_id, p.email, p.disabled_at IS NOT NULL, p.token_version,
    coalesce(m.roles, '[]'::jsonb), g.token_version, g.scopes, g.expires_at, g.revoked_at, b.published,
    (SELECT jsonb_agg(jsonb_build_object('source_id', x.source_id, 'key', x.key) ORDER BY x.source_id, x.key) FROM public.suspensions x WHERE x.brain_id = g.brain_id),
    CASE WHEN b.verify_threshold <> 0.8 OR b.refused_topics <> '[]' THEN jsonb_build_object('verify_threshold', b.verify_threshold, 'refused_topics', b.refused_topics) END
  FROM public.token_grants g
  JOIN public.signing_keys s ON s.kid = key_id
  JOIN public.brains b ON b.id = g.brain_id
  JOIN public.persons p ON p.id = g.person_id
  LEFT JOIN public.memberships m ON m.brain_id = g.brain_id AND m.person_id = g.person_id
  WHERE g.id = grant_id;
END $$;

DO $$
BEGIN
  GRANT CREATE ON SCHEMA public TO polaris_auth; -- only for the moment of the lines below
  ALTER FUNCTION auth_key(text) OWNER TO polaris_auth;
  ALTER FUNCTION auth_session(bytea) OWNER TO polaris_auth;
  ALTER FUNCTION auth_token(text, text) OWNER TO polaris_auth;
  REVOKE CREATE ON SCHEMA public FROM polaris_auth;
  SET LOCAL ROLE polaris_auth;
  REVOKE ALL ON FUNCTION public.auth_key(text), public.auth_session(bytea), public.auth_token(text, text) FROM PUBLIC;
  RESET ROLE;
  EXECUTE format('REVOKE polaris_auth FROM %I', current_user);
END $$;
-- +goose StatementEnd
