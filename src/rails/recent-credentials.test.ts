import { expect, test } from 'bun:test'
import { RecentCredentials, Turns } from './recent-credentials.ts'

const digest = (i: number): string => `digest ${i}`

test('ten thousand credentials are kept, and the oldest is forgotten first', () => {
  const recent = new RecentCredentials()
  for (let i = 0; i < 10_000; i++) recent.add(digest(i))
  recent.add(digest(5))
  expect([recent.has(digest(0)), recent.has(digest(9_999)), recent.has(digest(10_000))]).toEqual([true, true, false])
  recent.add(digest(10_000))
  expect([recent.has(digest(0)), recent.has(digest(1)), recent.has(digest(10_000))]).toEqual([false, true, true])
})

test('work of one name runs one at a time and in order, also after a failure, and other names do not wait', async () => {
  const turns = new Turns()
  const said: string[] = []
  const work =
    (what: string, fails = false) =>
    async () => {
      said.push(`${what} begins`)
      await Bun.sleep(1)
      said.push(`${what} ends`)
      if (fails) throw new Error(what)
      return what
    }
  const first = turns.take('a', work('first', true))
  const second = turns.take('a', work('second'))
  const third = turns.take('a', work('third'))
  // It comes when the first has ended and two are still waiting.
  const fourth = first.catch(() => turns.take('a', work('fourth')))
  expect(await turns.take('b', async () => said.length)).toBe(1)
  expect(await Promise.allSettled([first, second, third, fourth])).toMatchObject([
    { status: 'rejected' },
    { value: 'second' },
    { value: 'third' },
    { value: 'fourth' },
  ])
  expect(said).toEqual(['first', 'second', 'third', 'fourth'].flatMap((what) => [`${what} begins`, `${what} ends`]))
  // Nothing is left of it: the next one begins before anything else can happen.
  void turns.take('a', async () => said.push('at once'))
  expect(said.at(-1)).toBe('at once')
})
