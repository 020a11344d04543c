import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Head } from './head.ts'
import { HeadReader, MOST_HEAD_BYTES } from './head-reader.ts'

/** What comes of a text: the head and what is left, the code of a refusal, or nothing yet. */
function readAll(text: string, sizes: readonly number[] = []) {
  const bytes = Buffer.from(text, 'latin1')
  const reader = new HeadReader()
  let end = 0
  for (let i = 0; end < bytes.length; i++) {
    end = Math.min(bytes.length, end + (sizes[i % Math.max(1, sizes.length)] ?? bytes.length))
    const read = reader.read(bytes.subarray(0, end), 0)
    if (read < 0) return { refusal: reader.refusal }
    if (read > 0) return { head: reader.take(), length: read }
  }
  return {}
}

const headOf = (text: string): Head => readAll(text).head as Head
const codeOf = (text: string): string | undefined => readAll(text).refusal?.code
const asking = (lines: string, first = 'GET / HTTP/1.1'): string => `${first}\r\nHost: a\r\n${lines}\r\n`

test('a plain request is read: method, target, headers in any case, and what follows is left alone', () => {
  const text =
    'GET /reference?cpt=99213 HTTP/1.1\r\nHost: registry.example\r\nX-Agent-KEY: \t k \r\nAccept:*/*\r\n\r\nGET'
  const { head, length } = readAll(text)
  expect(head?.method).toBe('GET')
  expect(head?.target).toBe('/reference?cpt=99213')
  expect([head?.get('x-agent-key'), head?.get('accept'), head?.get('nothing')]).toEqual(['k', '*/*', null])
  expect(head?.headers()).toEqual([
    ['Host', 'registry.example'],
    ['X-Agent-KEY', 'k'],
    ['Accept', '*/*'],
  ])
  expect(head?.headerBytes).toBe(4 + 16 + 4 + 11 + 1 + 4 + 6 + 3 + 4)
  expect(length).toBe(text.length - 3)
  expect(head?.framing).toEqual({ body: 0, keepsAlive: true, expectsContinue: false })
})

test('what the headers say of body and connection is read', () => {
  const framing = (lines: string, first?: string) => headOf(asking(lines, first)).framing
  expect(framing('Content-Length: 5\r\n').body).toBe(5)
  expect(framing('Transfer-Encoding: Chunked\r\nExpect: 100-Continue\r\n')).toEqual({
    body: -1,
    keepsAlive: true,
    expectsContinue: true,
  })
  expect(framing('Connection: upgrade, Close\r\n').keepsAlive).toBe(false)
  expect(framing('Connection: TE\r\n').keepsAlive).toBe(true)
  expect(framing('', 'GET / HTTP/1.0').keepsAlive).toBe(false)
  expect(framing('Connection: Keep-Alive\r\n', 'GET / HTTP/1.0').keepsAlive).toBe(true)
  expect(headOf('GET / HTTP/1.0\r\n\r\n').isOld).toBe(true)
  expect(headOf(asking('Accept: a\r\naccept: b\r\n')).get('accept')).toBe('a, b')
})

