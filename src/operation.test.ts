import { expect, test } from 'bun:test'
import { madeOnce } from './operation.ts'
import { Problem } from './problem.ts'

test('what several ask for at once is made once, and whoever began it can hang up without harm to the others', async () => {
  const known = new Map<string, Promise<string>>()
  let made = 0
  const make = async (): Promise<string> => {
    made++
    await Bun.sleep(5)
    return 'made'
  }
  expect(await Promise.all([1, 2, 3].map(() => madeOnce(known, 'a', make)))).toEqual(['made', 'made', 'made'])
  expect(made).toBe(1)
  const hungUp = madeOnce(known, 'b', async () => {
    await Bun.sleep(5)
    throw new Problem('unavailable', 'the caller has hung up')
  }).catch((error: unknown) => error)
  const other = madeOnce(known, 'b', make)
  expect([await hungUp, await other]).toEqual([expect.any(Problem), 'made'])
  const faulty = async (): Promise<string> => {
    await Bun.sleep(5)
    throw new Error('a fault')
  }
  const failed = await Promise.allSettled([madeOnce(known, 'c', faulty), madeOnce(known, 'c', make)])
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(known.size).toBe(0)
})
