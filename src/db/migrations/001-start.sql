-- Portable between SQLite and PostgreSQL: BYTES and BIGINT are spelled by the engine, CLUSTERED asks
-- for rows in key order, BYTEWISE for text that sorts by its bytes. Times are epoch milliseconds or ISO-8601 text, booleans are 0 or 1.

-- One line: proof that the pepper outside the store is the one its credentials were stored under.
CREATE TABLE pepper_check (
  digest BYTES PRIMARY KEY
);

CREATE TABLE log_leaf (
  log TEXT BYTEWISE NOT NULL,
  leaf_index BIGINT NOT NULL,
  body BYTES NOT NULL,
  PRIMARY KEY (log, leaf_index)
);

CREATE TABLE log_tile (
  log TEXT BYTEWISE NOT NULL,
  level INTEGER NOT NULL,
  n BIGINT NOT NULL,
  width INTEGER NOT NULL CHECK (width BETWEEN 1 AND 256),
  hashes BYTES NOT NULL,
  PRIMARY KEY (log, level, n)
);

-- Every checkpoint ever signed, the largest one last. What is public may lag behind it: see log_head.
CREATE TABLE log_checkpoint (
  log TEXT BYTEWISE NOT NULL,
  size BIGINT NOT NULL,
  root TEXT NOT NULL,
  note TEXT NOT NULL,
  signed_at BIGINT NOT NULL,
  PRIMARY KEY (log, size)
);

-- The checkpoint that is public: signed, noted in the lock, and cosigned by a quorum of the witnesses.
-- Nothing beyond its size can be read, whatever the other tables hold.
CREATE TABLE log_head (
  log TEXT BYTEWISE PRIMARY KEY,
  size BIGINT NOT NULL,
  root TEXT NOT NULL,
  note TEXT NOT NULL,
  signed_at BIGINT NOT NULL
);

-- How large each witness knows a log to be, so that it can be sent the right consistency proof.
CREATE TABLE log_witness (
  log TEXT BYTEWISE NOT NULL,
  witness TEXT BYTEWISE NOT NULL,
  size BIGINT NOT NULL,
  PRIMARY KEY (log, witness)
);

-- state: loading -> staged -> published -> withdrawn. A published release is in the log; it can be read
-- once the public checkpoint covers it, and until that covers its withdrawal, which is an entry of the log too.
CREATE TABLE release (
  release_no BIGINT PRIMARY KEY,
  release_id TEXT BYTEWISE NOT NULL UNIQUE,
  chart TEXT BYTEWISE NOT NULL,
  edition TEXT BYTEWISE NOT NULL,
  revision INTEGER NOT NULL,
  effective_from TEXT BYTEWISE NOT NULL,
  effective_to TEXT BYTEWISE NOT NULL,
  period_by TEXT BYTEWISE NOT NULL CHECK (period_by IN ('calendar', 'file', 'operator')),
  data_class TEXT BYTEWISE NOT NULL CHECK (data_class IN ('published', 'sample')),
  state TEXT BYTEWISE NOT NULL CHECK (state IN ('loading', 'staged', 'published', 'withdrawn')),
  source_digest TEXT BYTEWISE NOT NULL,
  citations TEXT NOT NULL,
  row_count BIGINT NOT NULL,
  rejected_count BIGINT NOT NULL,
  unreadable_lines BIGINT NOT NULL,
  -- The NPIs that a hospital's file names, as JSON; null in other charts.
  providers TEXT,
  rows_root TEXT,
  manifest TEXT,
  log_index BIGINT,
  loaded_at BIGINT NOT NULL,
  published_at BIGINT,
  withdrawal TEXT,
  withdrawn_index BIGINT
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
  cpt TEXT BYTEWISE NOT NULL,
  row_count BIGINT NOT NULL,
  PRIMARY KEY (release_no, cpt)
) CLUSTERED;

CREATE TABLE release_region (
  release_no BIGINT NOT NULL,
  region TEXT BYTEWISE NOT NULL,
  row_count BIGINT NOT NULL,
  PRIMARY KEY (release_no, region)
) CLUSTERED;

