// C2SP tlog-cosignature: a witness says that, at this time, this is the largest consistent tree it has seen of a log.

import { concat, utf8 } from '../bytes.ts'
import {
  COSIGNATURE,
  findKey,
  keyId,
  type Note,
  type NoteSignature,
  type NoteSigner,
  signatureLine,
  type VerifierKey,
  verifyEd25519,
} from './signed-note.ts'

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
  const time = new Uint8Array(TIME_BYTES)
  new DataView(time.buffer).setBigUint64(0, BigInt(seconds))
  const { name, publicKey } = signer
  const signature = concat(time, await signer.sign(messageOf(text, seconds)))
  return signatureLine({ name, id: keyId(name, publicKey, COSIGNATURE), signature })
}

/** The time of a good cosignature over `text`, or undefined. A time past exact integers is too far ahead to believe. */
export async function verifyCosignature(
  text: string,
  { signature }: Pick<NoteSignature, 'signature'>,
  key: VerifierKey,
): Promise<number | undefined> {
  if (key.type !== COSIGNATURE || signature.length !== TIME_BYTES + 64) return undefined
  const time = new DataView(signature.buffer, signature.byteOffset, TIME_BYTES).getBigUint64(0)
  const seconds = Number(time)
  if (!Number.isSafeInteger(seconds)) return undefined
  const good = await verifyEd25519(key.publicKey, signature.slice(TIME_BYTES), messageOf(text, seconds))
  return good ? seconds : undefined
}

/**
 * Who of these witnesses cosigned a note, each once with its latest time. Undefined if a line in the name of
 * one of them does not verify; lines by others are ignored.
 */
export async function cosignersOf(note: Note, witnesses: readonly VerifierKey[]): Promise<Cosigner[] | undefined> {
  const latest = new Map<VerifierKey, number>()
  for (const line of note.signatures) {
    const key = findKey(witnesses, line)
    if (!key) continue
    const seconds = await verifyCosignature(note.text, line, key)
    if (seconds === undefined) return undefined
    latest.set(key, Math.max(seconds, latest.get(key) ?? 0))
  }
  return [...latest].map(([key, seconds]) => ({ key, seconds }))
}
