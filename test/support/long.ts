/** Whether tests run in their long form, as `npm run test:long` does: whole published files, every crash, hours of attacks. */
export const isLong = process.env['TEST_LONG'] === '1'
