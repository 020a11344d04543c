// The check of a page of what is in force on a day: each edition with its manifest, and the stretch of the timeline that the page
// accounts for, so that an edition that was left out is noticed.

import { isSame } from '../evidence.ts'
import { eachOf, ensure } from '../fault.ts'
import { type CheckedList, type FactsOfBody, isPageOf, type PagePlace } from '../list/checked-list.ts'
import type { Manifest, Period } from '../price/release.ts'
import { count, hasOnly, isDay, isObject, type Members } from '../shape.ts'
import { ShownRows } from '../shown-rows.ts'
import { beginsAt, endOf, leavesIn } from './stretch.ts'

/** The question to a page of coverage. */
export interface CoverageQuestion {
  as_of: string
  chart?: string | undefined
  /** With one of these only some charts are listed, and that the others do not fit is the server's word. */
  cpt?: string | undefined
  npi?: string | undefined
  offset?: number | undefined
}

/** A listed edition. What it holds stands in its member `about`: that is the server's word. */
export const listedEdition = (release: Manifest, { from, to }: Period) => ({
  kind: 'chart' as const,
  chart: release.chart,
  publisher: release.publisher,
  release_id: release.release_id,
  edition: release.edition,
  effective_from: release.effective_from,
  in_force: { from, to },
  data_class: release.data_class,
  rows: release.row_count,
})

export const holds = ({ from, to }: Period, day: string): boolean => from <= day && day <= to

export async function checkCoverage(
  body: Members,
  asked: CoverageQuestion | undefined,
  factsOf: FactsOfBody,
): Promise<CheckedList> {
  const { data, page } = body
  const [from, as_of] = [body['from'] as number, body['as_of'] as string]
  ensure(isPageOf(body, ['as_of', 'from']) && isDay(as_of) && count(from), 'not_recognised')
  const evidence = await factsOf(new ShownRows())
  const { timeline, releases } = evidence
  let before = -1
  const listed = eachOf(data as unknown[], (item) => {
    const { about: _, ...members } = (isObject(item) ? item : {}) as Members
    const found = releases.find(({ release }) => release.release_id === members['release_id'])
    const { release, period } = found ?? {}
    ensure(release && period && holds(period, as_of), 'release_not_in_force')
    ensure(isSame(members, listedEdition(release, period)), 'body_contradicts_proof')
    const index = timeline.all.find(({ leaf }) => leaf === period)?.index ?? -1
    ensure(before < index, 'entries_out_of_order')
    before = index
    return { release, period, index }
  })
  const isPartial = asked === undefined || asked.cpt !== undefined || asked.npi !== undefined
  ensure(listed.length > 0 || !isPartial, 'nothing_proved')
  const editions = listed.map(({ release, period }) => ({ release, period }))
  const { offset, has_more } = page as PagePlace
  const checked = { evidence, answers: [], editions }
  if (asked === undefined) return { ...checked, page: { has_more } }
  ensure(hasOnly({ ...asked }, ['as_of', 'chart', 'cpt', 'npi', 'offset']), 'question_malformed')
  const isOf = ({ chart }: Period): boolean => (asked.chart ?? chart) === chart
  const isAsked = as_of === asked.as_of && offset === (asked.offset ?? 0) && listed.every(({ period }) => isOf(period))
  ensure(isAsked, 'answers_another_question')
  if (isPartial) return { ...checked, page: { has_more } }
  // A page with more after it has editions: an empty one would hide them by ending too soon.
  ensure(!has_more || listed.length > 0, 'releases_left_out')
  const to = has_more ? before + 1 : endOf(evidence, from, asked.chart)
  const due = leavesIn(evidence, from, to).filter((period) => isOf(period) && holds(period, as_of))
  const isWhole =
    (offset > 0 || beginsAt(evidence, from, asked.chart)) &&
    isSame(
      due,
      listed.map(({ period }) => period),
    )
  ensure(isWhole, 'releases_left_out')
  return { ...checked, page: { has_more, from, to } }
}
