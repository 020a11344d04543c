import { Problem } from '../problem.ts'
import type { FigureRelease } from './store.ts'

/** A series of releases under one rule: figures with noise (rule 2), or exact figures (rule 1). */
export type Series = 'noised' | 'exact'

/** The series of a release. Undefined for noise from before rule 2: such a series has ended. */
export const seriesOf = (release: FigureRelease | undefined): Series | undefined => {
  if (!release) return undefined
  if (release.window_no !== null) return 'noised'
  return release.figures.noise === null ? 'exact' : undefined
}

/** The series of the next release. Another rule needs a new series, and a new series needs another rule. */
export function seriesFor(
  previous: FigureRelease | undefined,
  { exact = false, newSeries = false }: { exact?: boolean | undefined; newSeries?: boolean | undefined },
): Series {
  const wanted = exact ? 'exact' : 'noised'
  const current = seriesOf(previous)
  if (!previous) return wanted
  if (newSeries && current === wanted)
    throw new Problem('figures_held', 'figures are already published under this rule: release without --new-series')
  if (newSeries || current === wanted) return wanted
  throw new Problem(
    'figures_held',
    exact
      ? 'figures of this ledger have noise. Exact figures would undo it: --new-series publishes them all the same'
      : 'this ledger publishes figures under rule 1. `atr figures release --new-series` begins figures with noise, under rule 2; --exact continues without noise',
  )
}
