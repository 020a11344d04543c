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

/** What is signed: a header that no checkpoint can begin with by accident, the time, and the whole checkpoint text. */
const messageOf = (text: string, seconds: number): Uint8Array => utf8(`cosignature/v1\ntime ${seconds}\n${text}`)

/** The note line by which `signer` cosigns a checkpoint text. */
export async function cosign(text: string, signer: NoteSigner, seconds: number): Promise<string> {
  if (!Number.isSafeInteger(seconds) || seconds <= 0) throw new RangeError('a cosignature needs a time after 1970')
  const { name, publicKey } = signer
  const signature = concat(uint64(seconds), await signer.sign(messageOf(text, seconds)))
  return signatureLine({ name, id: keyId(name, publicKey, COSIGNATURE), signature })
}

/** What ML-DSA-44 signs (`cosigned_message`): it also commits to the name, and says nothing about extension lines. */
export function subtreeMessage(text: string, name: string, seconds: number): Uint8Array | undefined {
  const head = parseTreeHead(`${text.split('\n', 3).join('\n')}\n`)
  if (!head) return undefined
  const [cosigner, log] = [utf8(name), utf8(head.origin)]
  if (cosigner.length > 255 || log.length > 255) return undefined
  return Uint8Array.of(
    ...utf8('subtree/v1\n\0'),
    ...[cosigner.length, ...cosigner, ...uint64(seconds)],
    ...[log.length, ...log, ...uint64(0), ...uint64(head.size), ...head.root],
  )
}

/** A whole number in eight bytes, the highest first. What is written into a byte loses its fraction and all higher bits. */
const uint64 = (value: number): Uint8Array => Uint8Array.from({ length: 8 }, (_, i) => value / 256 ** (7 - i))

const signatureBytes = (type: KeyType): number | undefined =>
  type === COSIGNATURE ? 64 : type === ML_DSA_44 ? ML_DSA_SIGNATURE_BYTES : undefined

/**
 * The time of a cosignature over `text`; false where it is not good, undefined where the platform cannot check signatures
 * of this type. A time past exact integers is too far ahead to believe.
 */
export async function cosignedAt(
  text: string,
  { signature }: Pick<NoteSignature, 'signature'>,
  { type, name, publicKey }: VerifierKey,
): Promise<number | false | undefined> {
  if (signature.length - TIME_BYTES !== signatureBytes(type)) return false
  const seconds = signature.slice(0, TIME_BYTES).reduce((high, byte) => high * 256 + byte, 0)
  if (!Number.isSafeInteger(seconds)) return false
  const signed = signature.slice(TIME_BYTES)
  const message = type === COSIGNATURE ? messageOf(text, seconds) : subtreeMessage(text, name, seconds)
  const verify = type === COSIGNATURE ? verifyEd25519 : verifyMlDsa44
  const isGood = !!message && (await verify(publicKey, signed, message))
  return isGood ? seconds : isGood
}

/**
 * Who of these witnesses cosigned a note, each once with its latest time. Undefined if a line in the name of
 * one of them does not verify; lines by others, and of a type that the platform cannot check, are ignored.
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
 * The median of the times at which witnesses signed, the earlier of two middle ones; undefined if none did. One witness
 * whose clock is wrong does not move it far.
 */
export function medianSeconds(cosigners: readonly Cosigner[]): number | undefined {
  const times = cosigners.map(({ seconds }) => seconds).sort((a, b) => a - b)
  return times[Math.floor((times.length - 1) / 2)]
}
