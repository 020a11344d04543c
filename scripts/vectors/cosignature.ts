// Checkpoints with cosignatures, under policies that ask for them.

import { concat, utf8 } from '../../src/proof/bytes.ts'
import { cosign } from '../../src/proof/note/cosignature.ts'
import { formatPolicy } from '../../src/proof/note/policy.ts'
import { COSIGNATURE, formatVerifierKey, keyId, signatureLine } from '../../src/proof/note/signed-note.ts'
import { registry, SECONDS, signerOf, w1, w2, w3 } from '../../test/support/vector-keys.ts'
import { checkpointVectors, found, NOTE, type Opening, PINNED, lines as plain, TEXT, textOf } from './checkpoint.ts'
import { unreduced } from './ed25519.ts'
import { bitOf, each, type Operators, resigned } from './operators.ts'
import { all, type Line } from './table.ts'

const ONE_OF_TWO = formatPolicy([registry], [w1, w2], 1)
const TWO_OF_TWO = formatPolicy([registry], [w1, w2], 2)
const vkey = ({ name, publicKey }: typeof w1): string => formatVerifierKey(name, publicKey, COSIGNATURE)
const NESTED = [
  PINNED.split('\n')[0],
  ...[w1, w2, w3].map((witness, i) => `witness W${i + 1} ${vkey(witness)}`),
  'group inner any W2 W3',
  'group outer all W1 inner',
  'quorum outer\n',
].join('\n')

const FIRST = await cosign(TEXT, w1, SECONDS)
const SECOND = await cosign(TEXT, w2, SECONDS + 60)
const THIRD = await cosign(TEXT, w3, SECONDS)
const LINE = NOTE.slice(TEXT.length + 1)
const [one, two, three] = [w1, w2, w3].map(({ name }, i) => ({ name, seconds: SECONDS + (i === 1 ? 60 : 0) }))
const seenBy = (...cosigners: unknown[]): object => found({}, cosigners as object[])

/** A line of the first witness's cosigning key with any time before its signature over `signed`. */
async function timed(seconds: bigint, signed = seconds): Promise<string> {
  const time = new Uint8Array(8)
  new DataView(time.buffer).setBigUint64(0, seconds)
  const signature = await w1.sign(utf8(`cosignature/v1\ntime ${signed}\n${TEXT}`))
  return lineOf(w1.publicKey, COSIGNATURE, concat(time, signature))
}
const lineOf = (publicKey: Uint8Array, type: 1 | 4 | 6, signature: Uint8Array): string =>
  signatureLine({ name: w1.name, id: keyId(w1.name, publicKey, type), signature })
const LATEST = 2 ** 53 - 1
const AT = BigInt(SECONDS)

/** As long as a cosignature of ML-DSA-44. Who does not pin its key does not look at it. */
const ML_DSA = lineOf(new Uint8Array(1312).fill(7), 6, new Uint8Array(8 + 2420).fill(7))
/** The key of the registry is pinned as a witness too, and of the log another one is. */
const ALSO_LOG = `log ${formatVerifierKey(registry.name, signerOf('', 5).publicKey)}\nwitness R ${vkey(registry)}\nquorum R\n`
const RENEWED = signatureLine({
  name: registry.name,
  id: keyId(registry.name, signerOf('', 5).publicKey),
  signature: await signerOf('', 5).sign(utf8(TEXT)),
})

const under = (policy: string, ...added: string[]): Opening => ({ note: NOTE + added.join(''), policy })

