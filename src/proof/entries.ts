// The check of entries of the figures log as `/api/figure-changes` gives them: changes of published figures, and states.

import { FIGURES_ORIGIN, inLog } from './evidence.ts'
import { ensure, itemOf, type Verdict, verdictOf } from './fault.ts'
import { type FiguresLogProof, isFiguresLogProof, isFiguresState } from './figures.ts'
import type { TrustPolicy } from './note/policy.ts'
import { type Check, closed, count, hash, instant, matches, NAME, orNull, token } from './shape.ts'

const published: Check = (value) =>
  value === null || typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value))

/** A change of a published figure: an entry of the figures log. */
export const isChangeEntry = closed(
  {
    seq: count,
    release_id: token,
    released_at: instant,
    metric: matches(NAME),
    old: published,
    new: published,
    old_as_of: orNull(instant),
    new_as_of: instant,
    reason: matches(NAME),
    sdc_rule_version: token,
  },
  { epsilon: token, ledger_root: hash },
)

/** Checks an entry, which is everything but its `proof`. Its shape is closed: no other entry can pass for it. */
async function proveEntry(
  entry: unknown,
  isOfKind: Check,
  policy: TrustPolicy,
): Promise<{ body: object; log: FiguresLogProof }> {
  ensure(typeof entry === 'object' && entry !== null && !Array.isArray(entry), 'not_recognised')
  const { proof, ...body } = entry as { proof?: { log?: unknown } }
  const log = proof?.log
  ensure(proof && Object.keys(proof).length === 1 && isFiguresLogProof(log), 'proof_malformed')
  ensure(isOfKind(body), 'entry_malformed')
  await inLog(body, log, policy, FIGURES_ORIGIN, 'entry_not_in_log')
  return { body, log }
}

async function proveChange(entry: unknown, policy: TrustPolicy): Promise<FiguresLogProof> {
  const { body, log } = await proveEntry(entry, isChangeEntry, policy)
  ensure((body as { seq: number }).seq === log.index, 'seq_not_its_place')
  return log
}

/** Checks a change of a published figure. */
export const verifyEntry = (entry: unknown, policy: TrustPolicy): Promise<Verdict> =>
  verdictOf(async () => {
    await proveChange(entry, policy)
    return { ok: true }
  })

/** Checks a state anywhere in the log. */
export const verifyFiguresState = (entry: unknown, policy: TrustPolicy): Promise<Verdict> =>
  verdictOf(async () => {
    await proveEntry(entry, isFiguresState, policy)
    return { ok: true }
  })

/** Proved entries, by their indexes in the log, in the order in which they were given. */
export interface EntryPlaces {
  changes: number[]
  proofs: Map<number, FiguresLogProof>
}

/** Checks changes, and the states between them, one by one. No two of them have the same index. */
export async function placesOf(
  { data, states = [] }: { data: readonly unknown[]; states?: unknown },
  policy: TrustPolicy,
): Promise<EntryPlaces> {
  ensure(Array.isArray(states), 'not_recognised')
  const proofs = new Map<number, FiguresLogProof>()
  const add = (log: FiguresLogProof): void => {
    ensure(!proofs.has(log.index), 'repeated_item')
    proofs.set(log.index, log)
  }
  for (const [i, entry] of data.entries()) add(await itemOf(i, proveChange(entry, policy)))
  for (const state of states) add((await proveEntry(state, isFiguresState, policy)).log)
  return { changes: [...proofs.keys()].slice(0, data.length), proofs }
}

/** Whether indexes always rise or always fall: a list of changes is oldest first or newest first. */
export const oneWay = (places: readonly number[]): boolean =>
  [1, -1].some((way) => places.every((place, i) => i === 0 || (place - (places[i - 1] as number)) * way > 0))
