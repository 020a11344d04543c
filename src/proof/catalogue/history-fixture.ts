// Histories from a registry in memory: that of an honest service, and any others of true parts.

import { answerOf } from '../answer-fixture.ts'
import { type ParsedQuestion, parseQuestion } from '../lookup/question.ts'
import { CHARTS, chartsFor } from '../price/charts.ts'
import { type Period, periodKey } from '../price/release.ts'
import type { MemoryRegistry, MemoryRelease } from '../registry-fixture.ts'
import { ShownRows } from '../set-fixture.ts'
import { PAGE, runOf } from './catalogue-fixture.ts'
import { basisAsked, compareEditions, editionOf, type HistoryQuestion } from './history.ts'

const ANY_DAY = '2000-01-01'

export function chartsOf(registry: MemoryRegistry, { npi, basis, setting }: ParsedQuestion): readonly string[] {
  if (npi === null) return chartsFor(basis, setting)
  return registry.standing.providers.flatMap((provider) => (provider.npi === npi ? provider.chart : []))
}

/** The part of the timeline of a chart, with its neighbours. */
export function stretchOf({ standing: { periods } }: MemoryRegistry, chart: string): [from: number, to: number] {
  const before = periods.filter((period) => periodKey(period) < `${chart}|`).length
  const own = periods.filter((period) => period.chart === chart).length
  return [Math.max(0, before - 1), Math.min(periods.length, before + own + 1)]
}

export interface HistoryParts {
  /** The editions that are listed, if not all. The question is asked of each. */
  periods?: readonly Period[]
  /** The parts of the timeline, if not those of the charts. */
  stretches?: readonly [from: number, to: number][]
  has_more?: boolean
}

/** The history of a service that shows these editions and these parts of the timeline. */
export async function historyOf(
  registry: MemoryRegistry,
  { offset = 0, ...asked }: HistoryQuestion,
  told: HistoryParts = {},
  limit = 50,
) {
  const parsed = parseQuestion({ ...asked, as_of: ANY_DAY })
  if (typeof parsed === 'string') throw new RangeError(`not a question: ${parsed}`)
  const charts = chartsOf(registry, parsed)
  const all = registry.standing.periods.filter(({ chart }) => charts.includes(chart)).sort(compareEditions)
  const shown = new ShownRows(registry)
  const data = []
  for (const period of told.periods ?? all.slice(offset, offset + limit)) {
    const release = registry.releaseNamed(period.release) as MemoryRelease
    const question = { ...asked, basis: basisAsked(period.chart, parsed, CHARTS), as_of: period.from }
    const { body, decision } = await answerOf(registry, question)
    const answer = decision.outcome === 'price' ? priced(shown, body) : { status: 404, problem: shown.lineOf(body) }
    shown.because({ releases: [registry.share(release)], rows: [], periods: [], providers: [] })
    data.push({ ...editionOf(release.manifest, period), answer })
  }
  const isEmpty = registry.standing.periods.length === 0
  const stretches = told.stretches ?? (isEmpty ? [] : charts.map((chart) => stretchOf(registry, chart)))
  return {
    data,
    page: { ...PAGE, offset, has_more: told.has_more ?? offset + data.length < all.length },
    links: {},
    timeline: stretches.map(([from, to]) => runOf(registry, from, to)),
    ...(await shown.parts()),
  }
}

function priced(shown: ShownRows, { because, place, modifiers_ignored, adjustment, ...row }: Record<string, unknown>) {
  const beside = { because, place, modifiers_ignored, adjustment }
  const told = Object.fromEntries(Object.entries(beside).filter(([, value]) => value !== undefined))
  return { status: 200, ...shown.lineOf({ row, ...told }) }
}
