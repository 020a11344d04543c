-- The number of the last event. In a row of its own, which a transaction locks: two at once never take the same number.
CREATE TABLE rails_event_number (
  last_no BIGINT NOT NULL
);
INSERT INTO rails_event_number (last_no) SELECT COALESCE(MAX(event_no), 0) FROM rails_event;
