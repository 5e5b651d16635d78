-- +goose Up
-- A document that somebody proposes to import waits apart from what the brain
-- holds, and goes when its recommendation ends.
CREATE TABLE quarantine (
  brain_id          text NOT NULL,
  recommendation_id text NOT NULL,
  sha256            bytea NOT NULL,
  bytes             bytea NOT NULL,
  PRIMARY KEY (brain_id, recommendation_id),
  FOREIGN KEY (brain_id, recommendation_id) REFERENCES recommendations (brain_id, id),
  CHECK (sha256 = sha256(bytes))
);
ALTER TABLE quarantine ENABLE ROW LEVEL SECURITY;
ALTER TABLE quarantine FORCE ROW LEVEL SECURITY;
CREATE POLICY brain_only ON quarantine USING (brain_id = (SELECT app_brain())) WITH CHECK (brain_id = (SELECT app_brain()));

-- +goose StatementBegin
CREATE FUNCTION let_go() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$ BEGIN
  DELETE FROM public.quarantine q WHERE q.brain_id = NEW.brain_id AND q.recommendation_id = NEW.id;
  RETURN NULL;
END $$;
CREATE TRIGGER let_go AFTER UPDATE OF state ON recommendations FOR EACH ROW WHEN (NEW.state <> 'pending') EXECUTE FUNCTION let_go();

-- The app's login puts documents in and reads them; only an end takes them out.
DO $$
BEGIN
  EXECUTE format('GRANT polaris_decide TO %I', current_user);
  GRANT CREATE ON SCHEMA public TO polaris_decide; -- only for the moment of the line below
  ALTER FUNCTION let_go() OWNER TO polaris_decide;
  REVOKE CREATE ON SCHEMA public FROM polaris_decide;
  GRANT SELECT, DELETE ON quarantine TO polaris_decide;
  SET LOCAL ROLE polaris_decide;
  REVOKE ALL ON FUNCTION public.let_go() FROM PUBLIC;
  RESET ROLE;
  EXECUTE format('REVOKE polaris_decide FROM %I', current_user);
END $$;
-- +goose StatementEnd
