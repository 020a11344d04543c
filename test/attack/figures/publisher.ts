// Rules as attackers see them: something that publishes, and how likely what was published is under a guess.

import { decide, type FigureStates } from '../../../src/figures/rule/disclosure.ts'
import type { Rule } from '../../../src/figures/rule/figure.ts'
import type { Dice } from '../../../src/figures/rule/laplace.ts'
import { decideRecord, type ProviderRecord } from '../../../src/figures/rule/provider.ts'
import {
  drawProvider,
  PROVIDER_CELLS,
  type ProviderTally,
  tallyProvider,
} from '../../../src/figures/rule/provider-window.ts'
import {
  CELLS,
  drawWindow,
  PersonLimit,
  RULE_2,
  type Rule2,
  SCALE_OF,
  scaleFor,
  sumWindows,
  tallyWindow,
  type Unit,
  type WindowTally,
} from '../../../src/figures/rule/rule-2.ts'
import { METRICS, type OutcomeCell, size, twiceMedian } from '../../../src/figures/rule/tally.ts'
import { KnownLedger } from './known-ledger.ts'
import { type Change, type Changes, HOSPITALS } from './ledger.ts'

/**
 * A rule under attack. `State` is what the rule remembers from release to release. States are values: an attacker keeps
 * one for each of his guesses.
 */
export interface Publisher<State = unknown, Seen = unknown> {
  start: State
  /** Nothing is drawn, so an attacker can work out beforehand what would be published. */
  certain: boolean
  publish(state: State, changes: Changes, dice: Dice): { state: State; seen: Seen }
  /** The logarithm of how likely this is, up to a constant that is the same for all guesses. */
  weigh(state: State, changes: Changes, seen: Seen): { state: State; log: number }
}

/** A ledger as one guess has it. */
interface GuessedLedger {
  known: KnownLedger
  guessed: readonly Change[]
}

const EMPTY: GuessedLedger = { known: new KnownLedger(), guessed: [] }

const withChanges = ({ known, guessed }: GuessedLedger, changes: Changes): GuessedLedger => ({
  known: known.with(changes.known),
  guessed: changes.guessed.length === 0 ? guessed : [...guessed, ...changes.guessed],
})

interface ExactState {
  release: number
  ledger: GuessedLedger
  states: FigureStates | undefined
  last_correction_id: number
  providers: readonly (ProviderRecord | undefined)[]
}

/** Rule 1. What comes out is certain: a guess leads to it or does not. */
export function exactPublisher(rule: Rule, { hospitals = false } = {}): Publisher<ExactState, string> {
  const next = (before: ExactState, changes: Changes): { state: ExactState; seen: string } => {
    const release = before.release + 1
    const ledger = withChanges(before.ledger, changes)
    const last_correction_id = hasRemoval(changes) ? release : before.last_correction_id
    const of = ledger.known.tallies(ledger.guessed)
    const given = { as_of: `release ${release}`, last_batch_id: release, last_correction_id, of }
    const { states, moves } = decide(given, before.states, rule)
    const isRefresh = hospitals && release % 3 === 1
    const providers = HOSPITALS.map((npi, i) => {
      const old = before.providers[i]
      return isRefresh ? decideRecord(ofHospital(ledger, npi), old, rule) : old
    })
    const figures = METRICS.map((metric) => states.of[metric].figure)
    const seen = JSON.stringify([figures, moves.map(({ reason }) => reason), providers.map(shownOf)])
    return { state: { release, ledger, states, last_correction_id, providers }, seen }
  }
  return {
    certain: true,
    start: { release: 0, ledger: EMPTY, states: undefined, last_correction_id: 0, providers: [] },
    publish: next,
    weigh: (before, changes, seen) => {
      const again = next(before, changes)
      return { state: again.state, log: again.seen === seen ? 0 : Number.NEGATIVE_INFINITY }
    },
  }
}

/** An outsider who guesses at the first ledger takes cases out of it, too, as person 1: these are no corrections. */
const hasRemoval = ({ known, guessed }: Changes): boolean =>
  known.some(({ cases }) => cases < 0) || guessed.some(({ cases, person }) => cases < 0 && person === 0)

const ofHospital = ({ known, guessed }: GuessedLedger, npi: string): OutcomeCell[] => [
  ...known.of(npi),
  ...guessed.filter((each) => each.npi === npi),
]

/** P2, P3: of a small provider only the band is told. */
const shownOf = (record: ProviderRecord | undefined): unknown => {
  const band = record?.band.value ?? '0-10'
  if (!record || band === '0-10' || band === '11-29') return band
  return [band, record.win_rate.value, record.no_escalation_rate.value, record.median_savings_band.value]
}

