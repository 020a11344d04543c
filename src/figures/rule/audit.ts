import { type Counts, room } from './feasible.ts'
import type { Figure, Rule } from './figure.ts'
import type { CaseBand } from './provider.ts'
import { METRICS, type Metric } from './tally.ts'

/** One release as published. */
export interface PublicRelease {
  as_of: string
  metrics: Record<Metric, Figure>
}

/** A hidden count, or its change between two releases, and how many values are still possible for it. */
interface HiddenCell {
  kind: 'withheld' | 'held' | 'delta' | 'providers'
  metric: Metric
  as_of: string
  values: number
}

export interface Audit {
  ok: boolean
  cells: number
  /** The cells with too few possible values. */
  pinned: HiddenCell[]
}

const LEAST: Record<CaseBand, number> = { '0-10': 0, '11-29': 11, '30-99': 30, '100-299': 100, '300+': 300 }

/**
 * Counts what a reader could work out who knows the rule and everything that was ever published. For every withheld count,
 * every figure that did not change and every change between two releases, it counts the values that are still possible.
 * Each must have at least `min_values`: eleven, as many as there are from zero to ten.
 *
 * It uses published values only, so it also finds what a changed rule, or a figure written by another program, reveals.
 */
export function audit(history: readonly PublicRelease[], bands: Partial<Record<CaseBand, number>>, rule: Rule): Audit {
  const cells = [
    ...METRICS.flatMap((metric) => cellsOf(metric, history, rule)),
    ...smallProviders(history, bands, rule),
  ]
  const pinned = cells.filter(({ values }) => values < rule.min_values)
  return { ok: pinned.length === 0, cells: cells.length, pinned }
}

function cellsOf(metric: Metric, history: readonly PublicRelease[], rule: Rule): HiddenCell[] {
  const cells: HiddenCell[] = []
  const decided: { as_of: string; room: number[] }[] = []
  for (const { as_of, metrics } of history) {
    const figure = metrics[metric]
    // The figure was held at this release: too few of its cases had changed, or all in the same way.
    if (figure.as_of !== as_of) {
      cells.push({ kind: 'held', metric, as_of, values: rule.min_moved })
      continue
    }
    const left = room(metric, figure, metrics as Counts, rule)
    if (figure.suppressed) for (const values of left) cells.push({ kind: 'withheld', metric, as_of, values })
    for (const earlier of decided)
      for (const [i, values] of left.entries())
        cells.push({ kind: 'delta', metric, as_of, values: values + (earlier.room[i] ?? 0) - 1 })
    decided.push({ as_of, room: left })
  }
  return cells
}

/**
 * The hidden cell of the small providers. Anyone can ask about every provider, and the bands of large ones add up to a
 * least number of cases. For the others, any number from zero to ten must still be possible.
 */
function smallProviders(
  history: readonly PublicRelease[],
  bands: Partial<Record<CaseBand, number>>,
  rule: Rule,
): HiddenCell[] {
  const latest = history.at(-1)
  const { value, as_of } = latest?.metrics.cases_floor10 ?? {}
  if (!latest || typeof value !== 'number') return []
  const taken = Object.entries(bands).reduce((sum, [band, n]) => sum + LEAST[band as CaseBand] * n, 0)
  const held = as_of === latest.as_of ? 0 : rule.min_moved - 1
  const values = value + rule.count_step - 1 + held - taken + 1
  return [{ kind: 'providers', metric: 'cases_floor10', as_of: latest.as_of, values }]
}
