// Checkpoints: notes, the text that is signed, retired keys, cosignatures.

import { concat, toBase64, utf8 } from '../../src/proof/bytes.ts'
import { cosign } from '../../src/proof/note/cosignature.ts'
import { formatPolicy } from '../../src/proof/note/policy.ts'
import {
  COSIGNATURE,
  formatVerifierKey,
  type KeyType,
  keyId,
  type NoteSigner,
  signatureLine,
} from '../../src/proof/note/signed-note.ts'
import { EMPTY_ROOT, leafHash } from '../../src/proof/tree/merkle.ts'
import { figures, registry, SECONDS, signerOf, stranger, w1, w2, w3 } from '../../test/support/vector-keys.ts'
import { cofactored, neutral, twins, unreduced } from './ed25519.ts'
import { bitOf, each, flipped, type Operators, replaced, resigned, SIZES, SPELLINGS } from './operators.ts'
import { all, type Line, named, tableOf, vectorsOf, wordsIn } from './table.ts'

interface Opening {
  note: string
  policy: string
}

const ROOT = leafHash(utf8('a vector'))
const EMPTY = toBase64(EMPTY_ROOT)
const textOf = (size: number | string = 7, origin = registry.name, root = toBase64(ROOT)): string =>
  `${origin}\n${size}\n${root}\n`
const TEXT = textOf()
const HEAD = { origin: registry.name, size: 7, root: toBase64(ROOT) }

const renewed = signerOf(registry.name, 5)
const [twin1, twin2] = twins
const vkey = ({ name, publicKey }: NoteSigner, type: KeyType = 1): string => formatVerifierKey(name, publicKey, type)
/** The key of the registry was retired at this size, and its next key signs. */
const endedAt = (size: number, root = ROOT): string =>
  formatPolicy([renewed, figures], [], 0, [{ key: registry, size, root }])
const POLICIES: Record<string, string> = {
  PINNED: formatPolicy([registry]),
  BOTH: formatPolicy([registry, figures]),
  RENEWED: formatPolicy([registry, renewed]),
  TWINS: formatPolicy([twin1, twin2]),
  SNIWT: formatPolicy([twin2, twin1]),
  ENDED_AT_6: endedAt(6),
  ENDED_AT_7: endedAt(7),
  ENDED_AT_7_EMPTY: endedAt(7, EMPTY_ROOT),
  ENDED_AT_8: endedAt(8, EMPTY_ROOT),
  ONE_OF_TWO: formatPolicy([registry], [w1, w2], 1),
  TWO_OF_TWO: formatPolicy([registry], [w1, w2], 2),
  NESTED: `log ${vkey(registry)}\n${[w1, w2, w3].map((witness, i) => `witness W${i + 1} ${vkey(witness, COSIGNATURE)}\n`).join('')}group inner any W2 W3\ngroup outer all W1 inner\nquorum outer\n`,
  KEY_OF_BOTH: `log ${vkey(renewed)}\nwitness R ${vkey(registry, COSIGNATURE)}\nquorum R\n`,
}

const TEXTS: Record<string, string> = {
  7: TEXT,
  '0': textOf(0, registry.name, EMPTY),
  largest: textOf(2 ** 53 - 1),
  past: textOf('10000000000000000'),
  'spaced-size': textOf(' 7'),
  'no-size': `${registry.name}\n${HEAD.root}\n`,
  'no-origin': textOf(7, ''),
  'empty-line': '\n',
  'empty-line-within': `${registry.name}\n\n7\n${HEAD.root}\n`,
  extended: `${TEXT}more\n`,
  'root-of-31': textOf(7, registry.name, toBase64(ROOT.slice(1))),
  'root-of-33': textOf(7, registry.name, toBase64(concat(ROOT, ROOT.slice(31)))),
  'root-in-hex': textOf(7, registry.name, 'ab'.repeat(32)),
  tab: textOf(7, `${registry.name}\t`),
  NUL: textOf(7, `${registry.name}\0`),
  delete: textOf(7, `${registry.name}\u007f`),
  'of-others': textOf(7, 'other.example/log'),
  'of-figures': textOf(7, figures.name),
  'in-capitals': textOf(7, registry.name.toUpperCase()),
  'spaced-origin': textOf(7, `${registry.name} `),
}

