-- Which locality a contractor's number means was asked by nothing: regions are named by state and number.
DROP TABLE release_locality;