/** Each is understood differently by some other server or proxy. */
const AMBIGUOUS: Record<string, string> = {
  'a bare LF': 'GET / HTTP/1.1\nHost: a\n\n',
  'a bare LF in a header': 'GET / HTTP/1.1\r\nHost: a\nX: b\r\n\r\n',
  'a bare CR in a value': asking('X: a\rb\r\n'),
  'a bare CR at the end of a line': asking('X: a\r\r\n'),
  'a folded line': asking('X: a\r\n b\r\n'),
  'a folded line with a tab': asking('X: a\r\n\tb\r\n'),
  'a space before the first header': 'GET / HTTP/1.1\r\n Host: a\r\n\r\n',
  'a space before the colon': asking('Content-Length : 5\r\n'),
  'a header without a name': asking(': x\r\n'),
  'a header without a colon': asking('Content-Length\r\n'),
  'a NUL in a value': asking('X: a\0b\r\n'),
  'a NUL in a name': asking('X\0: a\r\n'),
  'a DEL in a value': asking('X: \x7f\r\n'),
  'a byte past ASCII in a name': asking('X\xe9: a\r\n'),
  'two lengths': asking('Content-Length: 5\r\nContent-Length: 6\r\n'),
  'the same length twice': asking('Content-Length: 5\r\nContent-Length: 5\r\n'),
  'a list of lengths': asking('Content-Length: 5, 5\r\n'),
  'a length with a sign': asking('Content-Length: +5\r\n'),
  'a negative length': asking('Content-Length: -5\r\n'),
  'a length in hexadecimal': asking('Content-Length: 0x5\r\n'),
  'a length with a fraction': asking('Content-Length: 5.0\r\n'),
  'an empty length': asking('Content-Length:\r\n'),
  'a length past all numbers': asking('Content-Length: 18446744073709551617\r\n'),
  'a length and chunks': asking('Content-Length: 5\r\nTransfer-Encoding: chunked\r\n'),
  'chunks and a length': asking('Transfer-Encoding: chunked\r\nContent-Length: 5\r\n'),
  'another coding': asking('Transfer-Encoding: gzip\r\n'),
  'another coding, then chunks': asking('Transfer-Encoding: gzip, chunked\r\n'),
  'chunks twice': asking('Transfer-Encoding: chunked, chunked\r\n'),
  'chunks in two headers': asking('Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n'),
  'a coding that is none': asking('Transfer-Encoding: xchunked\r\n'),
  'a vertical tab before the coding': asking('Transfer-Encoding: \x0bchunked\r\n'),
  'an empty coding': asking('Transfer-Encoding:\r\n'),
  'chunks in HTTP/1.0': asking('Transfer-Encoding: chunked\r\n', 'POST / HTTP/1.0'),
  'two hosts': asking('Host: b\r\n'),
  'the same host twice': asking('hOST: a\r\n'),
  'no host': 'GET / HTTP/1.1\r\n\r\n',
  'a list of hosts': 'GET / HTTP/1.1\r\nHost: a, b\r\n\r\n',
  'a host with a path': 'GET / HTTP/1.1\r\nHost: a/b\r\n\r\n',
  'a host with a user': 'GET / HTTP/1.1\r\nHost: a@b\r\n\r\n',
  'a host with a space': 'GET / HTTP/1.0\r\nHost: a b\r\n\r\n',
  'another expectation': asking('Expect: 200-ok\r\n'),
  'HTTP/0.9': 'GET /\r\n\r\n',
  'the beginning of HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'HTTP/1.2': asking('', 'GET / HTTP/1.2'),
  'HTTP/01.1': asking('', 'GET / HTTP/01.1'),
  'http/1.1': asking('', 'GET / http/1.1'),
  'a space after the version': asking('', 'GET / HTTP/1.1 '),
  'two spaces': asking('', 'GET  / HTTP/1.1'),
  'a tab for a space': asking('', 'GET\t/ HTTP/1.1'),
  'no method': asking('', ' / HTTP/1.1'),
  'an empty line first': `\r\n${asking('')}`,
  'no target': asking('', 'GET HTTP/1.1'),
  'a space in the target': asking('', 'GET /a b HTTP/1.1'),
  'a byte past ASCII in the target': asking('', 'GET /\xe9 HTTP/1.1'),
  'a control character in the target': asking('', 'GET /\x01 HTTP/1.1'),
  'a fragment': asking('', 'GET /a#b HTTP/1.1'),
  'the beginning of TLS': '\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03',
  'an authority': asking('', 'CONNECT registry.example:443 HTTP/1.1'),
  'an asterisk': asking('', 'OPTIONS * HTTP/1.1'),
  'a path without a slash': asking('', 'GET reference HTTP/1.1'),
  'another scheme': asking('', 'GET ftp://registry.example/ HTTP/1.1'),
  'an address without a host': asking('', 'GET http:///reference HTTP/1.1'),
  'an address with a user': asking('', 'GET http://u@registry.example/ HTTP/1.1'),
}

for (const [name, text] of Object.entries(AMBIGUOUS))
  test(`${name} is refused`, () => {
    expect(codeOf(text)).toBe('invalid_request')
    expect(readAll(text).refusal?.detail).toMatch(/^the |^a /)
  })

/** What is written here is what must be refused, in the path. */
const ODD_PATHS = [
  '/./reference',
  '/reference/.',
  '/a/../reference',
  '/reference/..',
  '/..',
  '/%2e/reference',
  '/%2E%2e/reference',
  '/.%2e/reference',
  '/a%2f..%2freference',
  '/a%2F%2e%2E',
  '\\reference',
  '/a\\b',
  '/a%5cb',
  '/a%5Cb',
  '//reference',
  '/a//b',
  '/%00',
  '/a%0d%0aX:y',
  '/a%1Fb',
  '/a%7f',
  '/%',
  '/%4',
  '/%zz',
  '/%u0041',
]
for (const path of ODD_PATHS)
  test(`the path ${path} is refused, and not read as another one`, () => {
    for (const query of ['', '?cpt=99213', '?/../'])
      expect([query, codeOf(asking('', `GET ${path}${query} HTTP/1.1`))]).toEqual([query, 'invalid_request'])
    if (path.startsWith('/'))
      expect(codeOf(asking('', `GET http://registry.example${path} HTTP/1.1`))).toBe('invalid_request')
  })

