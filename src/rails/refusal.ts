import type { Scope } from '../operation.ts'
import { Problem } from '../problem.ts'
import type { LimitDecision } from './limit/limits.ts'

type TokenProblem = 'rails_token_missing' | 'rails_token_required' | 'rails_token_invalid' | 'rails_token_expired'
type KeyProblem = 'agent_key_missing' | 'agent_key_invalid' | 'proof_required' | 'proof_invalid'

/** The refusal of an operation that needs a rails token. */
export const tokenRefusal = (code: TokenProblem, scope: Scope): Problem =>
  new Problem(code, undefined, { authenticate: { scheme: 'AgentRails', scopes: [scope] } })

/** The refusal of an operation that needs an agent key. */
export const keyRefusal = (code: KeyProblem): Problem =>
  new Problem(code, undefined, { authenticate: { scheme: 'AgentKey', scopes: [] } })

const NARROWED =
  'Your key has the scopes in `required_scopes`, but this token was made without them: get another token (challenge, then attest) and name them in `scopes`, or name none.'

export const scopeRefusal = (
  scheme: 'AgentRails' | 'AgentKey',
  required: readonly Scope[],
  granted: readonly Scope[],
  /** The scopes of the key, which may be more than those of its token. */
  ofKey: readonly Scope[] = granted,
): Problem =>
  new Problem('insufficient_scope', undefined, {
    authenticate: { scheme, scopes: required },
    members: { required_scopes: [...required], granted_scopes: [...granted] },
    ...(required.every((scope) => ofKey.includes(scope)) && { hint: NARROWED }),
  })

/** The refusal when a quota is used up. A request larger than the whole quota gets another text: it can never succeed. */
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
