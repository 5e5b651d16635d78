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
-- +goose StatementEnd
