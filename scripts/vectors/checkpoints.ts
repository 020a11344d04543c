// Checkpoints and the signatures under them.

import { concat, fromBase64, toBase64, utf8 } from '../../src/proof/bytes.ts'
import type { Fault } from '../../src/proof/fault.ts'
import { cosign } from '../../src/proof/note/cosignature.ts'
import { formatPolicy } from '../../src/proof/note/policy.ts'
import { keyId, signatureLine, signNote } from '../../src/proof/note/signed-note.ts'
import { formatTreeHead } from '../../src/proof/note/tree-head.ts'
import { EMPTY_ROOT, leafHash } from '../../src/proof/tree/merkle.ts'
import { flipped, replaced, respelled } from './edit.ts'
import { figures, PLAIN, registry, SECONDS, signerOf, stranger } from './keys.ts'
import type { VectorOf } from './vector.ts'

export type Opening = VectorOf<'checkpoint'>
const root = leafHash(utf8('a vector'))
export const headText = (size: number | string = 7, origin = registry.name, of = root): string =>
  `${origin}\n${size}\n${toBase64(of)}\n`
export const text = formatTreeHead({ origin: registry.name, size: 7, root })
export const note = await signNote(text, [registry])
const signedText = (given: string): Promise<string> => signNote(given, [registry])
const lineOf = (signed: string): string => signed.slice(signed.indexOf('\n\n') + 2)
export const ownLine = lineOf(note)
const encoded = ownLine.trimEnd().split(' ')[2] as string

export const good = (
  name: string,
  given: string,
  head: { size?: number; root?: string } = {},
  { policy = PLAIN, cosigners = [] }: { policy?: string; cosigners?: { name: string; seconds: number }[] } = {},
): Opening => ({
  name,
  kind: 'checkpoint',
  policy,
  note: given,
  expect: { ok: true, head: { origin: registry.name, size: 7, root: toBase64(root), ...head }, cosigners },
})
export const bad = (name: string, given: string, reason: Fault, policy = PLAIN): Opening => ({
  name,
  kind: 'checkpoint',
  policy,
  note: given,
  expect: { ok: false, reason },
})

/** A signature line with what follows its key id changed. */
export function altered(line: string, change: (bytes: Uint8Array) => Uint8Array): string {
  const [dash, name, given = ''] = line.trimEnd().split(' ')
  const bytes = fromBase64(given) as Uint8Array
  return `${dash} ${name} ${toBase64(concat(bytes.slice(0, 4), change(bytes.slice(4))))}\n`
}
/** One bit of a signature, or of a cosignature past its time. */
export const spoilt = (bytes: Uint8Array): Uint8Array => bytes.with(40, (bytes[40] as number) ^ 1)

/** The order of the Ed25519 group, least byte first: adding it to S gives a second signature that must not count. */
const ORDER = 2n ** 252n + 27742317777372353535851937790883648493n
function secondSignature(signature: Uint8Array): Uint8Array {
  const s = signature.slice(32).reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n) + ORDER
  return concat(
    signature.slice(0, 32),
    Uint8Array.from({ length: 32 }, (_, i) => Number((s >> BigInt(8 * i)) & 255n)),
  )
}

const renewed = signerOf(registry.name, 5)
const unknownLines = (count: number): string => {
  const { name, publicKey } = stranger
  return signatureLine({ name, id: keyId(name, publicKey), signature: new Uint8Array(64) }).repeat(count)
}
const signedBy = (name: string): string =>
  signatureLine({ name, id: keyId(name, stranger.publicKey), signature: new Uint8Array(64) })
const padded = async (bytes: number): Promise<string> => {
  const short = await signedText(text)
  const filler = (letters: number): string => `\u2014 ${'x'.repeat(letters)} AAAAAAA=\n`
  return short + filler(bytes - utf8(short).length - utf8(filler(0)).length)
}
const opened = [
  good('a checkpoint', note),
  good('an empty log', await signedText(headText(0, registry.name, EMPTY_ROOT)), {
    size: 0,
    root: toBase64(EMPTY_ROOT),
  }),
  good('the largest size', await signedText(headText(2 ** 53 - 1)), { size: 2 ** 53 - 1 }),
  good('a second signature by a key that is not pinned', await signNote(text, [registry, stranger])),
  good('a key that is not pinned before the pinned one', await signNote(text, [stranger, registry])),
  good('a bad signature by a key that is not pinned', note + unknownLines(1)),
  good('100 signatures', note + unknownLines(99)),
  good('65,536 bytes', await padded(65_536)),
  good(
    'two keys of one log, both pinned',
    await signNote(text, [registry, renewed]),
    {},
    { policy: formatPolicy([registry, renewed]) },
  ),
  good('two keys of one log, the newer not pinned yet', await signNote(text, [renewed, registry])),
  good('a false second line by a key that has signed', note + altered(ownLine, spoilt)),
  good('signed by two pinned logs', await signNote(text, [figures, registry])),
]

