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

/** Ed25519 signs this: no checkpoint begins with this header. */
const messageOf = (text: string, seconds: number): Uint8Array => utf8(`cosignature/v1\ntime ${seconds}\n${text}`)

/** The note line by which `signer` cosigns a checkpoint text. */
export async function cosign(text: string, signer: NoteSigner, seconds: number): Promise<string> {
  if (!Number.isSafeInteger(seconds) || seconds <= 0) throw new RangeError('a cosignature needs a time after 1970')
  const { name, publicKey } = signer
  const signature = concat(uint64(seconds), await signer.sign(messageOf(text, seconds)))
  return signatureLine({ name, id: keyId(name, publicKey, COSIGNATURE), signature })
}

/** ML-DSA-44 signs this (`cosigned_message`), without extension lines. */
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

function uint64(value: number): Uint8Array {
  const bytes = new Uint8Array(TIME_BYTES)
  new DataView(bytes.buffer).setBigUint64(0, BigInt(value))
  return bytes
}

const SIGNATURE_BYTES: { readonly [type in KeyType]?: number } = {
  [COSIGNATURE]: 64,
  [ML_DSA_44]: ML_DSA_SIGNATURE_BYTES,
}

/** False if the cosignature is not good, undefined if the platform cannot check its type. */
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

/** Each witness once with its latest time; undefined if a line in the name of one does not verify. Ignores all other lines. */
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

/** The median, or the earlier of two in the middle: one wrong clock does not move it far. */
export function medianSeconds(cosigners: readonly Cosigner[]): number | undefined {
  const times = cosigners.map(({ seconds }) => seconds).sort((a, b) => a - b)
  return times[Math.floor((times.length - 1) / 2)]
}
