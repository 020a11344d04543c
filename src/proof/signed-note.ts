// C2SP signed-note: a text and Ed25519 signatures under it, each by a named key.

import { concat, equalBytes, fromBase64, toBase64, toHex, utf8 } from './bytes.ts'
import { sha256 } from './sha256.ts'

const ED25519 = 1
const MAX_NOTE_BYTES = 64 * 1024
const MAX_SIGNATURES = 100

/** A public key as a verifier pins it. */
export interface VerifierKey {
  name: string
  id: Uint8Array
  publicKey: Uint8Array
}

/** Signs bytes with one Ed25519 key. How the key is kept is the caller's affair. */
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

export type NoteFault = 'note_malformed' | 'note_unsigned' | 'note_signature_invalid'
export type Opened = { ok: true; note: Note; signers: VerifierKey[] } | { ok: false; reason: NoteFault }

/** SHA-256(name, newline, type, public key), first four bytes. */
export const keyId = (name: string, publicKey: Uint8Array): Uint8Array =>
  sha256(concat(utf8(`${name}\n`), Uint8Array.of(ED25519), publicKey)).slice(0, 4)

const isKeyName = (name: string): boolean => name !== '' && !/[\s+\p{Z}\p{Cc}]/u.test(name) && name.isWellFormed()

export const formatVerifierKey = (name: string, publicKey: Uint8Array): string =>
  `${name}+${toHex(keyId(name, publicKey))}+${toBase64(concat(Uint8Array.of(ED25519), publicKey))}`

/** `<name>+<key id>+<base64 of type and key>`; undefined unless it is whole and its id is the right one. */
export function parseVerifierKey(text: string): VerifierKey | undefined {
  const match = /^([^+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)$/.exec(text)
  const [, name = '', id = '', encoded = ''] = match ?? []
  const key = fromBase64(encoded)
  if (!match || !key || !isKeyName(name) || key.length !== 33 || key[0] !== ED25519) return undefined
  const publicKey = key.slice(1)
  const expected = keyId(name, publicKey)
  return toHex(expected) === id ? { name, id: expected, publicKey } : undefined
}

const isNoteText = (text: string): boolean =>
  text.endsWith('\n') && text.isWellFormed() && !/[\u0000-\u0009\u000b-\u001f\u007f]/.test(text)

export async function signNote(text: string, signers: readonly NoteSigner[]): Promise<string> {
  if (!isNoteText(text)) throw new RangeError('a note is text that ends in a newline')
  const lines = await Promise.all(
    signers.map(async ({ name, publicKey, sign }) => {
      const signature = concat(keyId(name, publicKey), await sign(utf8(text)))
      return `\u2014 ${name} ${toBase64(signature)}\n`
    }),
  )
  return `${text}\n${lines.join('')}`
}

/** Splits a note at its last empty line. Checks the grammar, not the signatures. */
export function parseNote(note: string): Note | undefined {
  if (note.length > MAX_NOTE_BYTES || !isNoteText(note)) return undefined
  const gap = note.lastIndexOf('\n\n')
  if (gap < 0) return undefined
  const text = note.slice(0, gap + 1)
  const lines = note.slice(gap + 2, -1).split('\n')
  if (lines.length > MAX_SIGNATURES) return undefined
  const signatures: NoteSignature[] = []
  for (const line of lines) {
    const match = /^\u2014 (\S+) ([A-Za-z0-9+/=]+)$/u.exec(line)
    const [, name = '', encoded = ''] = match ?? []
    const bytes = fromBase64(encoded)
    if (!match || !isKeyName(name) || !bytes || bytes.length < 5) return undefined
    signatures.push({ name, id: bytes.slice(0, 4), signature: bytes.slice(4) })
  }
  return { text, signatures }
}

/**
 * Opens a note with pinned keys. Signatures by other keys are ignored; one by a pinned key that
 * does not verify spoils the whole note, and so does having none.
 */
export async function openNote(note: string, keys: readonly VerifierKey[]): Promise<Opened> {
  const parsed = parseNote(note)
  if (!parsed) return { ok: false, reason: 'note_malformed' }
  const signers: VerifierKey[] = []
  for (const { name, id, signature } of parsed.signatures) {
    const key = keys.find((pinned) => pinned.name === name && equalBytes(pinned.id, id))
    if (!key || signers.includes(key)) continue
    if (!(await verifyEd25519(key.publicKey, signature, utf8(parsed.text))))
      return { ok: false, reason: 'note_signature_invalid' }
    signers.push(key)
  }
  return signers.length > 0 ? { ok: true, note: parsed, signers } : { ok: false, reason: 'note_unsigned' }
}

export async function verifyEd25519(
  publicKey: Uint8Array,
  signature: Uint8Array,
  message: Uint8Array,
): Promise<boolean> {
  if (publicKey.length !== 32 || signature.length !== 64) return false
  try {
    const key = await crypto.subtle.importKey('raw', buffer(publicKey), 'Ed25519', false, ['verify'])
    return await crypto.subtle.verify('Ed25519', key, buffer(signature), buffer(message))
  } catch {
    return false // a point that is not on the curve is a bad signature, not a fault
  }
}

/** WebCrypto takes views of unshared memory only; a copy has it by construction. */
const buffer = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => new Uint8Array(bytes)
