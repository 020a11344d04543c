-- Releases whose rows have an older form. Their entries stay in the log, and nothing of them is served. `atr upgrade` makes
-- their successors from the cited files. standing: due -> done, or left where a file was missing and the operator went on.
CREATE TABLE older_release (
  release_id TEXT BYTEWISE NOT NULL PRIMARY KEY,
  source_digest TEXT BYTEWISE NOT NULL,
  file TEXT BYTEWISE,
  standing TEXT BYTEWISE NOT NULL CHECK (standing IN ('due', 'left', 'done'))
) CLUSTERED;
INSERT INTO older_release (release_id, source_digest, file, standing)
  SELECT release_id, source_digest, file, CASE state WHEN 'published' THEN 'due' ELSE 'done' END
    FROM release WHERE state IN ('published', 'withdrawn');
DELETE FROM verified_part WHERE part IN (SELECT release_id FROM release);
DELETE FROM release_check;
DELETE FROM release_delta;
DELETE FROM release;