/** How a rule with noise may be built wrong. */
export interface Weakness {
  /** Every release draws new noise for the whole ledger. */
  redrawn?: boolean
  /** The median is published as it is. */
  exactMedian?: boolean
  /** All cases of a person count. */
  unlimited?: boolean
  /** Figures say that something was corrected. */
  correctionsTold?: boolean
}

interface NoisedState {
  /** Of all windows so far. Only weak rules need them. */
  sum: WindowTally
  ledger: GuessedLedger
}

/**
 * What attackers are given: the noised counts themselves. What is published is computed from them and from nothing
 * else, so whoever sees only that does no better.
 */
interface Noised {
  tally: WindowTally
  hospitals: readonly ProviderTally[]
  /** What weak rules publish without noise. */
  besides: string
}

/** Rule 2, or a weakened one. */
export function noisedPublisher(
  { rule = RULE_2, unit = 'case', hospitals = false }: { rule?: Rule2; unit?: Unit; hospitals?: boolean } = {},
  weakness: Weakness = {},
): Publisher<NoisedState, Noised> {
  const counter = new Counter(rule, unit === 'person' && !weakness.unlimited, hospitals)
  const count = (before: NoisedState, changes: Changes) => {
    const window = counter.count(changes)
    const state = {
      sum: weakness.redrawn ? sumWindows([before.sum, window.tally]) : before.sum,
      ledger: weakness.exactMedian ? withChanges(before.ledger, changes) : before.ledger,
    }
    const besides = `${weakness.exactMedian ? medianOf(state.ledger) : ''} ${weakness.correctionsTold ? hasRemoval(changes) : ''}`
    return { state, exact: { ...window, tally: weakness.redrawn ? state.sum : window.tally, besides } }
  }
  const steps = CELLS.map((name) => stepOf(scaleFor(rule.scales[SCALE_OF[name]], unit, rule)))
  const hospitalStep = stepOf(scaleFor(rule.scales.rate, unit, rule))
  return {
    certain: false,
    start: { sum: tallyWindow([], rule), ledger: EMPTY },
    publish: (before, changes, dice) => {
      const { state, exact } = count(before, changes)
      const tally = drawWindow(exact.tally, unit, rule, dice)
      const drawn = exact.hospitals.map((each) => drawProvider(each, unit, rule, dice))
      return { state, seen: { tally, hospitals: drawn, besides: exact.besides } }
    },
    weigh: (before, changes, seen) => {
      const { state, exact } = count(before, changes)
      let log = exact.besides === seen.besides ? 0 : Number.NEGATIVE_INFINITY
      CELLS.forEach((name, i) => {
        log -= Math.abs(seen.tally[name] - exact.tally[name]) * (steps[i] as number)
      })
      exact.hospitals.forEach((tally, i) => {
        for (const name of PROVIDER_CELLS)
          log -= Math.abs((seen.hospitals[i] as ProviderTally)[name] - tally[name]) * hospitalStep
      })
      return { state, log }
    },
  }
}

/** What one unit more costs in the logarithm of a probability. */
const stepOf = ({ n, d }: { n: number; d: number }): number => d / n

interface Window {
  tally: WindowTally
  hospitals: readonly ProviderTally[]
}

/** Counts windows. What is known is the same under all guesses and is counted once. */
class Counter {
  readonly #known = new WeakMap<readonly Change[], Window>()

  constructor(
    readonly rule: Rule2,
    readonly limited: boolean,
    readonly hospitals: boolean,
  ) {}

  count({ known, guessed }: Changes): Window {
    const one = this.#known.get(known) ?? this.#countAll(known)
    this.#known.set(known, one)
    if (guessed.length === 0) return one
    const other = this.#countAll(guessed)
    return {
      tally: sumWindows([one.tally, other.tally]),
      hospitals: one.hospitals.map((tally, i) => added(tally, other.hospitals[i] as ProviderTally)),
    }
  }

  #countAll(changes: readonly Change[]): Window {
    const limit = new PersonLimit(this.rule.cases_per_person)
    const counted = this.limited ? changes.filter(({ person }) => limit.take(person) > 0) : changes
    return {
      tally: tallyWindow(counted, this.rule),
      hospitals: this.hospitals
        ? HOSPITALS.map((npi) => tallyProvider(counted.filter((each) => each.npi === npi)))
        : [],
    }
  }
}

const added = (one: ProviderTally, other: ProviderTally): ProviderTally =>
  Object.fromEntries(PROVIDER_CELLS.map((name) => [name, one[name] + other[name]])) as ProviderTally

function medianOf({ known, guessed }: GuessedLedger): number | null {
  const amounts = known.tallies(guessed).savings_median
  return size(amounts) > 0 ? twiceMedian(amounts) : null
}
