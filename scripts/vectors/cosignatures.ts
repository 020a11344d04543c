// Checkpoints with cosignatures, under policies that ask for them.

import { concat, utf8 } from '../../src/proof/bytes.ts'
import { cosign } from '../../src/proof/note/cosignature.ts'
import { COSIGNATURE, formatVerifierKey, keyId, signatureLine } from '../../src/proof/note/signed-note.ts'
import { altered, bad, good, headText, note, type Opening, ownLine, spoilt, text } from './checkpoints.ts'
import { ONE_OF_TWO, registry, SECONDS, TWO_OF_TWO, w1, w2, w3 } from './keys.ts'

const [first, second, third] = [
  await cosign(text, w1, SECONDS),
  await cosign(text, w2, SECONDS + 60),
  await cosign(text, w3, SECONDS),
]
const seen = [
  { name: w1.name, seconds: SECONDS },
  { name: w2.name, seconds: SECONDS + 60 },
]
/** A plain signature, under the key id of the witness's cosigning key or of its plain one. */
async function plainLine(signer: typeof w1, type: 1 | 4): Promise<string> {
  const { name, publicKey } = signer
  return signatureLine({ name, id: keyId(name, publicKey, type), signature: await signer.sign(utf8(text)) })
}

const nestedPolicy = [
  ...[registry].map(({ name, publicKey }) => `log ${formatVerifierKey(name, publicKey)}`),
  ...[w1, w2, w3].map(
    ({ name, publicKey }, i) => `witness W${i + 1} ${formatVerifierKey(name, publicKey, COSIGNATURE)}`,
  ),
  'group inner any W2 W3',
  'group outer all W1 inner',
  'quorum outer\n',
].join('\n')

/** A line of the size of an ML-DSA-44 cosignature. Who does not pin its key must not look at it. */
const mlDsaLine = signatureLine({
  name: w1.name,
  id: keyId(w1.name, new Uint8Array(1312).fill(7), 6),
  signature: new Uint8Array(8 + 2420).fill(7),
})

const opened = [
  good('cosignatures that nobody asked for', note + first),
  good('a line of ML-DSA-44 by a key that is not pinned', note + mlDsaLine),
  good(
    'a line of ML-DSA-44 in the name of a pinned witness, by another key',
    note + mlDsaLine + first,
    {},
    { policy: ONE_OF_TWO, cosigners: seen.slice(0, 1) },
  ),
  good('a quorum of one of two, by the first', note + first, {}, { policy: ONE_OF_TWO, cosigners: seen.slice(0, 1) }),
  good('a quorum of one of two, by the second', note + second, {}, { policy: ONE_OF_TWO, cosigners: seen.slice(1) }),
  good('a quorum of one of two, by both', note + first + second, {}, { policy: ONE_OF_TWO, cosigners: seen }),
  good('a quorum of two of two', note + first + second, {}, { policy: TWO_OF_TWO, cosigners: seen }),
  good(
    'cosignatures before the signature of the log',
    `${text}\n${first}${second}${ownLine}`,
    {},
    { policy: TWO_OF_TWO, cosigners: seen },
  ),
  good(
    'a witness that is not pinned beside those that are',
    note + third + first + second,
    {},
    { policy: TWO_OF_TWO, cosigners: seen },
  ),
  good(
    'a witness twice, of which the later time counts',
    note + (await cosign(text, w1, SECONDS - 9)) + first,
    {},
    { policy: ONE_OF_TWO, cosigners: seen.slice(0, 1) },
  ),
  good(
    'a group within a group',
    note + first + third,
    {},
    { policy: nestedPolicy, cosigners: [seen[0] as (typeof seen)[0], { name: w3.name, seconds: SECONDS }] },
  ),
]

const quorums = [
  bad('a false second line by a witness', note + first + altered(first, spoilt), 'note_signature_invalid', ONE_OF_TWO),
  bad('no cosignature for one of two', note, 'quorum_not_met', ONE_OF_TWO),
  bad('one cosignature for two of two', note + first, 'quorum_not_met', TWO_OF_TWO),
  bad('one witness twice for two of two', note + first + first, 'quorum_not_met', TWO_OF_TWO),
  bad('a witness that is not pinned', note + third, 'quorum_not_met', ONE_OF_TWO),
  bad('a witness that signs as a log does', note + (await plainLine(w1, 1)), 'quorum_not_met', ONE_OF_TWO),
  bad('half of a group within a group', note + second + third, 'quorum_not_met', nestedPolicy),
  bad('cosignatures and no signature of the log', `${text}\n${first}${second}`, 'note_unsigned', TWO_OF_TWO),
  bad(
    'a plain signature under the cosigning key',
    note + (await plainLine(w1, 4)),
    'note_signature_invalid',
    ONE_OF_TWO,
  ),
  bad(
    'another time than was signed',
    note + altered(first, (b) => b.with(7, (b[7] as number) ^ 1)),
    'note_signature_invalid',
    ONE_OF_TWO,
  ),
  bad(
    'a time with its bytes reversed',
    note + altered(first, (b) => concat(b.slice(0, 8).reverse(), b.slice(8))),
    'note_signature_invalid',
    ONE_OF_TWO,
  ),
  bad('a cosignature without its time', note + altered(first, (b) => b.slice(8)), 'note_signature_invalid', ONE_OF_TWO),
  bad('one bit of a cosignature', note + altered(first, spoilt), 'note_signature_invalid', ONE_OF_TWO),
  bad(
    'a byte too many in a cosignature',
    note + altered(first, (b) => concat(b, Uint8Array.of(0))),
    'note_signature_invalid',
    ONE_OF_TWO,
  ),
  bad(
    'a cosignature of another checkpoint',
    note + (await cosign(headText(8), w1, SECONDS)),
    'note_signature_invalid',
    ONE_OF_TWO,
  ),
  bad(
    'two good witnesses and one that is false',
    note + first + altered(second, spoilt),
    'note_signature_invalid',
    ONE_OF_TWO,
  ),
]

export const cosignatures: Opening[] = [...opened, ...quorums]