test('other unusual targets are taken as they are, and an address without its host', () => {
  const targetOf = (target: string) => headOf(asking('', `GET ${target} HTTP/1.1`)).target
  for (const target of [
    '/',
    '/?',
    '/.well-known/agent-card.json',
    '/log/registry/tile/0/x001%2F067',
    '/log/registry/tile/0/000.p/1',
    '/rows/cms-pfs:RVU26C:1/0',
    '/a...b/...',
    '/reference?cpt=..%2f..&x=//\\{|}',
    '/reference?cpt=%zz%00',
    '/reference/',
  ])
    expect(targetOf(target)).toBe(target)
  expect(targetOf('http://registry.example/reference?cpt=1')).toBe('/reference?cpt=1')
  expect(targetOf('HTTPS://[::1]:8787/a')).toBe('/a')
  expect(targetOf('http://registry.example')).toBe('/')
  expect(targetOf('http://registry.example?a=/b')).toBe('/?a=/b')
})

test('a method in lower case is not known, nor is one that nobody has', () => {
  for (const method of ['get', 'Get', 'G.T', 'A'.repeat(30), '-GET'])
    expect([method, codeOf(asking('', `${method} / HTTP/1.1`))]).toEqual([method, 'method_not_implemented'])
  for (const method of ['PROPFIND', 'M-SEARCH', 'TRACE'])
    expect(headOf(asking('', `${method} / HTTP/1.1`)).method).toBe(method)
})

test('too long, too large and too many are told apart', () => {
  expect(codeOf(`GET /${'a'.repeat(MOST_HEAD_BYTES)}`)).toBe('uri_too_long')
  expect(codeOf(asking(`X: ${'a'.repeat(MOST_HEAD_BYTES)}\r\n`))).toBe('headers_too_large')
  expect(codeOf(asking('X: a\r\n'.repeat(200)))).toBe('headers_too_large')
  expect(headOf(asking('X: a\r\n'.repeat(99))).headers()).toHaveLength(100)
  const most = asking(`X: ${'a'.repeat(MOST_HEAD_BYTES - asking('X: \r\n').length)}\r\n`)
  expect(most).toHaveLength(MOST_HEAD_BYTES)
  expect(readAll(most).length).toBe(MOST_HEAD_BYTES)
})

const piece = fc.constantFrom(
  ...['GET', 'POST', ' ', ' ', '/', '/a', '.', '..', '%2e', '\\', '?', 'HTTP/1.1', 'HTTP/1.0', '\r\n', '\r\n', '\r\n'],
  ...[
    '\r',
    '\n',
    ':',
    ': ',
    'Host',
    'host: a\r\n',
    'Content-Length: 3\r\n',
    'Transfer-Encoding: chunked\r\n',
    'X: y\r\n',
  ],
  ...['Connection: close\r\n', 'Expect: 100-continue\r\n', '\t', '\0', '\xe9', 'a', ',', '\r\n\r\n'],
)
const likely = fc
  .tuple(
    fc.constantFrom('GET / HTTP/1.1\r\n', 'POST /a?b HTTP/1.0\r\nHost: a\r\n', ''),
    fc.array(piece, { maxLength: 14 }),
    fc.constantFrom('', '\r\n'),
  )
  .map(([first, pieces, last]) => `${first}${pieces.join('')}${last}`)

test('however a text is cut into pieces, the result is the same', () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 8 })
  let wholes = 0
  fc.assert(
    fc.property(likely, sizes, (text, cuts) => {
      const whole = readAll(text)
      if (whole.head) wholes++
      expect(readAll(text, cuts)).toEqual(whole)
      expect(readAll(text, [1])).toEqual(whole)
    }),
    { numRuns: 1_500 },
  )
  expect(wholes).toBeGreaterThan(50)
})

test('what is accepted has one meaning: written out again, it is read as the same', () => {
  fc.assert(
    fc.property(likely, (text) => {
      const { head } = readAll(text)
      if (!head) return
      const lines = head.headers().map(([name, value]) => `${name}: ${value}\r\n`)
      const again = headOf(`${head.method} ${head.target} HTTP/1.${head.isOld ? 0 : 1}\r\n${lines.join('')}\r\n`)
      expect([again.method, again.target, again.framing, again.headers()]).toEqual([
        head.method,
        head.target,
        head.framing,
        head.headers(),
      ])
      expect([...new Headers(head.headers()).keys()].map((name) => head.get(name))).toEqual([
        ...new Headers(head.headers()).values(),
      ])
    }),
    { numRuns: 1_000 },
  )
})
