import { expect, test } from 'bun:test'
import { besideACrowd } from '../support/bystander.ts'

test('fifty callers at their full quota on expensive routes do not make a price slow for a bystander', async () => {
  const { quiet, busy, statuses } = await besideACrowd(3_000)
  // The crowd was served and pushed back, and nothing broke.
  expect(Object.keys(statuses).filter((status) => !['200', '429', '503'].includes(status))).toEqual([])
  expect(statuses['200']).toBeGreaterThan(0)
  expect((statuses['429'] ?? 0) + (statuses['503'] ?? 0)).toBeGreaterThan(0)
  expect(busy.asked).toBeGreaterThan(50)
  // What other programs compute meanwhile is not counted, but they slow this one down: then a quiet service is slow too.
  expect(busy.work).toBeLessThan(Math.max(50, 8 * quiet.work))
}, 120_000)
