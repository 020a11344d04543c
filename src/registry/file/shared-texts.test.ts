import { expect, test } from 'bun:test'
import { SHARED_HEIGHT, SharedTexts } from './shared-texts.ts'

const WIDTH = 2 ** SHARED_HEIGHT
const hashes = (letter: string, count: number): string[] => Array.from({ length: count }, () => letter.repeat(44))

test('the end of a path is given to all rows under its node and to no other, also where two nodes have one place', () => {
  // Of five thousand nodes: the place of the first is that of the one after four thousand and ninety-six.
  const texts = new SharedTexts(5_000 * WIDTH)
  const out = Buffer.alloc(2_000)
  const textOf = (index: number): string | undefined => {
    texts.glance(index)
    const end = texts.write(out, 3, index)
    return end < 0 ? undefined : out.toString('latin1', 3, end)
  }
  expect(textOf(0)).toBeUndefined()
  texts.put(5, hashes('a', 13))
  texts.put(WIDTH, hashes('b', 12))
  const first = `"${'a'.repeat(44)}",`.repeat(13)
  expect([textOf(0), textOf(WIDTH - 1)]).toEqual([first, first])
  expect(textOf(2 * WIDTH - 1)).toBe(`"${'b'.repeat(44)}",`.repeat(12))
  const rival = 4_096 * WIDTH
  expect(textOf(rival)).toBeUndefined()
  texts.put(rival, hashes('c', 2))
  expect([textOf(rival + 7), textOf(0)]).toEqual([`"${'c'.repeat(44)}",`.repeat(2), undefined])
})

test('a tree that is no higher than that has nothing to share', () => {
  const texts = new SharedTexts(WIDTH)
  texts.glance(0)
  texts.put(0, [])
  expect(texts.write(Buffer.alloc(1), 1, WIDTH - 1)).toBe(1)
})
