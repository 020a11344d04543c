// Checkpoints: notes, the text that is signed, retired keys.

import { concat, toBase64, utf8 } from '../../src/proof/bytes.ts'
import { cosign } from '../../src/proof/note/cosignature.ts'
import { formatPolicy } from '../../src/proof/note/policy.ts'
import { keyId, signatureLine, signNote } from '../../src/proof/note/signed-note.ts'
import { EMPTY_ROOT, leafHash } from '../../src/proof/tree/merkle.ts'
import { figures, registry, SECONDS, signerOf, stranger } from '../../test/support/vector-keys.ts'
import { cofactored, neutral, twins, unreduced } from './ed25519.ts'
import { bitOf, each, flipped, type Operators, replaced, resigned, SIZES, SPELLINGS } from './operators.ts'
import { all, type Line, vectorsOf } from './table.ts'

export interface Opening {
  note: string
  policy: string
}
type Opened = Line<Opening>

const ROOT = leafHash(utf8('a vector'))
export const PINNED = formatPolicy([registry])
const BOTH = formatPolicy([registry, figures])
export const textOf = (size: number | string = 7, origin = registry.name, root = toBase64(ROOT)): string =>
  `${origin}\n${size}\n${root}\n`
const signed = (text: string, ...signers: (typeof registry)[]): Promise<string> =>
  signNote(text, signers.length === 0 ? [registry] : signers)
/** Signed by the registry, whatever the text is: a signer would refuse what is no note. */
const forced = async (text: string): Promise<string> =>
  `${text}\n${signatureLine({ ...NAMED, signature: await registry.sign(utf8(text)) })}`
const NAMED = { name: registry.name, id: keyId(registry.name, registry.publicKey) }

export const TEXT = textOf()
export const NOTE = await signed(TEXT)
const LINE = NOTE.slice(TEXT.length + 1)
const ENCODED = LINE.trimEnd().split(' ')[2] as string
const otherLine = async (signer: typeof registry, text = TEXT): Promise<string> =>
  (await signNote(text, [signer])).slice(text.length + 1)
/** The line of the registry in other base64. */
const spelled = (encoded: string): string => `${TEXT}\n${replaced(LINE, ENCODED, encoded)}`
const signature = (bytes: Uint8Array): string => `${TEXT}\n${signatureLine({ ...NAMED, signature: bytes })}`

export const HEAD = { origin: registry.name, size: 7, root: toBase64(ROOT) }
export const found = (head: object = {}, cosigners: object[] = []): object => ({
  head: { ...HEAD, ...head },
  cosigners,
})

const strangers = (count: number): string => '\u2014 x AAAAAAA=\n'.repeat(count)
/** A line in this name, which has no key. */
const by = (name: string): string => `${NOTE}\u2014 ${name} AAAAAAA=\n`
/** A line that makes a note this long, most of it in letters of three bytes: bytes count, not characters. */
function ofBytes(length: number): string {
  const rest = length - utf8(by('')).length
  return by('\u4e00'.repeat(Math.floor(rest / 3)) + 'x'.repeat(rest % 3))
}

const renewed = signerOf(registry.name, 5)
/** The key of the registry was retired at this size, and its next key signs. */
const endedAt = (size: number, root = ROOT): string =>
  formatPolicy([renewed, figures], [], 0, [{ key: registry, size, root }])
const RENEWED = await signed(TEXT, renewed)
const [firstTwin, secondTwin] = twins
const TWINS = formatPolicy([firstTwin, secondTwin])

const under = (policy: string, note: string): Opening => ({ note, policy })
const pinned = (note: string): Opening => under(PINNED, note)