CREATE TABLE release_provider (
  npi TEXT BYTEWISE NOT NULL,
  release_no BIGINT NOT NULL,
  row_count BIGINT NOT NULL,
  PRIMARY KEY (npi, release_no)
) CLUSTERED;

-- What the rules for rows found in a release: exact counts, the first few lines and keys, never the values.
CREATE TABLE release_check (
  release_no BIGINT NOT NULL,
  rule TEXT BYTEWISE NOT NULL,
  severity TEXT BYTEWISE NOT NULL CHECK (severity IN ('reject', 'withhold', 'flag')),
  evaluated BIGINT NOT NULL,
  failed BIGINT NOT NULL,
  sample_lines TEXT NOT NULL,
  sample_keys TEXT NOT NULL,
  PRIMARY KEY (release_no, rule)
);

-- How a release differs from the edition it took the place of, as computed when it was published.
CREATE TABLE release_delta (
  release_no BIGINT PRIMARY KEY,
  previous TEXT BYTEWISE NOT NULL,
  added BIGINT NOT NULL,
  removed BIGINT NOT NULL,
  changed BIGINT NOT NULL,
  unchanged BIGINT NOT NULL,
  max_change_bp BIGINT NOT NULL
);

-- Which locality a contractor's number means, from the last GPCI file that was loaded.
CREATE TABLE contractor_locality (
  contractor TEXT BYTEWISE NOT NULL,
  locality TEXT BYTEWISE NOT NULL,
  region TEXT BYTEWISE NOT NULL,
  PRIMARY KEY (contractor, locality)
);

CREATE TABLE agent_key (
  key_id TEXT BYTEWISE PRIMARY KEY,
  name TEXT NOT NULL,
  scopes TEXT NOT NULL,
  digest BYTES NOT NULL,
  public_key BYTES,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  revoked_at BIGINT,
  replaced_by TEXT BYTEWISE
);

CREATE TABLE nonce (
  digest BYTES PRIMARY KEY,
  key_id TEXT BYTEWISE NOT NULL,
  issued_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  spent_at BIGINT,
  token_id TEXT BYTEWISE
);
CREATE INDEX nonce_of_key ON nonce (key_id, issued_at);

CREATE TABLE rails_token (
  token_id TEXT BYTEWISE PRIMARY KEY,
  key_id TEXT BYTEWISE NOT NULL,
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
  kind TEXT BYTEWISE NOT NULL CHECK (kind IN ('key_created', 'key_rotated', 'key_revoked', 'nonce_reused')),
  key_id TEXT BYTEWISE NOT NULL
);

-- The ledger cannot hold a person: no free text, no dates but years, no numbers but counts. What it may hold is
-- checked here too, so that no other program can put anything else in.
CREATE TABLE outcome (
  case_ref TEXT BYTEWISE PRIMARY KEY CHECK (
    LENGTH(case_ref) = 36
    AND SUBSTR(case_ref, 9, 1) = '-' AND SUBSTR(case_ref, 14, 2) = '-4' AND SUBSTR(case_ref, 19, 1) = '-'
    AND LTRIM(SUBSTR(case_ref, 20, 1), '89ab') = '' AND SUBSTR(case_ref, 24, 1) = '-'
    AND LENGTH(REPLACE(case_ref, '-', '')) = 32
    AND LTRIM(REPLACE(case_ref, '-', ''), '0123456789abcdef') = ''
  ),
  outcome_year INTEGER NOT NULL CHECK (outcome_year BETWEEN 2015 AND 2199),
  batch_id INTEGER NOT NULL CHECK (batch_id > 0),
  -- One text to search is much faster than a list: SQLite would build the list anew for each line.
  state TEXT BYTEWISE CHECK (LENGTH(state) = 2 AND REPLACE(
    ' AL AK AS AZ AR CA CO CT DE DC FM FL GA GU HI ID IL IN IA KS KY LA ME MH MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND MP OH OK OR PW PA PR RI SC SD TN TX UT VT VI VA WA WV WI WY AA AE AP ',
    ' ' || state || ' ', '') <> ' AL AK AS AZ AR CA CO CT DE DC FM FL GA GU HI ID IL IN IA KS KY LA ME MH MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND MP OH OK OR PW PA PR RI SC SD TN TX UT VT VI VA WA WV WI WY AA AE AP '),
  npi TEXT BYTEWISE CHECK (LENGTH(npi) = 10 AND LTRIM(npi, '0123456789') = '' AND npi < '3' AND npi >= '1'),
  closed INTEGER NOT NULL CHECK (closed IN (0, 1)),
  settled INTEGER NOT NULL CHECK (settled IN (0, 1) AND settled <= closed),
  recurring INTEGER NOT NULL CHECK (recurring IN (0, 1)),
  certified_mail INTEGER NOT NULL CHECK (certified_mail IN (0, 1)),
  recovered_50 INTEGER NOT NULL CHECK (recovered_50 BETWEEN 0 AND 1000)
) CLUSTERED;

