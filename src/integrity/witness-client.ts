import { type Db, StoreFault } from '../db/db.ts'
import { ask, OutgoingFault } from '../outgoing/outgoing.ts'
import { equalBytes, toBase64, toHex, utf8 } from '../proof/bytes.ts'
import { cosignedAt, cosignersOf } from '../proof/note/cosignature.ts'
import { findKey, openNote, parseNote, signatureLine, type VerifierKey } from '../proof/note/signed-note.ts'
import { parseExtendedHead, type TreeHead } from '../proof/note/tree-head.ts'
import { sha256 } from '../proof/sha256.ts'
import { consistencyPath, rangeRoot } from '../proof/tree/merkle.ts'
import type { Log } from './log.ts'
import { verifierKey } from './log-key.ts'
import type { Cosign } from './publication.ts'
import type { StoredCheckpoint } from './store.ts'
import * as store from './store.ts'

/** A witness of our logs, and its address. */
export interface WitnessAddress {
  key: VerifierKey
  url: string
  /** Its ML-DSA-44 key. Lines by it are passed on with those by `key`; the quorum counts only `key`. */
  mlDsaKey?: VerifierKey | undefined
}

/** Limits of the requests to a witness. */
interface Patience {
  /** For each request. */
  timeoutMs: number
  /** How often a request is repeated that failed or was answered with 429 or 5xx. */
  retries: number
}

const MAX_ANSWER_BYTES = 64 * 1024
const PAUSE_MS = 250

/** Something is signed but cannot become public, because too few witnesses have cosigned it. */
export class WitnessFault extends StoreFault {}

type WitnessReply =
  | { witness: WitnessAddress; lines: string[] }
  | { witness: WitnessAddress; lines?: undefined; why: 'unreachable' | 'refused' | 'forked' }

/** The result of one request: a reply, the size that the witness has instead, or its claim that our proof fails. */
type CosignResult = WitnessReply | { has: number } | 'inconsistent'

/**
 * C2SP tlog-witness, the log's side: asks all witnesses at once, each within a time limit, and collects their signature
 * lines. If one witness shows a checkpoint that our key signed and we do not have, publishing stops, whatever the quorum.
 */
export const cosignedBy = (witnesses: readonly WitnessAddress[], quorum: number, patience: Patience): Cosign => ({
  async isEnough(text, since) {
    const note = parseNote(text)
    const keys = witnesses.map(({ key }) => key)
    const cosigners = (note && (await cosignersOf(note, keys))) ?? []
    if (since === undefined) return cosigners.length >= quorum
    return cosigners.filter(({ seconds }) => seconds * 1000 >= since).length >= Math.max(1, quorum)
  },
  async ask(db, log, signed) {
    const answers = await Promise.all(witnesses.map((witness) => requestLines({ db, log, signed, patience }, witness)))
    const forked = answers.find((answer) => answer.lines === undefined && answer.why === 'forked')
    if (forked)
      throw new WitnessFault(
        `publishing has stopped: the witness ${forked.witness.key.name} shows a checkpoint that the key of the ${log.name} log signed and this store does not have; it is kept as ${log.name}.fork in LOCK_DIR`,
      )
    const given = answers.filter(({ lines }) => lines !== undefined)
    if (given.length < quorum) throw new WitnessFault(tooFew(log, answers, quorum))
    return given.flatMap(({ lines }) => lines ?? [])
  },
})

function tooFew(log: Log, answers: readonly WitnessReply[], quorum: number): string {
  const missing = answers.flatMap((answer) =>
    answer.lines === undefined ? [`${answer.witness.key.name} ${answer.why}`] : [],
  )
  return `the ${log.name} log waits for its witnesses: ${answers.length - missing.length} of ${quorum} have cosigned (${missing.join(', ')}); nothing new is public until then, and \`atr log publish\` tries again`
}

interface CosignRequest {
  db: Db
  log: Log
  signed: StoredCheckpoint
  patience: Patience
}

async function requestLines(request: CosignRequest, witness: WitnessAddress): Promise<WitnessReply> {
  const { db, log, signed } = request
  const known = Math.min(await store.witnessSize(db, log.name, witness.key.name), signed.size)
  const first = await addCheckpoint(request, witness, known)
  const second = isBehind(first, known, signed.size) ? await addCheckpoint(request, witness, first.has) : first
  if (typeof second === 'object' && 'witness' in second) return second
  // A 409 or a 422 proves nothing. Only a checkpoint under our own signature shows that there is another history.
  return { witness, why: (await showsFork(request, witness)) ? 'forked' : 'refused' }
}

