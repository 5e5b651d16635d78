-- +goose Up
-- A person vouches for one revision of a source. What they said stays; with the
-- next revision it no longer speaks for the source.
CREATE TABLE certifications (
  brain_id      text NOT NULL,
  source_id     text NOT NULL,
  revision      integer NOT NULL,
  person_id     text NOT NULL REFERENCES persons,
  note          text NOT NULL,
  at            timestamptz NOT NULL,
  authenticated boolean NOT NULL, -- false: named at a terminal, verified by nobody
  PRIMARY KEY (brain_id, source_id, revision),
  FOREIGN KEY (brain_id, source_id, revision) REFERENCES revisions (brain_id, source_id, n)
);

-- +goose StatementBegin
DO $$ BEGIN
  EXECUTE 'ALTER TABLE certifications ENABLE ROW LEVEL SECURITY';
  EXECUTE 'ALTER TABLE certifications FORCE ROW LEVEL SECURITY';
  EXECUTE 'CREATE POLICY brain_only ON certifications USING (brain_id = (SELECT app_brain())) WITH CHECK (brain_id = (SELECT app_brain()))';
  EXECUTE 'CREATE TRIGGER stands_still BEFORE UPDATE OR DELETE ON certifications FOR EACH ROW EXECUTE FUNCTION stands_still()';
  EXECUTE 'CREATE TRIGGER stands_still_all BEFORE TRUNCATE ON certifications FOR EACH STATEMENT EXECUTE FUNCTION stands_still()';
END $$;

-- What is flagged is in no version before somebody has certified it, whatever
-- way led there.
CREATE FUNCTION nothing_held_is_served() RETURNS trigger LANGUAGE plpgsql
AS $$ BEGIN
  IF EXISTS (SELECT FROM public.revisions r WHERE r.brain_id = NEW.brain_id AND r.source_id = NEW.source_id AND r.n = NEW.revision AND r.flags <> '[]')
     AND NOT EXISTS (SELECT FROM public.certifications c WHERE c.brain_id = NEW.brain_id AND c.source_id = NEW.source_id AND c.revision = NEW.revision) THEN
    RAISE EXCEPTION 'revision % of % is held', NEW.revision, NEW.source_id USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER nothing_held_is_served BEFORE INSERT ON version_sources FOR EACH ROW EXECUTE FUNCTION nothing_held_is_served();
-- +goose StatementEnd

-- What of a brain's answers is recorded, and for how long. The audit row of an
-- answer has the hash of what was served, whatever is kept of it here.
ALTER TABLE brains ADD COLUMN record_answers text NOT NULL DEFAULT 'full' CHECK (record_answers IN ('full', 'hash', 'off'));
ALTER TABLE brains ADD COLUMN answer_days integer CHECK (answer_days > 0); -- NULL: for ever
ALTER TABLE brains ADD COLUMN purged integer NOT NULL DEFAULT 0; -- how many sources were; processes see by it that they hold what is gone
ALTER TABLE brains ADD COLUMN ended_at timestamptz;              -- its deletion was decided on; the rest follows
ALTER TABLE persons ADD COLUMN forgotten_at timestamptz;
ALTER TABLE answers ADD COLUMN kept text NOT NULL DEFAULT 'full' CHECK (kept IN ('full', 'hash', 'expired', 'purged'));
ALTER TABLE answers ADD COLUMN gone_at timestamptz; -- when its body went
ALTER TABLE answers ADD CHECK (kept = 'full' OR (query = '' AND envelope = ''));

-- By which transaction a row came into the log, until it is sealed.
ALTER TABLE audit_unsealed ADD COLUMN by xid8 NOT NULL DEFAULT pg_current_xact_id();

-- A tombstone of a source that had to go: on whose order, and what went. Names of
-- people are ids here, so that whoever is forgotten is forgotten here as well.
CREATE TABLE purges (
  brain_id          text NOT NULL,
  source_id         text NOT NULL,
  code              text NOT NULL,
  reason            text NOT NULL CHECK (reason <> ''),
  went              jsonb NOT NULL, -- of each revision its number, the SHA-256 of its bytes, and its passages
  answers           bigint NOT NULL, -- so many recorded bodies went with it
  recommendation_id text NOT NULL,  -- by which it was decided on; '' where four eyes were off
  proposed_by       text NOT NULL,  -- a person's id, or who was at the terminal
  approved_by       jsonb NOT NULL, -- ids of persons
  at                timestamptz NOT NULL,
  PRIMARY KEY (brain_id, source_id),
  FOREIGN KEY (brain_id, source_id) REFERENCES sources (brain_id, id)
);

