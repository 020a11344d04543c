import { expect, test } from 'bun:test'
import { effort } from '../../test/support/effort.ts'
import { attribute, xmlTokens } from './xml.ts'

test('attributes are found in any order and quotes, with and without a prefix', () => {
  const text = ` a="1" x:b = '2 "two"'\n c='>' d="it&apos;s"`
  expect(['a', 'b', 'c', 'd', 'e'].map((name) => attribute(text, name))).toEqual([
    '1',
    '2 "two"',
    '>',
    "it's",
    undefined,
  ])
  expect(attribute(` a="b='3'" b='2'`, 'b')).toBe('2')
  for (const damaged of [" a='1' a='2'", " a='1", " a=1 b='2'", " a b='2'", ` ='1'`])
    expect(() => attribute(damaged, 'a')).toThrow()
})

test('reading any attribute text takes time in proportion to its length', () => {
  const texts = [
    `${'a'.repeat(45_000)} '`,
    `${'a:'.repeat(20_000)}'`,
    ` ${'a= '.repeat(15_000)}'`,
    `${' '.repeat(45_000)}'`,
    ` a='${'x=" '.repeat(11_000)}'`,
    ` ${'x="1" '.repeat(7_000)} y='1'`,
  ]
  const spent = effort()
  for (const text of texts) {
    try {
      attribute(text, 'r')
    } catch {}
  }
  expect(spent()).toBeLessThan(300)
})

test('a tag of more than 4 KiB is refused', () => {
  const tag = (bytes: number) => [...xmlTokens(`<c r='${'A'.repeat(bytes)}'/>`)]
  expect(tag(4_000)).toHaveLength(1)
  expect(() => tag(4_100)).toThrow('source_unreadable')
})
