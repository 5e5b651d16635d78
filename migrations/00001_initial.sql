-- +goose Up
-- Tenancy. Every table below either has a brain_id, and then row-level security
-- that is forced on its owner too, or stands on the list in the schema test.
-- +goose StatementBegin
CREATE FUNCTION app_brain() RETURNS text LANGUAGE sql STABLE
AS $$ SELECT nullif(current_setting('app.brain_id', true), '') $$;

-- Refuses a change of a row that is meant to stand for ever.
CREATE FUNCTION stands_still() RETURNS trigger LANGUAGE plpgsql
AS $$ BEGIN
  RAISE EXCEPTION '% rows are never changed or removed', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;
-- +goose StatementEnd

CREATE TABLE brains (
  id          text PRIMARY KEY CHECK (id ~ '^[a-z][a-z0-9-]{0,39}$'),
  name        text NOT NULL,
  four_eyes   boolean NOT NULL DEFAULT true,
  published   integer NOT NULL DEFAULT 0, -- number of the published version, 0: none
  keys_may_never_expire boolean NOT NULL DEFAULT false,
  created_at  timestamptz NOT NULL,
  created_by  text NOT NULL
);

CREATE TABLE persons (
  id             text PRIMARY KEY,
  email          text NOT NULL UNIQUE CHECK (email = lower(email)),
  name           text NOT NULL,
  password_hash  text NOT NULL DEFAULT '',
  instance_admin boolean NOT NULL DEFAULT false,
  created_at     timestamptz NOT NULL,
  created_by     text NOT NULL,
  disabled_at    timestamptz,
  token_version  integer NOT NULL DEFAULT 0 -- what was signed in for an older one is dead
);

