// The part of a ledger that is the same under all guesses, counted once for all of them.

import { type Histogram, METRICS, type Metric, tallies, tally } from '../../../src/figures/rule/tally.ts'
import type { Change } from './ledger.ts'

type Tallies = Record<Metric, Histogram>

/** Everything known up to a release. */
export class KnownLedger {
  readonly #next = new WeakMap<readonly Change[], KnownLedger>()
  readonly #of = new Map<string, readonly Change[]>()
  #tallies: Tallies | undefined

  constructor(
    readonly before?: KnownLedger,
    readonly changes: readonly Change[] = [],
  ) {}

  /** After these changes. The same object whenever the same changes are given. */
  with(changes: readonly Change[]): KnownLedger {
    const next = this.#next.get(changes) ?? new KnownLedger(this, changes)
    this.#next.set(changes, next)
    return next
  }

  /** The cases of a hospital. */
  of(npi: string): readonly Change[] {
    const found = this.#of.get(npi) ?? [
      ...(this.before?.of(npi) ?? []),
      ...this.changes.filter((change) => change.npi === npi),
    ]
    this.#of.set(npi, found)
    return found
  }

  /** How many cases gave each answer, with the cases that are guessed. */
  tallies(guessed: readonly Change[]): Tallies {
    this.#tallies ??= this.before ? withChanges(this.before.tallies([]), this.changes) : tallies([])
    return guessed.length === 0 ? this.#tallies : withChanges(this.#tallies, guessed)
  }
}

const withChanges = (of: Tallies, changes: readonly Change[]): Tallies =>
  Object.fromEntries(
    METRICS.map((metric, i) => {
      const counts = new Map(of[metric])
      for (const change of changes) {
        const answer = answersOf(change)[i]
        if (answer !== undefined) counts.set(answer, (counts.get(answer) ?? 0) + change.cases)
      }
      const sums: Histogram = [...counts].filter(([, cases]) => cases > 0).sort(([a], [b]) => a - b)
      return [metric, sums]
    }),
  ) as Tallies

const answers = new WeakMap<Change, readonly (number | undefined)[]>()

/** The answer of a case to each question, undefined where it is not asked. */
function answersOf(change: Change): readonly (number | undefined)[] {
  const found = answers.get(change) ?? METRICS.map((metric) => tally([{ ...change, cases: 1 }], metric)[0]?.[0])
  answers.set(change, found)
  return found
}