const good: Opened[] = [
  ['a checkpoint', pinned(NOTE), found()],
  [
    'an empty log',
    pinned(await signed(textOf(0, registry.name, toBase64(EMPTY_ROOT)))),
    found({ size: 0, root: toBase64(EMPTY_ROOT) }),
  ],
  ['the largest size', pinned(await signed(textOf(2 ** 53 - 1))), found({ size: 2 ** 53 - 1 })],
  ['a second signature by a key that is not pinned', pinned(await signed(TEXT, registry, stranger)), found()],
  ['a key that is not pinned before the pinned one', pinned(await signed(TEXT, stranger, registry)), found()],
  ['a line of five bytes by nobody', pinned(NOTE + strangers(1)), found()],
  ['100 signatures', pinned(NOTE + strangers(99)), found()],
  ['65,536 bytes', pinned(ofBytes(65_536)), found()],
  ['a signature by a name that is not ASCII', pinned(by('\u00e9\u4e00\u{1f600}')), found()],
  ['a signature by a name with U+180E, which is no separator', pinned(by('other\u180elog')), found()],
  ['a signature by a name with U+200B, which is no separator', pinned(by('other\u200blog')), found()],
  ['signed by two pinned logs', under(BOTH, await signed(TEXT, figures, registry)), found()],
  [
    'two keys of one log, both pinned',
    under(formatPolicy([registry, renewed]), await signed(TEXT, registry, renewed)),
    found(),
  ],
  ['two keys of one log, the newer not pinned yet', pinned(await signed(TEXT, renewed, registry)), found()],
  ['a false second line by a key that has signed', pinned(NOTE + resigned(LINE, (b) => bitOf(b, 40))), found()],
  ['two keys of one id, signed by the first', under(TWINS, await signed(TEXT, firstTwin)), found()],
  [
    'two keys of one id, the other of them first',
    under(formatPolicy([secondTwin, firstTwin]), await signed(TEXT, secondTwin)),
    found(),
  ],
  ['a retired key, at the size where it ended', under(endedAt(7), NOTE), found()],
  ['a retired key, before it ended', under(endedAt(8, EMPTY_ROOT), NOTE), found()],
  ['a retired key past its end, and the current one', under(endedAt(6), RENEWED + LINE), found()],
  ['the current key alone', under(endedAt(6), RENEWED), found()],
]

/** Ways to spoil the note as a text. */
const GRAMMAR: Operators<string> = {
  'without a newline at the end': (note) => note.trimEnd(),
  'without an empty line before the signatures': (note) => replaced(note, '\n\n', '\n'),
  'with CRLF': (note) => note.replaceAll('\n', '\r\n'),
  'with a hyphen for the dash': (note) => replaced(note, '\u2014', '-'),
  'with two spaces after the dash': (note) => replaced(note, '\u2014 ', '\u2014  '),
  'with a no-break space after the dash': (note) => replaced(note, '\u2014 ', '\u2014\u00a0'),
  'with a space at the end of a line': (note) => replaced(note, '\n', ' \n').replace(/\n$/, ' \n'),
  'with text after the signatures': (note) => `${note}more\n`,
  'with an empty line after the signatures': (note) => `${note}\n`,
  'with a mark of byte order before its signature': (note) => replaced(note, '\u2014', '\ufeff\u2014'),
}

/** What no name has: white space, a plus sign, control characters. */
const NOT_IN_NAMES: Readonly<Record<string, string>> = {
  'U+0085': '\u0085',
  'U+009F': '\u009f',
  'a no-break space': '\u00a0',
  'U+1680': '\u1680',
  'U+2003': '\u2003',
  'a line separator': '\u2028',
  'a paragraph separator': '\u2029',
  'U+202F': '\u202f',
  'U+205F': '\u205f',
  'an ideographic space': '\u3000',
  'a mark of byte order': '\ufeff',
  'a plus sign': '+',
}
const names = Object.entries(NOT_IN_NAMES).map(([what, sign]) => [`a name with ${what}`, pinned(by(`other${sign}log`))])

const notes: Record<string, Opening> = {
  nothing: pinned(''),
  'a newline': pinned('\n'),
  'no signature': pinned(TEXT),
  'an empty list of signatures': pinned(`${TEXT}\n`),
  ...each('a note', GRAMMAR, NOTE, pinned),
  ...each('a signature', SPELLINGS, ENCODED, (encoded) => pinned(spelled(encoded))),
  'a signature by nobody in careless base64': pinned(`${NOTE}\u2014 x AAAAAAB=\n`),
  'a key id and no signature': pinned(spelled(toBase64(NAMED.id))),
  'a tab in the text': pinned(await forced(textOf(7, `${registry.name}\t`))),
  'a NUL in the text': pinned(await forced(textOf(7, `${registry.name}\0`))),
  'a delete sign in the text': pinned(await forced(textOf(7, `${registry.name}\u007f`))),
  'an empty name': pinned(by('')),
  ...Object.fromEntries(names),
  '101 signatures': pinned(NOTE + strangers(100)),
  '65,537 bytes': pinned(ofBytes(65_537)),
}