-- A tombstone of a brain: its id is not given again, and whoever has an export of
-- its log can hold that against the last head.
CREATE TABLE ended_brains (
  id        text PRIMARY KEY,
  ended_at  timestamptz NOT NULL,
  head_seq  bigint NOT NULL,
  head_hash bytea NOT NULL,
  rows      bigint NOT NULL -- that went
);

-- +goose StatementBegin
DO $$ BEGIN
  EXECUTE 'ALTER TABLE purges ENABLE ROW LEVEL SECURITY';
  EXECUTE 'ALTER TABLE purges FORCE ROW LEVEL SECURITY';
  EXECUTE 'CREATE POLICY brain_only ON purges USING (brain_id = (SELECT app_brain())) WITH CHECK (brain_id = (SELECT app_brain()))';
  EXECUTE 'CREATE TRIGGER stands_still BEFORE UPDATE OR DELETE ON purges FOR EACH ROW EXECUTE FUNCTION stands_still()';
  EXECUTE 'CREATE TRIGGER stands_still_all BEFORE TRUNCATE ON purges FOR EACH STATEMENT EXECUTE FUNCTION stands_still()';
  EXECUTE 'CREATE TRIGGER stands_still BEFORE UPDATE OR DELETE ON ended_brains FOR EACH ROW EXECUTE FUNCTION stands_still()';
  EXECUTE 'CREATE TRIGGER stands_still_all BEFORE TRUNCATE ON ended_brains FOR EACH STATEMENT EXECUTE FUNCTION stands_still()';
END $$;

-- What stands still moves for one role alone, that nobody can log in as, and that
-- may do what the functions below do and nothing else.
CREATE OR REPLACE FUNCTION stands_still() RETURNS trigger LANGUAGE plpgsql
AS $$ BEGIN
  IF current_user = 'polaris_erase' AND TG_OP = 'UPDATE' THEN
    RETURN NEW;
  ELSIF current_user = 'polaris_erase' AND TG_OP = 'DELETE' THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION '% rows are never changed or removed', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;

CREATE OR REPLACE FUNCTION stands_still_till_retained() RETURNS trigger LANGUAGE plpgsql
AS $$ BEGIN
  IF TG_OP = 'DELETE' AND current_user IN ('polaris_retain', 'polaris_erase') THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION '% rows are never changed or removed', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;

-- As before; and of a key that was revoked a forgotten person's name goes.
CREATE OR REPLACE FUNCTION keys_only_narrow() RETURNS trigger LANGUAGE plpgsql
AS $$ BEGIN
  IF OLD.revoked_at IS NOT NULL AND current_user <> 'polaris_erase' THEN
    RAISE EXCEPTION 'API key % was revoked and is not changed any more', OLD.id USING ERRCODE = 'restrict_violation';
  END IF;
  IF NOT NEW.scopes <@ OLD.scopes THEN
    RAISE EXCEPTION 'API key % is not given further scopes', OLD.id USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END $$;

-- As before; and of a recommendation a forgotten person's name goes, which is no
-- part of what was decided on, and all of it goes with its brain.
CREATE OR REPLACE FUNCTION recommendation_stands() RETURNS trigger LANGUAGE plpgsql
AS $$
DECLARE alias text;
BEGIN
  IF TG_OP = 'DELETE' THEN
    IF current_user = 'polaris_erase' THEN
      RETURN OLD;
    END IF;
    RAISE EXCEPTION 'recommendations are never removed' USING ERRCODE = 'restrict_violation';
  END IF;
  IF current_user = 'polaris_erase' AND NEW.actor <> OLD.actor THEN
    alias := NEW.actor;
    NEW.actor := OLD.actor; -- all else must be as it was
    IF NEW IS DISTINCT FROM OLD THEN
      RAISE EXCEPTION 'a recommendation is immutable' USING ERRCODE = 'restrict_violation';
    END IF;
    NEW.actor := alias;
    RETURN NEW;
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

-- Two of the functions that decide are put up anew, which takes their owner.
DO $$ BEGIN
  EXECUTE format('GRANT polaris_decide TO %I', current_user);
  GRANT CREATE ON SCHEMA public TO polaris_decide; -- until they are
END $$;

-- As before, and only where a state is said: that a name goes says none.
-- (The function belongs to polaris_decide, in whose name alone it can be named.)
DO $$ BEGIN
  DROP TRIGGER state_is_borne_out ON recommendations;
  CREATE CONSTRAINT TRIGGER state_is_borne_out AFTER UPDATE OF state, approved_in ON recommendations DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION state_is_borne_out();
END $$;

