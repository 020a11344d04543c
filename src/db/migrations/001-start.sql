-- Portable between SQLite and PostgreSQL: BYTES and BIGINT are spelled by the engine, CLUSTERED asks
-- for rows in key order, BYTEWISE for text that sorts by its bytes. Times are epoch milliseconds or ISO-8601 text, booleans are 0 or 1.

-- One line: proof that the pepper outside the store is the one its credentials were stored under.
CREATE TABLE pepper_check (
  digest BYTES PRIMARY KEY
);

CREATE TABLE log_leaf (
  log TEXT NOT NULL,
  leaf_index BIGINT NOT NULL,
  body BYTES NOT NULL,
  PRIMARY KEY (log, leaf_index)
);

CREATE TABLE log_tile (
  log TEXT NOT NULL,
  level INTEGER NOT NULL,
  n BIGINT NOT NULL,
  width INTEGER NOT NULL CHECK (width BETWEEN 1 AND 256),
  hashes BYTES NOT NULL,
  PRIMARY KEY (log, level, n)
);

-- Every checkpoint ever signed, the largest one last. What is public may lag behind it: see log_head.
CREATE TABLE log_checkpoint (
  log TEXT NOT NULL,
  size BIGINT NOT NULL,
  root TEXT NOT NULL,
  note TEXT NOT NULL,
  signed_at BIGINT NOT NULL,
  PRIMARY KEY (log, size)
);

-- The checkpoint that is public: signed, noted in the lock, and cosigned by a quorum of the witnesses.
-- Nothing beyond its size can be read, whatever the other tables hold.
CREATE TABLE log_head (
  log TEXT PRIMARY KEY,
  size BIGINT NOT NULL,
  root TEXT NOT NULL,
  note TEXT NOT NULL,
  signed_at BIGINT NOT NULL
);

-- How large each witness knows a log to be, so that it can be sent the right consistency proof.
CREATE TABLE log_witness (
  log TEXT NOT NULL,
  witness TEXT NOT NULL,
  size BIGINT NOT NULL,
  PRIMARY KEY (log, witness)
);

-- state: loading -> staged -> published -> withdrawn. A published release is in the log; it can be read
-- once the public checkpoint covers it.
CREATE TABLE release (
  release_no BIGINT PRIMARY KEY,
  release_id TEXT NOT NULL UNIQUE,
  chart TEXT NOT NULL,
  edition TEXT NOT NULL,
  revision INTEGER NOT NULL,
  effective_from TEXT NOT NULL,
  data_class TEXT NOT NULL CHECK (data_class IN ('published', 'sample')),
  state TEXT NOT NULL CHECK (state IN ('loading', 'staged', 'published', 'withdrawn')),
  source_digest TEXT NOT NULL,
  citations TEXT NOT NULL,
  row_count BIGINT NOT NULL,
  rejected_count BIGINT NOT NULL,
  rows_root TEXT,
  manifest TEXT,
  log_index BIGINT,
  loaded_at BIGINT NOT NULL,
  published_at BIGINT
);
CREATE INDEX release_in_force ON release (chart, state, effective_from);

CREATE TABLE price_row (
  release_no BIGINT NOT NULL,
  row_key TEXT BYTEWISE NOT NULL,
  row_index BIGINT NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (release_no, row_key)
) CLUSTERED;

CREATE TABLE row_tile (
  release_no BIGINT NOT NULL,
  level INTEGER NOT NULL,
  n BIGINT NOT NULL,
  width INTEGER NOT NULL,
  hashes BYTES NOT NULL,
  PRIMARY KEY (release_no, level, n)
);

-- What a release holds, for paging, coverage and region questions without reading its rows.
CREATE TABLE release_code (
  release_no BIGINT NOT NULL,
  cpt TEXT NOT NULL,
  row_count BIGINT NOT NULL,
  PRIMARY KEY (release_no, cpt)
) CLUSTERED;

CREATE TABLE release_region (
  release_no BIGINT NOT NULL,
  region TEXT NOT NULL,
  row_count BIGINT NOT NULL,
  PRIMARY KEY (release_no, region)
) CLUSTERED;

CREATE TABLE release_provider (
  npi TEXT NOT NULL,
  release_no BIGINT NOT NULL,
  row_count BIGINT NOT NULL,
  PRIMARY KEY (npi, release_no)
) CLUSTERED;

