import type { Quota } from '../../operation.ts'
import { type Kind, Problem } from '../../problem.ts'
import { sha256 } from '../../proof/sha256.ts'

export const STATUS: Record<Kind, number> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  method: 405,
  not_acceptable: 406,
  conflict: 422,
  too_large: 413,
  uri_too_long: 414,
  media_type: 415,
  headers_too_large: 431,
  limited: 429,
  fault: 500,
  unavailable: 503,
}

const EXPOSED = 'ETag, Link, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, X-Request-Id'
const ALLOWED = 'X-Agent-Key, X-Agent-Rails, Authorization, Content-Type, If-None-Match'

/** Credentials never travel by themselves here, so any page may ask: CORS is open and without credentials. */
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

/** A good answer. Strong ETag over the bytes, so a caller can ask whether they have changed. */
export function good(request: Request, { body, type, cache, headers = {} }: Answer): Response {
  const all: Record<string, string> = { ...headers, 'cache-control': cache }
  const bytes = Buffer.from(body)
  if (cache !== 'no-store') {
    all['etag'] = `"${Buffer.from(sha256(bytes)).toString('base64url').slice(0, 27)}"`
    if (matches(request.headers.get('if-none-match'), all['etag']))
      return new Response(null, { status: 304, headers: all })
  }
  // Said outright, because an answer to HEAD has no body to measure.
  return new Response(bytes, { headers: { ...all, 'content-type': type, 'content-length': String(bytes.length) } })
}

const matches = (header: string | null, etag: string): boolean =>
  (header ?? '').split(',').some((candidate) => ['*', etag, `W/${etag}`].includes(candidate.trim()))

/** RFC 8288, from the same links that the body carries. */
export function linkHeader(links: Record<string, string | null>): Record<string, string> {
  const shown = Object.entries(links).filter(([rel, path]) => rel !== 'self' && path !== null)
  return shown.length > 0 ? { link: shown.map(([rel, path]) => `<${path}>; rel="${rel}"`).join(', ') } : {}
}

/** RFC 9457. Every member is ours: nothing of the request is in it. */
export function refusal(problem: Problem, baseUrl: string, requestId: string): Response {
  const { code, entry, detail, extra } = problem
  const status = STATUS[entry.kind]
  const document = {
    type: `${baseUrl}/problems/${code}`,
    title: entry.title,
    status,
    code,
    detail,
    request_id: requestId,
    agent_hint: entry.hint,
    ...(extra.errors ? { errors: extra.errors } : {}),
    ...extra.members,
  }
  return new Response(JSON.stringify(document), {
    status,
    headers: { 'cache-control': 'no-store', ...extra.headers, 'content-type': 'application/problem+json' },
  })
}

export const asProblem = (error: unknown): Problem =>
  error instanceof Problem ? error : new Problem('internal_error', undefined, { cause: error })
