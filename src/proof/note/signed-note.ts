// C2SP signed-note: a text and Ed25519 signatures under it, each by a named key.

import { concat, equalBytes, fromBase64, toBase64, toHex, utf8 } from '../bytes.ts'
import { ensure, type FailedCheck, verdictOf } from '../fault.ts'
import { sha256 } from '../sha256.ts'
import { isSoundEd25519Key } from './ed25519-key.ts'
import { isSigned, ML_DSA_KEY_BYTES } from './ml-dsa.ts'

export const ED25519 = 1
/** Witnesses cosign with a time, by Ed25519 or by ML-DSA-44. */
export const COSIGNATURE = 4
export const ML_DSA_44 = 6
export type KeyType = typeof ED25519 | typeof COSIGNATURE | typeof ML_DSA_44

const MAX_NOTE_BYTES = 64 * 1024
const MAX_SIGNATURES = 100

/** A public key as a verifier pins it. */
export interface VerifierKey {
  type: KeyType
  name: string
  id: Uint8Array
  publicKey: Uint8Array
}

/** Signs bytes with one Ed25519 key, wherever that is kept. */
export interface NoteSigner {
  name: string
  publicKey: Uint8Array
  sign(message: Uint8Array): Promise<Uint8Array>
}

export interface NoteSignature {
  name: string
  id: Uint8Array
  signature: Uint8Array
}

export interface Note {
  text: string
  signatures: NoteSignature[]
}

export interface SignedNote {
  note: Note
  /** The pinned keys that signed it. */
  signers: VerifierKey[]
}

export const keyId = (name: string, publicKey: Uint8Array, type: KeyType = ED25519): Uint8Array =>
  sha256(concat(utf8(`${name}\n`), Uint8Array.of(type), publicKey)).slice(0, 4)

export const isKeyName = (name: string): boolean => /^[^\s+\p{Z}\p{Cc}\p{Cs}]+$/u.test(name)

export const formatVerifierKey = (name: string, publicKey: Uint8Array, type: KeyType = ED25519): string =>
  `${name}+${toHex(keyId(name, publicKey, type))}+${toBase64(concat(Uint8Array.of(type), publicKey))}`

const isKeyOfType = (type: number | undefined, publicKey: Uint8Array): type is KeyType =>
  type === ML_DSA_44
    ? publicKey.length === ML_DSA_KEY_BYTES
    : (type === ED25519 || type === COSIGNATURE) && isSoundEd25519Key(publicKey)

/** `<name>+<key id>+<base64 of type and key>` */
export function parseVerifierKey(text: string): VerifierKey | undefined {
  const [, name = '', id = '', encoded = ''] = /^([^+]+)\+([0-9a-f]{8})\+(.+)$/.exec(text) ?? []
  const key = fromBase64(encoded)
  const type = key?.[0]
  const publicKey = key?.slice(1)
  if (!isKeyName(name) || !publicKey || !isKeyOfType(type, publicKey)) return undefined
  const expected = keyId(name, publicKey, type)
  return toHex(expected) === id ? { type, name, id: expected, publicKey } : undefined
}

const isNoteText = (text: string): boolean =>
  text.endsWith('\n') && text.isWellFormed() && !/[\0-\t\v-\x1f\x7f]/.test(text)

/** Writes `\u2014 <name> <base64 of key id and signature>` and a newline. */
export const signatureLine = ({ name, id, signature }: NoteSignature): string =>
  `\u2014 ${name} ${toBase64(concat(id, signature))}\n`

export async function signNote(text: string, signers: readonly NoteSigner[]): Promise<string> {
  if (!isNoteText(text)) throw new RangeError('a note is text that ends in a newline')
  const lines = await Promise.all(
    signers.map(async ({ name, publicKey, sign }) => {
      return signatureLine({ name, id: keyId(name, publicKey), signature: await sign(utf8(text)) })
    }),
  )
  return `${text}\n${lines.join('')}`
}

/** Checks the grammar, not the signatures. */
export function parseNote(note: string): Note | undefined {
  if (!isNoteText(note) || utf8(note).length > MAX_NOTE_BYTES) return undefined
  const gap = note.lastIndexOf('\n\n')
  if (gap < 0) return undefined
  const text = note.slice(0, gap + 1)
  const lines = note.slice(gap + 2, -1).split('\n')
  if (lines.length > MAX_SIGNATURES) return undefined
  const signatures: NoteSignature[] = []
  for (const line of lines) {
    const [, name = '', encoded = ''] = /^\u2014 (\S+) (\S+)$/u.exec(line) ?? []
    const bytes = fromBase64(encoded)
    if (!isKeyName(name) || !bytes || bytes.length < 5) return undefined
    signatures.push({ name, id: bytes.slice(0, 4), signature: bytes.slice(4) })
  }
  return { text, signatures }
}

/** Ignores signatures by other keys. Fails if one by a pinned key does not verify, and if there is none. */
export async function checkNote(text: string, keys: readonly VerifierKey[]): Promise<SignedNote> {
  const note = parseNote(text)
  ensure(note, 'note_malformed')
  const signers: VerifierKey[] = []
  for (const line of note.signatures) {
    const key = findKey(keys, line)
    if (key?.type !== ED25519 || signers.includes(key)) continue
    ensure(await verifyEd25519(key.publicKey, line.signature, utf8(note.text)), 'note_signature_invalid')
    signers.push(key)
  }
  ensure(signers.length > 0, 'note_unsigned')
  return { note, signers }
}

export const openNote = (
  text: string,
  keys: readonly VerifierKey[],
): Promise<({ ok: true } & SignedNote) | FailedCheck> =>
  verdictOf(async () => ({ ok: true, ...(await checkNote(text, keys)) }))

export const findKey = (
  keys: readonly VerifierKey[],
  { name, id }: Pick<NoteSignature, 'name' | 'id'>,
): VerifierKey | undefined => keys.find((pinned) => pinned.name === name && equalBytes(pinned.id, id))

export async function verifyEd25519(
  publicKey: Uint8Array,
  signature: Uint8Array,
  message: Uint8Array,
): Promise<boolean> {
  return publicKey.length === 32 && signature.length === 64 && isSigned('raw', 'Ed25519', publicKey, signature, message)
}