-- Rows refused while loading: counted by rule, with the first few line numbers, never the values.
CREATE TABLE release_reject (
  release_no BIGINT NOT NULL,
  rule TEXT NOT NULL,
  rejected BIGINT NOT NULL,
  sample_lines TEXT NOT NULL,
  PRIMARY KEY (release_no, rule)
);

-- Which locality a contractor's number means, from the last GPCI file that was loaded.
CREATE TABLE contractor_locality (
  contractor TEXT NOT NULL,
  locality TEXT NOT NULL,
  region TEXT NOT NULL,
  PRIMARY KEY (contractor, locality)
);

CREATE TABLE zip_locality (
  zip TEXT PRIMARY KEY,
  region TEXT NOT NULL,
  plus_four INTEGER NOT NULL CHECK (plus_four IN (0, 1))
);

CREATE TABLE agent_key (
  key_id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  scopes TEXT NOT NULL,
  digest BYTES NOT NULL,
  public_key BYTES,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  revoked_at BIGINT,
  replaced_by TEXT
);

CREATE TABLE nonce (
  digest BYTES PRIMARY KEY,
  key_id TEXT NOT NULL,
  issued_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  spent_at BIGINT,
  token_id TEXT
);
CREATE INDEX nonce_of_key ON nonce (key_id, issued_at);

CREATE TABLE rails_token (
  token_id TEXT PRIMARY KEY,
  key_id TEXT NOT NULL,
  scopes TEXT NOT NULL,
  digest BYTES NOT NULL,
  issued_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  revoked_at BIGINT
);
CREATE INDEX rails_token_of_key ON rails_token (key_id, issued_at);

-- Only public ids and fixed words: nothing here can hold a secret or a person.
CREATE TABLE rails_event (
  event_no BIGINT PRIMARY KEY,
  at BIGINT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('key_created', 'key_rotated', 'key_revoked', 'nonce_reused')),
  key_id TEXT NOT NULL
);

-- The ledger cannot hold a person: no free text, no dates but years, no numbers but counts.
CREATE TABLE outcome (
  case_ref TEXT PRIMARY KEY CHECK (LENGTH(case_ref) = 36),
  outcome_year INTEGER NOT NULL CHECK (outcome_year BETWEEN 2015 AND 2199),
  batch_id INTEGER NOT NULL,
  state TEXT CHECK (state IS NULL OR LENGTH(state) = 2),
  npi TEXT CHECK (npi IS NULL OR LENGTH(npi) = 10),
  closed INTEGER NOT NULL CHECK (closed IN (0, 1)),
  settled INTEGER NOT NULL CHECK (settled IN (0, 1)),
  recurring INTEGER NOT NULL CHECK (recurring IN (0, 1)),
  certified_mail INTEGER NOT NULL CHECK (certified_mail IN (0, 1)),
  recovered_50 INTEGER NOT NULL CHECK (recovered_50 BETWEEN 0 AND 1000)
);
CREATE INDEX outcome_of_provider ON outcome (npi);

CREATE TABLE outcome_batch (
  batch_id INTEGER PRIMARY KEY,
  source_digest TEXT NOT NULL UNIQUE,
  data_class TEXT NOT NULL CHECK (data_class IN ('published', 'sample')),
  imported_at BIGINT NOT NULL,
  case_count BIGINT NOT NULL
);

CREATE TABLE provider (
  npi TEXT PRIMARY KEY CHECK (LENGTH(npi) = 10),
  entity_type INTEGER NOT NULL CHECK (entity_type = 2)
);

CREATE TABLE figure_release (
  release_no BIGINT PRIMARY KEY,
  release_id TEXT NOT NULL UNIQUE,
  released_at BIGINT NOT NULL,
  last_batch_id INTEGER NOT NULL,
  log_size BIGINT NOT NULL,
  tallies TEXT NOT NULL,
  figures TEXT NOT NULL
);

CREATE TABLE figure_change (
  seq BIGINT PRIMARY KEY,
  release_no BIGINT NOT NULL,
  released_at BIGINT NOT NULL,
  metric TEXT NOT NULL,
  entry TEXT NOT NULL
);

-- When the whole store was last re-derived, and with what result.
CREATE TABLE verification (
  verified_at BIGINT PRIMARY KEY,
  rows_verified BIGINT NOT NULL,
  rows_failed BIGINT NOT NULL
);
