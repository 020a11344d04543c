// The check of a batch of lookups, or of a bill: each line answers the question at the same place of the list, or says why
// not. Products and totals are exact.

import type { CheckedAnswer } from '../answer.ts'
import { pricedRow } from '../answer.ts'
import { isSame } from '../evidence.ts'
import { eachOf, ensure } from '../fault.ts'
import { type BillLine, extended, isBilled, isUnits, summaryOf } from '../lookup/bill.ts'
import type { Adjustment } from '../lookup/modifiers.ts'
import type { Question } from '../lookup/question.ts'
import { hasOnly, isObject, type Members } from '../shape.ts'
import { ShownRows } from '../shown-rows.ts'
import type { CheckedList, FactsOfBody } from './checked-list.ts'
import { checkLine, nothing, type TakenLine, takeLine } from './line.ts'

/** The most lines that a batch has. */
export const MOST_LINES = 100

/** A line of a bill as it was sent. If it has units, or the amount billed, the answer must have the same. */
export interface BillQuestion extends Question {
  units?: number | undefined
  billed?: string | undefined
}

interface BatchLine {
  line: TakenLine
  units: number
  billed: string | null
  stated: unknown
}

export async function checkBatch(
  body: Members,
  questions: readonly BillQuestion[] | undefined,
  factsOf: FactsOfBody,
): Promise<CheckedList> {
  const { results, summary } = body
  const isBatch = hasOnly(body, ['results', 'as_of', 'summary', 'proof']) && Array.isArray(results) && isObject(summary)
  ensure(isBatch && results.length <= MOST_LINES, 'not_recognised')
  ensure(!questions || questions.length === results.length, 'answers_another_question')
  const shown = new ShownRows()
  const lines = eachOf(results, (each) => takeBatchLine(shown, each))
  ensure(
    lines.some(({ line }) => line !== undefined),
    'nothing_proved',
  )
  const evidence = await factsOf(shown)
  const answers: CheckedAnswer[] = []
  const bill = eachOf(lines, (each, i) => {
    const question = questions && questionTo(each, questions[i] as BillQuestion)
    const one = question === 'units' ? nothing : checkLine(evidence, each.line, question)
    if (each.line !== undefined) answers.push(one)
    return billLineOf(each)
  })
  ensure(isSame(summary, summaryOf(bill)), 'sum_mismatch')
  return { evidence, answers, refused: results.length - answers.length }
}

function takeBatchLine(shown: ShownRows, each: unknown): BatchLine {
  ensure(isObject(each), 'not_recognised')
  const { units = 1, billed = null, extended: stated, ...rest } = each
  ensure(isUnits(units) && each['billed'] !== null && (billed === null || isBilled(billed)), 'not_recognised')
  ensure(rest['status'] === 200 || stated === undefined, 'not_recognised')
  return { line: takeLine(shown, rest), units, billed, stated }
}

/** The question to a line, if its units and its amount are those that were sent. `units`: these were refused themselves. */
function questionTo(
  { line, units, billed }: BatchLine,
  { units: ofUnits, billed: ofBilled, ...question }: BillQuestion,
): Question | 'units' {
  // Units that are left out were not asked for. Null was, and is not a number of units.
  const isBilledAsked = ofBilled !== undefined && ofBilled !== ''
  const asked = { units: ofUnits === undefined ? units : ofUnits, billed: isBilledAsked ? ofBilled : billed }
  const isBill = isUnits(asked.units) && (asked.billed === null || isBilled(asked.billed))
  // That says nothing about the question of the line.
  if (!isBill && line === undefined) return 'units'
  const isAsked = line === undefined || (asked.units === units && asked.billed === billed)
  ensure(isAsked, 'answers_another_question')
  return question
}

/** The part of a line in the totals; undefined if it has no price. */
function billLineOf({ line, units, billed, stated }: BatchLine): BillLine | undefined {
  const priced = line && 'code' in line.stated ? undefined : line && pricedRow(line)
  if (!line || !priced) return undefined
  const comesTo = extended(priced, line.stated['adjustment'] as Adjustment | undefined, units)
  ensure(isSame(stated, comesTo), 'sum_mismatch')
  return { basis: priced.basis, extended: comesTo, billed }
}
