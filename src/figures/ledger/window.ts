import type { Db } from '../../db/db.ts'
import { type ProviderCell, type ProviderTally, providerContribution, tallyProvider } from '../rule/provider-window.ts'
import { PersonLimit, type Rule2, tallyWindow, type Unit, type WindowTally } from '../rule/rule-2.ts'
import { cellOf } from '../rule/tally.ts'
import * as store from './store.ts'

/** The exact counts of a window that is closed now. Nobody outside the release sees them. */
export interface WindowCount {
  figures: WindowTally
  /** Returns zeros for a provider without cases. */
  providerTally: (npi: string) => ProviderTally
  /** Cases over the limit of their person. They are never counted. */
  left_out: string[]
  /** Corrections and deletions over the limit of their person. They wait for the next window. */
  waiting: store.PendingChange[]
}

/**
 * Counts all files after a batch, and the corrections and deletions of cases that earlier windows counted. In a ledger of
 * persons, each person adds at most three changes; corrections and deletions come first.
 */
export async function countWindow(db: Db, after_batch_id: number, unit: Unit, rule: Rule2): Promise<WindowCount> {
  const isOfPersons = unit === 'person'
  const limit = new PersonLimit(rule.cases_per_person)
  const all = new store.Counter()
  const providers = new ProviderCounter()
  const waiting: store.PendingChange[] = []
  for (const pending of await store.pendingChanges(db)) {
    const { npi, packed, case_count } = pending
    const taken = isOfPersons ? takePending(limit, pending) : case_count
    all.add(packed, taken)
    if (npi !== '') providers.add(npi, packed, taken)
    if (taken !== case_count) waiting.push({ ...pending, case_count: case_count - taken })
  }
  let over = 0
  for await (const cases of store.newCases(db, after_batch_id, unit))
    for (const { coded, person } of cases) {
      if (isOfPersons && limit.take(person as number) === 0) {
        over++
        continue
      }
      const packed = store.answersIn(coded)
      all.add(packed)
      providers.addCoded(coded, packed)
    }
  const left_out = over > 0 ? await overLimit(db, after_batch_id, rule) : []
  return { figures: tallyWindow(all.cells, rule), providerTally: (npi) => providers.tally(npi), left_out, waiting }
}

/** How many of these cases the person may still add or subtract. */
const takePending = (limit: PersonLimit, { person, case_count }: store.PendingChange): number =>
  Math.sign(case_count) * limit.take(person, Math.abs(case_count))

/** The references of the cases over the limit. Few ledgers have such cases, so they are read separately. */
async function overLimit(db: Db, after_batch_id: number, rule: Rule2): Promise<string[]> {
  const limit = new PersonLimit(rule.cases_per_person)
  for (const pending of await store.pendingChanges(db)) takePending(limit, pending)
  const found: string[] = []
  for await (const cases of store.newReferences(db, after_batch_id))
    for (const { case_ref, person } of cases) if (limit.take(person) === 0) found.push(case_ref)
  return found
}

/** Counts per provider. The cells of each combination of answers are computed once, not for each of a million cases. */
class ProviderCounter {
  readonly #tallies = new Map<number, Record<ProviderCell, number>>()
  readonly #cells = new Map<number, readonly ProviderCell[]>()

  /** Adds a case from `newCases`. It may have no provider. */
  addCoded(coded: number, packed: number): void {
    if (coded !== packed) this.#add(store.providerIn(coded), packed, 1)
  }

  add(npi: string, packed: number, cases: number): void {
    this.#add(Number(npi), packed, cases)
  }

  #add(npi: number, packed: number, cases: number): void {
    const known = this.#cells.get(packed)
    const cells = known ?? providerContribution(cellOf(packed, 1))
    if (!known) this.#cells.set(packed, cells)
    let tally = this.#tallies.get(npi)
    if (!tally) {
      tally = { ...tallyProvider([]) }
      this.#tallies.set(npi, tally)
    }
    for (const name of cells) tally[name] += cases
  }

  tally(npi: string): ProviderTally {
    return this.#tallies.get(Number(npi)) ?? tallyProvider([])
  }
}
