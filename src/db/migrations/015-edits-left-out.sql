-- The pairs of a table of bill edits that ended too long ago to be in the release; of no other chart.
ALTER TABLE release ADD COLUMN edits_left_out BIGINT;
