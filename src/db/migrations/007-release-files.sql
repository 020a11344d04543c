-- Rows, their trees and their totals are in the file of each release, which is named by its digest.
ALTER TABLE release ADD COLUMN file TEXT BYTEWISE;
DROP TABLE price_row;
DROP TABLE row_tile;
DROP TABLE release_code;
DROP TABLE release_region;
DROP INDEX provider_of_release;
DROP TABLE release_provider;