-- Whether a brain does without a second person now.
CREATE FUNCTION one_may(brain text) RETURNS boolean LANGUAGE sql STABLE
AS $$ SELECT EXISTS (SELECT FROM public.brains b WHERE b.id = brain AND NOT b.four_eyes AND (b.four_eyes_until IS NULL OR b.four_eyes_until > clock_timestamp())) $$;

-- As before; and of what was purged nothing is lifted.
CREATE OR REPLACE FUNCTION lifted_by_two() RETURNS trigger LANGUAGE plpgsql
AS $$ BEGIN
  IF current_user = 'polaris_erase' THEN
    RETURN OLD;
  END IF;
  IF NOT EXISTS (SELECT FROM public.purges p WHERE p.brain_id = OLD.brain_id AND p.source_id = OLD.source_id)
     AND (EXISTS (SELECT FROM public.decided_now('sources.lift') a WHERE a->>'source_id' = OLD.source_id AND a->>'key' = OLD.key) OR public.one_may(OLD.brain_id)) THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'lifting a suspension needs a second person' USING ERRCODE = 'insufficient_privilege';
END $$;

-- A source that was purged stays out of the draft, under the code that it had.
CREATE FUNCTION purged_stays_out() RETURNS trigger LANGUAGE plpgsql
AS $$ BEGIN
  IF current_user <> 'polaris_erase' AND EXISTS (SELECT FROM public.purges p WHERE p.brain_id = OLD.brain_id AND p.source_id = OLD.id) THEN
    RAISE EXCEPTION 'source % was purged', OLD.code USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER purged_stays_out BEFORE UPDATE ON sources FOR EACH ROW EXECUTE FUNCTION purged_stays_out();

-- An answer is recorded as its brain says; what quotes a purged source, which a
-- process may have had loaded until now, is not.
CREATE FUNCTION answer_recorded() RETURNS trigger LANGUAGE plpgsql
AS $$
DECLARE
  how text;
  gone integer;
BEGIN
  SELECT b.record_answers, b.purged INTO how, gone FROM public.brains b WHERE b.id = NEW.brain_id;
  IF how = 'off' THEN
    RETURN NULL;
  END IF;
  IF how = 'hash' THEN
    NEW.kept := 'hash';
  ELSIF gone > 0 AND EXISTS (SELECT FROM public.purges p WHERE p.brain_id = NEW.brain_id AND position('"source_doc_pk":"' || p.source_id || '"' IN NEW.envelope) > 0) THEN
    NEW.kept := 'purged';
    NEW.gone_at := clock_timestamp();
  ELSE
    RETURN NEW;
  END IF;
  NEW.query := '';
  NEW.envelope := '';
  RETURN NEW;
END $$;
CREATE TRIGGER answer_recorded BEFORE INSERT ON answers FOR EACH ROW EXECUTE FUNCTION answer_recorded();

-- That no texts are recorded, only that and by which hash, anybody entitled says
-- at once: what was served can still be proved by whoever has it. To record more,
-- to record nothing, and to let bodies expire sooner or later is decided on by two.
CREATE FUNCTION records_by_two() RETURNS trigger LANGUAGE plpgsql
AS $$ BEGIN
  IF (NEW.record_answers, NEW.answer_days) IS DISTINCT FROM (OLD.record_answers, OLD.answer_days)
     AND NOT (OLD.record_answers = 'full' AND NEW.record_answers = 'hash' AND NEW.answer_days IS NOT DISTINCT FROM OLD.answer_days)
     AND NOT public.one_may(OLD.id)
     AND NOT (NEW.id = public.app_brain() AND EXISTS (SELECT FROM public.decided_now('settings.save') a
       WHERE a->>'record_answers' = NEW.record_answers AND (a->>'answer_days')::integer IS NOT DISTINCT FROM NEW.answer_days)) THEN
    RAISE EXCEPTION 'what is recorded of answers is decided on by two people' USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER records_by_two BEFORE UPDATE OF record_answers, answer_days ON brains FOR EACH ROW EXECUTE FUNCTION records_by_two();

-- A brain that is born without four eyes has them after thirty days, like any
-- other; and an id that somebody had is not given again.
CREATE FUNCTION a_brain_is_born() RETURNS trigger LANGUAGE plpgsql
AS $$ BEGIN
  IF EXISTS (SELECT FROM public.ended_brains e WHERE e.id = NEW.id) THEN
    RAISE EXCEPTION 'there was a brain %', NEW.id USING ERRCODE = 'unique_violation';
  END IF;
  IF NOT NEW.four_eyes AND (NEW.four_eyes_until IS NULL OR NEW.four_eyes_until > clock_timestamp() + interval '30 days') THEN
    NEW.four_eyes_until := clock_timestamp() + interval '30 days';
  END IF;
  NEW.ended_at := NULL;
  NEW.purged := 0;
  RETURN NEW;
