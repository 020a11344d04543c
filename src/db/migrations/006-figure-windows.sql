-- Who a case is of, as 48 bits of a keyed digest. Null if the file had no person_token.
ALTER TABLE outcome ADD COLUMN person BIGINT CHECK (person BETWEEN 0 AND 281474976710655);

ALTER TABLE outcome_staged ADD COLUMN person BIGINT;

-- Closed windows of rule 2: counts with their noise, drawn once. All figures since are sums of these.
CREATE TABLE figure_window (
  window_no BIGINT PRIMARY KEY,
  closed_at BIGINT NOT NULL,
  -- Cases of later files are not in it.
  last_batch_id INTEGER NOT NULL,
  unit TEXT BYTEWISE NOT NULL CHECK (unit IN ('case', 'person')),
  tally TEXT NOT NULL
);

-- The same for each provider of the directory.
CREATE TABLE provider_window (
  npi TEXT BYTEWISE NOT NULL,
  window_no BIGINT NOT NULL,
  tally TEXT NOT NULL,
  PRIMARY KEY (npi, window_no)
) CLUSTERED;

-- What corrections and deletions change in windows that are closed: it enters the next one. person -1 and npi '' are none.
-- All answers of a case are packed in one number.
CREATE TABLE outcome_pending (
  person BIGINT NOT NULL,
  npi TEXT BYTEWISE NOT NULL,
  packed INTEGER NOT NULL,
  case_count BIGINT NOT NULL,
  PRIMARY KEY (person, npi, packed)
);

-- Cases that their window did not count, because their person had others in it.
CREATE TABLE outcome_left_out (
  case_ref TEXT BYTEWISE PRIMARY KEY CHECK (LENGTH(case_ref) = 36)
);

-- The window that the figures of a release end with. Null under rule 1.
ALTER TABLE figure_release ADD COLUMN window_no BIGINT;
