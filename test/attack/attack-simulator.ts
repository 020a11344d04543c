// Invented ledgers, published release by release under a rule, and attackers who have every byte that came out.
// What the attackers work out shares no code with the rule: they try all the numbers that fit.

import { audit, type PublicRelease } from '../../src/figures/rule/audit.ts'
import { decide, type FigureStates } from '../../src/figures/rule/disclosure.ts'
import type { Rule } from '../../src/figures/rule/figure.ts'
import { type ProviderCells, type ProviderRecord, providerStats, refresh } from '../../src/figures/rule/provider.ts'
import { METRICS, type Metric, tallies } from '../../src/figures/rule/tally.ts'
import { foundAmongFew, learn, noShares, type Shares, type Step } from './attack-insider.ts'
import { aLedger, type Case, cellsOf } from './attack-ledger.ts'
import { dice } from './dice.ts'

/** A hidden number that an attacker has left fewer than eleven values. */
export interface Pinned {
  by: 'differencing' | 'harvesting' | 'insider'
  what: string
}

export interface World {
  history: PublicRelease[]
  /** What each provider's answer said at each refresh. */
  providers: Map<string, ReturnType<typeof providerStats>[]>
  refused: number
  pinned: Pinned[]
  /** What someone who knows all cases but one came to know of that one. Not promised away, but measured. */
  learned: Shares
}

const ENOUGH = 11
const MONTH_MS = 30 * 86_400_000
const RELEASES = 24

/** One ledger over 24 releases, and everything the attackers pinned. */
export function simulate(seed: number, rule: Rule, { gate = true } = {}): World {
  const { cases, roll, live } = aLedger(seed)
  const world: World = { history: [], providers: new Map(), refused: 0, pinned: [], learned: noShares() }
  const targets = new Targets(seed)
  const steps: Step[] = []
  let states: FigureStates | undefined
  let told = new Map<string, ProviderRecord>()
  let last_correction_id = 0
  for (let n = 1; n <= RELEASES; n++) {
    if (live(n)) last_correction_id = n
    const at = Date.UTC(2026, 0, 6) + n * MONTH_MS
    const as_of = new Date(at).toISOString()
    const given = { as_of, last_batch_id: n, last_correction_id, of: tallies(cellsOf(cases)) }
    const decided = decide(given, states, rule)
    const providers = n % 3 === 1 ? new Map([...told, ...refresh(byProvider(cases), told, rule)]) : told
    const release = published(as_of, decided.states)
    targets.look(cases)
    if (gate && !audit([...world.history, release], bandsOf(providers), rule).ok) {
      world.refused++
      continue
    }
    for (const what of foundAmongFew(given, states, decided.states, rule, roll))
      world.pinned.push({ by: 'insider', what })
    steps.push({ given, states: decided.states, present: targets.presentIn(cases) })
    world.history.push(release)
    states = decided.states
    told = providers
    if (n % 3 === 1)
      for (const [npi, standing] of told)
        world.providers.set(npi, [
          ...(world.providers.get(npi) ?? []),
          providerStats(npi, standing, { refreshed_at: at, now: at }, { version: rule.version, granularity: 'year' }),
        ])
  }
  world.pinned.push(...differencing(world.history, rule), ...harvesting(world, rule))
  for (const unknown of targets.chosen) learn(steps, unknown, rule, world.learned)
  return world
}

/** Cases that the insider does not know, picked among those that came or were corrected since the release before. */
class Targets {
  readonly chosen: Case[] = []
  #seen = new Set<Case>()
  readonly #roll: ReturnType<typeof dice>

  constructor(seed: number) {
    this.#roll = dice(seed + 1_000_000)
  }

