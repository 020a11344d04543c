-- What is public is re-derived part by part, again and again: when each part was last, and what was wrong with it.
-- A part is a release or one of the logs. Each machine has its own copies of the release files: `copy` says which folder
-- was read, and is empty for what is in this store.
DROP TABLE verification;
CREATE TABLE verified_part (
  part TEXT BYTEWISE NOT NULL,
  copy TEXT BYTEWISE NOT NULL,
  verified_at BIGINT NOT NULL,
  rows_verified BIGINT NOT NULL,
  rows_failed BIGINT NOT NULL,
  fault_count BIGINT NOT NULL,
  -- The first few sentences, as JSON.
  faults TEXT NOT NULL,
  -- The rows, or entries of a log, that are not served: pairs of the first one and the one after the last, as JSON.
  failed TEXT NOT NULL,
  first_failed_at BIGINT,
  PRIMARY KEY (part, copy)
) CLUSTERED;

-- How many codes, regions, providers and withheld prices a release has, as JSON. Null for releases staged before this was kept.
ALTER TABLE release ADD COLUMN contents TEXT;
