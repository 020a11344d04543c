import { expect, test } from 'bun:test'
import { StoreBusy } from './db/db.ts'
import { repeat, waitAfter } from './job.ts'

test('a job that finds the store away tries again in seconds, then less often, and any other fault in an hour', () => {
  const away = new StoreBusy(undefined)
  expect([1, 2, 3, 4, 5, 6, 7, 8, 100].map((faults) => waitAfter(away, faults) / 1_000)).toEqual([
    2, 4, 8, 16, 32, 60, 60, 60, 60,
  ])
  expect(waitAfter(new RangeError('no'), 1)).toBe(3_600_000)
})

test('a job whose store comes back is done soon after, and its fault is told once', async () => {
  let turns = 0
  const told: unknown[] = []
  const done = Promise.withResolvers<void>()
  const job = repeat({
    async turn() {
      if (++turns < 3) throw new StoreBusy(undefined)
      done.resolve()
      return 3_600_000
    },
    tell: ({ fault }) => told.push(fault),
    waitAfter: (fault, faults) => waitAfter(fault, faults) / 1_000,
  })
  await done.promise
  await job.stop()
  expect([turns, told.length]).toEqual([3, 1])
})
