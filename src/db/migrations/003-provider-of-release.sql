-- Which providers a release names: asked for each chart that is listed, and the table lies in the order of its providers.
CREATE INDEX provider_of_release ON release_provider (release_no, npi);
