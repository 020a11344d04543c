// Whether answers, asked here or received by others, stand under the log that everyone is shown.

import { equalBytes } from '../proof/bytes.ts'
import { canonical } from '../proof/canonical-json.ts'
import { openCheckpoint } from '../proof/note/checkpoint.ts'
import type { RegistryEntry, RegistryState, Withdrawal } from '../proof/price/release.ts'
import { isState, isWithdrawal } from '../proof/price/release.ts'
import { HashTree } from '../proof/tree/hash-tree.ts'
import { type Asked, type ProvedRow, verifyBody } from '../proof/verify.ts'
import type { AlarmCode } from './alarm.ts'
import { followTree, type LogName, type Parts } from './log.ts'
import type { Memory } from './memory.ts'

/** How long an answer may be kept by a cache on its way, and somewhat more. */
export const CACHED_MS = 15 * 60_000

export interface Believed {
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
  asked: Asked,
): Promise<Believed | undefined> {
  const raise = (code: AlarmCode, detail: string, evidence: Record<string, string> = {}): undefined => {
    parts.alarms.raise(code, `${name}, ${detail}`, { answer: text, ...evidence })
    return undefined
  }
  const verdict = await verifyBody(text, parts.policy, asked)
  if (!verdict.ok) return raise('answer_unverified', verdict.reason)
  const opened = await openCheckpoint(verdict.checkpoint, parts.policy)
  if (!opened.ok) return raise('answer_unverified', opened.reason)
  const { size, root, origin } = opened.head
  const log: LogName = origin.endsWith('/log/figures') ? 'figures' : 'registry'
  if (size > (memory[log]?.leaves.length ?? 0)) await catchUp(log, parts, memory)
  const known = memory[log]
  if (!known) return raise('answer_ahead', `nothing of the ${log} log is known yet`)
  const notes = { log_checkpoint: known.note, answer_checkpoint: verdict.checkpoint }
  if (size > known.leaves.length)
    return raise('answer_ahead', `of size ${size}, and the ${log} log shows ${known.leaves.length} entries`, notes)
  if (!equalBytes(new HashTree(known.leaves.slice(0, size)).root, root))
    return raise('answer_forked', `of size ${size}`, notes)
  return { rows: verdict.rows, size }
}

/** The log may have grown since this round began. */
async function catchUp(log: LogName, parts: Parts, memory: Memory): Promise<void> {
  const followed = await followTree(log, parts, memory[log])
  if (followed) memory[log] = { note: followed.note, leaves: followed.leaves }
}

/** Raises an alarm if an answer that was just given is from a withdrawn release, or under a checkpoint of long ago. */
export function checkAge(
  { alarms }: Parts,
  { rows, size }: Believed,
  entries: readonly RegistryEntry[],
  name: string,
  text: string,
  now: number,
): void {
  // Every cache has dropped by now what was before these.
  const isOld = ({ recorded_at }: RegistryEntry): boolean => Date.parse(recorded_at) < now - CACHED_MS
  const withdrawal = entries.find(
    (entry, place): entry is Withdrawal =>
      isWithdrawal(entry) &&
      rows.some(({ release }) => release.release_id === entry.release_id) &&
      (place < size || isOld(entry)),
  )
  if (withdrawal) {
    const what = `${name}, ${withdrawal.release_id} was withdrawn at ${withdrawal.recorded_at}`
    alarms.raise('withdrawn_served', what, { answer: text, withdrawal: canonical(withdrawal) })
    return
  }
  const missed = entries.slice(size).filter(isOld)
  const state = missed.find((entry): entry is RegistryState => isState(entry))
  if (state)
    alarms.raise('answer_stale', `${name}, of size ${size}, a state was added at ${state.recorded_at}`, {
      answer: text,
    })
}