const lineOf = (
  { name, publicKey }: Pick<NoteSigner, 'name' | 'publicKey'>,
  type: KeyType,
  signature: Uint8Array,
): string => signatureLine({ name, id: keyId(name, publicKey, type), signature })
const plain = async (signer: NoteSigner, text: string, type: KeyType = 1): Promise<string> =>
  lineOf(signer, type, await signer.sign(utf8(text)))
/** A line of the first witness with any time before a signature over another. */
async function timed(text: string, seconds: bigint, signed = seconds): Promise<string> {
  const time = new Uint8Array(8)
  new DataView(time.buffer).setBigUint64(0, seconds)
  return lineOf(w1, COSIGNATURE, concat(time, await w1.sign(utf8(`cosignature/v1\ntime ${signed}\n${text}`))))
}
const LOGS: Record<string, NoteSigner> = { registry, figures, stranger, renewed, twin1, twin2 }
const WITNESSES: Record<string, NoteSigner> = { w1, w2, w3, 'registry-as-witness': registry }
const LINES: Record<string, (text: string) => Promise<string> | string> = {
  nobody: () => '\u2014 x AAAAAAA=\n',
  careless: () => '\u2014 x AAAAAAB=\n',
  'no-name': () => '\u2014  AAAAAAA=\n',
  'not-ascii': () => '\u2014 \u00e9\u4e00\u{1f600} AAAAAAA=\n',
  'nobody*99': () => '\u2014 x AAAAAAA=\n'.repeat(99),
  'other-key': (text) => plain({ ...stranger, name: registry.name }, text),
  'other-name': (text) => plain({ ...registry, name: 'other.example/log' }, text),
  'w1-as-log': (text) => plain(w1, text),
  'w1-untimed': (text) => plain(w1, text, COSIGNATURE),
  'w1-of-8': () => cosign(textOf(8), w1, SECONDS),
  'w1@0': (text) => timed(text, 0n),
  'w1@latest': (text) => timed(text, 2n ** 53n - 1n),
  'w1@past': (text) => timed(text, 2n ** 53n),
  'w1@double': (text) => timed(text, 2n ** 53n + 1n, 2n ** 53n),
  'ml-dsa': () =>
    lineOf({ name: w1.name, publicKey: new Uint8Array(1312).fill(7) }, 6, new Uint8Array(8 + 2420).fill(7)),
}
/** The line of a word: `registry`, `w2+60` with its time in seconds after the clock, each with `!` if it is false. */
async function lineFor(word: string, text: string): Promise<string> {
  if (word.endsWith('!')) return resigned(await lineFor(word.slice(0, -1), text), (bytes) => bitOf(bytes, 40))
  if (word in LOGS) return plain(named(LOGS, word), text)
  const [witness = '', after = ''] = word.split(/(?=[+]|-\d)/)
  if (witness in WITNESSES) return cosign(text, named(WITNESSES, witness), SECONDS + Number(after))
  return named(LINES, word)(text)
}
async function noteOf(text: string, lines: string): Promise<string> {
  return `${text}\n${(await Promise.all(wordsIn(lines).map((word) => lineFor(word, text)))).join('')}`
}

