// The registry as a body proves it, for the rule of the lookup. What the rule asks for and the body does not show is a failure.

import type { Evidence, ProvedRelease } from './evidence.ts'
import { ensure } from './fault.ts'
import type { Registry } from './lookup/lists.ts'
import { codeIn, factsOf, isOfPlaces, keyPrefix } from './price/charts.ts'
import type { Manifest, Period } from './price/release.ts'
import { type Neighbours, nameOf, neighboursOf } from './price/timeline.ts'
import type { Indexed } from './tree/sorted-leaves.ts'

/** The period of a chart that holds a day; undefined if it is shown that none does. */
export function periodOn({ timeline }: Evidence, chart: string, day: string): Indexed<Period> | undefined {
  const { last, isLast } = timeline.upTo(`${chart}|${day}`)
  // Periods of a chart do not overlap: the period of the day is the last that begins by it.
  if (last?.leaf.chart === chart && day <= last.leaf.to) return last
  ensure(isLast, 'choice_not_proved')
  return undefined
}

/** The editions of a chart beside a day. */
function around({ timeline, state }: Evidence, chart: string, day: string): Neighbours {
  const { last, isLast } = timeline.upTo(`${chart}|${day}`)
  ensure(isLast, 'choice_not_proved')
  const periodAt = (place: number): Period | undefined => {
    const known = timeline.all.find(({ index }) => index === place)
    ensure(known || place < 0 || place >= state.timeline_size, 'choice_not_proved')
    return known?.leaf
  }
  return neighboursOf(periodAt, last?.index ?? -1, chart, day)
}

/** The edition of a chart in force on a day; undefined if it is shown that there is none. */
export function editionOn(evidence: Evidence, chart: string, day: string): ProvedRelease | undefined {
  const period = periodOn(evidence, chart, day)
  const edition = period && evidence.byName.get(period.leaf.release)
  ensure(period === undefined || edition, 'choice_not_proved')
  return edition
}

/** The chart that speaks for a provider; undefined if it is shown that none does. */
export function chartOf({ providers }: Evidence, npi: string): string | undefined {
  const found = providers.under(`${npi}|`)
  ensure(found, 'choice_not_proved')
  return found[0]?.chart
}

export function registryOn(evidence: Evidence, day: string): Registry {
  const rowsOf = (chart: string): ProvedRelease['rows'] => {
    const edition = editionOn(evidence, chart, day)
    ensure(edition, 'choice_not_proved')
    return edition.rows
  }
  return {
    lists: {
      under(chart, prefix) {
        const rows = rowsOf(chart).under(prefix)
        ensure(rows, 'choice_not_proved')
        return rows
      },
      has(chart, prefix) {
        const isThere = rowsOf(chart).has(prefix)
        ensure(isThere !== undefined, 'choice_not_proved')
        return isThere
      },
      upTo(chart, key) {
        const { last, isLast } = rowsOf(chart).upTo(key)
        ensure(isLast, 'choice_not_proved')
        return last?.leaf
      },
    },
    timeline: {
      day,
      isHeld: (chart) => editionOn(evidence, chart, day) !== undefined,
      around: (chart) => around(evidence, chart, day),
    },
    providers: { chartOf: (npi) => chartOf(evidence, npi) },
  }
}

/** Whether a release is in force on a day, as far as is shown. */
export const isInForce = ({ byName }: Evidence, release: Manifest, day: string): boolean => {
  const period = byName.get(nameOf(release))?.period
  return period !== undefined && period.from <= day && day <= period.to
}

/** An edition that is shown to have no row of a code. */
export interface CodeAbsence {
  cpt: string
  release: Manifest
}

/** The editions of a day that are shown to have no row of a code, nor of the code that stands in for it. */
export const withoutCode = (evidence: Evidence, cpt: string, day: string): CodeAbsence[] =>
  evidence.releases
    .filter(({ release, rows }) => {
      const isOfDay = !isOfPlaces(release.chart) && isInForce(evidence, release, day)
      const code = codeIn(factsOf(release.chart, evidence.charts), cpt)
      return isOfDay && rows.under(keyPrefix(release.chart, code))?.length === 0
    })
    .map(({ release }) => ({ cpt, release }))