const good: Line<Opening>[] = [
  ['cosignatures that nobody asked for', under(PINNED, FIRST), seenBy()],
  [
    'a line of ML-DSA-44 in the name of a pinned witness, by another key',
    under(ONE_OF_TWO, ML_DSA, FIRST),
    seenBy(one),
  ],
  ['a quorum of one of two, by the first', under(ONE_OF_TWO, FIRST), seenBy(one)],
  ['a quorum of one of two, by the second', under(ONE_OF_TWO, SECOND), seenBy(two)],
  ['a quorum of one of two, by both', under(ONE_OF_TWO, FIRST, SECOND), seenBy(one, two)],
  ['a quorum of two of two, in the order of their lines', under(TWO_OF_TWO, SECOND, FIRST), seenBy(two, one)],
  [
    'cosignatures before the signature of the log',
    { note: `${TEXT}\n${FIRST}${LINE}${SECOND}`, policy: TWO_OF_TWO },
    seenBy(one, two),
  ],
  ['a witness that is not pinned beside those that are', under(TWO_OF_TWO, THIRD, FIRST, SECOND), seenBy(one, two)],
  [
    'a witness twice, of which the later time counts',
    under(ONE_OF_TWO, await timed(AT - 9n), SECOND, FIRST, await timed(AT - 5n)),
    seenBy(one, two),
  ],
  ['a group within a group', under(NESTED, FIRST, THIRD), seenBy(one, three)],
  ['a time of 0', under(ONE_OF_TWO, await timed(0n)), seenBy({ ...one, seconds: 0 })],
  ['the latest time', under(ONE_OF_TWO, await timed(BigInt(LATEST))), seenBy({ ...one, seconds: LATEST })],
  [
    'a key of a witness that was the key of the log',
    { note: `${TEXT}\n${RENEWED}${await cosign(TEXT, registry, SECONDS)}`, policy: ALSO_LOG },
    seenBy({ name: registry.name, seconds: SECONDS }),
  ],
]

/** Ways to spoil the bytes after the key id: the time, and the signature. */
const COSIGNATURES: Operators<Uint8Array> = {
  'with another time than was signed': (bytes) => bitOf(bytes, 7),
  'with its time reversed': (bytes) => concat(bytes.slice(0, 8).reverse(), bytes.slice(8)),
  'without its time': (bytes) => bytes.slice(8),
  'with one bit turned': (bytes) => bitOf(bytes, 20),
  'with a byte too many': (bytes) => concat(bytes, new Uint8Array(1)),
  'with a byte too few': (bytes) => bytes.slice(0, -1),
  'with S not reduced': (bytes) => concat(bytes.slice(0, 8), unreduced(bytes.slice(8))),
}
const spoilt = (line: string): string => resigned(line, (bytes) => bitOf(bytes, 40))

const lines: Line<Opening>[] = [
  ...plain,
  ...good,
  ...all('note_unsigned', {
    'cosignatures and no signature of the log': { note: `${TEXT}\n${FIRST}${SECOND}`, policy: TWO_OF_TWO },
  }),
  ...all('note_signature_invalid', {
    ...each(
      'a cosignature',
      COSIGNATURES,
      new Uint8Array(Buffer.from(FIRST.split(' ')[2] as string, 'base64')).slice(4),
      (bytes) => under(ONE_OF_TWO, lineOf(w1.publicKey, COSIGNATURE, bytes)),
    ),
    'a cosignature of another checkpoint': under(ONE_OF_TWO, await cosign(textOf(8), w1, SECONDS)),
    'a plain signature under the cosigning key': under(
      ONE_OF_TWO,
      lineOf(w1.publicKey, COSIGNATURE, await w1.sign(utf8(TEXT))),
    ),
    'a time past exact integers': under(ONE_OF_TWO, await timed(2n ** 53n)),
    'a time past exact integers, signed as its double': under(ONE_OF_TWO, await timed(2n ** 53n + 1n, 2n ** 53n)),
    'a false second line by a witness': under(ONE_OF_TWO, FIRST, spoilt(FIRST)),
    'two good witnesses and one that is false': under(NESTED, FIRST, THIRD, spoilt(SECOND)),
    'a false witness that the quorum does not need': under(ONE_OF_TWO, FIRST, spoilt(SECOND)),
  }),
  ...all('quorum_not_met', {
    'no cosignature for one of two': under(ONE_OF_TWO),
    'one cosignature for two of two': under(TWO_OF_TWO, FIRST),
    'one witness twice for two of two': under(TWO_OF_TWO, FIRST, await timed(AT + 1n)),
    'a witness that is not pinned': under(ONE_OF_TWO, THIRD),
    'a witness that signs as a log does': under(ONE_OF_TWO, lineOf(w1.publicKey, 1, await w1.sign(utf8(TEXT)))),
    'half of a group within a group': under(NESTED, SECOND, THIRD),
    'a group within a group and not its other half': under(NESTED, FIRST),
  }),
]

export const checkpoints = checkpointVectors(lines)
