-- +goose Up
-- A source that was removed from the draft stays with its revisions, because
-- versions name them.
ALTER TABLE sources ADD COLUMN removed_at timestamptz;

-- Questions that the brain's curators want answered, and the citations that the
-- answers must have. They are asked before anything is published.
CREATE TABLE golden_questions (
  brain_id   text NOT NULL REFERENCES brains,
  id         text NOT NULL,
  rev        integer NOT NULL,
  question   text NOT NULL,
  topic_ids  jsonb NOT NULL,
  expects    jsonb NOT NULL, -- citation keys
  updated_at timestamptz NOT NULL,
  updated_by text NOT NULL,
  PRIMARY KEY (brain_id, id)
);

-- What retention removed from the beginning of a brain's audit log. The chain
-- goes on from the hash of the last link that is gone.
CREATE TABLE audit_tombstones (
  brain_id text NOT NULL,
  seq      bigint NOT NULL CHECK (seq > 0),
  hash     bytea NOT NULL CHECK (octet_length(hash) = 32),
  rows     bigint NOT NULL CHECK (rows > 0),
  before   timestamptz NOT NULL,
  at       timestamptz NOT NULL,
  PRIMARY KEY (brain_id, seq)
);

-- +goose StatementBegin
DO $$
DECLARE t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['golden_questions', 'audit_tombstones'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', t);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', t);
    EXECUTE format('CREATE POLICY brain_only ON %I USING (brain_id = (SELECT app_brain())) WITH CHECK (brain_id = (SELECT app_brain()))', t);
  END LOOP;
  EXECUTE 'CREATE TRIGGER stands_still BEFORE UPDATE OR DELETE ON audit_tombstones FOR EACH ROW EXECUTE FUNCTION stands_still()';
  EXECUTE 'CREATE TRIGGER stands_still_all BEFORE TRUNCATE ON audit_tombstones FOR EACH STATEMENT EXECUTE FUNCTION stands_still()';
END $$;

-- Rows of the log and their links go only by retention, which runs as a role
-- that nobody can log in as.
CREATE FUNCTION stands_still_till_retained() RETURNS trigger LANGUAGE plpgsql
AS $$ BEGIN
  IF TG_OP = 'DELETE' AND current_user = 'polaris_retain' THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION '% rows are never changed or removed', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;
DROP TRIGGER stands_still ON audit;
DROP TRIGGER stands_still ON audit_chain;
CREATE TRIGGER stands_still BEFORE UPDATE OR DELETE ON audit FOR EACH ROW EXECUTE FUNCTION stands_still_till_retained();
CREATE TRIGGER stands_still BEFORE UPDATE OR DELETE ON audit_chain FOR EACH ROW EXECUTE FUNCTION stands_still_till_retained();

-- retain removes the sealed days of the log that were over before a time, all of
-- them from the beginning on, and leaves a tombstone. It does so only in the
-- transaction of a decision on it, or where four eyes are off; and never what is
-- younger than thirty days.
CREATE FUNCTION retain(older timestamptz, OUT last bigint, OUT last_hash bytea, OUT gone bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
  brain text := public.app_brain();
  kept bigint; -- the first link that stays
BEGIN
  IF older > clock_timestamp() - interval '30 days' THEN
    RAISE EXCEPTION 'too_young' USING ERRCODE = 'PL001';
  END IF;
  IF NOT EXISTS (SELECT FROM public.brains b WHERE b.id = brain AND NOT b.four_eyes AND (b.four_eyes_until IS NULL OR b.four_eyes_until > clock_timestamp()))
     AND NOT EXISTS (SELECT FROM public.recommendations r WHERE r.brain_id = brain AND r.approved_in = pg_current_xact_id() AND r.class = 'A4' AND r.operation = 'audit.retain') THEN
    RAISE EXCEPTION 'retention needs a second person' USING ERRCODE = 'insufficient_privilege';
  END IF;
  -- No sealing and no other retention meanwhile.
  PERFORM pg_advisory_xact_lock(hashtextextended('seal:' || brain, 0));
  -- A row that is older than the day and not sealed yet comes later in the chain,
  -- and stays with what follows it.
  SELECT min(c.seq) INTO kept FROM public.audit_chain c JOIN public.audit a ON a.brain_id = c.brain_id AND a.id = c.audit_id
  WHERE c.brain_id = brain AND a.at >= date_trunc('day', older, 'UTC');
  SELECT c.seq, c.hash INTO last, last_hash FROM public.audit_chain c
  WHERE c.brain_id = brain AND (kept IS NULL OR c.seq < kept) ORDER BY c.seq DESC LIMIT 1;
  gone := 0;
  IF last IS NULL THEN
    RETURN;
  END IF;
  DELETE FROM public.audit a USING public.audit_chain c WHERE a.brain_id = brain AND c.brain_id = brain AND c.audit_id = a.id AND c.seq <= last;
  GET DIAGNOSTICS gone = ROW_COUNT;
  DELETE FROM public.audit_chain c WHERE c.brain_id = brain AND c.seq <= last;
  INSERT INTO public.audit_tombstones (brain_id, seq, hash, rows, before, at) VALUES (brain, last, last_hash, gone, date_trunc('day', older, 'UTC'), clock_timestamp());
END $$;

DO $$
BEGIN
  BEGIN
    CREATE ROLE polaris_retain NOLOGIN;
  EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; -- another database of this cluster has it
  END;
  EXECUTE format('GRANT polaris_retain TO %I', current_user);
  GRANT USAGE, CREATE ON SCHEMA public TO polaris_retain; -- CREATE only for the moment of the line below
  ALTER FUNCTION retain(timestamptz) OWNER TO polaris_retain;
  REVOKE CREATE ON SCHEMA public FROM polaris_retain;
  GRANT SELECT ON brains, recommendations TO polaris_retain;
  GRANT SELECT, DELETE ON audit, audit_chain TO polaris_retain;
  GRANT INSERT ON audit_tombstones TO polaris_retain;
  SET LOCAL ROLE polaris_retain;
  REVOKE ALL ON FUNCTION retain(timestamptz) FROM PUBLIC;
  RESET ROLE;
END $$;
-- +goose StatementEnd
