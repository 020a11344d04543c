import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { toBase64 } from './bytes.ts'
import { formatTreeHead, parseTreeHead } from './checkpoint.ts'

const ROOT = toBase64(new Uint8Array(32).fill(7))

test('a tree head is read back as it was written', () => {
  const origin = fc.string({ unit: fc.constantFrom(...'az09./-: \u00e9'), minLength: 1 })
  const heads = fc.record({
    origin,
    size: fc.maxSafeNat(),
    root: fc.uint8Array({ minLength: 32, maxLength: 32 }),
  })
  fc.assert(fc.property(heads, (head) => expect(parseTreeHead(formatTreeHead(head))).toEqual(head)))
})

test('it has three lines: origin, size, root', () => {
  const head = { origin: 'log.example/registry', size: 42, root: new Uint8Array(32).fill(7) }
  expect(formatTreeHead(head)).toBe(`log.example/registry\n42\n${ROOT}\n`)
})

test.each([
  ['no newline at the end', `log\n1\n${ROOT}`],
  ['an extension line', `log\n1\n${ROOT}\nextension\n`],
  ['an empty line at the end', `log\n1\n${ROOT}\n\n`],
  ['no origin', `\n1\n${ROOT}\n`],
  ['no size', `log\n\n${ROOT}\n`],
  ['a leading zero', `log\n01\n${ROOT}\n`],
  ['a size of two zeros', `log\n00\n${ROOT}\n`],
  ['a sign', `log\n+1\n${ROOT}\n`],
  ['a negative size', `log\n-1\n${ROOT}\n`],
  ['a fraction', `log\n1.0\n${ROOT}\n`],
  ['an exponent', `log\n1e3\n${ROOT}\n`],
  ['hexadecimal', `log\n0x1\n${ROOT}\n`],
  ['digits that are not ASCII', `log\n\u0661\n${ROOT}\n`],
  ['a space around the size', `log\n 1\n${ROOT}\n`],
  ['a size past exact integers', `log\n9007199254740992\n${ROOT}\n`],
  ['a size of seventeen digits', `log\n10000000000000000\n${ROOT}\n`],
  ['a short root', `log\n1\n${toBase64(new Uint8Array(31))}\n`],
  ['a long root', `log\n1\n${toBase64(new Uint8Array(33))}\n`],
  ['no root', 'log\n1\n\n'],
  ['a root without padding', `log\n1\n${ROOT.slice(0, -1)}\n`],
  ['a root that is not canonical base64', `log\n1\n${ROOT.slice(0, -2)}d=\n`],
  ['a root in hex', `log\n1\n${'07'.repeat(32)}\n`],
  ['carriage returns', `log\r\n1\r\n${ROOT}\r\n`],
])('a tree head with %s is refused', (_, text) => {
  expect(parseTreeHead(text)).toBeUndefined()
})
