// One answer among several: a line of a batch, or what one edition says in a history.

import { checkBeside, checkQuestion, fitsRefusal, PROBLEM, type ShownAnswer } from '../answer.ts'
import type { Facts } from '../facts.ts'
import { ensure } from '../fault.ts'
import { type Question, understood } from '../lookup/question.ts'
import { hasOnly, isObject, type Members } from '../shape.ts'
import type { RowSet } from './set.ts'

const ANSWER = ['row', 'because', 'place', 'modifiers_ignored', 'adjustment']
const REFUSAL = [...PROBLEM, 'row', 'because', 'place', 'charts', 'available', 'choices']

/** A line whose rows were taken, to be proved together with those of all other lines. */
export interface Line {
  /** The answer without its proofs; undefined if the question itself was refused. */
  answer: Members | undefined
  shown: ShownAnswer
}

const nothing: ShownAnswer = {
  row: undefined,
  release: undefined,
  place: undefined,
  lapsed: false,
  decision: undefined,
  lacking: [],
}

/** Takes the rows of a line: `{status: 200, row, …}`, or status 404 or 400 with `problem`. */
export function takeLine(set: RowSet, { status, ...line }: Members): Line {
  if (status === 200) {
    ensure(hasOnly(line, ANSWER) && line['row'] !== undefined, 'not_recognised')
    const taken = takeAnswer(set, line)
    const { row } = taken.shown
    ensure(row && 'price' in row, 'body_contradicts_proof')
    checkBeside(line, row)
    return taken
  }
  const { problem } = line
  ensure(hasOnly(line, ['problem']) && (status === 400 || status === 404), 'not_recognised')
  const refusal = isObject(problem) ? problem : {}
  // A refusal of the question itself proves nothing: it is the server's word.
  if (status === 400) {
    ensure((problem === undefined || isObject(problem)) && hasOnly(refusal, PROBLEM), 'not_recognised')
    return { answer: undefined, shown: nothing }
  }
  // A price given as a refusal would be missing in the totals.
  const { code } = refusal
  ensure(typeof code === 'string' && hasOnly(refusal, REFUSAL), 'not_recognised')
  const taken = takeAnswer(set, refusal)
  const { row } = taken.shown
  ensure(!row || fitsRefusal(code, row), 'body_contradicts_proof')
  return taken
}

function takeAnswer(set: RowSet, { row, place, because, ...answer }: Members): Line {
  const main = row === undefined ? undefined : set.take(row)
  const placed = place === undefined ? undefined : set.takePlace(place)
  if (because !== undefined) set.takeBecause(because)
  return { answer, shown: { ...nothing, row: main?.row, release: main?.release, place: placed } }
}

/** Checks that a line answers its question, after the rows of the list became facts. */
export function checkLine(facts: Facts, { answer, shown }: Line, question: Question): ShownAnswer {
  if (answer !== undefined) return checkQuestion(facts, answer, shown, question)
  // A question that has a meaning has an answer: to refuse it would hide the answer.
  ensure(understood(question) === undefined, 'answers_another_question')
  return shown
}
