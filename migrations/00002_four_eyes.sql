-- +goose Up
-- Four eyes. What one person proposes another one decides on, and the database
-- holds that: decisions have one writer, decide(), which takes who decides from
-- a live session; the app's login may write none of these tables but the queue
-- itself, and there only pending rows.

-- One human being may have several accounts. Four eyes count human beings: an
-- account that turned out to be somebody's second one points to the first.
ALTER TABLE persons ADD COLUMN same_as text REFERENCES persons CHECK (same_as <> id);

-- Four eyes that are off until then are on again from then on; NULL: until
-- somebody turns them on.
ALTER TABLE brains ADD COLUMN four_eyes_until timestamptz CHECK (four_eyes_until IS NULL OR NOT four_eyes);

-- +goose StatementBegin
CREATE FUNCTION human(person text) RETURNS text LANGUAGE sql STABLE
AS $$ SELECT coalesce((SELECT p.same_as FROM public.persons p WHERE p.id = person), person) $$;

-- Accounts form no chains: whoever is linked to is nobody's second account. Two
-- links that are made at once take turns, or each would miss the other.
CREATE FUNCTION accounts_are_flat() RETURNS trigger LANGUAGE plpgsql
AS $$ BEGIN
  IF NEW.same_as IS NOT NULL THEN
    PERFORM pg_advisory_xact_lock(hashtextextended('accounts_are_flat', 0));
  END IF;
  IF NEW.same_as IS NOT NULL AND (
     EXISTS (SELECT FROM public.persons WHERE id = NEW.same_as AND same_as IS NOT NULL) OR
     EXISTS (SELECT FROM public.persons WHERE same_as = NEW.id)) THEN
    RAISE EXCEPTION 'accounts are linked to a person''s first account' USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER accounts_are_flat BEFORE INSERT OR UPDATE OF same_as ON persons FOR EACH ROW EXECUTE FUNCTION accounts_are_flat();
-- +goose StatementEnd

-- How many must approve, and who may, by class of operation. A brain without a
-- row for a class goes by the default: one approval, by owner, admin, curator or
-- approver.
CREATE TABLE decision_rules (
  brain_id text NOT NULL REFERENCES brains,
  class    text NOT NULL CHECK (class IN ('A2', 'A3', 'A4')),
  needed   smallint NOT NULL CHECK (needed BETWEEN 1 AND 5),
  roles    jsonb NOT NULL,
  PRIMARY KEY (brain_id, class)
);

CREATE TABLE recommendations (
  brain_id      text NOT NULL REFERENCES brains,
  id            text NOT NULL,
  operation     text NOT NULL,
  class         text NOT NULL CHECK (class IN ('A2', 'A3', 'A4')),
  input         text NOT NULL, -- JSON, frozen
  input_version integer NOT NULL,
  target        text NOT NULL, -- what it changes
  base          text NOT NULL, -- the target's state that the proposer saw
  before        text NOT NULL, -- JSON of the target, '' where there is none
  after         text NOT NULL,
  rationale     text NOT NULL,
  evidence      jsonb NOT NULL,
  proposer      text NOT NULL REFERENCES persons,
  actor         text NOT NULL,
  key_id        text NOT NULL,
  surface       text NOT NULL,
  authenticated boolean NOT NULL,
  supersedes    text NOT NULL DEFAULT '',
  needed        smallint NOT NULL,
  roles         jsonb NOT NULL,
  payload       bytea NOT NULL, -- SHA-256 of what is decided on
  state         text NOT NULL,
  created_at    timestamptz NOT NULL,
  expires_at    timestamptz NOT NULL,
  decided_at    timestamptz,
  note          text NOT NULL DEFAULT '', -- why applying failed the last time, or why it ended
  approved_in   xid8,                     -- the transaction that may apply it
  PRIMARY KEY (brain_id, id),
  CHECK (state IN ('pending', 'applied', 'rejected', 'withdrawn', 'expired', 'stale', 'superseded')),
  CHECK ((state = 'pending') = (decided_at IS NULL))
);
CREATE INDEX recommendations_open ON recommendations (brain_id, expires_at) WHERE state = 'pending';