const TABLE = `
= ok
a checkpoint | 7 | registry | PINNED
an empty log | 0 | registry | PINNED
the largest size | largest | registry | PINNED
a second signature by a key that is not pinned | 7 | registry stranger | PINNED
a key that is not pinned before the pinned one | 7 | stranger registry | PINNED
a line of five bytes by nobody | 7 | registry nobody | PINNED
a signature by a name that is not ASCII | 7 | registry not-ascii | PINNED
100 signatures | 7 | registry nobody*99 | PINNED
signed by two pinned logs | 7 | figures registry | BOTH
two keys of one log, both pinned | 7 | registry renewed | RENEWED
two keys of one log, the newer not pinned yet | 7 | renewed registry | PINNED
a false second line by a key that has signed | 7 | registry registry! | PINNED
two keys of one id, signed by the first | 7 | twin1 | TWINS
two keys of one id, the other of them first | 7 | twin2 | SNIWT
a retired key, at the size where it ended | 7 | registry | ENDED_AT_7
a retired key, before it ended | 7 | registry | ENDED_AT_8
a retired key past its end, and the current one | 7 | renewed registry | ENDED_AT_6
the current key alone | 7 | renewed | ENDED_AT_6
cosignatures that nobody asked for | 7 | registry w1+0 | PINNED
a line of ML-DSA-44 in the name of a pinned witness, by another key | 7 | registry ml-dsa w1+0 | ONE_OF_TWO | w1+0
a quorum of one of two, by the first | 7 | registry w1+0 | ONE_OF_TWO | w1+0
a quorum of one of two, by the second | 7 | registry w2+60 | ONE_OF_TWO | w2+60
a quorum of one of two, by both | 7 | registry w1+0 w2+60 | ONE_OF_TWO | w1+0 w2+60
a quorum of two of two, in the order of their lines | 7 | registry w2+60 w1+0 | TWO_OF_TWO | w2+60 w1+0
cosignatures around the signature of the log | 7 | w1+0 registry w2+60 | TWO_OF_TWO | w1+0 w2+60
a witness that is not pinned beside those that are | 7 | registry w3+0 w1+0 w2+60 | TWO_OF_TWO | w1+0 w2+60
a witness several times, of which the latest counts | 7 | registry w1-9 w2+60 w1+0 w1-5 | ONE_OF_TWO | w1+0 w2+60
a group within a group | 7 | registry w1+0 w3+0 | NESTED | w1+0 w3+0
a time of 0 | 7 | registry w1@0 | ONE_OF_TWO | w1-${SECONDS}
the latest time | 7 | registry w1@latest | ONE_OF_TWO | w1+${2 ** 53 - 1 - SECONDS}
a key of a witness that was the key of the log | 7 | renewed registry-as-witness+0 | KEY_OF_BOTH | registry-as-witness+0
= note_malformed
an empty name | 7 | registry no-name | PINNED
a signature by nobody in careless base64 | 7 | registry careless | PINNED
101 signatures | 7 | registry nobody nobody*99 | PINNED
a control character in the text: | $1 | registry | PINNED | for tab NUL delete
= note_unsigned
unknown keys only | 7 | stranger | PINNED
the pinned name and another key | 7 | other-key | PINNED
the pinned key under another name | 7 | other-name | PINNED
a text of one empty line, signed by nobody | empty-line | stranger | PINNED
a cosignature by the key of the log, and no signature | 7 | registry-as-witness+0 | PINNED
cosignatures and no signature of the log | 7 | w1+0 w2+60 | TWO_OF_TWO
= note_signature_invalid
a false line before a good one by the same key | 7 | registry! registry | PINNED
a good key beside a pinned one that is false | 7 | registry figures! | BOTH
two keys of one id, signed by the second | 7 | twin2 | TWINS
a false line by a retired key, and a good one by the current | 7 | renewed registry! | ENDED_AT_7
a plain signature under the cosigning key | 7 | registry w1-untimed | ONE_OF_TWO
a cosignature of another checkpoint | 7 | registry w1-of-8 | ONE_OF_TWO
a time past exact integers | 7 | registry w1@past | ONE_OF_TWO
a time past exact integers, signed as its double | 7 | registry w1@double | ONE_OF_TWO
a false second line by a witness | 7 | registry w1+0 w1+0! | ONE_OF_TWO
two good witnesses and one that is false | 7 | registry w1+0 w3+0 w2+60! | NESTED
a false witness that the quorum does not need | 7 | registry w1+0 w2+60! | ONE_OF_TWO
= checkpoint_malformed
a text | $1 | registry | PINNED | for past spaced-size no-size no-origin empty-line empty-line-within extended root-of-31 root-of-33 root-in-hex
= origin_not_pinned
an origin | $1 | registry | PINNED | for of-others in-capitals spaced-origin
the origin of another pinned log | of-figures | registry | BOTH
a retired key in the name of another log | of-figures | registry | ENDED_AT_7
= key_retired
a retired key, past its end | 7 | registry | ENDED_AT_6
a retired key, at the size where it ended, with another root | 7 | registry | ENDED_AT_7_EMPTY
= quorum_not_met
no cosignature for one of two | 7 | registry | ONE_OF_TWO
one cosignature for two of two | 7 | registry w1+0 | TWO_OF_TWO
one witness twice for two of two | 7 | registry w1+0 w1+1 | TWO_OF_TWO
a witness that is not pinned | 7 | registry w3+0 | ONE_OF_TWO
a witness that signs as a log does | 7 | registry w1-as-log | ONE_OF_TWO
half of a group within a group | 7 | registry w2+60 w3+0 | NESTED
a group within a group and not its other half | 7 | registry w1+0 | NESTED
`

