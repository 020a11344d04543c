-- The publisher's own last day of an edition, where the operator put it off.
ALTER TABLE release ADD COLUMN publisher_until TEXT;
