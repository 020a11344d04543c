// The check of a sheet: everything in force for a code at a place and day, and proof that it is everything.

import { isEdition, isPlacedBy } from '../answer.ts'
import { canonical } from '../canonical-json.ts'
import type { Facts } from '../facts.ts'
import { eachOf, ensure } from '../fault.ts'
import { type ParsedQuestion, understood } from '../lookup/question.ts'
import { type SheetQuestion, type SheetRow, sheetFor } from '../lookup/sheet.ts'
import { hasLostSources } from '../price/lost-source.ts'
import { isChart } from '../price/release.ts'
import { type AnyRow, rowText } from '../price/row.ts'
import { hasOnly, isDay, listOf, type Members } from '../shape.ts'
import { type CheckedList, SHARED, shownRow } from './parts.ts'
import { RowSet, type ShownRow } from './set.ts'

/** A state with many localities has about a hundred rows for a code. */
const MOST_ROWS = 2_000

export async function checkSheet(
  facts: Facts,
  body: Members,
  question: SheetQuestion | undefined,
): Promise<CheckedList> {
  const { data, because, place, not_held, as_of } = body
  const isSheet =
    hasOnly(body, ['data', 'because', 'place', 'not_held', 'as_of', 'sources_lost', ...SHARED]) &&
    hasLostSources(body) &&
    Array.isArray(data) &&
    data.length <= MOST_ROWS &&
    listOf(isChart)(not_held) &&
    isDay(as_of)
  ensure(isSheet, 'not_recognised')
  const set = await RowSet.of(facts, body)
  const rows = eachOf(data, (each) => set.take(each))
  const placed = place === undefined ? undefined : set.takePlace(place)
  set.takeBecause(because)
  set.prove()
  ensure(rows.length > 0, 'nothing_proved')
  const shown = rows.map(shownRow)
  if (question === undefined) return { shown, refused: 0 }
  const asked = understood(question, ['cpt', 'as_of', 'region', 'npi'])
  ensure(asked, 'question_malformed')
  const sheet = sheetFor(facts.on(asked.day), asked, facts.charts)
  const isAnswer =
    sheet.outcome === 'sheet' &&
    as_of === asked.day &&
    canonical(not_held) === canonical(sheet.notHeld) &&
    isPlacedBy(facts, { place: placed }, sheet.place, asked.day) &&
    rows.length === sheet.rows.length &&
    rows.every((row, i) => isSameRow(facts, row, sheet.rows[i] as SheetRow, asked))
  ensure(isAnswer, 'answers_another_question')
  const lacking = facts.withoutCode(asked.cpt, asked.day)
  return { shown: shown.map((each, i) => (i === 0 ? { ...each, lacking } : each)), refused: 0 }
}

/** Whether a row is the one that the rule found, in its edition: two editions may have the same row. */
const isSameRow = (
  facts: Facts,
  { row, release }: ShownRow<AnyRow>,
  found: SheetRow,
  { day }: ParsedQuestion,
): boolean => rowText(row) === rowText(found.row) && isEdition(facts, release, found.chart, day)
