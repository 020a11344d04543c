// The check of a sheet: everything in force for a code at a place and day, and proof that it is everything.

import { isOfEdition, isPlacedBy } from '../answer.ts'
import { isSame } from '../evidence.ts'
import { eachOf, ensure } from '../fault.ts'
import { understood } from '../lookup/question.ts'
import { SHEET_PARTS, type SheetQuestion, sheetFor } from '../lookup/sheet.ts'
import { isSideMember, sideMember } from '../lookup/side.ts'
import { isChart } from '../price/release.ts'
import { registryOn, withoutCode } from '../proved-registry.ts'
import { hasOnly, isDay, listOf, type Members } from '../shape.ts'
import { ShownRows } from '../shown-rows.ts'
import { type CheckedList, type FactsOfBody, rowAnswer } from './checked-list.ts'

/** A state with many localities has about a hundred rows for a code. */
const MOST_ROWS = 2_000

export async function checkSheet(
  body: Members,
  question: SheetQuestion | undefined,
  factsOf: FactsOfBody,
): Promise<CheckedList> {
  const { data, place, side, not_held, as_of } = body
  const isSheet =
    hasOnly(body, ['data', 'place', 'side', 'not_held', 'as_of', 'proof']) &&
    Array.isArray(data) &&
    data.length <= MOST_ROWS &&
    (side === undefined || isSideMember(side)) &&
    (not_held === undefined || listOf(isChart, 64, 1)(not_held)) &&
    isDay(as_of)
  ensure(isSheet, 'not_recognised')
  ensure(data.length > 0, 'nothing_proved')
  const shown = new ShownRows()
  const rows = eachOf(data, (each) => shown.take(each))
  const placed = place === undefined ? undefined : shown.takePlace(place)
  const evidence = await factsOf(shown)
  const answers = rows.map((row) => rowAnswer(evidence, row))
  if (question === undefined) return { evidence, answers }
  const asked = understood(question, SHEET_PARTS)
  ensure(asked, 'question_malformed')
  const { cpt, day } = asked
  const sheet = sheetFor(asked, registryOn(evidence, day), evidence.charts)
  const isAnswer =
    sheet.outcome === 'sheet' &&
    as_of === day &&
    isSame(side, sideMember(asked)) &&
    isSame(not_held ?? [], sheet.notHeld) &&
    isPlacedBy(evidence, placed, sheet.place, day) &&
    rows.length === sheet.rows.length &&
    rows.every((row, i) => {
      const found = sheet.rows[i]
      return found && isSame(row.row, found.row) && isOfEdition(evidence, row, found.chart, day)
    })
  ensure(isAnswer, 'answers_another_question')
  const lacking = withoutCode(evidence, cpt, day)
  return { evidence, answers: answers.map((each, i) => (i === 0 ? { ...each, lacking } : each)) }
}