END $$;
CREATE TRIGGER a_brain_is_born BEFORE INSERT ON brains FOR EACH ROW EXECUTE FUNCTION a_brain_is_born();

-- A brain ends by a decision of its owners, or where four eyes are off; and does
-- not come back.
CREATE FUNCTION ended_by_two() RETURNS trigger LANGUAGE plpgsql
AS $$ BEGIN
  IF NEW.ended_at IS DISTINCT FROM OLD.ended_at AND (OLD.ended_at IS NOT NULL OR NEW.id IS DISTINCT FROM public.app_brain()
     OR NOT public.one_may(OLD.id) AND NOT EXISTS (SELECT FROM public.decided_now('brains.delete') a WHERE a->>'brain' = NEW.id)) THEN
    RAISE EXCEPTION 'deleting a brain needs a second owner' USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER ended_by_two BEFORE UPDATE OF ended_at ON brains FOR EACH ROW EXECUTE FUNCTION ended_by_two();

-- Owners alone decide on the end of their brain, whatever the rule of the class.
CREATE FUNCTION owners_decide() RETURNS trigger LANGUAGE plpgsql
AS $$ BEGIN
  IF NEW.operation = 'brains.delete' THEN
    NEW.roles := '["owner"]';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER b_owners_decide BEFORE INSERT ON recommendations FOR EACH ROW EXECUTE FUNCTION owners_decide();

-- Whom it is about does not decide on being forgotten either.
SET LOCAL ROLE polaris_decide;
CREATE OR REPLACE FUNCTION contributors() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
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
  IF NEW.operation IN ('persons.link', 'persons.unlink', 'persons.forget', 'members.grant') THEN
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
RESET ROLE;
REVOKE CREATE ON SCHEMA public FROM polaris_decide;

-- Nobody gets a say in what is decided but by a decision on that, where four eyes
-- are off, or by whoever has a shell on the host. The last leaves a row in the log
-- in the same transaction, and without it nothing of it stays: a role that only
-- the database knows of there is not.
CREATE FUNCTION a_say_is_given() RETURNS trigger LANGUAGE plpgsql
AS $$
DECLARE
  had jsonb := CASE TG_OP WHEN 'UPDATE' THEN OLD.roles ELSE '[]' END;
  has jsonb;
BEGIN
  IF NEW.brain_id IS DISTINCT FROM public.app_brain() THEN -- nothing of the brain could be seen from here
    RAISE EXCEPTION 'a say is given in the brain that it is in' USING ERRCODE = 'insufficient_privilege';
  END IF;
  SELECT m.roles INTO has FROM public.memberships m WHERE m.brain_id = NEW.brain_id AND m.person_id = NEW.person_id; -- as it is at the end
  IF has IS NULL OR NOT EXISTS (SELECT FROM jsonb_array_elements_text(has) r WHERE r NOT IN ('reader', 'auditor') AND NOT had ? r) OR public.one_may(NEW.brain_id) THEN
    RETURN NULL;
  END IF;
  IF EXISTS (SELECT FROM public.recommendations r WHERE r.brain_id = NEW.brain_id AND r.approved_in = pg_current_xact_id() AND r.class = 'A4' AND r.operation = 'members.grant'
       AND r.after::jsonb->>'person' = NEW.person_id AND r.after::jsonb->'roles' = has)
     OR EXISTS (SELECT FROM public.audit_unsealed u JOIN public.audit a ON a.brain_id = u.brain_id AND a.id = u.audit_id JOIN public.persons p ON p.id = NEW.person_id
       WHERE u.brain_id = NEW.brain_id AND u.by = pg_current_xact_id() AND a.outcome = 'ok'
         AND a.target = p.email AND (a.operation = 'brains.create' OR a.operation = 'users.create' AND a.kind IN ('terminal', 'system'))) THEN
    RETURN NULL;
  END IF;
  RAISE EXCEPTION 'a say in what is decided needs a second person' USING ERRCODE = 'insufficient_privilege';
END $$;
CREATE CONSTRAINT TRIGGER a_say_is_given AFTER INSERT OR UPDATE ON memberships DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION a_say_is_given();

-- And while four eyes are on nobody loses theirs where fewer than two would be
-- left: one owner alone could turn them off then. That is said at once, or they
-- were turned off by the end of the transaction.
CREATE FUNCTION a_say_is_lost() RETURNS trigger LANGUAGE plpgsql
AS $$
DECLARE
  deciding text[] := ARRAY(SELECT jsonb_array_elements_text(coalesce(
    (SELECT d.roles FROM public.decision_rules d WHERE d.brain_id = OLD.brain_id AND d.class = 'A4'), '["admin", "approver", "curator", "owner"]')));