const unsigned: Record<string, Opening> = {
  'unknown keys only': pinned(await signed(TEXT, stranger)),
  'the pinned name and another key': pinned(await signed(TEXT, { ...stranger, name: registry.name })),
  'the pinned key under another name': pinned(await signed(TEXT, { ...registry, name: 'other.example/log' })),
  'one bit of the key id': pinned(spelled(flipped(ENCODED))),
  'a text of one empty line, signed by nobody': pinned(await signed('\n', stranger)),
  'a cosignature by the key of the log, and no signature': pinned(`${TEXT}\n${await cosign(TEXT, registry, SECONDS)}`),
}

const SIGNATURES: Operators<Uint8Array> = {
  'with one bit of R turned': (bytes) => bitOf(bytes, 0),
  'with one bit of S turned': (bytes) => bitOf(bytes, 32),
  'with its last bit turned': (bytes) => bytes.with(63, (bytes[63] as number) ^ 128),
  'of zeros': () => new Uint8Array(64),
  'of 63 bytes': (bytes) => bytes.slice(0, 63),
  'of 65 bytes': (bytes) => concat(bytes, new Uint8Array(1)),
  'with S not reduced': unreduced,
}
const good64 = await registry.sign(utf8(TEXT))
const false_: Record<string, Opening> = {
  ...each('a signature', SIGNATURES, good64, (bytes) => pinned(signature(bytes))),
  'a signature that only the cofactor makes good': pinned(signature(cofactored(1, utf8(TEXT)))),
  'a signature with R in a second spelling': pinned(signature(neutral(1, utf8(TEXT)))),
  'a signature over another text': pinned(replaced(NOTE, '\n7\n', '\n8\n')),
  'a signature over the text without its newline': pinned(signature(await registry.sign(utf8(TEXT.trimEnd())))),
  'a false line before a good one by the same key': pinned(`${TEXT}\n${resigned(LINE, (b) => bitOf(b, 40))}${LINE}`),
  'a good key beside a pinned one that is false': under(
    BOTH,
    NOTE + resigned(await otherLine(figures), (b) => bitOf(b, 9)),
  ),
  'two keys of one id, signed by the second': under(TWINS, await signed(TEXT, secondTwin)),
  'a false line by a retired key, and a good one by the current': under(
    endedAt(7),
    RENEWED + resigned(LINE, (b) => bitOf(b, 9)),
  ),
}

const made = async (texts: Record<string, string>): Promise<Record<string, Opening>> =>
  Object.fromEntries(
    await Promise.all(Object.entries(texts).map(async ([name, text]) => [name, pinned(await signed(text))] as const)),
  )
const heads = await made({
  ...each('a size', SIZES, '7', textOf),
  'a size with a space': textOf(' 7'),
  'a size of 17 digits': textOf('10000000000000000'),
  'no size': `${registry.name}\n${HEAD.root}\n`,
  'an empty origin': textOf(7, ''),
  'a text of one empty line': '\n',
  'an empty line within the text': `${registry.name}\n\n7\n${HEAD.root}\n`,
  'an extension line': `${TEXT}more\n`,
  'a root of 31 bytes': textOf(7, registry.name, toBase64(ROOT.slice(1))),
  'a root of 33 bytes': textOf(7, registry.name, toBase64(concat(ROOT, ROOT.slice(31)))),
  ...each('a root', SPELLINGS, HEAD.root, (root) => textOf(7, registry.name, root)),
  'a root in hex': textOf(7, registry.name, 'ab'.repeat(32)),
})
const origins = await made({
  'an origin that is not pinned': textOf(7, 'other.example/log'),
  'an origin in capitals': textOf(7, registry.name.toUpperCase()),
  'an origin with a space after it': textOf(7, `${registry.name} `),
})

export const lines: Opened[] = [
  ...good,
  ...all('note_malformed', notes),
  ...all('note_unsigned', unsigned),
  ...all('note_signature_invalid', false_),
  ...all('checkpoint_malformed', heads),
  ...all('origin_not_pinned', {
    ...origins,
    'the origin of another pinned log': under(BOTH, await signed(textOf(7, figures.name))),
    'a retired key in the name of another log': under(endedAt(7), await signed(textOf(7, figures.name))),
  }),
  ...all('key_retired', {
    'a retired key, past its end': under(endedAt(6), NOTE),
    'a retired key, at the size where it ended, with another root': under(endedAt(7, EMPTY_ROOT), NOTE),
  }),
]

export const checkpointVectors = (opened: readonly Opened[]) => vectorsOf('checkpoint', opened, (given) => given)
