-- What `atr fetch` knows of the publishers' servers and pages. Their text is kept here and never served.

-- A host that asked to be left alone, and what its robots.txt says.
CREATE TABLE fetch_host (
  host TEXT BYTEWISE NOT NULL PRIMARY KEY,
  not_before BIGINT NOT NULL,
  failures INTEGER NOT NULL,
  robots TEXT,
  robots_at BIGINT NOT NULL
) CLUSTERED;

-- A page as it was read last: what to send back to its server, and the digest of its bytes.
CREATE TABLE fetch_page (
  url TEXT BYTEWISE NOT NULL PRIMARY KEY,
  entity_tag TEXT,
  modified BIGINT,
  sha256 TEXT BYTEWISE NOT NULL,
  step TEXT NOT NULL
) CLUSTERED;

-- The bytes of pages, under zstd.
CREATE TABLE fetch_bytes (
  sha256 TEXT BYTEWISE NOT NULL PRIMARY KEY,
  body BYTES NOT NULL
);

-- The last look at the source of a chart, and when the next one is due.
CREATE TABLE fetch_look (
  chart TEXT BYTEWISE NOT NULL PRIMARY KEY,
  looked_at BIGINT NOT NULL,
  -- When every file of the editions in use was asked for last, and the page of which nothing was left to do.
  whole_at BIGINT NOT NULL,
  settled_page TEXT,
  newest TEXT,
  newest_from TEXT,
  trouble TEXT,
  failures INTEGER NOT NULL,
  first_failed_at BIGINT,
  next_look_at BIGINT NOT NULL
) CLUSTERED;

-- A file that was downloaded and loaded, and the release that it made.
CREATE TABLE fetch_file (
  chart TEXT BYTEWISE NOT NULL,
  url TEXT BYTEWISE NOT NULL,
  entity_tag TEXT,
  modified BIGINT,
  sha256 TEXT BYTEWISE NOT NULL,
  release_id TEXT BYTEWISE NOT NULL,
  PRIMARY KEY (chart, url)
) CLUSTERED;

-- Who accepted which text of a publisher's agreement.
CREATE TABLE fetch_agreement (
  gate TEXT BYTEWISE NOT NULL PRIMARY KEY,
  accepted_by TEXT NOT NULL,
  accepted_at BIGINT NOT NULL,
  text_sha256 TEXT BYTEWISE NOT NULL,
  -- 1 where the text is that of the publisher's page, 0 where a person saved it.
  is_of_page INTEGER NOT NULL CHECK (is_of_page IN (0, 1))
) CLUSTERED;

-- The way from a publisher's page to the files of a release.
CREATE TABLE fetch_origin (
  release_id TEXT BYTEWISE NOT NULL PRIMARY KEY,
  way TEXT NOT NULL
) CLUSTERED;
