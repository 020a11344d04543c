import { expect, test } from 'bun:test'
import { headerLines, type ReadyBytes, readyBytes, responseOf } from './answer.ts'

const body = new Uint8Array(Buffer.from('four'))
const lengthIn = ({ lines }: ReadyBytes): string | undefined => /^content-length: (.*)\r$/m.exec(lines)?.[1]

test('where an answer ends follows from its bytes, whatever its headers say', () => {
  for (const headers of [{}, { 'content-length': '9' }, { 'transfer-encoding': 'chunked' }] as Record<
    string,
    string
  >[]) {
    expect(lengthIn(readyBytes(200, headers, body))).toBe('4')
    expect(lengthIn(readyBytes(202, headers, null))).toBe('0')
    for (const status of [204, 304]) {
      const none = readyBytes(status, headers, body)
      expect([lengthIn(none), none.body]).toEqual([undefined, undefined])
    }
    expect(readyBytes(200, headers, body).lines).not.toContain('chunked')
  }
})

test('an answer to HEAD says how long the body would be, and has none', () => {
  const told = readyBytes(200, { 'content-length': '4' }, body, true)
  expect([lengthIn(told), told.body]).toEqual(['4', undefined])
  expect(lengthIn(readyBytes(200, {}, null, true))).toBeUndefined()
})

test('a header that would begin another one is not written', () => {
  for (const value of ['a\r\nx: y', 'a\n', '\0', '\u0100']) expect(() => headerLines({ x: value })).toThrow('header x')
})

test('the same answer as an object has the same headers and bytes', async () => {
  const response = responseOf(readyBytes(404, { 'content-type': 'text/plain', x: 'a: b' }, body))
  expect([response.status, ...response.headers]).toEqual([
    404,
    ['content-length', '4'],
    ['content-type', 'text/plain'],
    ['x', 'a: b'],
  ])
  expect(await response.text()).toBe('four')
})
