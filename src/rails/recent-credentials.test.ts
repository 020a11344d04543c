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
  const events: string[] = []
  const work =
    (what: string, fails = false) =>
    async () => {
      events.push(`${what} begins`)
      await Bun.sleep(1)
      events.push(`${what} ends`)
      if (fails) throw new Error(what)
      return what
    }
  const first = turns.take('a', work('first', true))
  const second = turns.take('a', work('second'))
  const third = turns.take('a', work('third'))
  // The fourth comes when the first has ended and two are waiting.
  const fourth = first.catch(() => turns.take('a', work('fourth')))
  expect(await turns.take('b', async () => events.length)).toBe(1)
  expect(await Promise.allSettled([first, second, third, fourth])).toMatchObject([
    { status: 'rejected' },
    { value: 'second' },
    { value: 'third' },
    { value: 'fourth' },
  ])
  expect(events).toEqual(['first', 'second', 'third', 'fourth'].flatMap((what) => [`${what} begins`, `${what} ends`]))
  // No turn is left, so the next work begins at once.
  void turns.take('a', async () => events.push('at once'))
  expect(events.at(-1)).toBe('at once')
})
