// The check of a history: the answer of every edition for a code, newest first. The editions are proved from the timeline,
// so that none can be left out; each answer is proved like a line of a batch.

import { checkAnswer, type ShownAnswer } from '../answer.ts'
import { canonical } from '../canonical-json.ts'
import type { Facts } from '../facts.ts'
import { eachOf, ensure } from '../fault.ts'
import { checkLine, type Line, takeLine } from '../list/line.ts'
import { type CheckedList, SHARED } from '../list/parts.ts'
import { RowSet } from '../list/set.ts'
import { type ParsedQuestion, type Question, understood } from '../lookup/question.ts'
import { type ChartTable, chartsFor, factsOf } from '../price/charts.ts'
import { hasLostSources } from '../price/lost-source.ts'
import type { Manifest, Period, RegistryState } from '../price/release.ts'
import type { Basis } from '../price/row.ts'
import { nameOf } from '../price/timeline.ts'
import { listOf, type Members } from '../shape.ts'
import { type CheckedCatalogue, isPageOf, type PagePlace } from './page.ts'
import { checkRuns, isTimelineRun, type PlacedPeriod, reachesEnds, type TimelineRun } from './timeline-proof.ts'

/** The question to a page of a history: a lookup without its day. */
export interface HistoryQuestion extends Omit<Question, 'as_of'> {
  offset?: number | undefined
}

/** Each edition is asked on its own day. This day is for facts that do not depend on the day. */
const ANY_DAY = '2000-01-01'
/** The editions of a page, and as many of the table of ZIP codes. */
const MOST_RELEASES = 400

/** Sorts the newest first, and editions that begin on one day by the name of their chart. */
export const compareEditions = (a: Period, b: Period): number =>
  a.from === b.from ? (a.chart < b.chart ? -1 : 1) : a.from < b.from ? 1 : -1

/** The basis for which an edition is asked, so that it answers alone. A hospital's file is the only one for its provider. */
export const basisAsked = (
  chart: string,
  { npi, basis }: Pick<ParsedQuestion, 'npi' | 'basis'>,
  table: ChartTable,
): Basis | undefined => basis ?? (npi === null ? factsOf(chart, table)?.bases[0] : undefined)

/** The members of an edition of a history beside its answer. */
export const editionOf = (release: Manifest, { from, to }: Period) => ({
  release_id: release.release_id,
  chart: release.chart,
  edition: release.edition,
  data_class: release.data_class,
  effective_from: from,
  effective_to: to,
})

interface Item {
  release: Manifest
  period: Period
  line: Line
}

export async function checkHistory(
  facts: Facts,
  body: Members,
  asked: HistoryQuestion | undefined,
): Promise<CheckedList & CheckedCatalogue> {
  const { data, page, timeline } = body
  const isHistory = isPageOf(body, ['data', 'page', 'links', 'timeline', 'sources_lost', ...SHARED])
  ensure(isHistory && hasLostSources(body), 'not_recognised')
  ensure(listOf(isTimelineRun)(timeline), 'proof_malformed')
  const set = await RowSet.of(facts, body, MOST_RELEASES)
  const { timeline_size } = facts.state as RegistryState
  const runs = checkRuns(timeline as TimelineRun[], facts.state as RegistryState)
  let before: Period | undefined
  const items = eachOf(data as unknown[], (item) => {
    const one = takeItem(set, item, runs.flat())
    ensure(!before || compareEditions(before, one.period) < 0, 'entries_out_of_order')
    before = one.period
    return one
  })
  set.prove()
  const editions = items.map(({ release, period }) => ({ release, period }))
  const { offset, has_more } = page as PagePlace
  if (asked === undefined) {
    ensure(items.length > 0, 'nothing_proved')
    return { shown: items.map(({ line }) => line.shown), refused: 0, editions, page: { has_more } }
  }
  const question = onAnyDay(asked)
  const parsed = understood(question)
  ensure(parsed, 'question_malformed')
  const charts = chartsAsked(facts, parsed)
  const isAsked = offset === (asked.offset ?? 0) && items.every(({ period }) => charts.includes(period.chart))
  ensure(isAsked, 'answers_another_question')
  const all = allOf(runs, charts, timeline_size)
  ensure(all && isPartOf(items, all, { offset, has_more }), 'releases_left_out')
  const shown = eachOf(items, ({ line, period }) => {
    const basis = basisAsked(period.chart, parsed, facts.charts)
    return checkLine(facts, line, { ...question, basis, as_of: period.from })
  })
  return { shown, refused: 0, editions, page: { has_more, before: all[offset - 1] ?? null } }
}

/** A question that names a day is not one to a history: it gets a day that is refused. */
const onAnyDay = ({ offset: _, ...question }: HistoryQuestion): Question => ({
  ...question,
  as_of: 'as_of' in question ? '' : ANY_DAY,
})

/** Checks the answer that no file speaks for the provider. It is the same on every day. */
export function checkUnknownProvider(facts: Facts, body: Members, asked: HistoryQuestion): Promise<ShownAnswer> {
  return checkAnswer(facts, body, onAnyDay(asked))
}

/** Takes the answer of one edition. The edition and its period must be shown even if nothing was asked of it. */
function takeItem(set: RowSet, item: unknown, placed: readonly PlacedPeriod[]): Item {
  const { answer, ...members } = (item ?? {}) as Members
  ensure(typeof answer === 'object' && answer !== null && !Array.isArray(answer), 'not_recognised')
  const period = placed.find(
    ({ period: { chart, from } }) => chart === members['chart'] && from === members['effective_from'],
  )?.period
  const release = set.releases.find((each) => nameOf(each.release) === period?.release)?.release
  ensure(period && release, 'release_not_in_force')
  ensure(canonical(members) === canonical(editionOf(release, period)), 'body_contradicts_proof')
  const line = takeLine(set, answer as Members)
  // A question without a meaning is refused as a whole, and not by one edition.
  ensure(line.answer !== undefined, 'not_recognised')
  const { release: own } = line.shown
  ensure(!own || nameOf(own) === period.release, 'body_contradicts_proof')
  return { release, period, line }
}

/** The charts whose editions are asked: those that may answer, or the chart of the provider. */
function chartsAsked(facts: Facts, { npi, basis, setting }: ParsedQuestion): readonly string[] {
  if (npi === null) return chartsFor(basis, setting, facts.charts)
  const chart = facts.chartOf(npi)
  ensure(chart !== undefined, 'answers_another_question')
  return [chart]
}

/** All editions of these charts, in order; undefined if the runs do not show them. Each chart has its own run. */
function allOf(runs: readonly PlacedPeriod[][], charts: readonly string[], size: number): Period[] | undefined {
  if (runs.length !== (size === 0 ? 0 : charts.length)) return undefined
  if (!runs.every((run, i) => reachesEnds(run, charts[i], size).every(Boolean))) return undefined
  const all = runs.flatMap((run, i) => run.flatMap(({ period }) => (period.chart === charts[i] ? period : [])))
  return all.sort(compareEditions)
}

/** Whether the page is the right part of all editions. */
function isPartOf(items: readonly Item[], all: readonly Period[], { offset, has_more }: PagePlace): boolean {
  const expected = all.slice(offset, offset + items.length)
  return (
    has_more === offset + items.length < all.length &&
    (items.length > 0 || !has_more) &&
    canonical(expected) === canonical(items.map(({ period }) => period))
  )
}
