-- +goose Up
-- A research job is a large question and how far the work on it has come. The id
-- by which agents fetch it is a name within the brain that nobody can guess: its
-- hash is kept. People and logs name a job by its ref, which opens nothing.
CREATE TABLE research_jobs (
  brain_id    text NOT NULL REFERENCES brains,
  ref         text NOT NULL,
  id_hash     bytea NOT NULL CHECK (octet_length(id_hash) = 32),
  depth       text NOT NULL CHECK (depth IN ('meta', 'shallow', 'deep')),
  state       text NOT NULL CHECK (state IN ('queued', 'running', 'complete', 'failed', 'cancelled')),
  question    text NOT NULL,
  topics      jsonb NOT NULL DEFAULT '[]',
  version     integer NOT NULL,           -- of the brain, which it reads to its end
  plan        jsonb NOT NULL DEFAULT '{}',
  findings    jsonb NOT NULL DEFAULT '[]', -- one for each part that is done, in order
  result      text NOT NULL DEFAULT '',    -- Markdown
  citations   jsonb NOT NULL DEFAULT '[]',
  gaps        jsonb NOT NULL DEFAULT '[]',
  error       text NOT NULL DEFAULT '',    -- why it failed, as a code
  kind        text NOT NULL,
  person      text NOT NULL,
  actor       text NOT NULL,
  key_id      text NOT NULL,
  surface     text NOT NULL,
  created_at  timestamptz NOT NULL,
  started_at  timestamptz,
  finished_at timestamptz,
  PRIMARY KEY (brain_id, ref),
  UNIQUE (brain_id, id_hash)
);
CREATE INDEX research_jobs_created ON research_jobs (brain_id, created_at DESC, ref DESC);
CREATE INDEX research_jobs_open ON research_jobs (brain_id) WHERE state IN ('queued', 'running');
CREATE INDEX research_jobs_finished ON research_jobs (brain_id, finished_at) WHERE finished_at IS NOT NULL;
ALTER TABLE research_jobs ENABLE ROW LEVEL SECURITY;
ALTER TABLE research_jobs FORCE ROW LEVEL SECURITY;
CREATE POLICY brain_only ON research_jobs USING (brain_id = (SELECT app_brain())) WITH CHECK (brain_id = (SELECT app_brain()));

-- A job that has ended stays as it ended, whoever works on it still.
-- +goose StatementBegin
CREATE FUNCTION research_has_ended() RETURNS trigger LANGUAGE plpgsql
AS $$ BEGIN
  IF OLD.state IN ('complete', 'failed', 'cancelled') THEN
    RAISE EXCEPTION 'research job % has ended', OLD.ref USING ERRCODE = 'object_not_in_prerequisite_state';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER research_has_ended BEFORE UPDATE ON research_jobs FOR EACH ROW EXECUTE FUNCTION research_has_ended();
-- +goose StatementEnd
