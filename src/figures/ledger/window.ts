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
  const limit = unit === 'person' ? new PersonLimit(rule.cases_per_person) : undefined
  const all = new store.Counter()
  const providers = new ProviderCounter()
  const waiting: store.Pending[] = []
  for (const pending of await store.pendingChanges(db)) {
    const { person, npi, packed, case_count } = pending
    const sign = Math.sign(case_count)
    const taken = sign * (limit ? limit.take(person, Math.abs(case_count)) : Math.abs(case_count))
    all.add(packed, taken)
    if (npi !== '') providers.add(npi, packed, taken)
    if (taken !== case_count) waiting.push({ ...pending, case_count: case_count - taken })
  }
  const left_out: string[] = []
  for await (const cases of store.newCases(db, after_batch_id, unit))
    for (const { case_ref, person, npi, packed } of cases) {
      if (limit?.take(person as number) === 0) {
        left_out.push(case_ref as string)
        continue
      }
      all.add(packed)
      if (npi !== null) providers.add(npi, packed)
    }
  return { figures: tallyWindow(all.cells, rule), ofProvider: (npi) => providers.tallyOf(npi), left_out, waiting }
}

/** Counts per provider. The cells of each combination of answers are looked up once, not for each of a million cases. */
class ProviderCounter {
  readonly #tallies = new Map<string, Record<ProviderCell, number>>()
  readonly #cells = new Map<number, readonly ProviderCell[]>()

  add(npi: string, packed: number, cases = 1): void {
    const cells = this.#cells.get(packed) ?? providerContribution(cellOf(packed, 1))
    this.#cells.set(packed, cells)
    const tally = this.#tallies.get(npi) ?? { ...tallyProvider([]) }
    this.#tallies.set(npi, tally)
    for (const name of cells) tally[name] += cases
  }

  tallyOf(npi: string): ProviderTally {
    return this.#tallies.get(npi) ?? tallyProvider([])
  }
}