  look(cases: readonly Case[]): void {
    const fresh = cases.filter((each) => !this.#seen.has(each))
    const one = fresh[this.#roll.below(Math.max(1, fresh.length))]
    if (one && this.#roll.chance(0.12)) this.chosen.push(one)
    this.#seen = new Set(cases)
  }

  presentIn(cases: readonly Case[]): ReadonlySet<Case> {
    const all = new Set(cases)
    return new Set(this.chosen.filter((each) => all.has(each)))
  }
}

const published = (as_of: string, { of }: FigureStates): PublicRelease => ({
  as_of,
  metrics: Object.fromEntries(METRICS.map((metric) => [metric, of[metric].figure])) as PublicRelease['metrics'],
})

const byProvider = (cases: readonly Case[]): ProviderCells => {
  const known = cases.filter((each) => each.npi !== null)
  const own = Map.groupBy(known, ({ npi }) => npi as string)
  return { npis: [...own.keys()], of: (npi) => cellsOf(own.get(npi) ?? []) }
}

const bandsOf = (told: ReadonlyMap<string, ProviderRecord>) => {
  const bands: Record<string, number> = {}
  for (const { band } of told.values()) bands[band.value] = (bands[band.value] ?? 0) + 1
  return bands
}

/** Whether a set of possible values says too little about a hidden number to count as pinning it. */
const isOpen = (possible: ReadonlySet<number>): boolean =>
  possible.size >= ENOUGH || Array.from({ length: ENOUGH }, (_, n) => n).every((n) => possible.has(n))

function halfEven(yes: number, cases: number, steps: number): number {
  const doubled = (2 * steps * yes) / cases
  const below = Math.floor(doubled / 2)
  if (doubled - 2 * below === 1) return below % 2 === 0 ? below : below + 1
  return doubled - 2 * below > 1 ? below + 1 : below
}

/** Larger sets cannot be made small again by taking differences. */
const MANY = 40

/** Every number of yes answers, and of no answers, that a published rate leaves possible. */
function behindRate(value: number, cases: readonly [least: number, most: number], steps: number, min_cell: number) {
  const yes = new Set<number>()
  const no = new Set<number>()
  for (let n = cases[0]; n <= cases[1] && (yes.size < MANY || no.size < MANY); n++) {
    const middle = value * n
    const reach = Math.ceil(n / steps) + 1
    for (let y = Math.max(min_cell, Math.floor(middle - reach)); y <= Math.min(n - min_cell, middle + reach); y++)
      if (halfEven(y, n, steps) === Math.round(value * steps)) {
        yes.add(y)
        no.add(n - y)
      }
  }
  return { yes, no }
}

/** What each count behind a figure can be, given the release it was decided in. */
function behindFigure(metric: Metric, { metrics }: PublicRelease, rule: Rule): Set<number>[] {
  const { value, reason } = metrics[metric]
  const below = (n: number): Set<number> => new Set(Array.from({ length: n }, (_, i) => i))
  const count = (name: 'cases_floor10' | 'settlements_floor10'): [number, number] => {
    const shown = Math.max((metrics[name].value as number | null) ?? 0, rule.min_cases)
    return [shown, shown + rule.count_step - 1]
  }
  const upFrom = (from: number, n: number): Set<number> => new Set(Array.from({ length: n }, (_, i) => from + i))
  switch (metric) {
    case 'cases_floor10':
    case 'settlements_floor10':
      return [value === null ? below(rule.min_cases) : upFrom(value as number, rule.count_step)]
    case 'savings_total': {
      if (value === null) return reason === 'small_cell' ? [below(rule.min_cell)] : []
      const half = rule.total_step / 2
      const from = Math.ceil((Number(value) - half) / 50)
      return [upFrom(from, Math.floor((Number(value) + half) / 50) - from + 1)]
    }
    case 'savings_median':
      return []
    default: {
      if (value === null) return [below(rule.min_cell), below(rule.min_cell)]
      const [least, most] = count(metric === 'p' ? 'settlements_floor10' : 'cases_floor10')
      const from = metric === 'w' ? Math.min(count('settlements_floor10')[0], least) : least
      const { yes, no } = behindRate(value as number, [from, most], rule.rate_steps, rule.min_cell)
      return [yes, no]
    }
  }
}

const differences = (one: ReadonlySet<number>, other: ReadonlySet<number>): Set<number> => {
  const found = new Set<number>()
  for (const a of one)
    for (const b of other) {
      found.add(a - b)
      if (found.size >= ENOUGH) return found
    }
  return found
}

/** Subtracts every release from every later one. */
function differencing(history: readonly PublicRelease[], rule: Rule): Pinned[] {
  const pinned: Pinned[] = []
  for (const metric of METRICS) {
    const earlier: Set<number>[][] = []
    for (const release of history) {
      const { as_of, suppressed } = release.metrics[metric]
      const note = (kind: string, possible: ReadonlySet<number>): void => {
        if (!isOpen(possible)) pinned.push({ by: 'differencing', what: `${kind} ${metric}` })
      }
      if (as_of !== release.as_of) {
        note('held', new Set(Array.from({ length: rule.min_moved }, (_, n) => n)))
        continue
      }
      const behind = behindFigure(metric, release, rule)
      if (suppressed) for (const possible of behind) note('withheld', possible)
      for (const then of earlier)
        for (const [i, possible] of behind.entries()) if (then[i]) note('delta', differences(possible, then[i]))
      earlier.push(behind)
    }
  }
  return pinned
}

const BAND = {
  '0-10': [0, 10],
  '11-29': [11, 29],
  '30-99': [30, 99],
  '100-299': [100, 299],
  '300+': [300, 2000],
} as const

/** Asks about everyone at every refresh, adds up, and subtracts each answer from the one before. */
function harvesting({ history, providers }: World, rule: Rule): Pinned[] {
  const pinned: Pinned[] = []
  const note = (what: string, possible: ReadonlySet<number>): void => {
    if (!isOpen(possible)) pinned.push({ by: 'harvesting', what })
  }
  const span = (from: number, to: number): Set<number> =>
    new Set(Array.from({ length: Math.max(0, Math.min(to - from + 1, 400)) }, (_, i) => from + i))
  const shown = new Map(history.map(({ as_of, metrics }) => [as_of, metrics.cases_floor10]))
  const taken = new Map<string, number>()
  for (const answers of providers.values())
    for (const [i, { case_band, win_rate, as_of }] of answers.entries()) {
      const [least, most] = BAND[case_band]
      taken.set(as_of ?? '', (taken.get(as_of ?? '') ?? 0) + least)
      note('band', span(least, most))
      const before = answers[i - 1]
      if (before)
        note('band delta', differences(span(least, most), span(...(BAND[before.case_band] as [number, number]))))
      if (win_rate === null || before?.win_rate === null) note('provider cell', span(0, rule.min_cell - 1))
      if (typeof win_rate === 'number' && typeof before?.win_rate === 'number' && before.win_rate !== win_rate) {
        const now = behindRate(win_rate, [30, most], 20, rule.min_cell)
        const then = behindRate(before.win_rate, [30, most], 20, rule.min_cell)
        note('provider delta', differences(now.yes, then.yes))
      }
    }
  for (const [as_of, least] of taken) {
    const all = shown.get(as_of)
    if (typeof all?.value !== 'number') continue
    const held = all.as_of === as_of ? 0 : rule.min_moved - 1
    note('what is left for small providers', span(0, all.value + rule.count_step - 1 + held - least))
  }
  return pinned
}
