import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { type BodyReader, ChunkedBody, CountedBody } from './body.ts'

/** The body in a text, and what is left after it; undefined if it is refused. */
function readAll(reader: BodyReader, text: string, sizes: readonly number[] = [text.length]) {
  const bytes = Buffer.from(text, 'latin1')
  let body = ''
  let at = 0
  for (let i = 0, end = 0; end < bytes.length && !reader.isDone; i++) {
    end = Math.min(bytes.length, end + Math.max(1, sizes[i % sizes.length] as number))
    at = reader.read(bytes.subarray(0, end), at, (piece) => {
      body += Buffer.from(piece).toString('latin1')
    })
    if (at < 0) return { refused: reader.refusal?.code }
  }
  return { body, isDone: reader.isDone, rest: text.slice(at) }
}

const chunks = (text: string, sizes?: readonly number[]) => readAll(new ChunkedBody(), text, sizes)

test('chunks are put together; extensions and trailers are dropped, and what follows is left alone', () => {
  expect(chunks('3\r\nabc\r\nA;x=y\r\n0123456789\r\n0\r\n\r\nGET')).toEqual({
    body: 'abc0123456789',
    isDone: true,
    rest: 'GET',
  })
  expect(chunks('0\r\nX: y\r\nContent-Length: 5\r\n\r\nrest')).toEqual({ body: '', isDone: true, rest: 'rest' })
  expect(chunks('3\r\nab')).toMatchObject({ body: 'ab', isDone: false })
  expect(readAll(new CountedBody(3), 'abcdef', [2])).toEqual({ body: 'abc', isDone: true, rest: 'def' })
})

test('tiny chunks become one piece, which keeps nothing of what stood between them in memory', () => {
  const bytes = Buffer.from(`1;${'e'.repeat(200)}\r\nx\r\n`.repeat(100), 'latin1')
  const pieces: Uint8Array[] = []
  expect(new ChunkedBody().read(bytes, 0, (piece) => pieces.push(piece))).toBe(bytes.length)
  expect(pieces.map((piece) => Buffer.from(piece).toString())).toEqual(['x'.repeat(100)])
  expect(pieces[0]?.buffer.byteLength).toBe(100)
})

const BAD: Record<string, string> = {
  'a sign': '+3\r\nabc\r\n0\r\n\r\n',
  'a minus': '-3\r\nabc\r\n0\r\n\r\n',
  'a prefix': '0x3\r\nabc\r\n0\r\n\r\n',
  'a space before the size': ' 3\r\nabc\r\n0\r\n\r\n',
  'a space after the size': '3 \r\nabc\r\n0\r\n\r\n',
  'no size': '\r\nabc\r\n0\r\n\r\n',
  'an extension without a size': ';a\r\nabc\r\n0\r\n\r\n',
  'a size past all numbers': 'FFFFFFFFFFFFFFFF1\r\nabc',
  'nine digits': '000000003\r\nabc\r\n0\r\n\r\n',
  'a bare LF after the size': '3\nabc\r\n0\r\n\r\n',
  'a bare LF after the data': '3\r\nabc\n0\r\n\r\n',
  'a bare LF at the end': '0\r\n\n',
  'more data than the size': '3\r\nabcd\r\n0\r\n\r\n',
  'a bare CR in an extension': '3;a\rb\r\nabc\r\n0\r\n\r\n',
  'a long extension': `3;${'a'.repeat(300)}\r\nabc\r\n0\r\n\r\n`,
  'a NUL in an extension': '3;\0\r\nabc\r\n0\r\n\r\n',
  'a folded trailer': '0\r\n X: y\r\n\r\n',
  'a NUL in a trailer': '0\r\nX: \0\r\n\r\n',
  'long trailers': `0\r\n${'X: y\r\n'.repeat(1_000)}\r\n`,
}
for (const [name, text] of Object.entries(BAD))
  test(`chunks with ${name} are refused`, () => {
    expect(chunks(text)).toEqual({ refused: 'invalid_request' })
    expect(chunks(text, [1])).toEqual({ refused: 'invalid_request' })
  })

test('however chunks are cut into pieces, the body is the same', () => {
  const part = fc.constantFrom(
    '3\r\n',
    'abc',
    '\r\n',
    '0\r\n\r\n',
    '0\r\n',
    'X: y\r\n',
    ';e=f',
    'a',
    '1',
    '\r',
    '\n',
    '3\r\nabc\r\n',
  )
  fc.assert(
    fc.property(
      fc.array(part, { maxLength: 10 }),
      fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1 }),
      (parts, cuts) => {
        expect(chunks(parts.join(''), cuts)).toEqual(chunks(parts.join('')))
      },
    ),
    { numRuns: 1_000 },
  )
})
