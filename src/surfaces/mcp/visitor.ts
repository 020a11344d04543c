import type { Call, Gate, Operation, Outcome, Quota } from '../../operation.ts'
import type { Problem } from '../../problem.ts'
import { parameterLocation } from '../http/request.ts'
import { problemDocument } from '../http/response.ts'

/** The sender of one message, and the facts that are learned while it is answered. */
export class Visitor {
  quota?: Quota | undefined
  /** Whether the message was counted against a quota. */
  isCounted = false
  /** Set when the caller lacks a credential or a scope: the answer is then one of HTTP, so that clients get one. */
  turnedAway?: Problem
  /** Set when the program failed. It is thrown again outside the protocol, where it is logged and hidden. */
  fault?: unknown
  /** Whether the error in the answer is one of ours. The other ones are written by the protocol's library. */
  hasRefused = false

  constructor(
    readonly call: Call,
    readonly requestId: string,
    readonly gate: Gate,
    readonly baseUrl: string,
  ) {}

  /** Notes how the operation of the message went. */
  note(outcome: Outcome): Outcome {
    this.isCounted = true
    this.quota = outcome.visit.quota
    if (!outcome.ok && ['unauthenticated', 'forbidden'].includes(outcome.problem.entry.kind))
      this.turnedAway = outcome.problem
    return outcome
  }

  /** A message that performs no operation counts as one request. */
  async enter(): Promise<Problem | undefined> {
    this.isCounted = true
    const { quota, refusal } = await this.gate.enter(this.call, 'public', 'default')
    this.quota = quota
    return refusal
  }

  /** A refusal as the HTTP surface sends it. */
  document(problem: Problem, op?: Operation): Record<string, unknown> {
    const { baseUrl, requestId } = this
    return problemDocument(problem, {
      baseUrl,
      requestId,
      ...(op && { locationOf: (name) => parameterLocation(op, name) }),
    })
  }
}
