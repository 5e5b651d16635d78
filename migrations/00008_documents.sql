-- +goose Up
-- What curators say of a source beside its title. The dates between which it
-- holds are those of the draft's revision: a new revision begins without any, and
-- a version keeps those that it was published with.
ALTER TABLE sources
  ADD COLUMN owner          text NOT NULL DEFAULT '', -- who answers for it; free text
  ADD COLUMN review_by      date,
  ADD COLUMN effective_from date,
  ADD COLUMN effective_to   date CHECK (effective_to >= effective_from),
  ADD COLUMN supersedes     text NOT NULL DEFAULT ''; -- code of the source that it takes the place of

-- An import is what one person asked for at once: so many documents, each an
-- item, each read by a job of its own. Whose it is is kept as the gate was told.
CREATE TABLE imports (
  brain_id      text NOT NULL REFERENCES brains,
  id            text NOT NULL,
  kind          text NOT NULL,
  person        text NOT NULL,
  actor         text NOT NULL,
  token_id      text NOT NULL,
  scopes        jsonb NOT NULL,
  authenticated boolean NOT NULL,
  surface       text NOT NULL,
  rationale     text NOT NULL,
  request_id    text NOT NULL,
  options       jsonb NOT NULL, -- what is said of every document
  started_at    timestamptz NOT NULL,
  cancelled_at  timestamptz,
  cancelled_by  text NOT NULL DEFAULT '',
  PRIMARY KEY (brain_id, id)
);
CREATE INDEX imports_started ON imports (brain_id, started_at DESC, id DESC);

CREATE TABLE import_items (
  brain_id       text NOT NULL,
  import_id      text NOT NULL,
  n              integer NOT NULL CHECK (n > 0),
  of_archive     integer NOT NULL DEFAULT 0, -- the item that it was unpacked from, or fetched for
  url            text NOT NULL DEFAULT '',   -- where it is fetched from, or was
  crawl          jsonb,                      -- the bounds within which links are followed from there
  etag           text NOT NULL DEFAULT '',   -- how the server marked what it sent
  last_modified  text NOT NULL DEFAULT '',
  name           text NOT NULL,
  wanted         text NOT NULL DEFAULT '', -- code of the source that it is to be a revision of
  sha256         bytea NOT NULL CHECK (octet_length(sha256) = 32),
  size           bigint NOT NULL,
  state          text NOT NULL CHECK (state IN ('queued', 'reading', 'done', 'unchanged', 'held', 'waits', 'unpacked', 'fetched', 'failed', 'cancelled')),
  status         text NOT NULL DEFAULT '', -- new, revised or restored, where it is done or held
  reason         text NOT NULL DEFAULT '', -- why it failed, in a sentence
  fault          text NOT NULL DEFAULT '', -- and as a code
  source_id      text NOT NULL DEFAULT '',
  code           text NOT NULL DEFAULT '',
  title          text NOT NULL DEFAULT '',
  revision       integer NOT NULL DEFAULT 0,
  passages       integer NOT NULL DEFAULT 0,
  warnings       jsonb NOT NULL DEFAULT '[]',
  flags          integer NOT NULL DEFAULT 0,
  cards_affected jsonb NOT NULL DEFAULT '[]',
  recommendation text NOT NULL DEFAULT '', -- that the change waits as
  queued_at      timestamptz NOT NULL,
  started_at     timestamptz,
  finished_at    timestamptz,
  PRIMARY KEY (brain_id, import_id, n),
  FOREIGN KEY (brain_id, import_id) REFERENCES imports (brain_id, id)
);
CREATE INDEX import_items_url ON import_items (brain_id, url) WHERE url <> '';
CREATE INDEX import_items_open ON import_items (brain_id, import_id) WHERE state IN ('queued', 'reading');

-- The bytes of an item, until it has ended.
CREATE TABLE import_files (
  brain_id  text NOT NULL,
  import_id text NOT NULL,
  n         integer NOT NULL,
  bytes     bytea NOT NULL,
  PRIMARY KEY (brain_id, import_id, n),
  FOREIGN KEY (brain_id, import_id, n) REFERENCES import_items (brain_id, import_id, n)
);

-- +goose StatementBegin
DO $$
DECLARE t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['imports', 'import_items', 'import_files'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', t);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', t);
    EXECUTE format('CREATE POLICY brain_only ON %I USING (brain_id = (SELECT app_brain())) WITH CHECK (brain_id = (SELECT app_brain()))', t);
  END LOOP;
END $$;

-- An item that has ended stays as it ended: a job that is run twice finds it so.
-- Only a purge takes the words out of it.
CREATE FUNCTION item_has_ended() RETURNS trigger LANGUAGE plpgsql
AS $$ BEGIN
  IF OLD.state NOT IN ('queued', 'reading') AND current_user <> 'polaris_erase' THEN
    RAISE EXCEPTION 'item % of import % has ended', OLD.n, OLD.import_id USING ERRCODE = 'object_not_in_prerequisite_state';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER item_has_ended BEFORE UPDATE ON import_items FOR EACH ROW EXECUTE FUNCTION item_has_ended();
-- +goose StatementEnd

-- The job queue's own tables are in a schema of their own, made by the next step.
CREATE SCHEMA river;