const isBehind = (result: CosignResult, known: number, size: number): result is { has: number } =>
  typeof result === 'object' && 'has' in result && result.has !== known && result.has <= size

async function addCheckpoint(
  { db, log, signed, patience }: CosignRequest,
  witness: WitnessAddress,
  old: number,
): Promise<CosignResult> {
  const path = await consistencyPath(old, signed.size, log.subtrees(db))
  const body = `old ${old}\n${path.map((hash) => `${toBase64(hash)}\n`).join('')}\n${signed.note}`
  const response = await askWitness(`${witness.url}/add-checkpoint`, patience, body)
  if (!response) return { witness, why: 'unreachable' }
  if (response.status === 409 && /^(0|[1-9][0-9]{0,15})\n$/.test(response.text)) return { has: Number(response.text) }
  if (response.status === 422) return 'inconsistent'
  const lines = response.status === 200 ? await signatureLines(response.text, signed, witness) : undefined
  if (lines === undefined) return { witness, why: 'refused' }
  await store.putWitnessSize(db, log.name, witness.key.name, signed.size)
  return { witness, lines }
}

/**
 * The lines of an answer that are passed on: one by the witness's own key, which must hold, and one by its ML-DSA-44 key if
 * that holds or cannot be checked here. A witness may have several keys under one name, so lines are found by name and id.
 */
async function signatureLines(
  lines: string,
  signed: StoredCheckpoint,
  { key, mlDsaKey }: WitnessAddress,
): Promise<string[] | undefined> {
  const note = parseNote(`${signed.note.slice(0, signed.note.indexOf('\n\n') + 2)}${lines}`)
  const lineBy = async (by: VerifierKey): Promise<string[]> => {
    for (const line of note?.signatures ?? [])
      if (note && findKey([by], line) && (await cosignedAt(note.text, line, by)) !== false) return [signatureLine(line)]
    return []
  }
  const own = await lineBy(key)
  return own.length > 0 ? [...own, ...(mlDsaKey ? await lineBy(mlDsaKey) : [])] : undefined
}

/** Reads the checkpoint of our log that the witness shows. If we signed it and do not have it, it is kept as evidence. */
async function showsFork({ db, log, patience }: CosignRequest, witness: WitnessAddress): Promise<boolean> {
  const response = await askWitness(`${witness.url}/${toHex(sha256(utf8(log.origin)))}/checkpoint`, patience)
  if (response?.status !== 200) return false
  const { signers, retired } = log.currentKeys()
  const opened = await openNote(response.text, [...signers.map(verifierKey), ...retired.map(({ key }) => key)])
  const head = opened.ok ? parseExtendedHead(opened.note.text) : undefined
  if (!head || head.origin !== log.origin || (await isOurs(db, log, head))) return false
  log.lock.keepFork(log.name, response.text)
  return true
}

/** Whether our log has, or had, this head. Another process of this installation may have signed it just now. */
async function isOurs(db: Db, log: Log, { size, root }: TreeHead): Promise<boolean> {
  if (size > (await log.signed(db)).size) return false
  return equalBytes(await rangeRoot(0, size, log.subtrees(db)), root)
}

interface WitnessResponse {
  status: number
  text: string
}

/**
 * Posts `body`, or gets if there is none. Undefined if there was no answer in time, or it was too large. The answer is
 * hostile: it may be late, endless, or a redirection.
 */
export async function askWitness(url: string, patience: Patience, body?: string): Promise<WitnessResponse | undefined> {
  for (let tries = 0; ; tries++) {
    const response = await once(url, patience.timeoutMs, body)
    const mayRecover = !response || response.status === 429 || response.status >= 500
    if (!mayRecover || tries >= patience.retries) return response
    await Bun.sleep(PAUSE_MS * 2 ** tries)
  }
}

async function once(url: string, timeoutMs: number, body?: string): Promise<WitnessResponse | undefined> {
  const limits = { timeoutMs, mostBytes: MAX_ANSWER_BYTES, loopback: true }
  try {
    const { status, bytes } = await ask(url, body === undefined ? limits : { ...limits, body })
    return status >= 300 && status < 400 ? undefined : { status, text: Buffer.from(bytes).toString('utf8') }
  } catch (error) {
    if (error instanceof OutgoingFault) return undefined
    throw error
  }
}
