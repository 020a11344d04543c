// The check of a history: the answer of every edition for a code, newest first. The timeline shows all editions of the charts that
// may answer, so that none can be left out, and an empty page after the last one is proved too.

import type { CheckedAnswer } from '../answer.ts'
import { isText } from '../canonical-json.ts'
import { type Evidence, isSame } from '../evidence.ts'
import { eachOf, ensure } from '../fault.ts'
import { type CheckedList, type FactsOfBody, isPageOf, type PagePlace, rowAnswer } from '../list/checked-list.ts'
import { checkLine, type TakenLine, takeLine } from '../list/line.ts'
import { type ParsedQuestion, type Question, understood } from '../lookup/question.ts'
import { type ChartTable, factsOf as chartFacts, chartsFor, keyPrefix, kindOfRows } from '../price/charts.ts'
import { isEditKind } from '../price/edit-row.ts'
import { type Manifest, type Period, periodKey } from '../price/release.ts'
import type { Basis } from '../price/row.ts'
import { chartOf } from '../proved-registry.ts'
import { hasOnly, isObject, type Members } from '../shape.ts'
import { ShownRows, type StatedRow } from '../shown-rows.ts'

/** The question to a page of a history: a lookup without its day, or a code and a chart of bill edits. */
export interface HistoryQuestion extends Omit<Question, 'as_of'> {
  offset?: number | undefined
  chart?: string | undefined
}

/** Each edition is asked on its own day. This day is for facts that do not depend on the day. */
const ANY_DAY = '2000-01-01'

/** Sorts the newest first, and editions that begin on one day by the name of their chart. */
export const compareEditions = (a: Period, b: Period): number =>
  a.from === b.from ? (a.chart < b.chart ? -1 : 1) : a.from < b.from ? 1 : -1

/** The basis for which an edition is asked, so that it answers alone. A hospital's file is the only one for its provider. */
export const basisAsked = (
  chart: string,
  { npi, basis }: Pick<ParsedQuestion, 'npi' | 'basis'>,
  table: ChartTable,
): Basis | undefined => basis ?? (npi === null ? chartFacts(chart, table)?.bases[0] : undefined)

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
  members: Members
  line: TakenLine
  /** In a history of edits: a limit, pairs or primary codes, or null for none. */
  edit?: StatedRow | null
}

export async function checkHistory(
  body: Members,
  asked: HistoryQuestion | undefined,
  factsOf: FactsOfBody,
): Promise<CheckedList> {
  const { data, page } = body
  ensure(isPageOf(body, []), 'not_recognised')
  const shown = new ShownRows()
  const items = eachOf(data as unknown[], (item) => takeItem(shown, item))
  ensure(asked !== undefined || items.length > 0, 'nothing_proved')
  const evidence = await factsOf(shown)
  let before: Period | undefined
  const editions = eachOf(items, (item) => {
    const edition = editionIn(evidence, item)
    ensure(!before || compareEditions(before, edition.period) < 0, 'entries_out_of_order')
    before = edition.period
    return edition
  })
  const { offset, has_more } = page as PagePlace
  const checked = { evidence, editions, page: { has_more } }
  if (asked === undefined)
    return {
      ...checked,
      answers: eachOf(items, ({ line, edit }) =>
        edit ? rowAnswer(evidence, edit) : checkLine(evidence, line, undefined),
      ),
    }
  const { chart: ofEdits, ...lookup } = asked
  const question = onAnyDay(lookup)
  const parsed = understood(question)
  ensure(parsed, 'question_malformed')
  ensure(ofEdits === undefined || isOfEdits(ofEdits, lookup), 'question_malformed')
  const charts = ofEdits === undefined ? chartsAsked(evidence, parsed) : [ofEdits]
  const isAsked = offset === (asked.offset ?? 0) && editions.every(({ period }) => charts.includes(period.chart))
  ensure(isAsked, 'answers_another_question')
  const all = charts.flatMap((chart) => periodsOf(evidence, chart)).sort(compareEditions)
  const listed = editions.map(({ period }) => period)
  const isWhole =
    has_more === offset + listed.length < all.length &&
    (listed.length > 0 || !has_more) &&
    isSame(all.slice(offset, offset + listed.length), listed)
  ensure(isWhole, 'releases_left_out')
  if (ofEdits !== undefined)
    return { ...checked, answers: eachOf(items, (item, i) => checkEdit(evidence, item, editions[i], parsed.cpt)) }
  const answers = eachOf(items, ({ line, edit }, i) => {
    ensure(edit === undefined, 'answers_another_question')
    const { chart, from } = (editions[i] as { period: Period }).period
    return checkLine(evidence, line, { ...question, basis: basisAsked(chart, parsed, evidence.charts), as_of: from })
  })
  return { ...checked, answers }
}

