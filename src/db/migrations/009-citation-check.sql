-- What the last look at a cited source found. Of what the server says only digests and numbers are kept.
CREATE TABLE citation_check (
  url TEXT BYTEWISE NOT NULL,
  sha256 TEXT BYTEWISE NOT NULL,
  state TEXT BYTEWISE NOT NULL CHECK (state IN
    ('ok', 'not_modified', 'redirected_permanent', 'changed', 'superseded', 'gone', 'unreachable', 'blocked')),
  http_status INTEGER,
  observed_sha256 TEXT,
  checked_at BIGINT NOT NULL,
  last_ok_at BIGINT,
  first_failed_at BIGINT,
  failures INTEGER NOT NULL,
  next_check_at BIGINT NOT NULL,
  validators TEXT,
  samples TEXT,
  -- When all bytes were read last.
  read_at BIGINT,
  PRIMARY KEY (url, sha256)
) CLUSTERED;
