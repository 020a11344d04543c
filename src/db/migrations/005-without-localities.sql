-- Which locality a contractor's number means was asked by nothing: regions are named by state and number.
DROP TABLE IF EXISTS release_locality;
