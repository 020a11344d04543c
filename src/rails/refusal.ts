import type { Scope } from '../operation.ts'
import { Problem, type ProblemCode, type ProblemExtra } from '../problem.ts'
import type { Taken } from './limits.ts'

export const REALM = 'agent-trust-registry'
export const POLICY_PATH = '/api/agent-rails/policy'
export const HEADERS = { agent_key: 'X-Agent-Key', agent_rails: 'X-Agent-Rails' } as const

type TokenProblem = 'rails_token_missing' | 'rails_token_required' | 'rails_token_invalid' | 'rails_token_expired'
type KeyProblem = 'agent_key_missing' | 'agent_key_invalid' | 'proof_required' | 'proof_invalid'

/** A 401 of a route that takes a rails token. */
export const tokenRefusal = (code: TokenProblem, baseUrl: string, scope: Scope): Problem =>
  new Problem(code, undefined, askFor('AgentRails', code, baseUrl, [scope]))

/** A 401 of a route that takes an agent key. */
export const keyRefusal = (code: KeyProblem, baseUrl: string): Problem =>
  new Problem(code, undefined, askFor('AgentKey', code, baseUrl))

export function scopeRefusal(
  scheme: 'AgentRails' | 'AgentKey',
  baseUrl: string,
  required: readonly Scope[],
  granted: readonly Scope[],
): Problem {
  const members = { required_scopes: [...required], granted_scopes: [...granted] }
  return new Problem('insufficient_scope', undefined, {
    ...askFor(scheme, 'insufficient_scope', baseUrl, required),
    members,
  })
}

/** A 429. What is more than the whole quota is refused however long the caller waits, and is told so. */
export function limitRefusal({ quota, waitSeconds }: Taken): Problem {
  const never = waitSeconds === Infinity
  return new Problem(
    'rate_limited',
    never ? 'the request has more lines than the whole quota: send fewer' : undefined,
    {
      headers: { 'Retry-After': String(never ? quota.windowSeconds : waitSeconds) },
      members: { 'violated-policies': [quota.bucket] },
    },
  )
}

/** RFC 9110 section 11.6.1, with `error` and `scope` as RFC 6750 uses them. */
function askFor(
  scheme: 'AgentRails' | 'AgentKey',
  code: ProblemCode,
  baseUrl: string,
  scopes: readonly Scope[] = [],
): ProblemExtra {
  const parameters = {
    realm: REALM,
    header: scheme === 'AgentRails' ? HEADERS.agent_rails : HEADERS.agent_key,
    policy: `${baseUrl}${POLICY_PATH}`,
    error: code.replace(/^(rails|agent)_/, ''),
    ...(scopes.length > 0 && { scope: scopes.join(' ') }),
  }
  const listed = Object.entries(parameters).map(([name, value]) => `${name}="${value}"`)
  return { headers: { 'WWW-Authenticate': `${scheme} ${listed.join(', ')}` } }
}
