// What every edition says of a code, newest first. Which editions there are is proved from the timeline, so one that was
// left out is noticed; what each of them says is proved as a line of a batch is.

import { checkAnswer, type ShownAnswer } from '../answer.ts'
import { canonical } from '../canonical-json.ts'
import { type Facts, NotProved } from '../facts.ts'
import { type FailedCheck, fail } from '../fault.ts'
import { checkLine, type Line, takeLine } from '../list/line.ts'
import { type CheckedList, SHARED } from '../list/parts.ts'
import { RowSet } from '../list/set.ts'
import { type ParsedQuestion, type Question, understood } from '../lookup/question.ts'
import { type ChartTable, chartsFor, factsOf } from '../price/charts.ts'
import type { Manifest, Period, RegistryState } from '../price/release.ts'
import type { Basis } from '../price/row.ts'
import { nameOf } from '../price/timeline.ts'
import { listOf, type Members } from '../shape.ts'
import { type CheckedCatalogue, isPageOf, type PagePlace } from './page.ts'
import { checkRuns, isTimelineRun, type PlacedPeriod, reachesEnds, type TimelineRun } from './timeline-proof.ts'

/** What a page of a history was asked for: a lookup without its day. */
export interface HistoryQuestion extends Omit<Question, 'as_of'> {
  offset?: number | undefined
}

/** Each edition is asked on a day of its own, and what does not depend on the day on this one. */
const ANY_DAY = '2000-01-01'
/** Each edition of a page, and as many of the table of ZIP codes. */
const MOST_RELEASES = 400

/** Newest first; of editions that begin on one day, by the name of their chart. */
export const compareEditions = (a: Period, b: Period): number =>
  a.from === b.from ? (a.chart < b.chart ? -1 : 1) : a.from < b.from ? 1 : -1

/** The basis that an edition is asked for, so that it answers alone. A hospital's file is the only one for its provider. */
export const basisAsked = (
  chart: string,
  { npi, basis }: Pick<ParsedQuestion, 'npi' | 'basis'>,
  table: ChartTable,
): Basis | undefined => basis ?? (npi === null ? factsOf(chart, table)?.bases[0] : undefined)

/** The members of an edition of a history that are beside its answer. */
export const editionOf = (release: Manifest, { from, to }: Period) => ({
  release_id: release.release_id,
  chart: release.chart,
  edition: release.edition,
  data_class: release.data_class,
  effective_from: from,
  effective_to: to,
})

interface Item {
  ok: true
  release: Manifest
  period: Period
  line: Line
}

export async function checkHistory(
  facts: Facts,
  body: Members,
  asked: HistoryQuestion | undefined,
): Promise<(CheckedList & CheckedCatalogue) | FailedCheck> {
  const { data, page, timeline } = body
  if (!isPageOf(body, ['data', 'page', 'links', 'timeline', ...SHARED])) return fail('not_recognised')
  if (!listOf(isTimelineRun)(timeline)) return fail('proof_malformed')
  const opened = await RowSet.of(facts, body, MOST_RELEASES)
  if (!opened.ok) return opened
  const { set } = opened
  const checked = checkRuns(timeline as TimelineRun[], facts.state as RegistryState)
  if (!checked.ok) return checked
  const items: Item[] = []
  for (const [i, item] of (data as unknown[]).entries()) {
    const one = takeItem(set, item, checked.runs.flat())
    if (!one.ok) return { ...one, at: i + 1 }
    const before = items.at(-1)
    if (before && compareEditions(before.period, one.period) >= 0) return { ...fail('entries_out_of_order'), at: i + 1 }
    items.push(one)
  }
  const proved = set.prove()
  if (!proved.ok) return proved
  const editions = items.map(({ release, period }) => ({ release, period }))
  const { offset, has_more } = page as PagePlace
  if (asked === undefined)
    return items.length > 0
      ? { ok: true, shown: items.map(({ line }) => line.shown), refused: 0, editions, page: { has_more } }
      : fail('nothing_proved')
  const question = onAnyDay(asked)
  const parsed = understood(question)
  if (parsed === undefined) return fail('question_malformed')
  const charts = chartsAsked(facts, parsed)
  if ('reason' in charts) return charts
  if (offset !== (asked.offset ?? 0) || !items.every(({ period }) => charts.includes(period.chart)))
    return fail('answers_another_question')
  const all = allOf(checked.runs, charts, (facts.state as RegistryState).timeline_size)
  if (!all || !isPartOf(items, all, { offset, has_more })) return fail('releases_left_out')
  const shown: CheckedList['shown'] = []
  for (const [i, { line, period }] of items.entries()) {
    const basis = basisAsked(period.chart, parsed, facts.charts)
    const one = checkLine(facts, line, { ...question, basis, as_of: period.from })
    if (!one.ok) return { ...one, at: i + 1 }
    shown.push(one)
  }
  return { ok: true, shown, refused: 0, editions, page: { has_more, before: all[offset - 1] ?? null } }
}

/** Each edition is asked on a day of its own: a question that names one is a question about something else. */
const onAnyDay = ({ offset: _, ...question }: HistoryQuestion): Question => ({
  ...question,
  as_of: 'as_of' in question ? '' : ANY_DAY,
})

/** In place of a history: that no file speaks for the provider. It is the same on every day. */
export function checkUnknownProvider(
  facts: Facts,
  body: Members,
  asked: HistoryQuestion,
): Promise<ShownAnswer | FailedCheck> {
  return checkAnswer(facts, body, onAnyDay(asked))
}

/** Takes what one edition says. The edition must be shown, with its period, even if nothing was asked of it. */
function takeItem(set: RowSet, item: unknown, placed: readonly PlacedPeriod[]): Item | FailedCheck {
  const { answer, ...members } = (item ?? {}) as Members
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) return fail('not_recognised')
  const period = placed.find(
    ({ period: { chart, from } }) => chart === members['chart'] && from === members['effective_from'],
  )?.period
  const release = set.releases.find((each) => nameOf(each.release) === period?.release)?.release
  if (!period || !release) return fail('release_not_in_force')
  if (canonical(members) !== canonical(editionOf(release, period))) return fail('body_contradicts_proof')
  const line = takeLine(set, answer as Members)
  if (!line.ok) return line
  // A question without a meaning is refused whole, and not by one edition.
  if (line.told === undefined) return fail('not_recognised')
  const { release: own } = line.shown
  return own && nameOf(own) !== period.release ? fail('body_contradicts_proof') : { ok: true, release, period, line }
}

/** The charts whose editions are asked: those that may answer, or the one that speaks for the provider. */
function chartsAsked(facts: Facts, { npi, basis, setting }: ParsedQuestion): readonly string[] | FailedCheck {
  if (npi === null) return chartsFor(basis, setting, facts.charts)
  try {
    const chart = facts.reply({ need: 'provider', npi }, '')
    return typeof chart === 'string' ? [chart] : fail('answers_another_question')
  } catch (error) {
    if (error instanceof NotProved) return fail('choice_not_proved')
    throw error
  }
}

/** All editions of these charts, in order, if the runs show them. Each chart has a run of its own. */
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
