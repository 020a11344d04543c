// Changes of published figures: the entries of the figures log.

import { FIGURES_ORIGIN, inLog } from './facts.ts'
import { fail, type Verdict } from './fault.ts'
import type { TrustPolicy } from './note/policy.ts'
import { isLogProof } from './price/proofs.ts'
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

/** Checks an entry of the figures log: the entry is everything but its `proof`. */
export async function verifyEntry(entry: unknown, policy: TrustPolicy): Promise<Verdict> {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) return fail('not_recognised')
  const { proof, ...body } = entry as { proof?: { log?: unknown } }
  const log = proof?.log
  if (!proof || Object.keys(proof).length !== 1 || !isLogProof(log)) return fail('proof_malformed')
  // The shape is closed, so that no entry of another log can pass for a change of a figure.
  if (!isChangeEntry(body)) return fail('entry_malformed')
  const verdict = await inLog(body, log, policy, FIGURES_ORIGIN, 'entry_not_in_log')
  if (!verdict.ok) return verdict
  return (body as { seq: number }).seq === log.index ? { ok: true } : fail('seq_not_its_place')
}

/** Whether places rise all the way or fall all the way: a list of changes is oldest first or newest first. */
export const oneWay = (places: readonly number[]): boolean =>
  [1, -1].some((way) => places.every((place, i) => i === 0 || (place - (places[i - 1] as number)) * way > 0))
