// A sheet: everything in force for a code at a place and day, and proof that it is everything.

import { isEdition, isPlacedBy, runRule, type ShownAnswer } from '../answer.ts'
import { canonical } from '../canonical-json.ts'
import type { Facts } from '../facts.ts'
import { type FailedCheck, fail } from '../fault.ts'
import { type ParsedQuestion, understood } from '../lookup/question.ts'
import { type SheetQuestion, type SheetRow, sheetFor } from '../lookup/sheet.ts'
import { isChart } from '../price/release.ts'
import { type AnyRow, rowText } from '../price/row.ts'
import { hasOnly, isDay, listOf, type Members } from '../shape.ts'
import { type CheckedList, SHARED } from './parts.ts'
import { RowSet, type ShownRow } from './set.ts'

/** A state with many localities has some hundred rows for a code. */
const MOST_ROWS = 2_000

export async function checkSheet(
  facts: Facts,
  body: Members,
  question: SheetQuestion | undefined,
): Promise<CheckedList | FailedCheck> {
  const { data, because, place, not_held, as_of } = body
  const isSheet =
    hasOnly(body, ['data', 'because', 'place', 'not_held', 'as_of', ...SHARED]) &&
    Array.isArray(data) &&
    data.length <= MOST_ROWS &&
    listOf(isChart)(not_held) &&
    isDay(as_of)
  if (!isSheet) return fail('not_recognised')
  const opened = await RowSet.of(facts, body)
  if (!opened.ok) return opened
  const { set } = opened
  const rows: ShownRow[] = []
  for (const [i, each] of data.entries()) {
    const taken = set.take(each)
    if (!taken.ok) return { ...taken, at: i + 1 }
    rows.push(taken)
  }
  const placed = place === undefined ? undefined : set.takePlace(place)
  if (placed && !placed.ok) return placed
  const evidence = set.takeBecause(because)
  if (!evidence.ok) return evidence
  const proved = set.prove()
  if (!proved.ok) return proved
  if (rows.length === 0) return fail('nothing_proved')
  const shown = rows.map(
    ({ row, release }): ShownAnswer => ({ ok: true, row, release, lapsed: false, decision: undefined, lacking: [] }),
  )
  if (question === undefined) return { ok: true, shown, refused: 0 }
  const asked = understood(question, ['cpt', 'as_of', 'region', 'npi'])
  if (asked === undefined) return fail('question_malformed')
  const sheet = runRule(facts, sheetFor(asked, facts.charts), asked.day)
  if ('reason' in sheet) return sheet
  const isAnswer =
    sheet.outcome === 'sheet' &&
    as_of === asked.day &&
    canonical(not_held) === canonical(sheet.notHeld) &&
    isPlacedBy(facts, { place: placed }, sheet.place, asked.day) &&
    rows.length === sheet.rows.length &&
    rows.every((row, i) => isThe(facts, row, sheet.rows[i] as SheetRow, asked))
  if (!isAnswer) return fail('answers_another_question')
  const lacking = facts.withoutCode(asked.cpt, asked.day).map((release) => ({ cpt: asked.cpt, release }))
  return { ok: true, shown: [{ ...(shown[0] as ShownAnswer), lacking }, ...shown.slice(1)], refused: 0 }
}

/** The same row may stand in two editions. */
const isThe = (facts: Facts, { row, release }: ShownRow<AnyRow>, found: SheetRow, { day }: ParsedQuestion): boolean =>
  rowText(row) === rowText(found.row) && isEdition(facts, release, found.chart, day)
