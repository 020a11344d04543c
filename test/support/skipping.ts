// Tests that need more than `npm ci` installs: a browser, a server, published files. Where it is missing they are skipped,
// and one line for each suite says why.

import { test } from 'bun:test'
import { isAllRequired } from './required.ts'

const reported = new Set<string>()

/** True where the tests of a suite are not to run, for the reason given. If everything is required, one test fails instead. */
export function isSkipped(suite: string, reason: string | undefined): boolean {
  if (reason === undefined) return false
  const line = `${suite}, because ${reason}`
  if (reported.has(line)) return true
  reported.add(line)
  if (isAllRequired)
    test(`REQUIRE_ALL=1: ${suite}`, () => {
      throw new Error(`cannot be tested, because ${reason}`)
    })
  else console.log(`SKIPPED: ${line}`)
  return true
}
