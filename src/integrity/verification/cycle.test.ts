import { expect, test } from 'bun:test'
import { waitUntil } from './cycle.ts'

test('a release that is published while nothing is due waits half a minute at most to be verified', () => {
  const now = Date.UTC(2026, 10, 18)
  expect(waitUntil(now + 3_600_000, now)).toBe(30_000)
  expect(waitUntil(now + 1_500, now)).toBe(1_500)
})
