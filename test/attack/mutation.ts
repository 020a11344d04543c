import { joined } from '../../src/files/zip-fixture.ts'
import { utf8 } from '../../src/proof/bytes.ts'

/** What breaks readers: delimiters, quotes, ends of lines and files, numbers at an edge, characters of several bytes. */
const TOKENS = [
  ...[
    '"',
    '""',
    '"""',
    ',',
    ',,,',
    '\n',
    '\r',
    '\r\n',
    '\t',
    '~',
    '|',
    '\\',
    '{',
    '}',
    '[',
    ']',
    ':',
    ' ',
    '\0',
    '\u001a',
  ],
  ...[
    '\ufeff',
    '\u00e9',
    '\u20ac',
    '\ud83d\ude00',
    '\u202e',
    '=',
    '+',
    '-',
    '@',
    '<',
    '>',
    '&',
    '&#0;',
    '&lt;',
    ']]>',
    '<!--',
  ],
  ...[
    '0',
    '-1',
    '1e999',
    '9999999999',
    '99999999999999999999',
    '0.001',
    '.',
    'NaN',
    'null',
    'true',
    '\\u0000',
    '__proto__',
  ],
  ...[
    'HCPCS',
    'RVU',
    'GPCI',
    'code|1',
    '2026',
    '20260101',
    'xml',
    'DOCTYPE',
    '\xff\xfe',
    'PK\x01\x02',
    'PK\x03\x04',
    'PK\x05\x06',
  ],
].map(utf8)

/** What is repeated again and again would only take long to make. */
const MOST = 32 * 1024

type Below = (limit: number) => number
type Change = (bytes: Uint8Array, below: Below) => Uint8Array

const splice = (bytes: Uint8Array, at: number, remove: number, insert: Uint8Array): Uint8Array =>
  joined([bytes.subarray(0, at), insert, bytes.subarray(at + remove)])
const somewhere = (bytes: Uint8Array, below: Below): number => below(bytes.length + 1)
function piece(bytes: Uint8Array, below: Below, most: number): Uint8Array {
  const at = somewhere(bytes, below)
  return bytes.subarray(at, at + 1 + below(most))
}
/** The whole of a line, or of what stands between two of the same delimiters. */
function part(bytes: Uint8Array, below: Below): { from: number; to: number } {
  const delimiter = utf8(below(2) === 0 ? '\n' : ',')[0] as number
  const at = somewhere(bytes, below)
  const from = bytes.lastIndexOf(delimiter, at) + 1
  const end = bytes.indexOf(delimiter, at)
  return { from, to: end < 0 ? bytes.length : end + 1 }
}
const token = (below: Below): Uint8Array => TOKENS[below(TOKENS.length)] as Uint8Array

const CHANGES: readonly Change[] = [
  // Bytes: one set anew, one bit turned, some dropped, the rest cut off.
  (bytes, below) => splice(bytes, below(bytes.length), 1, Uint8Array.of([0, 0xff, below(256)][below(3)] as number)),
  (bytes, below) => {
    const at = below(bytes.length)
    return splice(bytes, at, 1, Uint8Array.of((bytes[at] as number) ^ (1 << below(8))))
  },
  (bytes, below) => splice(bytes, somewhere(bytes, below), 1 + below(40), new Uint8Array()),
  (bytes, below) => bytes.slice(0, somewhere(bytes, below)),
  // Tokens: put in, put in place of something, repeated.
  (bytes, below) => splice(bytes, somewhere(bytes, below), 0, token(below)),
  (bytes, below) => splice(bytes, somewhere(bytes, below), 1 + below(12), token(below)),
  (bytes, below) => {
    const one = token(below)
    return splice(bytes, somewhere(bytes, below), 0, joined(Array.from({ length: below(300) }, () => one)))
  },
  // Pieces of the file itself: copied elsewhere, repeated where they are, exchanged.
  (bytes, below) => splice(bytes, somewhere(bytes, below), below(2) * below(60), piece(bytes, below, 200)),
  (bytes, below) => {
    const { from, to } = part(bytes, below)
    const one = bytes.subarray(from, to)
    return splice(bytes, from, 0, joined(Array.from({ length: 1 + below(30) }, () => one)))
  },
  (bytes, below) => {
    const { from, to } = part(bytes, below)
    return splice(bytes, from, to - from, new Uint8Array())
  },
  (bytes, below) => {
    const [one, other] = [part(bytes, below), part(bytes, below)]
    if (one.to > other.from) return bytes
    return joined([
      bytes.subarray(0, one.from),
      bytes.subarray(other.from, other.to),
      bytes.subarray(one.to, other.from),
      bytes.subarray(one.from, one.to),
      bytes.subarray(other.to),
    ])
  },
]

/** A sound file with a few things done to it. Most are small, so that what reads it gets far. */
export function mutated(bytes: Uint8Array, below: Below): Uint8Array {
  let changed = bytes
  for (let left = 1 + below(4); left > 0 && changed.length > 0; left--)
    changed = (CHANGES[below(CHANGES.length)] as Change)(changed, below)
  return changed.subarray(0, MOST)
}
