-- A fresh salt for each case of the ledger, apart from it, because the ledger itself can hold no bytes. It goes when the case goes.
CREATE TABLE outcome_salt (
  batch_id INTEGER NOT NULL,
  case_ref TEXT BYTEWISE NOT NULL CHECK (LENGTH(case_ref) = 36),
  salt BYTES NOT NULL CHECK (LENGTH(salt) = 16),
  PRIMARY KEY (batch_id, case_ref)
) CLUSTERED;

-- The root over the cases of one file that are still in the ledger. A file without a line here is to be sealed (again).
CREATE TABLE batch_seal (
  batch_id INTEGER PRIMARY KEY,
  case_count BIGINT NOT NULL,
  rows_root BYTES NOT NULL CHECK (LENGTH(rows_root) = 32)
);

-- The root over the whole ledger that a release was made from, and the leaves that lead to it.
CREATE TABLE release_seal (
  release_no BIGINT PRIMARY KEY,
  ledger_root BYTES NOT NULL CHECK (LENGTH(ledger_root) = 32),
  leaves TEXT NOT NULL
);

-- What cases that were old enough to be removed said, by figure: all that is kept of them.
CREATE TABLE outcome_carried (
  metric TEXT BYTEWISE NOT NULL,
  answer INTEGER NOT NULL,
  case_count BIGINT NOT NULL CHECK (case_count > 0),
  PRIMARY KEY (metric, answer)
);

-- Files on their way into the ledger, and when each last gave a sign of life.
CREATE TABLE outcome_staging (
  staging_id BIGINT PRIMARY KEY,
  alive_at BIGINT NOT NULL
);