BEGIN
  IF (NEW.brain_id, NEW.person_id) IS DISTINCT FROM (OLD.brain_id, OLD.person_id) THEN
    RAISE EXCEPTION 'a say does not become another person''s' USING ERRCODE = 'restrict_violation';
  END IF;
  IF OLD.roles ?| deciding AND NOT NEW.roles ?| deciding AND NOT public.one_may(OLD.brain_id)
     AND EXISTS (SELECT FROM public.persons p WHERE p.id = OLD.person_id AND p.disabled_at IS NULL)
     AND (OLD.brain_id IS DISTINCT FROM public.app_brain() OR public.deciders('A4') < 2) THEN
    RAISE EXCEPTION 'too_few_deciders' USING ERRCODE = 'PL001';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER a_say_is_lost AFTER UPDATE ON memberships FOR EACH ROW EXECUTE FUNCTION a_say_is_lost();
-- +goose StatementEnd

-- +goose StatementBegin
-- purge_rows takes all that a source says out of a brain's tables, with whatever
-- right its caller has: purge() below, and a restore of a backup from before. What
-- names it (numbers, hashes, citation keys, manifests) stays. It returns what
-- went, and how many recorded answers.
CREATE FUNCTION purge_rows(brain text, source text, OUT went jsonb, OUT answers_gone bigint) LANGUAGE plpgsql
AS $$ BEGIN
  SELECT coalesce(jsonb_agg(jsonb_build_object('revision', v.n, 'sha256', encode(v.sha256, 'hex'),
    'passages', (SELECT count(*) FROM public.passages p WHERE p.brain_id = brain AND p.source_id = source AND p.revision = v.n)) ORDER BY v.n), '[]')
  INTO went FROM public.revisions v WHERE v.brain_id = brain AND v.source_id = source;
  DELETE FROM public.cross_references x WHERE x.brain_id = brain AND x.source_id = source; -- a table of a later migration
  DELETE FROM public.terms t WHERE t.brain_id = brain AND t.source_id = source;
  DELETE FROM public.passages p WHERE p.brain_id = brain AND p.source_id = source;
  DELETE FROM public.certifications c WHERE c.brain_id = brain AND c.source_id = source;
  -- The same bytes may be another source's, too, which is not purged with it.
  DELETE FROM public.blobs b WHERE b.brain_id = brain
    AND EXISTS (SELECT FROM public.revisions v WHERE v.brain_id = brain AND v.source_id = source AND v.sha256 = b.sha256)
    AND NOT EXISTS (SELECT FROM public.revisions v WHERE v.brain_id = brain AND v.source_id <> source AND v.sha256 = b.sha256
      AND NOT EXISTS (SELECT FROM public.purges x WHERE x.brain_id = brain AND x.source_id = v.source_id));
  UPDATE public.revisions v SET text = '', title = '', name = '', warnings = '[]', flags = '[]', report = '{}' WHERE v.brain_id = brain AND v.source_id = source;
  UPDATE public.import_items i SET title = '', name = '', url = '', reason = '', warnings = '[]', cards_affected = '[]' WHERE i.brain_id = brain AND i.source_id = source; -- a table of a later migration
  UPDATE public.answers a SET query = '', envelope = '', kept = 'purged', gone_at = clock_timestamp()
  WHERE a.brain_id = brain AND a.kept = 'full' AND position('"source_doc_pk":"' || source || '"' IN a.envelope) > 0;
  GET DIAGNOSTICS answers_gone = ROW_COUNT;
  UPDATE public.sources s SET title = 'Purged', origin_url = '', removed_at = coalesce(s.removed_at, clock_timestamp()) WHERE s.brain_id = brain AND s.id = source;
  INSERT INTO public.suspensions (brain_id, source_id, key, reason, at, by) VALUES (brain, source, '', 'It was purged.', clock_timestamp(), 'polaris')
  ON CONFLICT DO NOTHING;
  UPDATE public.brains b SET purged = b.purged + 1 WHERE b.id = brain;
END $$;

-- purge makes a source go as it was decided on in this transaction, or where four
-- eyes are off, and leaves its tombstone. What waits and would bring it back is
-- stale; their ids are returned, for each must have its row in the log.
CREATE FUNCTION purge(source text, why text, who text, OUT went jsonb, OUT answers_gone bigint, OUT ended text[])
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
  brain text := public.app_brain();
  r public.recommendations;
  its_code text;
  hands jsonb;
