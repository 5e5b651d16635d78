-- +goose Up
-- What takes back a change of the draft, noted in the transaction of the change:
-- the operation and its input, and the revision that the change left. What has
-- another revision by then has been changed since, and is not taken back.
CREATE TABLE changes (
  brain_id          text NOT NULL REFERENCES brains,
  audit_id          bigint NOT NULL,          -- the row that records the change
  recommendation_id text NOT NULL DEFAULT '', -- that was applied, where one was
  operation         text NOT NULL,            -- that was done
  inverse           text NOT NULL,            -- that takes it back
  input             text NOT NULL,            -- JSON of that
  input_version     integer NOT NULL,
  target            text NOT NULL,
  remains           text NOT NULL,            -- the target's revision when the change was made
  PRIMARY KEY (brain_id, audit_id)
);
CREATE INDEX changes_applied ON changes (brain_id, recommendation_id) WHERE recommendation_id <> '';

-- +goose StatementBegin
DO $$ BEGIN
  EXECUTE 'ALTER TABLE changes ENABLE ROW LEVEL SECURITY';
  EXECUTE 'ALTER TABLE changes FORCE ROW LEVEL SECURITY';
  EXECUTE 'CREATE POLICY brain_only ON changes USING (brain_id = (SELECT app_brain())) WITH CHECK (brain_id = (SELECT app_brain()))';
  EXECUTE 'CREATE TRIGGER stands_still BEFORE UPDATE OR DELETE ON changes FOR EACH ROW EXECUTE FUNCTION stands_still()';
  EXECUTE 'CREATE TRIGGER stands_still_all BEFORE TRUNCATE ON changes FOR EACH STATEMENT EXECUTE FUNCTION stands_still()';
END $$;
-- +goose StatementEnd
