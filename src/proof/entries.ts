// Entries of the figures log as `/api/figure-changes` gives them: changes of published figures, and states.

import { FIGURES_ORIGIN, inLog } from './facts.ts'
import { type FailedCheck, fail, type Verdict } from './fault.ts'
import { isFiguresState } from './figures.ts'
import type { TrustPolicy } from './note/policy.ts'
import { isLogProof, type LogProof } from './price/proofs.ts'
import { type Check, closed, count, hash, instant, matches, NAME, orNull, TOKEN } from './shape.ts'

const published: Check = (value) =>
  value === null || typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value))

/** A change of a published figure: an entry of the figures log. */
export const isChangeEntry = closed(
  {
    seq: count,
    release_id: matches(TOKEN),
    released_at: instant,
    metric: matches(NAME),
    old: published,
    new: published,
    old_as_of: orNull(instant),
    new_as_of: instant,
    reason: matches(NAME),
    sdc_rule_version: matches(TOKEN),
  },
  { epsilon: matches(TOKEN), ledger_root: hash },
)

/** The entry is everything but its `proof`. Its shape is closed, so that no other entry can pass for it. */
async function proveEntry(
  entry: unknown,
  isOfKind: Check,
  policy: TrustPolicy,
): Promise<{ ok: true; body: object; index: number } | FailedCheck> {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) return fail('not_recognised')
  const { proof, ...body } = entry as { proof?: { log?: unknown } }
  const log = proof?.log
  if (!proof || Object.keys(proof).length !== 1 || !isLogProof(log)) return fail('proof_malformed')
  if (!isOfKind(body)) return fail('entry_malformed')
  const verdict = await inLog(body, log, policy, FIGURES_ORIGIN, 'entry_not_in_log')
  return verdict.ok ? { ok: true, body, index: log.index } : verdict
}

/** Checks a change of a published figure. */
export async function verifyEntry(entry: unknown, policy: TrustPolicy): Promise<Verdict> {
  const found = await proveEntry(entry, isChangeEntry, policy)
  if (!found.ok) return found
  return (found.body as { seq: number }).seq === found.index ? { ok: true } : fail('seq_not_its_place')
}

/** Checks a state that stands somewhere in the log, whatever came after it. */
export async function verifyFiguresState(entry: unknown, policy: TrustPolicy): Promise<Verdict> {
  const found = await proveEntry(entry, isFiguresState, policy)
  return found.ok ? { ok: true } : found
}

/** Entries that were proved, by their places in the log, in the order in which they were given. */
export interface EntryPlaces {
  ok: true
  changes: number[]
  proofs: Map<number, LogProof>
}

/** Checks changes, and the states between them, each by itself. No two of them have the same place. */
export async function placesOf(
  { data, states = [] }: { data: readonly unknown[]; states?: unknown },
  policy: TrustPolicy,
): Promise<EntryPlaces | FailedCheck> {
  if (!Array.isArray(states)) return fail('not_recognised')
  const proofs = new Map<number, LogProof>()
  for (const [i, entry] of [...data, ...states].entries()) {
    const isChange = i < data.length
    const verdict = await (isChange ? verifyEntry : verifyFiguresState)(entry, policy)
    if (!verdict.ok) return isChange ? { ...verdict, at: i + 1 } : verdict
    const { log } = (entry as { proof: { log: LogProof } }).proof
    if (proofs.has(log.index)) return fail('repeated_item')
    proofs.set(log.index, log)
  }
  return { ok: true, changes: [...proofs.keys()].slice(0, data.length), proofs }
}

/** Whether places rise all the way or fall all the way: a list of changes is oldest first or newest first. */
export const oneWay = (places: readonly number[]): boolean =>
  [1, -1].some((way) => places.every((place, i) => i === 0 || (place - (places[i - 1] as number)) * way > 0))