BEGIN
  SELECT * INTO r FROM public.recommendations x WHERE x.brain_id = brain AND x.state = 'pending' AND x.approved_in = pg_current_xact_id()
    AND x.class = 'A4' AND x.operation = 'sources.purge' AND x.after::jsonb->>'source_id' = source AND x.after::jsonb->>'reason' = why;
  IF r.id IS NULL AND NOT public.one_may(brain) THEN
    RAISE EXCEPTION 'purging a source needs a second person' USING ERRCODE = 'insufficient_privilege';
  END IF;
  SELECT s.code INTO its_code FROM public.sources s WHERE s.brain_id = brain AND s.id = source;
  IF its_code IS NULL THEN
    RAISE EXCEPTION 'no_such_source' USING ERRCODE = 'PL001';
  END IF;
  SELECT coalesce(jsonb_agg(o.account_id ORDER BY o.at), '[]') INTO hands FROM public.participation o WHERE o.brain_id = brain AND o.recommendation_id = r.id AND o.part = 'approve';
  WITH stale AS (
    UPDATE public.recommendations x SET state = 'stale', decided_at = clock_timestamp(), note = 'The source was purged.'
    WHERE x.brain_id = brain AND x.state = 'pending' AND x.id IS DISTINCT FROM r.id AND (x.target = 'source ' || its_code OR position(source IN x.after) > 0 OR position(source IN x.before) > 0
      OR EXISTS (SELECT FROM public.quarantine q JOIN public.revisions v ON v.brain_id = brain AND v.source_id = source AND v.sha256 = q.sha256
        WHERE q.brain_id = brain AND q.recommendation_id = x.id))
    RETURNING x.id)
  SELECT coalesce(array_agg(stale.id ORDER BY stale.id), '{}') INTO ended FROM stale;
  SELECT p.went, p.answers_gone INTO went, answers_gone FROM public.purge_rows(brain, source) p;
  INSERT INTO public.purges (brain_id, source_id, code, reason, went, answers, recommendation_id, proposed_by, approved_by, at)
  VALUES (brain, source, its_code, why, went, answers_gone, coalesce(r.id, ''), coalesce(r.proposer, who), hands, clock_timestamp());
END $$;

-- expire_answers lets go of bodies that are older than the brain keeps them, some
-- thousands at a time; and of those that quote a purged source and came in while
-- it was purged. Anybody may call it: it does what was decided on.
CREATE FUNCTION expire_answers() RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
  brain text := public.app_brain();
  days integer;
  gone bigint := 0;
BEGIN
  UPDATE public.answers a SET query = '', envelope = '', kept = 'purged', gone_at = clock_timestamp()
  FROM public.purges p WHERE a.brain_id = brain AND p.brain_id = brain AND a.kept = 'full'
    AND a.at BETWEEN p.at - interval '10 minutes' AND p.at + interval '10 minutes' AND position('"source_doc_pk":"' || p.source_id || '"' IN a.envelope) > 0;
  SELECT b.answer_days INTO days FROM public.brains b WHERE b.id = brain;
  IF days IS NOT NULL THEN
    UPDATE public.answers a SET query = '', envelope = '', kept = 'expired', gone_at = clock_timestamp()
    WHERE a.brain_id = brain AND a.id = ANY (ARRAY(SELECT o.id FROM public.answers o
      WHERE o.brain_id = brain AND o.kept = 'full' AND o.at < clock_timestamp() - make_interval(days => days) ORDER BY o.at LIMIT 5000));
    GET DIAGNOSTICS gone = ROW_COUNT;
  END IF;
  RETURN gone;
END $$;

-- end_brain removes all that a brain has, after its deletion was decided on, and
-- leaves a tombstone with the last head of its log, which has to be sealed to the
-- end. Tables are emptied as their foreign keys let them.
CREATE FUNCTION end_brain(OUT head_seq bigint, OUT head_hash bytea, OUT gone bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
  brain text := public.app_brain();
  ended timestamptz;
  left_over text[];
  again text[];
  t text;
  n bigint;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('seal:' || brain, 0)); -- no sealing meanwhile
  SELECT b.ended_at INTO ended FROM public.brains b WHERE b.id = brain FOR UPDATE;
  IF ended IS NULL THEN
    RAISE EXCEPTION 'that brain % ends was not decided on', brain USING ERRCODE = 'insufficient_privilege';
  END IF;
  IF EXISTS (SELECT FROM public.audit_unsealed u WHERE u.brain_id = brain) THEN
    RAISE EXCEPTION 'not_sealed' USING ERRCODE = 'PL001';
  END IF;
  SELECT l.seq, l.hash INTO head_seq, head_hash FROM (SELECT c.seq, c.hash FROM public.audit_chain c WHERE c.brain_id = brain
    UNION ALL SELECT s.seq, s.hash FROM public.audit_tombstones s WHERE s.brain_id = brain) l ORDER BY l.seq DESC LIMIT 1;
  gone := 1;
  SELECT array_agg(c.relname ORDER BY c.relname) INTO left_over FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'brain_id' AND NOT a.attisdropped
  WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r';
  WHILE left_over <> '{}' LOOP
    again := '{}';
    FOREACH t IN ARRAY left_over LOOP
      BEGIN
        EXECUTE format('DELETE FROM public.%I WHERE brain_id = $1', t) USING brain;
        GET DIAGNOSTICS n = ROW_COUNT;
        gone := gone + n;
      EXCEPTION WHEN foreign_key_violation THEN
        again := again || t;
      END;
    END LOOP;
    IF again = left_over THEN
      RAISE EXCEPTION 'brain % does not end: %', brain, again;
    END IF;
    left_over := again;
  END LOOP;
  DELETE FROM public.brains b WHERE b.id = brain;
  INSERT INTO public.ended_brains (id, ended_at, head_seq, head_hash, rows) VALUES (brain, ended, coalesce(head_seq, 0), coalesce(head_hash, ''), gone);
