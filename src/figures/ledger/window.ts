import type { Db } from '../../db/db.ts'
import { type ProviderCell, type ProviderTally, providerContribution, tallyProvider } from '../rule/provider-window.ts'
import type { Rule2, Unit } from '../rule/rule-2.ts'
import { cellOf } from '../rule/tally.ts'
import { PersonLimit, tallyWindow, type WindowTally } from '../rule/window.ts'
import * as store from './window-store.ts'

/** What a window that is closed now counts, exactly. Nobody outside the release sees it. */
export interface WindowCount {
  figures: WindowTally
  /** Of a provider; also of one without a case. */
  ofProvider: (npi: string) => ProviderTally
  /** Cases that are over the limit of their person: they are never counted. */
  left_out: string[]
  /** Corrections and deletions that are over the limit of their person: they wait for the next window. */
  waiting: store.Pending[]
}

/**
 * Counts all files after a batch, and the corrections and deletions of cases that earlier windows counted. In a ledger
 * of persons each adds at most three changes, first what it takes back and puts right.
 */
export async function countWindow(db: Db, after_batch_id: number, unit: Unit, rule: Rule2): Promise<WindowCount> {
  const isOfPersons = unit === 'person'
  const limit = new PersonLimit(rule.cases_per_person)
  const all = new store.Counter()
  const providers = new ProviderCounter()
  const waiting: store.Pending[] = []
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
  return { figures: tallyWindow(all.cells, rule), ofProvider: (npi) => providers.tallyOf(npi), left_out, waiting }
}

/** How many of these cases a person may still add or take back. */
const takePending = (limit: PersonLimit, { person, case_count }: store.Pending): number =>
  Math.sign(case_count) * limit.take(person, Math.abs(case_count))

/** The references of the cases that were over the limit. Few ledgers have any, so they are looked for only then. */
async function overLimit(db: Db, after_batch_id: number, rule: Rule2): Promise<string[]> {
  const limit = new PersonLimit(rule.cases_per_person)
  for (const pending of await store.pendingChanges(db)) takePending(limit, pending)
  const found: string[] = []
  for await (const cases of store.newReferences(db, after_batch_id))
    for (const { case_ref, person } of cases) if (limit.take(person) === 0) found.push(case_ref)
  return found
}

/** Counts per provider. The cells of each combination of answers are looked up once, not for each of a million cases. */
class ProviderCounter {
  readonly #tallies = new Map<number, Record<ProviderCell, number>>()
  readonly #cells = new Map<number, readonly ProviderCell[]>()

  /** A case whose provider and answers are one number; it may have no provider. */
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

  tallyOf(npi: string): ProviderTally {
    return this.#tallies.get(Number(npi)) ?? tallyProvider([])
  }
}