/** A question that names a day is not one to a history: it gets a day that is refused. */
export const onAnyDay = ({ offset: _, ...question }: HistoryQuestion): Question => ({
  ...question,
  as_of: 'as_of' in question ? '' : ANY_DAY,
})

function takeItem(shown: ShownRows, item: unknown): Item {
  const { answer, ...members } = (isObject(item) ? item : {}) as Members
  ensure(isObject(answer), 'not_recognised')
  if (isObject(answer['row']) && isEditKind(answer['row']['kind'])) {
    ensure(hasOnly(answer, ['status', 'row']) && answer['status'] === 200, 'not_recognised')
    return { members, line: undefined, edit: shown.take(answer['row']) }
  }
  // A table of edits has no steps of the lookup: its refusal names none.
  const { problem } = answer
  if (answer['status'] === 404 && isObject(problem) && problem['rule'] === undefined && problem['code'] === NO_ROW) {
    ensure(
      hasOnly(answer, ['status', 'problem']) && hasOnly(problem, ['code', 'detail', 'agent_hint']),
      'not_recognised',
    )
    return { members, line: undefined, edit: null }
  }
  const line = takeLine(shown, answer)
  // A question without a meaning is refused as a whole, and not by one edition.
  ensure(line !== undefined, 'not_recognised')
  return { members, line }
}

/** The edition of an item, which must be shown even if nothing was asked of it. */
function editionIn({ releases }: Evidence, { members, line, edit }: Item): { release: Manifest; period: Period } {
  const found = releases.find(({ release }) => release.release_id === members['release_id'])
  const { release, period } = found ?? {}
  ensure(release && period, 'release_not_in_force')
  ensure(isSame(members, editionOf(release, period)), 'body_contradicts_proof')
  const stated = edit ?? line?.row
  const own = stated && releases[stated.pointer.release]
  ensure(!own || own === found, 'body_contradicts_proof')
  return { release, period }
}

const NO_ROW = 'not_on_schedule'

/** A history of edits is asked by a code and a chart of edits, and by nothing else. */
const isOfEdits = (chart: string, { offset: _, cpt, ...others }: Omit<HistoryQuestion, 'chart'>): boolean =>
  isEditKind(kindOfRows(chart)) && Object.values(others).every((part) => part === undefined) && isText(cpt)

/** Checks what an edition of a table of edits says of a code: its row, or that it has none. */
function checkEdit(
  { releases }: Evidence,
  { edit }: Item,
  edition: { release: Manifest } | undefined,
  code: string,
): CheckedAnswer {
  const found = releases.find(({ release }) => release === edition?.release)
  const rows = found?.rows.under(keyPrefix(found.release.chart, code))
  ensure(found && rows, 'choice_not_proved')
  const [row] = rows
  ensure(edit !== undefined && isSame(edit?.row, row), 'answers_another_question')
  return { row, release: row && found.release, decision: undefined, lacking: [] }
}

/** The charts whose editions are asked: those that may answer, or the chart of the provider. */
function chartsAsked(evidence: Evidence, question: ParsedQuestion): readonly string[] {
  if (question.npi === null) return chartsFor(question, evidence.charts)
  const chart = chartOf(evidence, question.npi)
  ensure(chart !== undefined, 'answers_another_question')
  return [chart]
}

function periodsOf({ timeline }: Evidence, chart: string): Period[] {
  const periods = timeline.under(periodKey({ chart, from: '' }))
  ensure(periods, 'releases_left_out')
  return periods
}
