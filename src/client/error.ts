import type { Fault } from '../proof/fault.ts'
import type { DerivationFault } from '../proof/price/derivation.ts'

/** The check that an answer failed. */
export type Disbelief = Fault | DerivationFault

/** The codes of refusals that come from this client and not from the service. */
export type ClientCode = 'unreachable' | 'timeout' | 'aborted' | 'not_verified' | 'policy_missing' | 'agent_key_missing'

export interface ErrorFacts {
  /** The problem code of the service, or one of `ClientCode`. */
  code: string
  /** The HTTP status, if there was an answer. */
  status?: number | undefined
  /** Advice about what to do next. */
  hint?: string | undefined
  requestId?: string | undefined
  retryAfterSeconds?: number | undefined
  /** The check that failed, if the code is `not_verified`. */
  reason?: Disbelief | undefined
  cause?: unknown
}

/** The only error of this client: a refusal of the service, an answer that fails its checks, or no answer. */
export class ClientError extends Error {
  override readonly name = 'ClientError'
  readonly code: string
  readonly status: number | undefined
  readonly hint: string | undefined
  readonly requestId: string | undefined
  readonly retryAfterSeconds: number | undefined
  readonly reason: Disbelief | undefined

  constructor(message: string, { cause, ...facts }: ErrorFacts) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = facts.code
    this.status = facts.status
    this.hint = facts.hint
    this.requestId = facts.requestId
    this.retryAfterSeconds = facts.retryAfterSeconds
    this.reason = facts.reason
  }
}

interface Problem {
  code?: string
  detail?: string
  agent_hint?: string
  request_id?: string
}

/** Makes an error from a refusal of the service. */
export function refusalOf(response: Response, text: string): ClientError {
  const { code = 'unreachable', detail, agent_hint, request_id }: Problem = parseProblem(text)
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
  return new ClientError(`${code}: ${detail ?? `the service answered ${response.status}`}`, {
    code,
    status: response.status,
    hint: agent_hint,
    requestId: request_id,
    retryAfterSeconds: Number.isFinite(seconds) ? seconds : undefined,
  })
}

function parseProblem(text: string): Problem {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}

export const notVerified = (reason: Disbelief, cause?: unknown): ClientError =>
  new ClientError(`not_verified: the answer cannot be believed (${reason})`, {
    code: 'not_verified',
    reason,
    hint: 'Do not use this answer. Ask again; if it stays, keep the answer as evidence and tell the operator.',
    cause,
  })
