// Whether answers, asked here or received by others, stand under the log that everyone is shown.

import { equalBytes } from '../../src/proof/bytes.ts'
import { canonical } from '../../src/proof/canonical-json.ts'
import { openCheckpoint } from '../../src/proof/note/checkpoint.ts'
import type { RegistryEntry, Withdrawal } from '../../src/proof/price/release.ts'
import { isState, isWithdrawal } from '../../src/proof/price/release.ts'
import { HashTree } from '../../src/proof/tree/hash-tree.ts'
import type { Hash } from '../../src/proof/tree/merkle.ts'
import { type Inquiry, type ProvedRow, verifyBody } from '../../src/proof/verify-lists.ts'
import type { AlarmCode } from './alarm.ts'
import { type Evidence, entryEvidence, prefixEvidence, treeOf } from './evidence.ts'
import { followTree, type LogName, type Parts } from './log.ts'
import type { Memory } from './memory.ts'
import type { ReplayResult } from './replay.ts'

/** How long an answer may be kept by a cache on its way, and somewhat more. */
export const CACHED_MS = 15 * 60_000
/** How far ahead of ours a clock may be. */
export const AHEAD_MS = 10 * 60_000

export interface VerifiedRows {
  rows: ProvedRow[]
  /** How many entries the log had under which the answer stands. */
  size: number
}

/**
 * Checks an answer, and that its checkpoint is one of the log that is remembered: the same root at the same size.
 * `name` says whose answer it is. Undefined where an alarm was raised.
 */
export async function believe(
  parts: Parts,
  memory: Memory,
  name: string,
  text: string,
  asked: Inquiry,
  unverified: 'answer_unverified' | 'page_unverified' = 'answer_unverified',
): Promise<VerifiedRows | undefined> {
  const raise = (code: AlarmCode, detail: string, evidence: Record<string, string> = {}): undefined => {
    parts.alarms.raise(code, `${name}, ${detail}`, { answer: text, ...evidence })
    return undefined
  }
  const verdict = await verifyBody(text, parts.policy, asked, parts.charts ? { charts: parts.charts } : {})
  if (!verdict.ok) return raise(unverified, verdict.reason)
  const opened = await openCheckpoint(verdict.checkpoint, parts.policy)
  if (!opened.ok) return raise(unverified, opened.reason)
  const { size, root, origin } = opened.head
  const log: LogName = origin.endsWith('/log/figures') ? 'figures' : 'registry'
  if (size > (memory[log]?.leaves.length ?? 0)) await catchUp(log, parts, memory)
  const known = memory[log]
  if (!known) return raise('answer_ahead', `this monitor has not read the ${log} log yet`)
  const answer_checkpoint = verdict.checkpoint
  if (size > known.leaves.length)
    return raise('answer_ahead', `of size ${size}, and the ${log} log shows ${known.leaves.length} entries`, {
      log_checkpoint: known.note,
      answer_checkpoint,
    })
  if (!equalBytes(rootAt(known.leaves, size), root))
    return raise('answer_forked', `of size ${size}`, { answer_checkpoint, ...(await prefixEvidence(known, size)) })
  return { rows: verdict.rows, size }
}

/** The log may have grown since this round began. */
async function catchUp(log: LogName, parts: Parts, memory: Memory): Promise<void> {
  const followed = await followTree(log, parts, memory[log])
  if (followed) memory[log] = followed
}

/** Most answers stand under the newest checkpoint, whose tree is known. */
const rootAt = (leaves: readonly Hash[], size: number): Hash =>
  size === leaves.length ? treeOf(leaves).root : new HashTree(leaves.slice(0, size)).root

/** Raises an alarm if an answer that was just given is from a withdrawn release, or under a checkpoint of long ago. */
export function checkAge(
  { alarms, now }: Parts,
  { registry }: Memory,
  { rows, size }: VerifiedRows,
  entries: ReplayResult['entries'],
  name: string,
  text: string,
): void {
  // Every cache has dropped by now what was before these.
  const isOld = (entry: RegistryEntry): boolean => Date.parse(entry.recorded_at) < now - CACHED_MS
  const evidenceOf = (place: number): Evidence =>
    registry ? { answer: text, ...entryEvidence(registry, place, canonical(entries[place])) } : { answer: text }
  const withdrawal = entries.findIndex(
    (entry, place) =>
      isWithdrawal(entry) &&
      rows.some(({ release }) => release.release_id === entry.release_id) &&
      (place < size || isOld(entry)),
  )
  const withdrawn = entries[withdrawal] as Withdrawal | undefined
  if (withdrawn) {
    const what = `${name}, ${withdrawn.release_id} was withdrawn at ${withdrawn.recorded_at}`
    alarms.raise('withdrawn_served', what, evidenceOf(withdrawal))
    return
  }
  const newer = entries.findIndex((entry, place) => place >= size && isState(entry) && isOld(entry))
  const state = entries[newer]
  if (state)
    alarms.raise(
      'answer_stale',
      `${name}, of size ${size}, a state was added at ${state.recorded_at}`,
      evidenceOf(newer),
    )
}
