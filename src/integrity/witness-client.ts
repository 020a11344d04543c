import { type Db, StoreFault } from '../db/db.ts'
import { toBase64 } from '../proof/bytes.ts'
import { cosignersOf } from '../proof/note/cosignature.ts'
import { parseNote, signatureLine, type VerifierKey } from '../proof/note/signed-note.ts'
import { consistencyPath } from '../proof/tree/merkle.ts'
import type { Log } from './log.ts'
import type { Cosign } from './publication.ts'
import type { StoredCheckpoint } from './store.ts'
import * as store from './store.ts'

/** A witness of our logs, and its address. */
export interface Witness {
  key: VerifierKey
  url: string
}

/** Something is signed but cannot become public, because too few witnesses have cosigned it. */
export class WitnessFault extends StoreFault {}

const BUDGET_MS = 1_000

type Answer =
  | { witness: Witness; line: string }
  | { witness: Witness; line?: undefined; why: 'unreachable' | 'refused' | 'forked' }

/**
 * C2SP tlog-witness, the log's side: asks all witnesses at once, each within a time limit, and adds the
 * cosignatures to the note. If one witness has seen another history, publishing stops, whatever the quorum.
 */
export const cosignedBy = (witnesses: readonly Witness[], quorum: number): Cosign => ({
  async isEnough(text) {
    const note = parseNote(text)
    const cosigners =
      note &&
      (await cosignersOf(
        note,
        witnesses.map(({ key }) => key),
      ))
    return (cosigners?.length ?? 0) >= quorum
  },
  async ask(db, log, signed) {
    const answers = await Promise.all(witnesses.map((witness) => ask(db, log, signed, witness)))
    const forked = answers.find((answer) => answer.line === undefined && answer.why === 'forked')
    if (forked)
      throw new WitnessFault(
        `publishing has stopped: the witness ${forked.witness.key.name} has seen a ${log.name} log that ours does not continue`,
      )
    const lines = answers.flatMap(({ line }) => line ?? [])
    if (lines.length < quorum) throw new WitnessFault(tooFew(log, answers, quorum))
    return signed.note + lines.join('')
  },
})

function tooFew(log: Log, answers: readonly Answer[], quorum: number): string {
  const missing = answers.flatMap((answer) =>
    answer.line === undefined ? [`${answer.witness.key.name} ${answer.why}`] : [],
  )
  return `the ${log.name} log waits for its witnesses: ${answers.length - missing.length} of ${quorum} have cosigned (${missing.join(', ')}); nothing new is public until then`
}

async function ask(db: Db, log: Log, signed: StoredCheckpoint, witness: Witness): Promise<Answer> {
  const known = await store.witnessSize(db, log.name, witness.key.name)
  const first = await send(db, log, signed, witness, Math.min(known, signed.size))
  if (typeof first !== 'number') return first
  // 409: the witness says how much it has seen. If that is more than we have, our log went back.
  if (first > signed.size) return { witness, why: 'forked' }
  const second = await send(db, log, signed, witness, first)
  return typeof second === 'number' ? { witness, why: 'refused' } : second
}

/** One add-checkpoint request. If it returns a number, that is the size that the witness has. */
async function send(
  db: Db,
  log: Log,
  signed: StoredCheckpoint,
  witness: Witness,
  old: number,
): Promise<Answer | number> {
  const path = await consistencyPath(old, signed.size, log.subtrees(db))
  const body = `old ${old}\n${path.map((hash) => `${toBase64(hash)}\n`).join('')}\n${signed.note}`
  const response = await post(`${witness.url}/add-checkpoint`, body)
  if (!response) return { witness, why: 'unreachable' }
  if (response.status === 409 && /^(0|[1-9][0-9]{0,15})\n$/.test(response.text)) return Number(response.text)
  if (response.status === 422) return { witness, why: 'forked' }
  const line = response.status === 200 ? await cosignatureIn(response.text, signed, witness) : undefined
  if (line === undefined) return { witness, why: 'refused' }
  await store.putWitnessSize(db, log.name, witness.key.name, signed.size)
  return { witness, line }
}

async function post(url: string, body: string): Promise<{ status: number; text: string } | undefined> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      body,
      redirect: 'error',
      signal: AbortSignal.timeout(BUDGET_MS),
    })
    return { status: response.status, text: await response.text() }
  } catch {
    return undefined
  }
}

/** The witness's own signature line, if the answer has one that verifies. Lines by others are dropped. */
async function cosignatureIn(lines: string, signed: StoredCheckpoint, { key }: Witness): Promise<string | undefined> {
  const note = parseNote(signed.note + lines)
  const own = note && { ...note, signatures: note.signatures.filter(({ name }) => name === key.name) }
  if (!own || !(await cosignersOf(own, [key]))?.length) return undefined
  return own.signatures.map(signatureLine)[0]
}
