/** With REQUIRE_ALL=1 nothing is skipped: whatever is missing on this machine is a failure. */
export const isAllRequired = process.env['REQUIRE_ALL'] === '1'