CREATE TABLE sessions (
  hash       bytea PRIMARY KEY,
  person_id  text NOT NULL REFERENCES persons ON DELETE CASCADE,
  created_at timestamptz NOT NULL,
  seen_at    timestamptz NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX sessions_person ON sessions (person_id);

-- One-time links: set-up of a new instance, and a person's sign-in.
CREATE TABLE links (
  hash       bytea PRIMARY KEY,
  kind       text NOT NULL CHECK (kind IN ('setup', 'signin')),
  person_id  text REFERENCES persons ON DELETE CASCADE,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  used_at    timestamptz,
  CHECK ((kind = 'signin') = (person_id IS NOT NULL))
);

-- The accepted requests of each caller, for a limit that several processes share:
-- a log of times in blocks of 64, oldest first, of which only the newest may hold
-- fewer. At the usual rates a caller has one block. Unlogged: nothing waits for
-- the disk, and after a crash of the database, or on a standby that takes over,
-- counting starts anew. A caller is a hash: whom somebody tried to sign in as is
-- not to be read here.
CREATE UNLOGGED TABLE rate_hits (
  caller uuid NOT NULL,
  block  bigint NOT NULL,
  at     timestamptz[] NOT NULL,
  PRIMARY KEY (caller, block)
) WITH (fillfactor = 50); -- a block is written anew with each request: leave it room on its page

-- Counts requests that came together from a caller that may have n in a window:
-- how many are accepted, how many of the window are taken then, and how long
-- until one more is free (where none is left) or the oldest leaves. Time is the
-- database's, since the clocks of several machines differ; only tests hold it.
-- It does not go back for a caller, unless the clock was wrong by more than a
-- window.
--
-- They are first judged without a lock: a caller who is over the limit and goes
-- on trying holds nobody up and writes nothing. The cost hardly grows with n: a
-- large log is searched by leaps, and cleared away 64 blocks at a time.
-- +goose StatementBegin
CREATE FUNCTION rate_take(who uuid, asked integer, n integer, span interval, held timestamptz, OUT accepted integer, OUT used integer, OUT wait interval)
LANGUAGE plpgsql SET lock_timeout = '100ms' SET enable_seqscan = off -- whatever the planner last heard of the table's size
AS $$
DECLARE
  size CONSTANT integer := 64;
  tip    rate_hits;     -- the newest block
  first  bigint;        -- the oldest block with times in the window;
  gone   integer;       -- so many of its times are in it no more
  high   bigint;
  middle bigint;
  step   bigint;
  times  timestamptz[];
  rest   integer;       -- so many times have still to be written,
  room   integer;       -- so many of them into the newest block
  last   timestamptz;
  t      timestamptz;   -- now
BEGIN
  FOR turn IN 1..2 LOOP
    IF turn = 2 THEN
      PERFORM pg_advisory_xact_lock(uuid_hash_extended(who, 0));
    END IF;
    SELECT * INTO tip FROM rate_hits r WHERE r.caller = who ORDER BY r.block DESC LIMIT 1;
    last := tip.at[cardinality(tip.at)];
    t := coalesce(held, clock_timestamp());
    IF last > t + span THEN
      CONTINUE WHEN turn = 1;
      DELETE FROM rate_hits r WHERE r.caller = who;
      tip := NULL;
      last := NULL;
    END IF;
    t := greatest(t, last);
    first := tip.block;
    gone := coalesce(width_bucket(t - span, tip.at), 0);
    used := coalesce(cardinality(tip.at), 0) - gone;
    IF gone = 0 AND tip.block > 0 THEN -- older blocks may have times in the window
      SELECT r.block INTO first FROM rate_hits r WHERE r.caller = who ORDER BY r.block LIMIT 1;
      high := tip.block;
      step := 0;
      WHILE first < high LOOP
        middle := first + least(step, (high - first) / 2);
        SELECT r.at INTO times FROM rate_hits r WHERE r.caller = who AND r.block = middle;
        IF times[size] > t - span THEN
          high := middle;
          gone := width_bucket(t - span, times);
        ELSE -- too old, or cleared away
          first := middle + 1;
          step := 8 * step + 1; -- few are too old as a rule
        END IF;
      END LOOP;
      IF first < tip.block THEN
        used := (tip.block - first) * size + used - gone;
      END IF;
    END IF;
    accepted := least(asked, greatest(n - used, 0));
    EXIT WHEN accepted = 0;
  END LOOP;

  used := used + accepted;
  rest := accepted;
  high := tip.block;
  IF rest > 0 AND high IS NOT NULL THEN
    times := CASE WHEN first < high THEN tip.at ELSE tip.at[gone + 1:] END;
    room := least(rest, size - cardinality(times));
    UPDATE rate_hits r SET at = times || array_fill(t, ARRAY[room]) WHERE r.caller = who AND r.block = high AND room > 0;
    IF FOUND THEN -- else it is full, or was swept away just now
      rest := rest - room;
    END IF;
  END IF;
  WHILE rest > 0 LOOP
    high := coalesce(high + 1, 0);
    INSERT INTO rate_hits VALUES (who, high, array_fill(t, ARRAY[least(rest, size)]));
    rest := rest - size;
    SELECT r.block INTO middle FROM rate_hits r WHERE r.caller = who ORDER BY r.block LIMIT 1;
    DELETE FROM rate_hits r WHERE r.caller = who AND r.block < first AND r.block < middle + size;
  END LOOP;

  -- Which time must leave before one more is free?
  gone := gone + greatest(used - n, 0);
  last := tip.at[gone + 1];
  IF first < tip.block THEN
    SELECT r.at[gone % size + 1] INTO last FROM rate_hits r WHERE r.caller = who AND r.block = first + gone / size;
  END IF;
  wait := coalesce(last, t) + span - t;
END $$;
-- +goose StatementEnd

CREATE TABLE memberships (
  brain_id  text NOT NULL REFERENCES brains,
  person_id text NOT NULL REFERENCES persons,
  roles     jsonb NOT NULL, -- none: a member no more, whose keys still name their owner
  PRIMARY KEY (brain_id, person_id)
);
CREATE INDEX memberships_person ON memberships (person_id);

CREATE TABLE api_keys (
  brain_id     text NOT NULL REFERENCES brains,
  id           text NOT NULL,
  label        text NOT NULL,
  scopes       jsonb NOT NULL,
  actor        text NOT NULL,
  owner_id     text NOT NULL,
  hash         bytea NOT NULL CHECK (octet_length(hash) = 32),
  prev_hash    bytea CHECK (octet_length(prev_hash) = 32), -- of the secret before the last rotation
  prev_until   timestamptz,                                -- until when that one holds; NULL: it does not
  rotated_at   timestamptz,
  rotated_by   text NOT NULL DEFAULT '',
  rev          integer NOT NULL DEFAULT 1,
  created_by   text NOT NULL,
  created_via  text NOT NULL,
  created_at   timestamptz NOT NULL,
  expires_at   timestamptz,
  last_used_at timestamptz,
  revoked_at   timestamptz,
  revoked_by   text NOT NULL DEFAULT '',
  revoke_cause text NOT NULL DEFAULT '',
  rate_n       integer NOT NULL DEFAULT 0,
  rate_seconds integer NOT NULL DEFAULT 0,
  PRIMARY KEY (brain_id, id),
  UNIQUE (id), -- 71 random bits: that one exists in another brain cannot be found by trying
  FOREIGN KEY (brain_id, owner_id) REFERENCES memberships (brain_id, person_id),
  CHECK (prev_until IS NULL OR prev_hash IS NOT NULL)
);

-- A key's scopes only ever get fewer, and a key that was revoked stays as it
-- was. (Noting its last use names other columns and does not come here.)
-- +goose StatementBegin
CREATE FUNCTION keys_only_narrow() RETURNS trigger LANGUAGE plpgsql
AS $$ BEGIN
  IF OLD.revoked_at IS NOT NULL THEN
    RAISE EXCEPTION 'API key % was revoked and is not changed any more', OLD.id USING ERRCODE = 'restrict_violation';
  END IF;
  IF NOT NEW.scopes <@ OLD.scopes THEN
    RAISE EXCEPTION 'API key % is not given further scopes', OLD.id USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER keys_only_narrow BEFORE UPDATE OF label, scopes, actor, owner_id, hash, prev_hash, prev_until, rotated_at, rotated_by, rev,
  expires_at, revoked_at, revoked_by, revoke_cause, rate_n, rate_seconds ON api_keys FOR EACH ROW EXECUTE FUNCTION keys_only_narrow();

-- What signs access tokens. The private half is sealed with a key that the
-- database does not have. A key signs for a while, verifies a little longer, and
-- is then removed: a key that is gone verifies nothing.
CREATE TABLE signing_keys (
  kid            text PRIMARY KEY,
  public_key     bytea NOT NULL CHECK (octet_length(public_key) = 32),
  sealed         bytea NOT NULL,
  created_at     timestamptz NOT NULL,
  signs_until    timestamptz NOT NULL,
  verifies_until timestamptz NOT NULL,
  CHECK (signs_until < verifies_until)
);

-- What a program got by signing in as a person: its refresh token, and all
-- access tokens that came of it. Two parts of the refresh token are known by
-- their hashes: the one that it keeps for life, by which an earlier token is
-- told from an invented one, and the whole of the newest.
CREATE TABLE token_grants (
  brain_id      text NOT NULL REFERENCES brains,
  id            text NOT NULL,
  person_id     text NOT NULL,
  scopes        jsonb NOT NULL,
  token_version integer NOT NULL, -- the person's, when they signed in
  via           text NOT NULL,
  created_at    timestamptz NOT NULL,
  expires_at    timestamptz NOT NULL,
  family_hash   bytea NOT NULL CHECK (octet_length(family_hash) = 32),
  refresh_hash  bytea NOT NULL CHECK (octet_length(refresh_hash) = 32),
  refreshed_at  timestamptz,
  revoked_at    timestamptz,
  revoke_cause  text NOT NULL DEFAULT '',
  PRIMARY KEY (brain_id, id),
  UNIQUE (id), -- 71 random bits, like the id of a key
  FOREIGN KEY (brain_id, person_id) REFERENCES memberships (brain_id, person_id)
);
CREATE INDEX token_grants_person ON token_grants (brain_id, person_id);

CREATE TABLE sources (
  brain_id     text NOT NULL REFERENCES brains,
  id           text NOT NULL,
  code         text NOT NULL,
  title        text NOT NULL,
  origin_url   text NOT NULL DEFAULT '',
  jurisdiction text NOT NULL DEFAULT '',
  head         integer NOT NULL,
  created_at   timestamptz NOT NULL,
  created_by   text NOT NULL,
  PRIMARY KEY (brain_id, id),
  UNIQUE (brain_id, code)
);

CREATE TABLE revisions (
  brain_id   text NOT NULL,
  source_id  text NOT NULL,
  n          integer NOT NULL CHECK (n > 0),
  sha256     bytea NOT NULL CHECK (octet_length(sha256) = 32),
  media_type text NOT NULL,
  language   text NOT NULL,
  title      text NOT NULL,
  name       text NOT NULL,
  text       text NOT NULL,
  warnings   jsonb NOT NULL,
  flags      jsonb NOT NULL DEFAULT '[]', -- a revision with any waits for a curator
  brought_by text NOT NULL DEFAULT '',    -- the account that brought it in, where one is known
  report     jsonb NOT NULL DEFAULT '{}', -- stages with their times, what was found and kept, margins, comments
  created_at timestamptz NOT NULL,
  created_by text NOT NULL,
  PRIMARY KEY (brain_id, source_id, n),
  UNIQUE (brain_id, source_id, sha256),
  FOREIGN KEY (brain_id, source_id) REFERENCES sources (brain_id, id)
);

-- The bytes as they came, so that a better parser can read them again.
CREATE TABLE blobs (
  brain_id text NOT NULL REFERENCES brains,
  sha256   bytea NOT NULL CHECK (octet_length(sha256) = 32),
  bytes    bytea NOT NULL,
  PRIMARY KEY (brain_id, sha256)
);

CREATE TABLE passages (
  brain_id  text NOT NULL,
  source_id text NOT NULL,
  revision  integer NOT NULL,
  ordinal   integer NOT NULL,
  parent    integer NOT NULL,
  kind      text NOT NULL,
  key       text NOT NULL,
  locator   text NOT NULL,
  heading   jsonb NOT NULL,
  start     integer NOT NULL,
  "end"     integer NOT NULL,
  span_end  integer NOT NULL,
  page      integer NOT NULL DEFAULT 0,
  PRIMARY KEY (brain_id, source_id, revision, ordinal),
  UNIQUE (brain_id, source_id, revision, key),
  FOREIGN KEY (brain_id, source_id, revision) REFERENCES revisions (brain_id, source_id, n),
  CHECK (0 <= start AND start <= "end" AND "end" <= span_end AND parent < ordinal)
);

CREATE TABLE terms (
  brain_id  text NOT NULL,
  source_id text NOT NULL,
  revision  integer NOT NULL,
  name      text NOT NULL,
  ordinal   integer NOT NULL,
  PRIMARY KEY (brain_id, source_id, revision, name, ordinal),
  FOREIGN KEY (brain_id, source_id, revision, ordinal) REFERENCES passages (brain_id, source_id, revision, ordinal)
);

CREATE TABLE topic_cards (
  brain_id   text NOT NULL REFERENCES brains,
  id         text NOT NULL,
  rev        integer NOT NULL,
  label      text NOT NULL,
  covers     text NOT NULL,
  anchors    jsonb NOT NULL,
  updated_at timestamptz NOT NULL,
  updated_by text NOT NULL,
  PRIMARY KEY (brain_id, id)
);

CREATE TABLE versions (
  brain_id     text NOT NULL REFERENCES brains,
  n            integer NOT NULL CHECK (n > 0),
  manifest     jsonb NOT NULL,
  hash         bytea NOT NULL,
  engine       text NOT NULL,
  notes        text NOT NULL,
  four_eyes    text NOT NULL,
  published_at timestamptz NOT NULL,
  published_by text NOT NULL,
  PRIMARY KEY (brain_id, n)
);

-- Which revisions a version holds, as rows: the foreign keys keep a published
-- revision from ever going away.
CREATE TABLE version_sources (
  brain_id  text NOT NULL,
  version   integer NOT NULL,
  source_id text NOT NULL,
  revision  integer NOT NULL,
  PRIMARY KEY (brain_id, version, source_id),
  FOREIGN KEY (brain_id, version) REFERENCES versions (brain_id, n),
  FOREIGN KEY (brain_id, source_id, revision) REFERENCES revisions (brain_id, source_id, n)
);

-- Audit rows have no foreign keys: they outlive what they describe. The brain
-- of what belongs to the whole instance is '_instance'.
CREATE TABLE audit (
  brain_id       text NOT NULL,
  id             bigint GENERATED ALWAYS AS IDENTITY,
  at             timestamptz NOT NULL,
  kind           text NOT NULL,
  person         text NOT NULL,
  actor          text NOT NULL,
  authenticated  boolean NOT NULL,
  key_id         text NOT NULL,
  surface        text NOT NULL,
  operation      text NOT NULL,
  class          text NOT NULL,
  outcome        text NOT NULL,
  target         text NOT NULL,
  request_id     text NOT NULL,
  latency_micros bigint NOT NULL,
  detail         jsonb NOT NULL,
  PRIMARY KEY (brain_id, id)
);

-- The hash chain over a brain's audit rows, made by the sealer after they are
-- committed: no operation ever waits for the head of the chain.
CREATE TABLE audit_chain (
  brain_id text NOT NULL,
  seq      bigint NOT NULL CHECK (seq > 0),
  audit_id bigint NOT NULL,
  hash     bytea NOT NULL,
  PRIMARY KEY (brain_id, seq),
  UNIQUE (brain_id, audit_id)
);

-- Which rows the sealer has still to link, so that it need not hold the whole
-- log against the whole chain every second. A row enters with its audit row and
-- leaves with its link.
CREATE TABLE audit_unsealed (
  brain_id text NOT NULL,
  audit_id bigint NOT NULL,
  PRIMARY KEY (brain_id, audit_id)
);

-- +goose StatementBegin
CREATE FUNCTION to_be_sealed() RETURNS trigger LANGUAGE plpgsql
AS $$ BEGIN
  INSERT INTO audit_unsealed (brain_id, audit_id) SELECT brain_id, id FROM added;
  RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER to_be_sealed AFTER INSERT ON audit REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION to_be_sealed();

CREATE TABLE answers (
  brain_id text NOT NULL REFERENCES brains,
  id       text NOT NULL,
  at       timestamptz NOT NULL,
  query    text NOT NULL,
  topics   jsonb NOT NULL,
  version  integer NOT NULL,
  surface  text NOT NULL,
  actor    text NOT NULL,
  person   text NOT NULL,
  key_id   text NOT NULL,
  audit_id bigint NOT NULL,
  guardrail text NOT NULL,
  envelope text NOT NULL, -- JSON; nothing looks into it here, so it is not parsed
  PRIMARY KEY (brain_id, id)
);
CREATE INDEX answers_at ON answers (brain_id, at DESC, id DESC);
-- +goose StatementBegin
DO $$ BEGIN
  ALTER TABLE answers ALTER COLUMN envelope SET COMPRESSION lz4; -- several times faster than the default
EXCEPTION WHEN feature_not_supported THEN NULL; -- a server that was built without it
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
DO $$
DECLARE t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['memberships', 'api_keys', 'token_grants', 'sources', 'revisions', 'blobs', 'passages', 'terms',
    'topic_cards', 'versions', 'version_sources', 'audit', 'audit_chain', 'audit_unsealed', 'answers'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', t);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', t);
    EXECUTE format('CREATE POLICY brain_only ON %I USING (brain_id = (SELECT app_brain())) WITH CHECK (brain_id = (SELECT app_brain()))', t);
  END LOOP;
  -- What is published, recorded or served stands still, whoever is connected.
  FOREACH t IN ARRAY ARRAY['revisions', 'blobs', 'passages', 'terms', 'versions', 'version_sources', 'audit', 'audit_chain'] LOOP
    EXECUTE format('CREATE TRIGGER stands_still BEFORE UPDATE OR DELETE ON %I FOR EACH ROW EXECUTE FUNCTION stands_still()', t);
    EXECUTE format('CREATE TRIGGER stands_still_all BEFORE TRUNCATE ON %I FOR EACH STATEMENT EXECUTE FUNCTION stands_still()', t);
  END LOOP;
END $$;

-- The published pointer only ever names a version that is there.
CREATE FUNCTION published_is_there() RETURNS trigger LANGUAGE plpgsql
AS $$ BEGIN
  IF NEW.published <> OLD.published AND NOT EXISTS (SELECT FROM versions WHERE brain_id = NEW.id AND n = NEW.published) THEN
    RAISE EXCEPTION 'brain % has no version %', NEW.id, NEW.published USING ERRCODE = 'foreign_key_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER published_is_there BEFORE UPDATE ON brains FOR EACH ROW EXECUTE FUNCTION published_is_there();

-- Credentials are looked up before the brain is known. The functions belong to
-- a role that nobody can log in as and that alone may read across brains: a
-- definer function of the tables' owner would see nothing under FORCE.
DO $$
BEGIN
  BEGIN
    CREATE ROLE polaris_auth NOLOGIN;
  EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; -- another database of this cluster has it
  END;
  EXECUTE format('GRANT polaris_auth TO %I', current_user);
END $$;

CREATE POLICY auth_reads ON api_keys FOR SELECT TO polaris_auth USING (true);
CREATE POLICY auth_reads ON memberships FOR SELECT TO polaris_auth USING (true);
CREATE POLICY auth_reads ON token_grants FOR SELECT TO polaris_auth USING (true);

CREATE FUNCTION auth_key(key_id text) RETURNS TABLE (
  brain_id text, id text, scopes jsonb, actor text, owner_id text, owner_disabled boolean, roles jsonb,
  hash bytea, prev_hash bytea, prev_until timestamptz, expires_at timestamptz, last_used_at timestamptz, revoked_at timestamptz,
  rate_n integer, rate_seconds integer, published integer)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp ROWS 1
AS $$
#variable_conflict use_column
BEGIN
  -- In PL/pgSQL the plan is kept for the connection; an SQL function would be
  -- planned anew on each request.
  RETURN QUERY SELECT k.brain_id, k.id, k.scopes, k.actor, k.owner_id, p.disabled_at IS NOT NULL, coalesce(m.roles, '[]'::jsonb),
    k.hash, k.prev_hash, k.prev_until, k.expires_at, k.last_used_at, k.revoked_at, k.rate_n, k.rate_seconds, b.published
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
       'four_eyes', b.four_eyes, 'roles', m.roles) ORDER BY b.id), '[]'::jsonb)
     FROM public.memberships m JOIN public.brains b ON b.id = m.brain_id WHERE m.person_id = p.id AND m.roles <> '[]'::jsonb)
  FROM public.sessions s JOIN public.persons p ON p.id = s.person_id
  WHERE s.hash = session_hash AND p.disabled_at IS NULL;
