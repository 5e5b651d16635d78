-- +goose Up
-- What the passages of a revision cite. Where that leads is no column: it is
-- found among the keys of the draft, or of the version, that is read.
CREATE TABLE cross_references (
  brain_id  text NOT NULL,
  source_id text NOT NULL,
  revision  integer NOT NULL,
  n         integer NOT NULL, -- in the order of the text
  ordinal   integer NOT NULL, -- of the passage that cites
  key       text NOT NULL,    -- canonical, of what it cites
  of        text NOT NULL,    -- the document that it is said to be of, where the key does not say it
  start     integer NOT NULL, -- of the words, in the revision's text
  "end"     integer NOT NULL,
  PRIMARY KEY (brain_id, source_id, revision, n),
  FOREIGN KEY (brain_id, source_id, revision, ordinal) REFERENCES passages (brain_id, source_id, revision, ordinal),
  CHECK (n >= 0 AND 0 <= start AND start < "end")
);
CREATE INDEX cross_references_from ON cross_references (brain_id, source_id, revision, ordinal);

ALTER TABLE cross_references ENABLE ROW LEVEL SECURITY;
ALTER TABLE cross_references FORCE ROW LEVEL SECURITY;
CREATE POLICY brain_only ON cross_references USING (brain_id = (SELECT app_brain())) WITH CHECK (brain_id = (SELECT app_brain()));
-- A revision stands still, and this with it.
CREATE TRIGGER stands_still BEFORE UPDATE OR DELETE ON cross_references FOR EACH ROW EXECUTE FUNCTION stands_still();
CREATE TRIGGER stands_still_all BEFORE TRUNCATE ON cross_references FOR EACH STATEMENT EXECUTE FUNCTION stands_still();