const notes = [
  bad('nothing', '', 'note_malformed'),
  bad('no signature', text, 'note_malformed'),
  bad('an empty list of signatures', `${text}\n`, 'note_malformed'),
  bad('no empty line before the signatures', text + ownLine, 'note_malformed'),
  bad('no newline at the end', note.trimEnd(), 'note_malformed'),
  bad('CRLF', note.replaceAll('\n', '\r\n'), 'note_malformed'),
  bad('a tab', await unsignable(`${registry.name}\t`), 'note_malformed'),
  bad('a NUL', await unsignable(`${registry.name}\u0000`), 'note_malformed'),
  bad('a delete sign', await unsignable(`${registry.name}\u007f`), 'note_malformed'),
  bad('a signature by a name with a no-break space', note + signedBy('other\u00a0log'), 'note_malformed'),
  bad('a signature by a name with U+0085', note + signedBy('other\u0085log'), 'note_malformed'),
  bad('a signature by a name with a mark of byte order', note + signedBy('other\ufefflog'), 'note_malformed'),
  bad('a signature by a name with a plus sign', note + signedBy('other+log'), 'note_malformed'),
  bad('a hyphen for the dash', replaced(note, '\u2014', '-'), 'note_malformed'),
  bad('two spaces in a signature line', replaced(note, '\u2014 ', '\u2014  '), 'note_malformed'),
  bad('text after the signatures', `${note}more\n`, 'note_malformed'),
  bad('an empty line after the signatures', `${note}\n`, 'note_malformed'),
  bad('a signature with padding bits set', replaced(note, encoded, respelled(encoded)), 'note_malformed'),
  bad('a signature without padding', replaced(note, encoded, encoded.slice(0, -1)), 'note_malformed'),
  bad(
    'a signature with a space in it',
    replaced(note, encoded, `${encoded.slice(0, 40)} ${encoded.slice(40)}`),
    'note_malformed',
  ),
  bad('a signature in the url alphabet', replaced(note, encoded, `-${encoded.slice(1)}`), 'note_malformed'),
  bad(
    'a key id and no signature',
    replaced(note, encoded, toBase64(keyId(registry.name, registry.publicKey))),
    'note_malformed',
  ),
  bad('101 signatures', note + unknownLines(100), 'note_malformed'),
  bad('65,537 bytes', await padded(65_537), 'note_malformed'),

  bad('unknown keys only', await signNote(text, [stranger]), 'note_unsigned'),
  bad('the pinned name and another key', await signNote(text, [{ ...stranger, name: registry.name }]), 'note_unsigned'),
  bad(
    'the pinned key under another name',
    await signNote(text, [{ ...registry, name: 'other.example/log' }]),
    'note_unsigned',
  ),
  bad('one bit of the key id', replaced(note, encoded, flipped(encoded, 0)), 'note_unsigned'),
  bad(
    'a cosignature by the key of the log, and no signature',
    `${text}\n${await cosign(text, registry, SECONDS)}`,
    'note_unsigned',
  ),
  bad('one bit of the signature', replaced(note, encoded, flipped(encoded, 4)), 'note_signature_invalid'),
  bad('the last bit of the signature', replaced(note, encoded, flipped(encoded, 67)), 'note_signature_invalid'),
  bad(
    'a signature over another text',
    text.replace('\n7\n', '\n8\n') + note.slice(text.length),
    'note_signature_invalid',
  ),
  bad('a signature of zeros', text + replaced(note.slice(text.length), encoded, zeros(64)), 'note_signature_invalid'),
  bad(
    'a signature of 63 bytes',
    text + replaced(note.slice(text.length), encoded, zeros(63)),
    'note_signature_invalid',
  ),
  bad('a signature with S not reduced', `${text}\n${altered(ownLine, secondSignature)}`, 'note_signature_invalid'),
  bad(
    'a false line before a good one by the same key',
    `${text}\n${altered(ownLine, spoilt)}${ownLine}`,
    'note_signature_invalid',
  ),
  bad(
    'a good key beside a pinned one that is false',
    note + altered(lineOf(await signNote(text, [figures])), spoilt),
    'note_signature_invalid',
  ),
]

