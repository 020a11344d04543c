// A batch of lookups, or a bill: each line answers the question in the same place of the list, or says why not; the
// products and totals are exact.

import type { ShownAnswer } from '../answer.ts'
import { canonical } from '../canonical-json.ts'
import type { Facts } from '../facts.ts'
import { type FailedCheck, fail } from '../fault.ts'
import { type BillLine, extended, isBilled, isUnits, summaryOf } from '../lookup/bill.ts'
import type { Adjustment } from '../lookup/modifiers.ts'
import type { Question } from '../lookup/question.ts'
import type { PricedRow } from '../price/row.ts'
import { hasOnly, type Members } from '../shape.ts'
import { checkLine, type Line, takeLine } from './line.ts'
import { type CheckedList, SHARED } from './parts.ts'
import { RowSet } from './set.ts'

/** The most lines that a batch has. */
export const MOST_LINES = 100
/** Each line may be of a day of its own, and ask four schedules and the table of ZIP codes. */
const MOST_RELEASES = 5 * MOST_LINES

/** A question of a bill. Where it has units, or what was billed, the line must have the same. */
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
): Promise<CheckedList | FailedCheck> {
  const { results, summary } = body
  if (!hasOnly(body, ['results', 'as_of', 'summary', ...SHARED]) || !Array.isArray(results))
    return fail('not_recognised')
  if (results.length > MOST_LINES) return fail('not_recognised')
  if (questions && questions.length !== results.length) return fail('answers_another_question')
  const opened = await RowSet.of(facts, body, MOST_RELEASES)
  if (!opened.ok) return opened
  const lines: BatchLine[] = []
  for (const [i, each] of results.entries()) {
    const taken = takeBatchLine(opened.set, each)
    if ('reason' in taken) return { ...taken, at: i + 1 }
    lines.push(taken)
  }
  const proved = opened.set.prove()
  if (!proved.ok) return proved
  const shown: ShownAnswer[] = []
  const bill: (BillLine | undefined)[] = []
  for (const [i, each] of lines.entries()) {
    const one = questions ? checkAsked(facts, each, questions[i] ?? {}) : each.line.shown
    if (!one.ok) return { ...one, at: i + 1 }
    const billed = billLineOf(each)
    if (billed === null) return { ...fail('body_contradicts_proof'), at: i + 1 }
    if (each.line.told !== undefined) shown.push(one)
    bill.push(billed)
  }
  if (shown.length === 0) return fail('nothing_proved')
  if (canonical(summary ?? null) !== canonical(summaryOf(bill))) return fail('body_contradicts_proof')
  return { ok: true, shown, refused: results.length - shown.length }
}

function takeBatchLine(set: RowSet, each: unknown): BatchLine | FailedCheck {
  if (typeof each !== 'object' || each === null || Array.isArray(each)) return fail('not_recognised')
  const { units = 1, billed = null, extended: stated, ...rest } = each as Members
  if (!isUnits(units) || !(billed === null || isBilled(billed))) return fail('not_recognised')
  if (rest['status'] !== 200 && stated !== undefined) return fail('not_recognised')
  const line = takeLine(set, rest)
  return line.ok ? { line, units, billed, stated } : line
}

function checkAsked(
  facts: Facts,
  { line, units, billed }: BatchLine,
  { units: ofUnits, billed: ofBilled, ...question }: Partial<BillQuestion>,
): ShownAnswer | FailedCheck {
  // What is left out was not asked; what is null was asked, and is no number of units.
  const isBilledAsked = ofBilled !== undefined && ofBilled !== ''
  const asked = { units: ofUnits === undefined ? units : ofUnits, billed: isBilledAsked ? ofBilled : billed }
  const isBill = isUnits(asked.units) && (asked.billed === null || isBilled(asked.billed))
  // What the line was sent with was refused: that is not about the question.
  if (!isBill && line.told === undefined) return line.shown
  const isSame = line.told === undefined || (asked.units === units && asked.billed === billed)
  return isSame ? checkLine(facts, line, question as Question) : fail('answers_another_question')
}

/** What a line adds to the bill; undefined if it has no price, and null if it says something else. */
function billLineOf({ line: { shown, told }, units, billed, stated }: BatchLine): BillLine | undefined | null {
  if (told === undefined || 'code' in told) return undefined
  const priced = shown.row as PricedRow
  const adjustment = (told['adjustment'] ?? undefined) as Adjustment | undefined
  const comesTo = extended(priced, adjustment, units)
  return canonical(stated ?? null) === canonical(comesTo) ? { basis: priced.basis, extended: comesTo, billed } : null
}
