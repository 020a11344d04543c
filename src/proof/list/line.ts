// One answer among several: a line of a batch, or what one edition says in a history.

import { type CheckedAnswer, checkAnswer, type TakenAnswer, takePrice, takeRefusal } from '../answer.ts'
import type { Evidence } from '../evidence.ts'
import { ensure } from '../fault.ts'
import { type Question, understood } from '../lookup/question.ts'
import { hasOnly, isObject, type Members } from '../shape.ts'
import type { ShownRows } from '../shown-rows.ts'

const REFUSED = ['code', 'detail', 'agent_hint', 'errors', 'title', 'type', 'status', 'request_id', 'instance']

/** An answer whose rows were taken; undefined if the question itself was refused. */
export type TakenLine = TakenAnswer | undefined

export const nothing: CheckedAnswer = { row: undefined, release: undefined, decision: undefined, lacking: [] }

/** Takes `{status: 200, row, …}`, or status 404 or 400 with `problem`. */
export function takeLine(shown: ShownRows, { status, about: _, ...line }: Members): TakenLine {
  if (status === 200) {
    const { row, ...stated } = line
    const main = shown.take(row)
    ensure('price' in main.row, 'body_contradicts_proof')
    return takePrice(shown, main, stated)
  }
  ensure(hasOnly(line, ['problem']) && (status === 400 || status === 404), 'not_recognised')
  const { about: _a, ...problem } = (line['problem'] ?? {}) as Members
  ensure(isObject(line['problem'] ?? {}), 'not_recognised')
  if (status === 404) return takeRefusal(shown, problem)
  // A refusal of the question itself proves nothing: it is the server's word.
  ensure(hasOnly(problem, REFUSED), 'not_recognised')
  return undefined
}

/** Checks that a line answers its question. */
export function checkLine(evidence: Evidence, line: TakenLine, question: Question | undefined): CheckedAnswer {
  if (line !== undefined) return checkAnswer(evidence, line, question)
  // A question that has a meaning has an answer: to refuse it would hide the answer.
  ensure(question === undefined || understood(question) === undefined, 'answers_another_question')
  return nothing
}