const heads = [
  bad('a leading zero in the size', await signedText(headText('07')), 'checkpoint_malformed'),
  bad('a size of 00', await signedText(headText('00')), 'checkpoint_malformed'),
  bad('a size with a sign', await signedText(headText('+7')), 'checkpoint_malformed'),
  bad('a size below zero', await signedText(headText('-7')), 'checkpoint_malformed'),
  bad('a size that is not whole', await signedText(headText('7.0')), 'checkpoint_malformed'),
  bad('a size with a space', await signedText(headText(' 7')), 'checkpoint_malformed'),
  bad('a size in other digits', await signedText(headText('\u0667')), 'checkpoint_malformed'),
  bad('a size past exact integers', await signedText(headText('9007199254740992')), 'checkpoint_malformed'),
  bad('no size', await signedText(`${registry.name}\n${toBase64(root)}\n`), 'checkpoint_malformed'),
  bad('an empty origin', await signedText(headText(7, '')), 'checkpoint_malformed'),
  bad('an extension line', await signedText(`${text}more\n`), 'checkpoint_malformed'),
  bad('a root of 31 bytes', await signedText(headText(7, registry.name, root.slice(1))), 'checkpoint_malformed'),
  bad(
    'a root of 33 bytes',
    await signedText(headText(7, registry.name, concat(root, root.slice(31)))),
    'checkpoint_malformed',
  ),
  bad(
    'a root with padding bits set',
    await signedText(replaced(text, toBase64(root), respelled(toBase64(root)))),
    'checkpoint_malformed',
  ),
  bad('a root without padding', await signedText(replaced(text, '=\n', '\n')), 'checkpoint_malformed'),
  bad('a root in hex', await signedText(replaced(text, toBase64(root), 'ab'.repeat(32))), 'checkpoint_malformed'),
  bad('an origin that is not pinned', await signedText(headText(7, 'other.example/log')), 'origin_not_pinned'),
  bad('the origin of another pinned log', await signedText(headText(7, figures.name)), 'origin_not_pinned'),
  bad('an origin with a space after it', await signedText(headText(7, `${registry.name} `)), 'origin_not_pinned'),
]

function zeros(length: number): string {
  return toBase64(concat(keyId(registry.name, registry.publicKey), new Uint8Array(length)))
}
/** A text that no note may hold, with a signature over it all the same. */
async function unsignable(origin: string): Promise<string> {
  const given = headText(7, origin)
  const { name, publicKey } = registry
  return `${given}\n${signatureLine({ name, id: keyId(name, publicKey), signature: await registry.sign(utf8(given)) })}`
}

/** The key of the registry was retired at this size, and its next key signs. */
const endedAt = (size: number, of = root): string =>
  formatPolicy([renewed, figures], [], 0, [{ key: registry, size, root: of }])
const renewedNote = await signNote(text, [renewed])
const retired = [
  good('a retired key, at the size where it ended', note, {}, { policy: endedAt(7) }),
  good('a retired key, before it ended', note, {}, { policy: endedAt(8, EMPTY_ROOT) }),
  good('a retired key past its end, and the current one', renewedNote + ownLine, {}, { policy: endedAt(6) }),
  good('the current key alone', renewedNote, {}, { policy: endedAt(6) }),
  bad('a retired key, past its end', note, 'key_retired', endedAt(6)),
  bad('a retired key, at the size where it ended, with another root', note, 'key_retired', endedAt(7, EMPTY_ROOT)),
  bad(
    'a false line by a retired key, and a good one by the current',
    renewedNote + altered(ownLine, spoilt),
    'note_signature_invalid',
    endedAt(7),
  ),
  bad(
    'a retired key in the name of another log',
    await signedText(headText(7, figures.name)),
    'origin_not_pinned',
    endedAt(7),
  ),
]

export const checkpoints: Opening[] = [...opened, ...notes, ...heads, ...retired]
