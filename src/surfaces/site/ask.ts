import { answerText, answerValue, type Gate, type Operation, perform } from '../../operation.ts'
import type { Problem } from '../../problem.ts'
import { Queue } from '../../queue.ts'
import { STATUS } from '../../status.ts'
import { problemDocument } from '../http/response.ts'

/** The answer or refusal of an operation to a page, as HTTP callers get it. */
export interface Reply {
  status: number
  /** The body, as a value and as text. */
  body: unknown
  text: string
  /** Set if it is a refusal. */
  problem?: Problem
}
export type Ask = (operation: string, input: Record<string, unknown>) => Promise<Reply>

/**
 * Pages are made of operations, run the one way there is. The page itself was counted and waited for its turn, so the
 * operations behind it do neither: they would wait for a place that the page holds.
 */
export function askOf(operations: () => readonly Operation[], baseUrl: () => string): Ask {
  const gate: Gate = { enter: () => ({}), queue: new Queue({ atOnce: 1000, perCaller: 1000 }) }
  return async (name, input) => {
    const operation = operations().find((each) => each.name === name)
    if (!operation) throw new Error(`a page asks for an operation that does not exist: ${name}`)
    // The gate below lets everyone in: what needs a token must not come out through a page.
    if (operation.access !== 'public') throw new Error(`a page asks for an operation that is not public: ${name}`)
    const outcome = await perform(operation, { address: 'page' }, gate, async () => input)
    if (outcome.ok) return { status: 200, body: answerValue(outcome.output), text: answerText(outcome.output) }
    const { problem } = outcome
    // Nothing to show on a page that would be kept: the caller can try again.
    if (!['invalid', 'not_found'].includes(problem.entry.kind)) throw problem
    const body = problemDocument(problem, { baseUrl: baseUrl(), requestId: 'page' })
    return { status: STATUS[problem.entry.kind], body, text: JSON.stringify(body), problem }
  }
}