-- One row for each human being who had a part in a recommendation, by their
-- first account. Proposing and deciding are the same row, so nobody can do both,
-- or decide twice. A contributor's second account has a row as well, which
-- stays if the two turn out to be different people after all.
CREATE TABLE participation (
  brain_id          text NOT NULL,
  recommendation_id text NOT NULL,
  person_id         text NOT NULL REFERENCES persons,
  part              text NOT NULL CHECK (part IN ('contributor', 'approve', 'reject')),
  account_id        text NOT NULL REFERENCES persons, -- the account by which
  seen              bytea,                            -- hash of the content that was decided on
  comment           text NOT NULL DEFAULT '',
  at                timestamptz NOT NULL,
  PRIMARY KEY (brain_id, recommendation_id, person_id),
  FOREIGN KEY (brain_id, recommendation_id) REFERENCES recommendations (brain_id, id),
  CHECK ((part = 'contributor') = (seen IS NULL))
);

-- +goose StatementBegin
DO $$
DECLARE t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['decision_rules', 'recommendations', 'participation'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', t);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', t);
    EXECUTE format('CREATE POLICY brain_only ON %I USING (brain_id = (SELECT app_brain())) WITH CHECK (brain_id = (SELECT app_brain()))', t);
  END LOOP;
  EXECUTE 'CREATE TRIGGER stands_still BEFORE UPDATE OR DELETE ON participation FOR EACH ROW EXECUTE FUNCTION stands_still()';
  EXECUTE 'CREATE TRIGGER stands_still_all BEFORE TRUNCATE ON participation FOR EACH STATEMENT EXECUTE FUNCTION stands_still()';
  EXECUTE 'CREATE TRIGGER stands_still_all BEFORE TRUNCATE ON recommendations FOR EACH STATEMENT EXECUTE FUNCTION stands_still()';
END $$;
-- +goose StatementEnd

-- Whoever may know a key's secret: who owned, made or rotated it at any time. To
-- move a key to somebody else does not make them forget it.
CREATE TABLE key_holders (
  brain_id  text NOT NULL,
  key_id    text NOT NULL,
  person_id text NOT NULL REFERENCES persons,
  PRIMARY KEY (brain_id, key_id, person_id),
  FOREIGN KEY (brain_id, key_id) REFERENCES api_keys (brain_id, id)
);
ALTER TABLE key_holders ENABLE ROW LEVEL SECURITY;
ALTER TABLE key_holders FORCE ROW LEVEL SECURITY;
CREATE POLICY brain_only ON key_holders USING (brain_id = (SELECT app_brain())) WITH CHECK (brain_id = (SELECT app_brain()));
CREATE TRIGGER stands_still BEFORE UPDATE OR DELETE ON key_holders FOR EACH ROW EXECUTE FUNCTION stands_still();
CREATE TRIGGER stands_still_all BEFORE TRUNCATE ON key_holders FOR EACH STATEMENT EXECUTE FUNCTION stands_still();

-- +goose StatementBegin
CREATE FUNCTION holds_key() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$ BEGIN
  INSERT INTO public.key_holders (brain_id, key_id, person_id)
  SELECT NEW.brain_id, NEW.id, p.id FROM public.persons p WHERE p.id = NEW.owner_id OR p.email IN (NEW.created_by, NEW.rotated_by)
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER holds_key AFTER INSERT OR UPDATE OF owner_id, rotated_by ON api_keys FOR EACH ROW EXECUTE FUNCTION holds_key();

-- What is decided on, as one hash. Every part has its length before it, so that
-- no two contents look alike.
CREATE FUNCTION payload_of(r recommendations) RETURNS bytea LANGUAGE plpgsql IMMUTABLE
AS $$
DECLARE
  part text;
  all_parts text := '';
BEGIN
  FOREACH part IN ARRAY ARRAY[r.brain_id, r.id, r.operation, r.class, r.input, r.input_version::text, r.target, r.base, r.before, r.after, r.rationale, r.evidence::text] LOOP
    all_parts := all_parts || octet_length(part)::text || ':' || part;
  END LOOP;
  RETURN sha256(convert_to(all_parts, 'UTF8'));
END $$;

