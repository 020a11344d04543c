// Sets the clock of the fixture to a day that is over on every machine: a log refuses a clock that goes back.

const LATE_MS = Date.now() - Date.parse('2025-03-03T08:00:00Z')
const now = Date.now.bind(Date)
Date.now = () => now() - LATE_MS
