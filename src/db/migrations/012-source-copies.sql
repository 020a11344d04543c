-- Copies of cited files in ARCHIVE, as they were found last, so that the report need not look there.
CREATE TABLE source_copy (
  sha256 TEXT BYTEWISE NOT NULL PRIMARY KEY,
  kept_at BIGINT NOT NULL,
  -- When all its bytes were read last, and whether they were those of its name.
  checked_at BIGINT NOT NULL,
  is_sound INTEGER NOT NULL CHECK (is_sound IN (0, 1))
) CLUSTERED;
-- A cited source that nobody can be shown any more: changed or gone, and without a copy. And that it is back.
CREATE TABLE citation_event (
  event_no INTEGER NOT NULL PRIMARY KEY,
  at BIGINT NOT NULL,
  kind TEXT BYTEWISE NOT NULL CHECK (kind IN ('source_changed', 'source_gone', 'source_back')),
  url TEXT BYTEWISE NOT NULL,
  sha256 TEXT BYTEWISE NOT NULL,
  chart TEXT BYTEWISE NOT NULL,
  release_id TEXT BYTEWISE NOT NULL,
  http_status INTEGER,
  observed_sha256 TEXT
) CLUSTERED;
-- What a server said of the file, to be sent back to it: an entity tag of a closed form, and a time in seconds.
ALTER TABLE citation_check ADD COLUMN entity_tag TEXT;
ALTER TABLE citation_check ADD COLUMN modified BIGINT;