-- A recommendation comes in pending, by the rules of now, under a hash that the
-- database computed.
CREATE FUNCTION recommendation_comes() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE rule public.decision_rules;
BEGIN
  NEW.state := 'pending';
  NEW.decided_at := NULL;
  NEW.approved_in := NULL;
  NEW.note := '';
  SELECT * INTO rule FROM public.decision_rules d WHERE d.brain_id = NEW.brain_id AND d.class = NEW.class;
  NEW.needed := coalesce(rule.needed, 1);
  NEW.roles := coalesce(rule.roles, '["admin", "approver", "curator", "owner"]'::jsonb);
  NEW.payload := public.payload_of(NEW);
  IF NEW.key_id <> '' AND NOT EXISTS (SELECT FROM public.api_keys k WHERE k.brain_id = NEW.brain_id AND k.id = NEW.key_id AND k.owner_id = NEW.proposer) THEN
    RAISE EXCEPTION 'key_moved' USING ERRCODE = 'PL001';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER a_recommendation_comes BEFORE INSERT ON recommendations FOR EACH ROW EXECUTE FUNCTION recommendation_comes();

-- Whoever had a part in the content may not decide on it: who proposed it; for a
-- key whoever may know its secret; and all who had a part in what this one takes
-- the place of.
CREATE FUNCTION contributors() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE about jsonb;
BEGIN
  IF NEW.supersedes <> '' THEN
    UPDATE public.recommendations SET state = 'superseded', decided_at = clock_timestamp(), note = NEW.id
    WHERE brain_id = NEW.brain_id AND id = NEW.supersedes AND operation = NEW.operation AND target = NEW.target AND state = 'pending';
    IF NOT FOUND THEN
      RAISE EXCEPTION 'not_superseded' USING ERRCODE = 'PL001';
    END IF;
  END IF;
  -- Whom a change is about does not decide on it either.
  IF NEW.operation IN ('persons.link', 'persons.unlink', 'members.grant') THEN
    about := NEW.after::jsonb;
  END IF;
  WITH c AS (
    SELECT NEW.proposer AS id
    UNION SELECT p.id FROM public.persons p WHERE p.id IN (about->>'account', about->>'person')
    UNION SELECT k.person_id FROM public.key_holders k WHERE k.brain_id = NEW.brain_id AND k.key_id = NEW.key_id
    UNION SELECT o.account_id FROM public.participation o WHERE o.brain_id = NEW.brain_id AND o.recommendation_id = NEW.supersedes AND o.part = 'contributor'
  ), people AS (
    SELECT c.id AS person, c.id AS account FROM c UNION ALL SELECT public.human(c.id), c.id FROM c
  )
  INSERT INTO public.participation (brain_id, recommendation_id, person_id, part, account_id, at)
  SELECT DISTINCT ON (p.person) NEW.brain_id, NEW.id, p.person, 'contributor', p.account, NEW.created_at
  FROM people p ORDER BY p.person, p.account <> p.person, p.account;
  RETURN NULL;
END $$;
CREATE TRIGGER contributors AFTER INSERT ON recommendations FOR EACH ROW EXECUTE FUNCTION contributors();

-- A recommendation is immutable, and what was decided stays so.
CREATE FUNCTION recommendation_stands() RETURNS trigger LANGUAGE plpgsql
AS $$ BEGIN
  IF TG_OP = 'DELETE' THEN
    RAISE EXCEPTION 'recommendations are never removed' USING ERRCODE = 'restrict_violation';
  END IF;
  IF OLD.state <> 'pending' THEN
    RAISE EXCEPTION 'recommendation % is % already', OLD.id, OLD.state USING ERRCODE = 'object_not_in_prerequisite_state';
  END IF;
  IF (NEW.brain_id, NEW.id, NEW.proposer, NEW.actor, NEW.key_id, NEW.surface, NEW.authenticated, NEW.supersedes, NEW.needed, NEW.roles, NEW.created_at, NEW.expires_at, NEW.payload)
     IS DISTINCT FROM (OLD.brain_id, OLD.id, OLD.proposer, OLD.actor, OLD.key_id, OLD.surface, OLD.authenticated, OLD.supersedes, OLD.needed, OLD.roles, OLD.created_at, OLD.expires_at, OLD.payload)
     OR public.payload_of(NEW) <> OLD.payload THEN
    RAISE EXCEPTION 'a recommendation is immutable' USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER recommendation_stands BEFORE UPDATE OR DELETE ON recommendations FOR EACH ROW EXECUTE FUNCTION recommendation_stands();

