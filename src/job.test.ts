import { expect, test } from 'bun:test'
import { StoreBusy } from './db/db.ts'
import { Pace, repeat, waitAfter } from './job.ts'

test('a job that finds the store away tries again in seconds, then less often, and any other fault in an hour', () => {
  const away = new StoreBusy(undefined)
  expect([1, 2, 3, 4, 5, 6, 7, 8, 100].map((faults) => waitAfter(away, faults) / 1_000)).toEqual([
    2, 4, 8, 16, 32, 60, 60, 60, 60,
  ])
  expect(waitAfter(new RangeError('no'), 1)).toBe(3_600_000)
})

test('a job runs soon after its store comes back, and its fault is reported once', async () => {
  let turns = 0
  const faults: unknown[] = []
  const done = Promise.withResolvers<void>()
  const job = repeat({
    async turn() {
      if (++turns < 3) throw new StoreBusy(undefined)
      done.resolve()
      return 3_600_000
    },
    tell: ({ fault }) => faults.push(fault),
    waitAfter: (fault, faults) => waitAfter(fault, faults) / 1_000,
  })
  await done.promise
  await job.stop()
  expect([turns, faults.length]).toEqual([3, 1])
})

test('work in the background takes no more than its share, and never sleeps at a hundred percent', async () => {
  for (const percent of [2, 25, 50, 100]) {
    const pace = new Pace(percent, new AbortController().signal)
    const started = performance.now()
    let worked = 0
    let sleeps = 0
    while (performance.now() - started < 400) {
      const began = performance.now()
      while (performance.now() - began < 0.1);
      worked += performance.now() - began
      const before = performance.now()
      await pace.pause()
      if (performance.now() - before > 0.9) sleeps++
    }
    const share = (100 * worked) / (performance.now() - started)
    // On a busy machine the share can only be smaller.
    expect([percent, share < percent + 3]).toEqual([percent, true])
    if (percent < 100) expect([percent, sleeps > 0]).toEqual([percent, true])
  }
})
