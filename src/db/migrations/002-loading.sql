-- The number of the last release that was begun. It only grows: a number is never given twice, even if what had it is gone.
CREATE TABLE release_number (
  last_no BIGINT NOT NULL
);
INSERT INTO release_number (last_no) SELECT COALESCE(MAX(release_no), 0) FROM release;

-- The last revision of an edition that was loaded to its end. It only grows too: a name that an operator has seen means one release.
CREATE TABLE edition_revision (
  chart TEXT BYTEWISE NOT NULL,
  edition TEXT BYTEWISE NOT NULL,
  last_revision INTEGER NOT NULL,
  PRIMARY KEY (chart, edition)
);
INSERT INTO edition_revision (chart, edition, last_revision)
  SELECT chart, edition, MAX(revision) FROM release WHERE state <> 'loading' GROUP BY chart, edition;

-- Which locality a contractor's number means, as the GPCI file of each release of the physician schedule says.
CREATE TABLE release_locality (
  release_no BIGINT NOT NULL,
  contractor TEXT BYTEWISE NOT NULL,
  locality TEXT BYTEWISE NOT NULL,
  region TEXT BYTEWISE NOT NULL,
  PRIMARY KEY (release_no, contractor, locality)
) CLUSTERED;
INSERT INTO release_locality (release_no, contractor, locality, region)
  SELECT r.release_no, c.contractor, c.locality, c.region
    FROM contractor_locality c
    JOIN release r ON r.release_no = (SELECT MAX(release_no) FROM release WHERE chart = 'cms-pfs' AND state <> 'loading');
DROP TABLE contractor_locality;

-- How many things were wrong when the store was last re-derived: in rows, in logs, in figures.
ALTER TABLE verification ADD COLUMN faults BIGINT NOT NULL DEFAULT 0;
UPDATE verification SET faults = rows_failed;