END $$;

-- forget takes a person's name and e-mail address out of everything but what is
-- hashed: the log, manifests of versions, and what was decided on. In their place
-- is a pseudonym, which it returns. It was decided on in this transaction, in a
-- brain that has four eyes. Whom another brain still counts on is not forgotten
-- here, and neither is the last who owns or runs something.
CREATE FUNCTION forget(who text) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
  home text := public.app_brain();
  p public.persons;
  alias text := 'forgotten-' || substr(replace(gen_random_uuid()::text, '-', ''), 1, 12) || '@forgotten.invalid';
  brain text;
BEGIN
  IF NOT EXISTS (SELECT FROM public.decided_now('persons.forget') a JOIN public.brains b ON b.id = home AND b.four_eyes WHERE a->>'person' = who) THEN
    RAISE EXCEPTION 'forgetting a person needs a second one' USING ERRCODE = 'insufficient_privilege';
  END IF;
  SELECT * INTO p FROM public.persons x WHERE x.id = who FOR UPDATE;
  IF p.forgotten_at IS NOT NULL THEN
    RAISE EXCEPTION 'already_forgotten' USING ERRCODE = 'PL001';
  END IF;
  IF p.instance_admin AND NOT EXISTS (SELECT FROM public.persons x WHERE x.instance_admin AND x.id <> who AND x.disabled_at IS NULL) THEN
    RAISE EXCEPTION 'last_instance_admin' USING ERRCODE = 'PL001';
  END IF;
  UPDATE public.memberships m SET roles = '[]' WHERE m.brain_id = home AND m.person_id = who;
  IF NOT EXISTS (SELECT FROM public.memberships m JOIN public.persons x ON x.id = m.person_id WHERE m.brain_id = home AND m.roles ? 'owner' AND x.id <> who AND x.disabled_at IS NULL) THEN
    RAISE EXCEPTION 'last_owner' USING ERRCODE = 'PL001';
  END IF;
  UPDATE public.persons x SET email = alias, name = 'Forgotten person', password_hash = '', disabled_at = coalesce(x.disabled_at, clock_timestamp()),
    token_version = x.token_version + 1, forgotten_at = clock_timestamp() WHERE x.id = who;
  IF public.deciders('A4') < 2 THEN
    RAISE EXCEPTION 'too_few_deciders' USING ERRCODE = 'PL001';
  END IF;
  DELETE FROM public.sessions x WHERE x.person_id = who;
  DELETE FROM public.links x WHERE x.person_id = who;
  UPDATE public.persons x SET created_by = alias WHERE x.created_by = p.email;
  UPDATE public.brains x SET created_by = alias WHERE x.created_by = p.email;
  FOR brain IN SELECT b.id FROM public.brains b LOOP
    PERFORM set_config('app.brain_id', brain, true); -- row security shows one brain at a time
    IF brain <> home AND EXISTS (SELECT FROM public.memberships m WHERE m.brain_id = brain AND m.person_id = who AND m.roles <> '[]') THEN
      PERFORM set_config('app.brain_id', home, true);
      RAISE EXCEPTION 'member_elsewhere' USING ERRCODE = 'PL001';
    END IF;
    UPDATE public.api_keys x SET revoked_at = clock_timestamp(), revoked_by = alias, revoke_cause = 'owner_forgotten' WHERE x.brain_id = brain AND x.owner_id = who AND x.revoked_at IS NULL;
    UPDATE public.token_grants x SET revoked_at = clock_timestamp(), revoke_cause = 'person_forgotten' WHERE x.brain_id = brain AND x.person_id = who AND x.revoked_at IS NULL;
    UPDATE public.api_keys x SET actor = CASE x.actor WHEN p.email THEN alias ELSE x.actor END, created_by = CASE x.created_by WHEN p.email THEN alias ELSE x.created_by END,
      rotated_by = CASE x.rotated_by WHEN p.email THEN alias ELSE x.rotated_by END, revoked_by = CASE x.revoked_by WHEN p.email THEN alias ELSE x.revoked_by END
      WHERE x.brain_id = brain AND p.email IN (x.actor, x.created_by, x.rotated_by, x.revoked_by);
    UPDATE public.sources x SET created_by = alias WHERE x.brain_id = brain AND x.created_by = p.email;
    UPDATE public.revisions x SET created_by = alias WHERE x.brain_id = brain AND x.created_by = p.email;
    UPDATE public.topic_cards x SET updated_by = alias WHERE x.brain_id = brain AND x.updated_by = p.email;
    UPDATE public.golden_questions x SET updated_by = alias WHERE x.brain_id = brain AND x.updated_by = p.email;
    UPDATE public.versions x SET published_by = alias WHERE x.brain_id = brain AND x.published_by = p.email;
    UPDATE public.suspensions x SET by = alias WHERE x.brain_id = brain AND x.by = p.email;
    UPDATE public.answers x SET actor = alias WHERE x.brain_id = brain AND x.actor = p.email;
    UPDATE public.purges x SET proposed_by = alias WHERE x.brain_id = brain AND x.proposed_by = p.email;
    UPDATE public.recommendations x SET actor = alias WHERE x.brain_id = brain AND x.actor = p.email;
    UPDATE public.changes x SET remains = replace(x.remains, p.email, alias) WHERE x.brain_id = brain AND position(p.email IN x.remains) > 0;
  END LOOP;
  PERFORM set_config('app.brain_id', home, true);
  RETURN alias;
