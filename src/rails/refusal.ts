import type { Scope } from '../operation.ts'
import { Problem } from '../problem.ts'
import type { LimitDecision } from './limit/limits.ts'

type TokenProblem = 'rails_token_missing' | 'rails_token_required' | 'rails_token_invalid' | 'rails_token_expired'
type KeyProblem = 'agent_key_missing' | 'agent_key_invalid' | 'proof_required' | 'proof_invalid'

/** For an operation that needs a rails token. */
export const tokenRefusal = (code: TokenProblem, scope: Scope): Problem =>
  new Problem(code, undefined, { authenticate: { scheme: 'AgentRails', scopes: [scope] } })

/** For an operation that needs an agent key. */
export const keyRefusal = (code: KeyProblem): Problem =>
  new Problem(code, undefined, { authenticate: { scheme: 'AgentKey', scopes: [] } })

const NARROWED =
  'Your key has the scopes in `required_scopes`, but this token was made without them: get another token (challenge, then attest) and name them in `scopes`, or name none.'

export const scopeRefusal = (
  scheme: 'AgentRails' | 'AgentKey',
  required: readonly Scope[],
  granted: readonly Scope[],
  /** What the key of a token has: more than the token, if the agent asked for less. */
  ofKey: readonly Scope[] = granted,
): Problem =>
  new Problem('insufficient_scope', undefined, {
    authenticate: { scheme, scopes: required },
    members: { required_scopes: [...required], granted_scopes: [...granted] },
    ...(required.every((scope) => ofKey.includes(scope)) && { hint: NARROWED }),
  })

/** The quota is used up. A request larger than the whole quota can never succeed, and the message says so. */
export function limitRefusal({ quota, waitSeconds }: LimitDecision): Problem {
  const never = waitSeconds === Infinity
  return new Problem(
    'rate_limited',
    never
      ? 'the request counts for more than the whole quota: send fewer lines, or ask for fewer entries with limit'
      : undefined,
    {
      retryAfterSeconds: never ? quota.windowSeconds : waitSeconds,
      members: { 'violated-policies': [quota.bucket] },
    },
  )
}
