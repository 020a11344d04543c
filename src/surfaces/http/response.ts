import { type Quota, refusalOf } from '../../operation.ts'
import { type FieldError, Problem, type ProblemExtra } from '../../problem.ts'
import { sha256 } from '../../proof/sha256.ts'
import { STATUS } from '../../status.ts'

export const REALM = 'agent-trust-registry'
const EXPOSED = 'ETag, Link, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, X-Request-Id'
const ALLOWED =
  'X-Agent-Key, X-Agent-Rails, Authorization, Content-Type, If-None-Match, MCP-Protocol-Version, Mcp-Method, Mcp-Name, A2A-Version'

/** Browsers send no credentials by themselves here, so CORS is open to every origin, without credentials. */
export function commonHeaders(requestId: string, secure: boolean): Record<string, string> {
  return {
    'x-request-id': requestId,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'access-control-allow-origin': '*',
    'access-control-expose-headers': EXPOSED,
    ...(secure ? { 'strict-transport-security': 'max-age=31536000' } : {}),
  }
}

export const preflight = (methods: string): Response =>
  new Response(null, {
    status: 204,
    headers: {
      allow: methods,
      'access-control-allow-methods': methods,
      'access-control-allow-headers': ALLOWED,
      'access-control-max-age': '86400',
    },
  })

/** draft-ietf-httpapi-ratelimit-headers: what the quota is, and what is left of it. */
export const quotaHeaders = (quota: Quota | undefined): Record<string, string> =>
  quota
    ? {
        'ratelimit-policy': `"${quota.bucket}";q=${quota.limit};w=${quota.windowSeconds}`,
        ratelimit: `"${quota.bucket}";r=${quota.remaining};t=${quota.resetSeconds}`,
      }
    : {}

export interface Answer {
  body: string | Uint8Array
  type: string
  cache: string
  headers?: Record<string, string>
}

/** A successful answer, with a strong ETag over its bytes. */
export function good(request: Request, { body, type, cache, headers = {} }: Answer): Response {
  const all: Record<string, string> = { ...headers, 'cache-control': cache }
  const bytes = Buffer.from(body)
  if (cache !== 'no-store') {
    all['etag'] = `"${Buffer.from(sha256(bytes)).toString('base64url').slice(0, 27)}"`
    if (matches(request.headers.get('if-none-match'), all['etag']))
      return new Response(null, { status: 304, headers: all })
  }
  // Set explicitly, because an answer to HEAD has no body to measure.
  return new Response(bytes, { headers: { ...all, 'content-type': type, 'content-length': String(bytes.length) } })
}

const matches = (header: string | null, etag: string): boolean =>
  (header ?? '').split(',').some((candidate) => ['*', etag, `W/${etag}`].includes(candidate.trim()))

/** RFC 8288, from the same links that the body carries. */
export function linkHeader(links: Record<string, string | null>): Record<string, string> {
  const shown = Object.entries(links).filter(([rel, path]) => rel !== 'self' && path !== null)
  return shown.length > 0 ? { link: shown.map(([rel, path]) => `<${path}>; rel="${rel}"`).join(', ') } : {}
}

export interface RefusalOptions {
  baseUrl: string
  requestId: string
  /** Where a parameter is in the request. */
  placeOf?: (name: string | undefined) => FieldError['in']
  headers?: Record<string, string> | undefined
}

/** RFC 9457. All text is ours: nothing of the request is repeated. */
export function problemDocument(problem: Problem, options: RefusalOptions): Record<string, unknown> {
  const { code, entry, detail, extra } = problem
  const { baseUrl, requestId, placeOf = () => 'query' } = options
  return {
    type: `${baseUrl}/problems/${code}`,
    title: entry.title,
    status: STATUS[entry.kind],
    code,
    detail,
    request_id: requestId,
    agent_hint: entry.hint,
    ...(extra.errors && { errors: extra.errors.map((error) => ({ in: placeOf(error.name), ...error })) }),
    ...extra.members,
  }
}

/** The headers of a refusal: when to come again, and which credential to bring. */
export const refusalHeaders = ({ code, extra }: Problem, baseUrl: string): Record<string, string> => ({
  'cache-control': 'no-store',
  ...(extra.retryAfterSeconds !== undefined && { 'retry-after': String(extra.retryAfterSeconds) }),
  ...(extra.authenticate && { 'www-authenticate': challengeOf(code, extra.authenticate, baseUrl) }),
})

export function refusal(problem: Problem, options: RefusalOptions): Response {
  return new Response(JSON.stringify(problemDocument(problem, options)), {
    status: STATUS[problem.entry.kind],
    headers: {
      ...refusalHeaders(problem, options.baseUrl),
      ...options.headers,
      'content-type': 'application/problem+json',
    },
  })
}

type Authenticate = NonNullable<ProblemExtra['authenticate']>
const CREDENTIAL_HEADERS = { AgentRails: 'X-Agent-Rails', AgentKey: 'X-Agent-Key' } as const

/**
 * RFC 9110 section 11.6.1, with `error` and `scope` as RFC 6750 uses them. A rails token is a bearer token too: its
 * challenge comes first, because clients of OAuth look at the first one only (RFC 9728 section 5.1).
 */
function challengeOf(code: string, { scheme, scopes }: Authenticate, baseUrl: string): string {
  const scope = scopes.length > 0 && { scope: scopes.join(' ') }
  const own = challenge(scheme, {
    header: CREDENTIAL_HEADERS[scheme],
    policy: `${baseUrl}/api/agent-rails/policy`,
    error: code.replace(/^(rails|agent)_/, ''),
    ...scope,
  })
  if (scheme === 'AgentKey') return own
  const error = BEARER_ERRORS[code]
  const metadata = { resource_metadata: `${baseUrl}/.well-known/oauth-protected-resource` }
  return `${challenge('Bearer', { ...metadata, ...(error && { error }), ...scope })}, ${own}`
}

/** RFC 6750 section 3.1: a request without a token gets no error. */
const BEARER_ERRORS: Readonly<Record<string, string>> = {
  rails_token_invalid: 'invalid_token',
  rails_token_expired: 'invalid_token',
  insufficient_scope: 'insufficient_scope',
}

const challenge = (scheme: string, parameters: Record<string, string>): string =>
  `${scheme} ${Object.entries({ realm: REALM, ...parameters })
    .map(([name, value]) => `${name}="${value}"`)
    .join(', ')}`

export const asProblem = (error: unknown): Problem =>
  refusalOf(error) ?? new Problem('internal_error', undefined, { cause: error })