-- How many human beings stand behind a recommendation now: those who approved it,
-- are still active and entitled, and turned out to be no contributor. Linked
-- accounts count once. Nobody among them is disabled, or loses a role, before
-- the transaction ends.
CREATE FUNCTION approvals(r recommendations) RETURNS integer LANGUAGE plpgsql
AS $$
DECLARE n integer;
BEGIN
  SELECT count(DISTINCT public.human(a.id)) INTO n FROM (
    SELECT p.id FROM public.participation o JOIN public.persons p ON p.id = o.account_id
    JOIN public.memberships m ON m.brain_id = o.brain_id AND m.person_id = p.id
    WHERE o.brain_id = r.brain_id AND o.recommendation_id = r.id AND o.part = 'approve'
      AND p.disabled_at IS NULL AND m.roles ?| ARRAY(SELECT jsonb_array_elements_text(r.roles))
    ORDER BY p.id FOR SHARE OF p, m
  ) a WHERE NOT EXISTS (
    SELECT FROM public.participation o WHERE o.brain_id = r.brain_id AND o.recommendation_id = r.id AND o.part = 'contributor' AND public.human(o.account_id) = public.human(a.id));
  RETURN n;
END $$;

-- Whatever way a state came about, at the end of the transaction it must be
-- borne out: applied by enough approvals and no rejection, rejected by one; an
-- approval that completes them is followed by what it approves; and an audit row
-- says so.
CREATE FUNCTION state_is_borne_out() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
  r public.recommendations;
  no int;
BEGIN
  SELECT * INTO r FROM public.recommendations x WHERE x.brain_id = NEW.brain_id AND x.id = NEW.id; -- as it is at the end
  SELECT count(*) INTO no FROM public.participation o WHERE o.brain_id = r.brain_id AND o.recommendation_id = r.id AND o.part = 'reject';
  IF r.state = 'applied' AND (r.approved_in IS DISTINCT FROM pg_current_xact_id() OR public.approvals(r) < r.needed)
     OR r.state = 'pending' AND r.approved_in IS NOT NULL
     OR no <> (CASE r.state WHEN 'rejected' THEN 1 ELSE 0 END) THEN
    RAISE EXCEPTION 'recommendation % cannot be %', r.id, r.state USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  -- (That detail has a state is said for the index.)
  IF r.state <> 'pending' AND NOT EXISTS (
    SELECT FROM public.audit a WHERE a.brain_id = r.brain_id AND a.target = r.id AND a.detail ? 'state' AND a.detail->>'state' = r.state) THEN
    RAISE EXCEPTION 'recommendation % became % without an audit row', r.id, r.state USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER state_is_borne_out AFTER UPDATE ON recommendations DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION state_is_borne_out();
-- +goose StatementEnd
CREATE INDEX audit_recommendations ON audit (brain_id, target) WHERE detail ? 'state';

-- +goose StatementBegin
-- decide is the only writer of a decision. Who decides is whoever the session
-- belongs to, now: a live session of an active person with one of the roles. It
-- returns the state that follows: 'rejected', 'pending' where more must approve,
-- 'approved' where this transaction is now to apply the change and to say how
-- that went by settle(). Refusals are raised, with the code as their message.
CREATE FUNCTION decide(session bytea, rec text, seen_payload bytea, verdict text, said text) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
  r public.recommendations;
  who text;
