// The check of a batch of lookups, or of a bill: each line answers the question at the same place of the list, or says why
// not. Products and totals are exact.

import type { ShownAnswer } from '../answer.ts'
import { canonical } from '../canonical-json.ts'
import type { Facts } from '../facts.ts'
import { eachOf, ensure } from '../fault.ts'
import { type BillLine, extended, isBilled, isUnits, summaryOf } from '../lookup/bill.ts'
import type { Adjustment } from '../lookup/modifiers.ts'
import type { Question } from '../lookup/question.ts'
import { hasLostSources } from '../price/lost-source.ts'
import type { PricedRow } from '../price/row.ts'
import { hasOnly, type Members } from '../shape.ts'
import { checkLine, type Line, takeLine } from './line.ts'
import { type CheckedList, SHARED } from './parts.ts'
import { RowSet } from './set.ts'

/** The most lines that a batch has. */
export const MOST_LINES = 100
/** Each line may have its own day, and search four schedules and the table of ZIP codes. */
const MOST_RELEASES = 5 * MOST_LINES

/** A line of a bill as it was sent. If it has units, or the amount billed, the answer must have the same. */
export interface BillQuestion extends Question {
  units?: number | undefined
  billed?: string | undefined
}

interface BatchLine {
  line: Line
  units: number
  billed: string | null
  stated: unknown
}

export async function checkBatch(
  facts: Facts,
  body: Members,
  questions: readonly BillQuestion[] | undefined,
): Promise<CheckedList> {
  const { results, summary } = body
  const isBatch = hasOnly(body, ['results', 'as_of', 'summary', 'sources_lost', ...SHARED]) && Array.isArray(results)
  ensure(isBatch && results.length <= MOST_LINES && hasLostSources(body), 'not_recognised')
  ensure(!questions || questions.length === results.length, 'answers_another_question')
  const set = await RowSet.of(facts, body, MOST_RELEASES)
  const lines = eachOf(results, (each) => takeBatchLine(set, each))
  set.prove()
  const shown: ShownAnswer[] = []
  const bill = eachOf(lines, (each, i) => {
    const one = questions ? checkAsked(facts, each, questions[i] ?? {}) : each.line.shown
    if (each.line.answer !== undefined) shown.push(one)
    return billLineOf(each)
  })
  ensure(shown.length > 0, 'nothing_proved')
  ensure(canonical(summary ?? null) === canonical(summaryOf(bill)), 'body_contradicts_proof')
  return { shown, refused: results.length - shown.length }
}

function takeBatchLine(set: RowSet, each: unknown): BatchLine {
  ensure(typeof each === 'object' && each !== null && !Array.isArray(each), 'not_recognised')
  const { units = 1, billed = null, extended: stated, ...rest } = each as Members
  ensure(isUnits(units) && (billed === null || isBilled(billed)), 'not_recognised')
  ensure(rest['status'] === 200 || stated === undefined, 'not_recognised')
  return { line: takeLine(set, rest), units, billed, stated }
}

function checkAsked(
  facts: Facts,
  { line, units, billed }: BatchLine,
  { units: ofUnits, billed: ofBilled, ...question }: Partial<BillQuestion>,
): ShownAnswer {
  // Units that are left out were not asked for. Null was, and is not a number of units.
  const isBilledAsked = ofBilled !== undefined && ofBilled !== ''
  const asked = { units: ofUnits === undefined ? units : ofUnits, billed: isBilledAsked ? ofBilled : billed }
  const isBill = isUnits(asked.units) && (asked.billed === null || isBilled(asked.billed))
  // The units or the amount of the line were refused. That says nothing about its question.
  if (!isBill && line.answer === undefined) return line.shown
  const isSame = line.answer === undefined || (asked.units === units && asked.billed === billed)
  ensure(isSame, 'answers_another_question')
  return checkLine(facts, line, question as Question)
}

/** The part of a line in the totals; undefined if it has no price. */
function billLineOf({ line: { shown, answer }, units, billed, stated }: BatchLine): BillLine | undefined {
  if (answer === undefined || 'code' in answer) return undefined
  const priced = shown.row as PricedRow
  const adjustment = (answer['adjustment'] ?? undefined) as Adjustment | undefined
  const comesTo = extended(priced, adjustment, units)
  ensure(canonical(stated ?? null) === canonical(comesTo), 'body_contradicts_proof')
  return { basis: priced.basis, extended: comesTo, billed }
}