END $$;

-- Whether an access token holds is for the caller to judge, by its signature and
-- by each of its claims.
CREATE FUNCTION auth_token(key_id text, grant_id text) RETURNS TABLE (
  public_key bytea, verifies_until timestamptz, brain_id text, person_id text, email text, disabled boolean, token_version integer,
  roles jsonb, grant_version integer, scopes jsonb, expires_at timestamptz, revoked_at timestamptz, published integer)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp ROWS 1
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT s.public_key, s.verifies_until, g.brain_id, g.person_id, p.email, p.disabled_at IS NOT NULL, p.token_version,
    coalesce(m.roles, '[]'::jsonb), g.token_version, g.scopes, g.expires_at, g.revoked_at, b.published
  FROM public.token_grants g
  JOIN public.signing_keys s ON s.kid = key_id
  JOIN public.brains b ON b.id = g.brain_id
  JOIN public.persons p ON p.id = g.person_id
  LEFT JOIN public.memberships m ON m.brain_id = g.brain_id AND m.person_id = g.person_id
  WHERE g.id = grant_id;
END $$;

-- Whose a refresh token is. Whether it can still be used is judged under a lock.
CREATE FUNCTION auth_grant(grant_id text) RETURNS TABLE (brain_id text, person_id text, email text, family_hash bytea)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp ROWS 1
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT g.brain_id, g.person_id, p.email, g.family_hash
  FROM public.token_grants g JOIN public.persons p ON p.id = g.person_id
  WHERE g.id = grant_id;
END $$;

GRANT USAGE, CREATE ON SCHEMA public TO polaris_auth; -- CREATE only for the moment of the lines below
ALTER FUNCTION auth_key(text) OWNER TO polaris_auth;
ALTER FUNCTION auth_session(bytea) OWNER TO polaris_auth;
ALTER FUNCTION auth_token(text, text) OWNER TO polaris_auth;
ALTER FUNCTION auth_grant(text) OWNER TO polaris_auth;
REVOKE CREATE ON SCHEMA public FROM polaris_auth;
GRANT SELECT ON api_keys, token_grants, signing_keys, memberships, brains, persons, sessions TO polaris_auth;
SET LOCAL ROLE polaris_auth;
REVOKE ALL ON FUNCTION auth_key(text) FROM PUBLIC;
REVOKE ALL ON FUNCTION auth_session(bytea) FROM PUBLIC;
REVOKE ALL ON FUNCTION auth_token(text, text) FROM PUBLIC;
REVOKE ALL ON FUNCTION auth_grant(text) FROM PUBLIC;
RESET ROLE;
-- +goose StatementEnd