BEGIN
  IF verdict NOT IN ('approve', 'reject') THEN
    RAISE EXCEPTION 'unknown_verdict' USING ERRCODE = 'PL001';
  END IF;
  SELECT * INTO r FROM public.recommendations x WHERE x.brain_id = public.app_brain() AND x.id = rec FOR UPDATE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'no_such_recommendation' USING ERRCODE = 'PL001';
  END IF;
  -- The person before the session: whoever disables somebody, or ends all their
  -- sessions, goes the same way. Each row is judged as it is once it is locked.
  SELECT s.person_id INTO who FROM public.sessions s WHERE s.hash = session;
  PERFORM FROM public.persons p WHERE p.id = who AND p.disabled_at IS NULL FOR SHARE;
  IF FOUND THEN
    PERFORM FROM public.sessions s WHERE s.hash = session AND s.person_id = who
      AND s.expires_at > clock_timestamp() AND s.seen_at > clock_timestamp() - interval '12 hours' FOR SHARE;
  END IF;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'session_required' USING ERRCODE = 'PL001';
  END IF;
  PERFORM FROM public.memberships m WHERE m.brain_id = r.brain_id AND m.person_id = who AND m.roles ?| ARRAY(SELECT jsonb_array_elements_text(r.roles)) FOR SHARE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'not_entitled' USING ERRCODE = 'PL001';
  END IF;
  IF r.state <> 'pending' THEN
    RAISE EXCEPTION 'already_decided' USING ERRCODE = 'PL001', DETAIL = r.state;
  END IF;
  IF r.expires_at <= clock_timestamp() THEN
    RAISE EXCEPTION 'expired' USING ERRCODE = 'PL001';
  END IF;
  IF seen_payload IS DISTINCT FROM r.payload THEN
    RAISE EXCEPTION 'content_changed' USING ERRCODE = 'PL001';
  END IF;
  -- Accounts may have been linked since they took part, so human beings are
  -- compared as they are known now.
  IF EXISTS (SELECT FROM public.participation o WHERE o.brain_id = r.brain_id AND o.recommendation_id = r.id AND (public.human(o.account_id) = public.human(who) OR o.person_id = public.human(who)) AND o.part = 'contributor') THEN
    RAISE EXCEPTION 'own_proposal' USING ERRCODE = 'PL001';
  END IF;
  IF EXISTS (SELECT FROM public.participation o WHERE o.brain_id = r.brain_id AND o.recommendation_id = r.id AND (public.human(o.account_id) = public.human(who) OR o.person_id = public.human(who))) THEN
    RAISE EXCEPTION 'decided_before' USING ERRCODE = 'PL001';
  END IF;
  INSERT INTO public.participation (brain_id, recommendation_id, person_id, part, account_id, seen, comment, at)
  VALUES (r.brain_id, r.id, public.human(who), verdict, who, seen_payload, said, clock_timestamp());
  IF verdict = 'reject' THEN
    UPDATE public.recommendations SET state = 'rejected', decided_at = clock_timestamp() WHERE brain_id = r.brain_id AND id = r.id;
    RETURN 'rejected';
  END IF;
  IF public.approvals(r) < r.needed THEN
    RETURN 'pending';
  END IF;
  UPDATE public.recommendations SET approved_in = pg_current_xact_id() WHERE brain_id = r.brain_id AND id = r.id;
  RETURN 'approved';
END $$;

