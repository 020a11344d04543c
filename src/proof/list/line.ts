// One answer among several: a line of a batch, or what one edition says in a history.

import { checkBeside, checkQuestion, isSaidOf, PROBLEM, type ShownAnswer } from '../answer.ts'
import type { Facts } from '../facts.ts'
import { type FailedCheck, fail, type Verdict } from '../fault.ts'
import { type Question, understood } from '../lookup/question.ts'
import { hasOnly, isObject, type Members } from '../shape.ts'
import type { RowSet } from './set.ts'

const ANSWER = ['row', 'because', 'place', 'modifiers_ignored', 'adjustment']
const REFUSAL = [...PROBLEM, 'row', 'because', 'place', 'charts', 'available', 'choices']

/** A line whose rows have been taken, to be proved with those of all the others. */
export interface Line {
  ok: true
  /** The answer without what proves it; undefined where the question itself was refused. */
  told: Members | undefined
  shown: ShownAnswer
}

const nothing: ShownAnswer = {
  ok: true,
  row: undefined,
  release: undefined,
  lapsed: false,
  decision: undefined,
  lacking: [],
}

/** Takes the rows of a line: `{status: 200, row, …}`, or status 404 or 400 with `problem`. */
export function takeLine(set: RowSet, { status, ...line }: Members): Line | FailedCheck {
  if (status === 200) {
    if (!hasOnly(line, ANSWER) || line['row'] === undefined) return fail('not_recognised')
    const taken = takeAnswer(set, line)
    if (!taken.ok) return taken
    if (!taken.shown.row || !('price' in taken.shown.row)) return fail('body_contradicts_proof')
    const beside = checkBeside(line, taken.shown.row)
    return beside.ok ? taken : beside
  }
  const { problem } = line
  if (!hasOnly(line, ['problem'])) return fail('not_recognised')
  // A refusal of the question itself proves nothing: what it says is the server's word.
  if (status === 400)
    return problem === undefined || (isObject(problem) && hasOnly(problem, PROBLEM))
      ? { ok: true, told: undefined, shown: nothing }
      : fail('not_recognised')
  if (status !== 404) return fail('not_recognised')
  // A price told as a refusal would be missing in the totals.
  const refusal = isObject(problem) ? problem : {}
  if (typeof refusal['code'] !== 'string' || !hasOnly(refusal, REFUSAL)) return fail('not_recognised')
  const taken = takeAnswer(set, refusal)
  const { row } = taken.ok ? taken.shown : nothing
  return row && !isSaidOf(refusal['code'], row) ? fail('body_contradicts_proof') : taken
}

function takeAnswer(set: RowSet, { row, place, because, ...told }: Members): Line | FailedCheck {
  const main = row === undefined ? undefined : set.take(row)
  if (main && !main.ok) return main
  const placed = place === undefined ? undefined : set.takePlace(place)
  if (placed && !placed.ok) return placed
  const evidence: Verdict = because === undefined ? { ok: true } : set.takeBecause(because)
  if (!evidence.ok) return evidence
  return { ok: true, told, shown: { ...nothing, row: main?.row, release: main?.release, place: placed } }
}

/** Whether a line answers its question, once the rows of the list are facts. */
export function checkLine(facts: Facts, { told, shown }: Line, question: Question): ShownAnswer | FailedCheck {
  if (told !== undefined) return checkQuestion(facts, told, shown, question)
  // A question that has a meaning has an answer: to refuse it would hide the answer.
  return understood(question) === undefined ? shown : fail('answers_another_question')
}
