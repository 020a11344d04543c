// Histories from a registry in memory: that of an honest service, and any others of true parts.

import { parsed } from '../answer-fixture.ts'
import { lineOf } from '../list-fixture.ts'
import type { ParsedQuestion } from '../lookup/question.ts'
import { CHARTS, chartsFor } from '../price/charts.ts'
import { type Period, periodKey, providerKey } from '../price/release.ts'
import { indexOfKey } from '../price/timeline.ts'
import { MemoryProof } from '../proof-fixture.ts'
import type { MemoryRegistry, MemoryRelease } from '../registry-fixture.ts'
import { PAGE, placesIn } from './catalogue-fixture.ts'
import { basisAsked, compareEditions, editionOf, type HistoryQuestion } from './history.ts'

const ANY_DAY = '2000-01-01'

export function chartsOf(registry: MemoryRegistry, question: ParsedQuestion): readonly string[] {
  const { npi } = question
  if (npi === null) return chartsFor(question)
  return registry.standing.providers.flatMap((provider) => (provider.npi === npi ? provider.chart : []))
}

/** The part of the timeline of a chart, with its neighbours. */
export function stretchOf({ standing: { periods } }: MemoryRegistry, chart: string): [from: number, to: number] {
  const [from, to] = [indexOfKey(periods, `${chart}|`, periodKey), indexOfKey(periods, `${chart}|~`, periodKey)]
  return [Math.max(0, from - 1), Math.min(periods.length, to + 1)]
}

export interface HistoryParts {
  /** The editions that are listed, if not all. The question is asked of each. */
  periods?: readonly Period[]
  /** The parts of the timeline, if not those of the charts. */
  stretches?: readonly (readonly [from: number, to: number])[]
  has_more?: boolean
}

/** The history of a service that shows these editions and these parts of the timeline. */
export async function historyOf(
  registry: MemoryRegistry,
  { offset = 0, ...asked }: HistoryQuestion,
  told: HistoryParts = {},
  limit = 50,
) {
  const question = parsed({ ...asked, as_of: ANY_DAY })
  const charts = chartsOf(registry, question)
  const { periods, providers } = registry.standing
  const all = periods.filter(({ chart }) => charts.includes(chart)).sort(compareEditions)
  const proof = new MemoryProof(registry)
  const data = []
  for (const period of told.periods ?? all.slice(offset, offset + limit)) {
    const release = registry.releaseNamed(period.release) as MemoryRelease
    const basis = basisAsked(period.chart, question, CHARTS)
    const { line } = lineOf(proof, { ...asked, basis, as_of: period.from })
    proof.release(release)
    data.push({ ...editionOf(release.manifest, period), answer: line })
  }
  for (const stretch of told.stretches ?? charts.map((chart) => stretchOf(registry, chart)))
    proof.addPeriods(placesIn(registry, stretch))
  if (question.npi !== null) {
    const at = indexOfKey(providers, `${question.npi}|`, providerKey)
    proof.addProviders([at - 1, at, at + 1].filter((place) => place in providers))
  }
  return {
    data,
    page: { ...PAGE, offset, has_more: told.has_more ?? offset + data.length < all.length },
    links: {},
    proof: await proof.member(),
  }
}