END $$;

-- The role that lets go.
DO $$
DECLARE f text;
BEGIN
  BEGIN
    CREATE ROLE polaris_erase NOLOGIN;
  EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; -- another database of this cluster has it
  END;
  EXECUTE format('GRANT polaris_erase, polaris_decide TO %I', current_user);
  GRANT USAGE, CREATE ON SCHEMA public TO polaris_erase; -- CREATE only for the moment of the lines below
  FOREACH f IN ARRAY ARRAY['purge(text, text, text)', 'expire_answers()', 'end_brain()', 'forget(text)'] LOOP
    EXECUTE format('ALTER FUNCTION %s OWNER TO polaris_erase', f);
  END LOOP;
  REVOKE CREATE ON SCHEMA public FROM polaris_erase;
  GRANT SELECT, UPDATE (purged, created_by), DELETE ON brains TO polaris_erase;
  GRANT SELECT, UPDATE (email, name, password_hash, disabled_at, token_version, forgotten_at, created_by) ON persons TO polaris_erase;
  GRANT SELECT, DELETE ON sessions, links TO polaris_erase;
  GRANT INSERT ON purges, ended_brains, suspensions TO polaris_erase;
  GRANT UPDATE (title, origin_url, removed_at, created_by) ON sources TO polaris_erase;
  GRANT UPDATE (text, title, name, warnings, flags, report, created_by) ON revisions TO polaris_erase;
  GRANT UPDATE (query, envelope, kept, gone_at, actor) ON answers TO polaris_erase;
  GRANT UPDATE (state, decided_at, note, actor) ON recommendations TO polaris_erase;
  GRANT UPDATE (roles) ON memberships TO polaris_erase;
  GRANT UPDATE (revoked_at, revoked_by, revoke_cause, actor, created_by, rotated_by) ON api_keys TO polaris_erase;
  GRANT UPDATE (revoked_at, revoke_cause) ON token_grants TO polaris_erase;
  GRANT UPDATE (updated_by) ON topic_cards, golden_questions TO polaris_erase;
  GRANT UPDATE (published_by) ON versions TO polaris_erase;
  GRANT UPDATE (by) ON suspensions TO polaris_erase;
  GRANT UPDATE (proposed_by) ON purges TO polaris_erase;
  SET LOCAL ROLE polaris_erase;
  FOREACH f IN ARRAY ARRAY['purge(text, text, text)', 'expire_answers()', 'end_brain()', 'forget(text)'] LOOP
    EXECUTE format('REVOKE ALL ON FUNCTION public.%s FROM PUBLIC', f);
  END LOOP;
  RESET ROLE;
  EXECUTE format('REVOKE polaris_erase, polaris_decide FROM %I', current_user);
END $$;
-- +goose StatementEnd
