// C2SP tlog-cosignature: a witness says that, at this time, this is the largest consistent tree it has seen of a log.

import { concat, utf8 } from '../bytes.ts'
import { ML_DSA_SIGNATURE_BYTES, verifyMlDsa44 } from './ml-dsa.ts'
import {
  COSIGNATURE,
  findKey,
  type KeyType,
  keyId,
  ML_DSA_44,
  type Note,
  type NoteSignature,
  type NoteSigner,
  signatureLine,
  type VerifierKey,
  verifyEd25519,
} from './signed-note.ts'
import { parseTreeHead } from './tree-head.ts'

const TIME_BYTES = 8

export interface Cosigner {
  key: VerifierKey
  /** POSIX time at which the witness signed. */
  seconds: number
}

/** The bytes that a witness signs by Ed25519: a header that no checkpoint begins with, the time, and the checkpoint text. */
const messageOf = (text: string, seconds: number): Uint8Array => utf8(`cosignature/v1\ntime ${seconds}\n${text}`)

/** The note line by which `signer` cosigns a checkpoint text. */
export async function cosign(text: string, signer: NoteSigner, seconds: number): Promise<string> {
  if (!Number.isSafeInteger(seconds) || seconds <= 0) throw new RangeError('a cosignature needs a time after 1970')
  const { name, publicKey } = signer
  const signature = concat(uint64(seconds), await signer.sign(messageOf(text, seconds)))
  return signatureLine({ name, id: keyId(name, publicKey, COSIGNATURE), signature })
}

/** The bytes that a witness signs by ML-DSA-44 (`cosigned_message`), with its name and without extension lines. */
export function subtreeMessage(text: string, name: string, seconds: number): Uint8Array | undefined {
  const head = parseTreeHead(`${text.split('\n', 3).join('\n')}\n`)
  if (!head) return undefined
  const [cosigner, log] = [utf8(name), utf8(head.origin)]
  if (cosigner.length > 255 || log.length > 255) return undefined
  return concat(
    utf8('subtree/v1\n\0'),
    ...[Uint8Array.of(cosigner.length), cosigner, uint64(seconds)],
    ...[Uint8Array.of(log.length), log, uint64(0), uint64(head.size), head.root],
  )
}

/** A whole number in eight bytes, the highest first. */
function uint64(value: number): Uint8Array {
  const bytes = new Uint8Array(TIME_BYTES)
  new DataView(bytes.buffer).setBigUint64(0, BigInt(value))
  return bytes
}

const SIGNATURE_BYTES: { readonly [type in KeyType]?: number } = {
  [COSIGNATURE]: 64,
  [ML_DSA_44]: ML_DSA_SIGNATURE_BYTES,
}

/**
 * The time of a cosignature over `text`; false if it is not good, undefined if the platform cannot check signatures of
 * this type. A time past exact integers is too far ahead to be believed.
 */
export async function cosignedAt(
  text: string,
  { signature }: Pick<NoteSignature, 'signature'>,
  { type, name, publicKey }: VerifierKey,
): Promise<number | false | undefined> {
  if (signature.length - TIME_BYTES !== SIGNATURE_BYTES[type]) return false
  const seconds = Number(new DataView(signature.buffer, signature.byteOffset, TIME_BYTES).getBigUint64(0))
  if (!Number.isSafeInteger(seconds)) return false
  const signed = signature.slice(TIME_BYTES)
  const message = type === COSIGNATURE ? messageOf(text, seconds) : subtreeMessage(text, name, seconds)
  const verify = type === COSIGNATURE ? verifyEd25519 : verifyMlDsa44
  const isGood = message !== undefined && (await verify(publicKey, signed, message))
  return isGood ? seconds : isGood
}

/**
 * The witnesses that cosigned a note, each once with its latest time. Undefined if a line in the name of one of them does
 * not verify. Lines by others, and of a type that the platform cannot check, are ignored.
 */
export async function cosignersOf(note: Note, witnesses: readonly VerifierKey[]): Promise<Cosigner[] | undefined> {
  const latest = new Map<VerifierKey, number>()
  for (const line of note.signatures) {
    const key = findKey(witnesses, line)
    if (!key) continue
    const seconds = await cosignedAt(note.text, line, key)
    if (seconds === false) return undefined
    if (seconds !== undefined) latest.set(key, Math.max(seconds, latest.get(key) ?? 0))
  }
  return [...latest].map(([key, seconds]) => ({ key, seconds }))
}

/**
 * The median of the times at which witnesses signed, the earlier of two in the middle; undefined if none did. One wrong
 * clock does not move it far.
 */
export function medianSeconds(cosigners: readonly Cosigner[]): number | undefined {
  const times = cosigners.map(({ seconds }) => seconds).sort((a, b) => a - b)
  return times[Math.floor((times.length - 1) / 2)]
}
