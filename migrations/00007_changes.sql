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

-- The log is read by who, by which key, by what and when, the newest first: each
-- has an index that a row of a million is found by. What a served answer costs
-- counts, so those of what is rare leave answers out. (The brain is left to row security: it is not what
-- tells rows apart.)
CREATE INDEX audit_key ON audit (key_id, id);
CREATE INDEX audit_person ON audit (person, id);
CREATE INDEX audit_actor ON audit (actor, id);
CREATE INDEX audit_target ON audit (target, id) WHERE operation NOT IN ('answer', 'retrieve') OR outcome <> 'ok';
CREATE INDEX audit_operation ON audit (operation, id) WHERE operation NOT IN ('answer', 'retrieve') OR outcome <> 'ok';
CREATE INDEX audit_outcome ON audit (outcome, id) WHERE outcome <> 'ok';
CREATE INDEX audit_at ON audit (at, id);