/** Finds the text of a good one, and the witnesses that its last cell names. */
const found = (text: string, cosigners: string): object => {
  const [origin, size, root] = text.split('\n')
  const seen = wordsIn(cosigners).map((word) => {
    const [witness = '', after = ''] = word.split(/(?=[+]|-\d)/)
    return { name: named(WITNESSES, witness).name, seconds: SECONDS + Number(after) }
  })
  return { head: { origin, size: Number(size), root }, cosigners: seen }
}
const table = await Promise.all(
  tableOf(TABLE).map(
    async ([name, [text = '', lines = '', policy = '', seen = ''], expected]): Promise<Line<Opening>> => {
      const signed = named(TEXTS, text)
      const opening = { note: await noteOf(signed, lines), policy: named(POLICIES, policy) }
      return [name, opening, expected === 'ok' ? found(signed, seen) : expected]
    },
  ),
)

const NOTE = await noteOf(TEXT, 'registry')
const ENCODED = NOTE.trimEnd().split(' ').at(-1) as string
const pinned = (note: string): Opening => ({ note, policy: named(POLICIES, 'PINNED') })
const spelled = (encoded: string): Opening => pinned(replaced(NOTE, ENCODED, encoded))
const signature = (bytes: Uint8Array): Opening => pinned(`${TEXT}\n${lineOf(registry, 1, bytes)}`)
const by = (name: string): string => `${NOTE}\u2014 ${name} AAAAAAA=\n`
/** A line that makes a note this long, most of it in letters of three bytes: bytes count, not characters. */
function ofBytes(length: number): string {
  const rest = length - utf8(by('')).length
  return by('\u4e00'.repeat(Math.floor(rest / 3)) + 'x'.repeat(rest % 3))
}
const made = (texts: Record<string, string>): Promise<Line<Opening>[]> =>
  Promise.all(
    Object.entries(texts).map(
      async ([name, text]) => [name, pinned(await noteOf(text, 'registry')), 'checkpoint_malformed'] as const,
    ),
  )

