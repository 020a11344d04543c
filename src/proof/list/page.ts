// The check of a page of the registry: rows in the order of charts and keys. A row that is left out between two others is noticed.

import type { Evidence } from '../evidence.ts'
import { eachOf, ensure } from '../fault.ts'
import { capitals, codeOf, hasOnlyTexts } from '../lookup/question.ts'
import type { Manifest } from '../price/release.ts'
import { type AnyRow, isOfPrices } from '../price/row.ts'
import { isInForce } from '../proved-registry.ts'
import { hasOnly, isDay, type Members } from '../shape.ts'
import { ShownRows } from '../shown-rows.ts'
import { type CheckedList, type FactsOfBody, rowAnswer } from './checked-list.ts'

/** The question to a page of rows. */
export interface PageQuestion {
  as_of: string
  cpt?: string | undefined
  region?: string | undefined
  npi?: string | undefined
  chart?: string | undefined
}

const PARTS = ['as_of', 'cpt', 'region', 'npi', 'chart']
const MOST_ROWS = 200

/**
 * Checks a page of the registry. Unless the filter is by region or provider alone, the rows of each release are neighbours, and
 * each release is on the page once.
 */
export async function checkPage(
  body: Members,
  asked: PageQuestion | undefined,
  factsOf: FactsOfBody,
): Promise<CheckedList> {
  const { data, as_of } = body
  const isPage = hasOnly(body, ['data', 'page', 'links', 'as_of', 'proof']) && Array.isArray(data) && isDay(as_of)
  ensure(isPage && data.length <= MOST_ROWS, 'not_recognised')
  ensure(data.length > 0, 'nothing_proved')
  const shown = new ShownRows()
  eachOf(data, (item) => shown.take(item))
  const evidence = await factsOf(shown)
  const isScattered = asked === undefined || (asked.cpt === undefined && (asked.region ?? asked.npi) !== undefined)
  let before: { release: number; index: number } | undefined
  for (const { pointer } of shown.all) {
    const follows =
      !before ||
      pointer.release > before.release ||
      (pointer.release === before.release &&
        (isScattered ? pointer.index > before.index : pointer.index === before.index + 1))
    ensure(follows, 'rows_left_out')
    before = pointer
  }
  const answers = shown.all.map((row) => rowAnswer(evidence, row))
  if (asked === undefined) return { evidence, answers }
  ensure(hasOnlyTexts(asked, PARTS) && asked.as_of !== undefined, 'question_malformed')
  const isAnswer =
    as_of === asked.as_of &&
    answers.every(({ row, release }) => fitsPage(evidence, asked, row as AnyRow, release as Manifest))
  ensure(isAnswer, 'answers_another_question')
  return { evidence, answers }
}

/** Whether a row belongs on a page that was asked for with these filters. */
function fitsPage(evidence: Evidence, asked: PageQuestion, row: AnyRow, release: Manifest): boolean {
  if (!isInForce(evidence, release, asked.as_of)) return false
  if (asked.chart !== undefined && asked.chart !== release.chart) return false
  const { cpt, region, npi } = asked
  if ('zip' in row) return cpt === undefined && region === undefined && npi === undefined
  // A limit and an edit hold for the whole country and for every provider: no row names either.
  if (!isOfPrices(row))
    return (cpt === undefined || row.code === codeOf(cpt)) && region === undefined && npi === undefined
  return (
    (cpt === undefined || row.code === codeOf(cpt)) &&
    (region === undefined || capitals(row.region) === capitals(region)) &&
    (npi === undefined || row.npi === npi)
  )
}