-- A file on its way into the ledger. Lines stand here in small steps and move over in one; those that a crash left are dropped.
CREATE TABLE outcome_staged (
  staging_id BIGINT NOT NULL,
  line BIGINT NOT NULL,
  case_ref TEXT BYTEWISE NOT NULL,
  outcome_year INTEGER,
  state TEXT BYTEWISE,
  npi TEXT BYTEWISE,
  closed INTEGER,
  settled INTEGER,
  recurring INTEGER,
  certified_mail INTEGER,
  recovered_50 INTEGER,
  PRIMARY KEY (staging_id, line)
) CLUSTERED;

CREATE TABLE outcome_batch (
  batch_id INTEGER PRIMARY KEY,
  kind TEXT BYTEWISE NOT NULL CHECK (kind IN ('import', 'correction', 'deletion')),
  source_digest TEXT BYTEWISE NOT NULL,
  data_class TEXT BYTEWISE NOT NULL CHECK (data_class IN ('published', 'sample')),
  imported_at BIGINT NOT NULL,
  case_count BIGINT NOT NULL,
  UNIQUE (kind, source_digest)
);

CREATE TABLE provider (
  npi TEXT BYTEWISE PRIMARY KEY CHECK (LENGTH(npi) = 10),
  entity_type INTEGER NOT NULL CHECK (entity_type = 2)
);

-- tallies: what the rule was given. bases: the cases each figure was last decided on. figures: what the public sees.
CREATE TABLE figure_release (
  release_no BIGINT PRIMARY KEY,
  release_id TEXT BYTEWISE NOT NULL UNIQUE,
  released_at BIGINT NOT NULL,
  last_batch_id INTEGER NOT NULL,
  refreshes_providers INTEGER NOT NULL CHECK (refreshes_providers IN (0, 1)),
  log_size BIGINT NOT NULL,
  tallies TEXT NOT NULL,
  bases TEXT NOT NULL,
  figures TEXT NOT NULL
);

CREATE TABLE figure_change (
  seq BIGINT PRIMARY KEY,
  release_no BIGINT NOT NULL,
  released_at BIGINT NOT NULL,
  metric TEXT BYTEWISE NOT NULL,
  entry TEXT NOT NULL
);

-- What a provider's statistics say since a release, and the cases they were decided on. One line where they moved.
CREATE TABLE provider_standing (
  npi TEXT BYTEWISE NOT NULL,
  release_no BIGINT NOT NULL,
  case_band TEXT BYTEWISE NOT NULL,
  standing TEXT NOT NULL,
  PRIMARY KEY (npi, release_no)
) CLUSTERED;

-- Which providers a key has asked about today; earlier days are removed.
CREATE TABLE provider_asked (
  day TEXT BYTEWISE NOT NULL,
  key_id TEXT BYTEWISE NOT NULL,
  npi TEXT BYTEWISE NOT NULL,
  PRIMARY KEY (day, key_id, npi)
) CLUSTERED;

-- When the published figures were last audited for what they reveal, and the result.
CREATE TABLE disclosure_audit (
  audited_at BIGINT PRIMARY KEY,
  cells BIGINT NOT NULL,
  pinned BIGINT NOT NULL
);

-- When the whole store was last re-derived, and with what result.
CREATE TABLE verification (
  verified_at BIGINT PRIMARY KEY,
  rows_verified BIGINT NOT NULL,
  rows_failed BIGINT NOT NULL
);