/** Ways to spoil the note as a text. */
const GRAMMAR: Operators<string> = {
  'without a newline at the end': (note) => note.trimEnd(),
  'without an empty line before the signatures': (note) => replaced(note, '\n\n', '\n'),
  'without signatures': () => `${TEXT}\n`,
  'of its text alone': () => TEXT,
  'of a newline': () => '\n',
  'of nothing': () => '',
  'with CRLF': (note) => note.replaceAll('\n', '\r\n'),
  'with a hyphen for the dash': (note) => replaced(note, '\u2014', '-'),
  'with two spaces after the dash': (note) => replaced(note, '\u2014 ', '\u2014  '),
  'with a no-break space after the dash': (note) => replaced(note, '\u2014 ', '\u2014\u00a0'),
  'with a space at its end': (note) => note.replace(/\n$/, ' \n'),
  'with text after the signatures': (note) => `${note}more\n`,
  'with an empty line after the signatures': (note) => `${note}\n`,
  'with a mark of byte order before its signature': (note) => replaced(note, '\u2014', '\ufeff\u2014'),
  'with a key id and no signature': (note) =>
    replaced(note, ENCODED, toBase64(keyId(registry.name, registry.publicKey))),
}
const SIGNATURES: Operators<Uint8Array> = {
  'with one bit of R turned': (bytes) => bitOf(bytes, 0),
  'with one bit of S turned': (bytes) => bitOf(bytes, 32),
  'with its last bit turned': (bytes) => bytes.with(63, (bytes[63] as number) ^ 128),
  'of zeros': () => new Uint8Array(64),
  'of 63 bytes': (bytes) => bytes.slice(0, 63),
  'of 65 bytes': (bytes) => concat(bytes, new Uint8Array(1)),
  'with S not reduced': unreduced,
  'that only the cofactor makes good': () => cofactored(1, utf8(TEXT)),
  'with R in a second spelling': () => neutral(1, utf8(TEXT)),
}
/** Ways to spoil the bytes of a cosignature: the time, and the signature. */
const COSIGNATURES: Operators<Uint8Array> = {
  'with another time than was signed': (bytes) => bitOf(bytes, 7),
  'with its time reversed': (bytes) => concat(bytes.slice(0, 8).reverse(), bytes.slice(8)),
  'without its time': (bytes) => bytes.slice(8),
  'with one bit turned': (bytes) => bitOf(bytes, 20),
  'with a byte too many': (bytes) => concat(bytes, new Uint8Array(1)),
  'with a byte too few': (bytes) => bytes.slice(0, -1),
  'with S not reduced': (bytes) => concat(bytes.slice(0, 8), unreduced(bytes.slice(8))),
}
const COSIGNED = new Uint8Array(Buffer.from((await cosign(TEXT, w1, SECONDS)).split(' ')[2] as string, 'base64')).slice(
  4,
)
const cosigned = (bytes: Uint8Array): Opening => ({
  note: NOTE + lineOf(w1, COSIGNATURE, bytes),
  policy: named(POLICIES, 'ONE_OF_TWO'),
})

/** White space, control characters and a plus sign are in no name; two that look like blanks are. */
const sign = (code: string): [string, string] => [
  `a name with U+${code}`,
  String.fromCodePoint(Number.parseInt(code, 16)),
]
const names = (codes: string): Record<string, Opening> =>
  Object.fromEntries(
    codes
      .split(' ')
      .map(sign)
      .map(([name, character]) => [name, pinned(by(`other${character}log`))]),
  )

export const checkpoints = vectorsOf(
  'checkpoint',
  [
    ...table,
    ...all(found(TEXT, ''), names('180E 200B')),
    ...all('note_malformed', {
      ...names('0020 0085 009F 00A0 1680 2003 2028 2029 202F 205F 3000 FEFF 002B'),
      ...each('a note', GRAMMAR, NOTE, pinned),
      ...each('a signature', SPELLINGS, ENCODED, spelled),
      '65,537 bytes': pinned(ofBytes(65_537)),
    }),
    ...all('note_unsigned', { 'one bit of the key id': spelled(flipped(ENCODED)) }),
    ...all('note_signature_invalid', {
      ...each('a signature', SIGNATURES, await registry.sign(utf8(TEXT)), signature),
      'a signature over another text': pinned(replaced(NOTE, '\n7\n', '\n8\n')),
      'a signature over the text without its newline': signature(await registry.sign(utf8(TEXT.trimEnd()))),
      ...each('a cosignature', COSIGNATURES, COSIGNED, cosigned),
    }),
    ...(await made(each('a size', SIZES, '7', textOf))),
    ...(await made(each('a root', SPELLINGS, HEAD.root, (root) => textOf(7, registry.name, root)))),
  ],
  (given) => given,
)
