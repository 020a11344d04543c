-- The rest of how a release differs from the one before it, as JSON. Null for releases published before this was kept.
ALTER TABLE release_delta ADD COLUMN moves TEXT;