-- settle ends a recommendation otherwise than by a decision: applied or stale in
-- the transaction that approved it, expired when its time is over, withdrawn by
-- whoever proposed it (which the operation checks).
CREATE FUNCTION settle(rec text, ended text, why text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE r public.recommendations;
BEGIN
  SELECT * INTO r FROM public.recommendations x WHERE x.brain_id = public.app_brain() AND x.id = rec FOR UPDATE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'no_such_recommendation' USING ERRCODE = 'PL001';
  END IF;
  IF r.state <> 'pending' THEN
    RAISE EXCEPTION 'already_decided' USING ERRCODE = 'PL001', DETAIL = r.state;
  END IF;
  IF ended IN ('applied', 'stale') AND r.approved_in IS DISTINCT FROM pg_current_xact_id()
     OR ended = 'expired' AND r.expires_at > clock_timestamp()
     OR ended NOT IN ('applied', 'stale', 'expired', 'withdrawn') THEN
    RAISE EXCEPTION 'not_so' USING ERRCODE = 'PL001';
  END IF;
  UPDATE public.recommendations SET state = ended, note = why, decided_at = clock_timestamp() WHERE brain_id = r.brain_id AND id = r.id;
END $$;

-- noted keeps why applying failed, on an item that stays pending.
CREATE FUNCTION noted(rec text, why text) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$ UPDATE public.recommendations SET note = why WHERE brain_id = public.app_brain() AND id = rec AND state = 'pending' $$;

-- What is published changes only by a decision made in the same transaction, to
-- what was decided on (a manifest, or the manifest in a larger subject), while it
-- is being applied; where four eyes are off, freely; and once, for the first
-- version, by Polaris.
CREATE FUNCTION published_by_two() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$ BEGIN
  IF NEW.published <> OLD.published AND (OLD.four_eyes OR OLD.four_eyes_until <= clock_timestamp()) AND NOT (OLD.published = 0 AND EXISTS (
       SELECT FROM public.versions v WHERE v.brain_id = NEW.id AND v.n = NEW.published AND v.four_eyes = 'bootstrap'))
     AND NOT EXISTS (SELECT FROM public.recommendations r JOIN public.versions v ON v.brain_id = r.brain_id AND v.n = NEW.published
       WHERE r.brain_id = NEW.id AND r.state = 'pending' AND r.approved_in = pg_current_xact_id() AND r.class = 'A4' AND r.operation IN ('versions.publish', 'versions.restore')
       AND v.manifest = coalesce(r.after::jsonb->'manifest', r.after::jsonb)) THEN
    RAISE EXCEPTION 'publishing needs a second person' USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER published_by_two BEFORE UPDATE OF published ON brains FOR EACH ROW EXECUTE FUNCTION published_by_two();
ALTER TABLE brains ADD CHECK (published >= 0);

-- A new brain has nothing published, or its first version would be there before
-- anybody decided on it.
CREATE FUNCTION begins_unpublished() RETURNS trigger LANGUAGE plpgsql
AS $$ BEGIN
  IF NEW.published <> 0 THEN
    RAISE EXCEPTION 'a new brain has no version' USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER begins_unpublished BEFORE INSERT ON brains FOR EACH ROW EXECUTE FUNCTION begins_unpublished();

-- What is being applied in this transaction by an operation, as it was decided
-- on. In the transaction's brain only, which must have four eyes to decide with.
CREATE FUNCTION decided_now(by_operation text) RETURNS SETOF jsonb LANGUAGE sql STABLE
AS $$ SELECT r.after::jsonb FROM public.recommendations r
  WHERE r.brain_id = public.app_brain() AND r.state = 'pending' AND r.approved_in = pg_current_xact_id_if_assigned() AND r.class = 'A4' AND r.operation = by_operation $$;

-- How many human beings could decide on changes of the class in the
-- transaction's brain.
CREATE FUNCTION deciders(of_class text) RETURNS bigint LANGUAGE sql STABLE
AS $$ SELECT count(DISTINCT public.human(p.id)) FROM public.memberships m JOIN public.persons p ON p.id = m.person_id
  WHERE m.brain_id = public.app_brain() AND p.disabled_at IS NULL AND m.roles ?| ARRAY(SELECT jsonb_array_elements_text(coalesce(
    (SELECT d.roles FROM public.decision_rules d WHERE d.brain_id = public.app_brain() AND d.class = of_class), '["admin", "approver", "curator", "owner"]'::jsonb))) $$;

-- Whose account is whose is decided on by two, in a brain that has four eyes.
CREATE FUNCTION accounts_by_two() RETURNS trigger LANGUAGE plpgsql
AS $$ BEGIN
  IF TG_OP = 'INSERT' AND NEW.same_as IS NOT NULL OR TG_OP = 'UPDATE' AND NEW.same_as IS DISTINCT FROM OLD.same_as AND NOT EXISTS (
    SELECT FROM public.decided_now(CASE WHEN NEW.same_as IS NULL THEN 'persons.unlink' ELSE 'persons.link' END) a
    JOIN public.brains b ON b.id = public.app_brain() AND b.four_eyes
    WHERE a->>'account' = NEW.id AND a->>'person' = coalesce(NEW.same_as, OLD.same_as)) THEN
    RAISE EXCEPTION 'linking accounts needs a second person' USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER accounts_by_two BEFORE INSERT OR UPDATE OF same_as ON persons FOR EACH ROW EXECUTE FUNCTION accounts_by_two();

-- Four eyes are turned off by a decision; or, where fewer than two could decide,
-- for 30 days at most. Turned on they are by anybody.
CREATE FUNCTION four_eyes_stay() RETURNS trigger LANGUAGE plpgsql
AS $$ BEGIN
  IF NOT NEW.four_eyes AND (NEW.four_eyes, NEW.four_eyes_until) IS DISTINCT FROM (OLD.four_eyes, OLD.four_eyes_until) AND (
    NEW.id IS DISTINCT FROM public.app_brain()
    OR NOT EXISTS (SELECT FROM public.decided_now('settings.save') a WHERE a->'four_eyes' = 'false')
      AND (public.deciders('A4') >= 2 OR NEW.four_eyes_until IS NULL OR NEW.four_eyes_until > clock_timestamp() + interval '30 days')) THEN
    RAISE EXCEPTION 'turning four eyes off needs a second person' USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER four_eyes_stay BEFORE UPDATE OF four_eyes, four_eyes_until ON brains FOR EACH ROW EXECUTE FUNCTION four_eyes_stay();

-- A rule becomes stricter at once, and laxer by a decision.
CREATE FUNCTION rules_tighten() RETURNS trigger LANGUAGE plpgsql
AS $$
DECLARE
  needed smallint := 1;
  roles jsonb := '["admin", "approver", "curator", "owner"]';
BEGIN
  IF TG_OP = 'UPDATE' THEN
    needed := OLD.needed;
    roles := OLD.roles;
  END IF;
  IF (NEW.needed < needed OR NOT NEW.roles <@ roles) AND NOT EXISTS (
    SELECT FROM public.decided_now('settings.save') a, jsonb_array_elements(a->'rules') x
    WHERE x->>'class' = NEW.class AND (x->>'needed')::int = NEW.needed AND x->'roles' = NEW.roles) THEN
    RAISE EXCEPTION 'a laxer rule needs a second person' USING ERRCODE = 'insufficient_privilege';
  END IF;
  IF TG_OP = 'UPDATE' AND (NEW.brain_id, NEW.class) IS DISTINCT FROM (OLD.brain_id, OLD.class) THEN
    RAISE EXCEPTION 'a rule stays with its class' USING ERRCODE = 'restrict_violation';
  END IF;
  -- Nor so strict that one alone is left who could decide: whoever that is could
  -- turn four eyes off.
  IF NEW.class = 'A4' AND public.deciders('A4') >= 2 AND (
    SELECT count(DISTINCT public.human(p.id)) FROM public.memberships m JOIN public.persons p ON p.id = m.person_id
    WHERE m.brain_id = NEW.brain_id AND p.disabled_at IS NULL AND m.roles ?| ARRAY(SELECT jsonb_array_elements_text(NEW.roles))) < 2 THEN
    RAISE EXCEPTION 'too_few_deciders' USING ERRCODE = 'PL001';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER rules_tighten BEFORE INSERT OR UPDATE ON decision_rules FOR EACH ROW EXECUTE FUNCTION rules_tighten();
ALTER TABLE decision_rules ADD CHECK (jsonb_typeof(roles) = 'array' AND roles <> '[]'::jsonb);

-- The functions that decide belong to a role that nobody can log in as, and that
-- alone may write decisions. Row security holds for it, too: it sees the brain
-- that the transaction is for.
DO $$
DECLARE f text;
BEGIN
  BEGIN
    CREATE ROLE polaris_decide NOLOGIN;
  EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; -- another database of this cluster has it
  END;
  EXECUTE format('GRANT polaris_decide TO %I', current_user);
  GRANT USAGE, CREATE ON SCHEMA public TO polaris_decide; -- CREATE only for the moment of the lines below
  FOREACH f IN ARRAY ARRAY['holds_key()', 'recommendation_comes()', 'contributors()', 'state_is_borne_out()', 'published_by_two()',
    'decide(bytea, text, bytea, text, text)', 'settle(text, text, text)', 'noted(text, text)'] LOOP
    EXECUTE format('ALTER FUNCTION %s OWNER TO polaris_decide', f);
  END LOOP;
  REVOKE CREATE ON SCHEMA public FROM polaris_decide;
  GRANT SELECT ON persons, sessions, memberships, api_keys, versions, audit, decision_rules, recommendations, participation, key_holders TO polaris_decide;
  GRANT INSERT ON participation, key_holders TO polaris_decide;
  GRANT UPDATE ON recommendations, sessions, persons, memberships TO polaris_decide; -- of the last three only to lock a row
  SET LOCAL ROLE polaris_decide;
  FOREACH f IN ARRAY ARRAY['holds_key()', 'recommendation_comes()', 'contributors()', 'state_is_borne_out()', 'published_by_two()',
    'decide(bytea, text, bytea, text, text)', 'settle(text, text, text)', 'noted(text, text)'] LOOP
    EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', f);
  END LOOP;
  RESET ROLE;
END $$;
-- +goose StatementEnd
