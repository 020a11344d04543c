import { jsonText } from '../../json-text.ts'
import { type Access, type Quota, refusalOf, type Visit } from '../../operation.ts'
import { type FieldError, Problem, type ProblemExtra } from '../../problem.ts'
import { STATUS } from '../../status.ts'
import { type Encoding, encoded } from './compression.ts'

export const REALM = 'agent-trust-registry'
const EXPOSED = 'ETag, Link, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, X-Request-Id'
const ALLOWED =
  'X-Agent-Key, X-Agent-Rails, Authorization, Content-Type, If-None-Match, MCP-Protocol-Version, Mcp-Method, Mcp-Name, A2A-Version'

/** Browsers send no credentials by themselves here, so CORS is open to every origin, without credentials. */
const COMMON: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'access-control-allow-origin': '*',
  'access-control-expose-headers': EXPOSED,
}

const BROWSER_TYPES = /html|xml/

/** Headers of everything that a browser may show as a page: nothing of this site is for other windows or devices. */
const FOR_BROWSERS: Readonly<Record<string, string>> = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'cross-origin',
  'permissions-policy': 'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
}

/** The headers of a document of this type, with those of its own over them. */
export const documentHeaders = (type: string, own: Readonly<Record<string, string>> = {}): Record<string, string> =>
  BROWSER_TYPES.test(type) ? { ...FOR_BROWSERS, ...own } : { ...own }

export const PROBLEM_TYPE = 'application/problem+json'

type Headers = Record<string, string>

/** An answer before it is written. The names of its headers are in lower case. */
export interface Reply {
  status: number
  headers: Headers
  body: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null
}

/** A reply whose bytes are known. */
export type WholeReply = Reply & { body: Uint8Array<ArrayBuffer> }

/** The reply of a protocol that makes its own responses. */
export const replyOf = ({ status, headers, body }: Response): Reply => ({
  status,
  headers: Object.fromEntries(headers),
  body,
})

/** The answer to HEAD has the headers of GET, with the length of the body that it leaves out. */
export const asResponse = ({ status, headers, body }: Reply, isHead = false): Response =>
  new Response(isHead ? null : body, { status, headers })

/** Sets the headers that every answer has. */
export function setCommon(headers: Headers, requestId: string, baseUrl: string): void {
  headers['x-request-id'] = requestId
  for (const name in COMMON) headers[name] = COMMON[name] as string
  if (baseUrl.startsWith('https:')) headers['strict-transport-security'] = 'max-age=31536000'
}

export const preflight = (methods: string): Reply => ({
  status: 204,
  headers: {
    allow: methods,
    'access-control-allow-methods': methods,
    'access-control-allow-headers': ALLOWED,
    'access-control-max-age': '86400',
  },
  body: null,
})

/** draft-ietf-httpapi-ratelimit-headers: what the quota is, and what is left of it. */
export const quotaHeaders = (quota: Quota | undefined): Headers =>
  quota ? { 'ratelimit-policy': policyOf(quota), ratelimit: remainingOf(quota) } : {}

export const policyOf = ({ bucket, limit, windowSeconds }: Quota): string => `"${bucket}";q=${limit};w=${windowSeconds}`
export const isSamePolicy = (a: Quota, b: Quota | undefined): boolean =>
  a.bucket === b?.bucket && a.limit === b.limit && a.windowSeconds === b.windowSeconds

export const remainingOf = ({ bucket, remaining, resetSeconds }: Quota): string =>
  `"${bucket}";r=${remaining};t=${resetSeconds}`

/** Adds what depends on the caller: the quota, and that other callers get another answer. */
export function forCaller(reply: Reply, { quota }: Visit, access: Access): Reply {
  const { headers } = reply
  Object.assign(headers, quotaHeaders(quota))
  // Shared caches treat only Authorization as a credential (RFC 9111 3.5).
  if (access !== 'public') headers['vary'] = varying(headers['vary'], 'X-Agent-Rails, Authorization')
  return reply
}

export const varying = (vary: string | undefined, more: string): string => (vary ? `${vary}, ${more}` : more)

export interface Answer {
  bytes: Uint8Array<ArrayBuffer>
  type: string
  cache: string
  headers?: Record<string, string> | undefined
  /** Set where the answer exists in several codings. */
  encoding?: Encoding | undefined
  /** Worth the time that the smallest form takes: see `Resource`. */
  isMadeOnce?: boolean | undefined
  /** 200 if left out. */
  status?: number | undefined
  /** The `If-Match` of the request: what it does not name is not compressed for nothing. */
  ifMatch?: string | null
}

/** An answer, whole, with a strong ETag over its bytes. */
export async function good(answer: Answer): Promise<WholeReply> {
  const { bytes, type, cache, headers, encoding, isMadeOnce, status = 200, ifMatch = null } = answer
  const etag = cache === 'no-store' ? undefined : etagOf(bytes, encoding)
  if (status === 200 && !isNamedBy(ifMatch, etag)) throw new Problem('precondition_failed')
  const body = await encoded(bytes, encoding ?? 'identity', isMadeOnce)
  const all: Headers = {
    ...headers,
    'cache-control': cache,
    'content-type': type,
    'content-length': String(body.length),
  }
  if (etag !== undefined) all['etag'] = etag
  if (encoding !== undefined) all['vary'] = varying(headers?.['vary'], 'Accept-Encoding')
  if (body !== bytes) all['content-encoding'] = encoding ?? ''
  return { status, headers: all, body }
}

/**
 * The bytes before they are encoded give the ETag, and each coding has one of its own. It only tells answers of one
 * address apart and proves nothing, so a fast hash is enough: SHA-256 would cost more than all else here.
 */
export function etagOf(bytes: Uint8Array<ArrayBuffer>, encoding: Encoding = 'identity'): string {
  const digest = Bun.hash.xxHash3(bytes).toString(16).padStart(16, '0')
  return `"${digest}${encoding === 'identity' ? '' : `-${encoding}`}"`
}

/** The answer, or 304 if the caller has it (RFC 9110 13.1.2). */
export function conditional(whole: Reply, ifNoneMatch: string | null): Reply {
  const etag = ifNoneMatch === null ? undefined : whole.headers['etag']
  return etag !== undefined && matches(ifNoneMatch, etag)
    ? { status: 304, headers: unchanged(whole.headers), body: null }
    : whole
}

/** The answer, unless `If-Match` names others. */
export function ifUnchanged(whole: Reply, ifMatch: string | null): Reply {
  if (whole.status === 200 && !isNamedBy(ifMatch, whole.headers['etag'])) throw new Problem('precondition_failed')
  return whole
}

/** A caller names the few answers that it has. A header can hold thousands, and to read them takes milliseconds. */
const MOST_TAGS = 64

/** Whether an answer is one of those that `If-Match` names (RFC 9110 13.1.1). */
export function isNamedBy(ifMatch: string | null, etag = ''): boolean {
  if (ifMatch === null) return true
  const named = ifMatch.split(',', MOST_TAGS).map((each) => each.trim())
  return named.includes('*') || named.includes(etag)
}

/** A file, unless the caller has it or asks only for its headers: then nothing is opened. */
export async function fileReply(
  { ifMatch, ifNoneMatch, isHead }: { ifMatch: string | null; ifNoneMatch: string | null; isHead: boolean },
  headers: Headers & { etag: string },
  open: () => Promise<Reply['body']>,
): Promise<Reply> {
  const bare = ifUnchanged({ status: 200, headers, body: null }, ifMatch)
  return isHead || matches(ifNoneMatch, headers.etag) ? bare : { ...bare, body: await open() }
}

export const matches = (header: string | null, etag: string): boolean =>
  header === etag ||
  (header ?? '').split(',', MOST_TAGS).some((candidate) => ['*', etag, `W/${etag}`].includes(candidate.trim()))

/** Headers about the body, which 304 leaves out. */
export const CONTENT_HEADERS = ['content-type', 'content-length', 'content-encoding']

/** The headers of an answer that is not sent again. */
const unchanged = (headers: Headers): Headers =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !CONTENT_HEADERS.includes(name)))

/** RFC 8288, from the same links that the body carries. */
export function linkHeader(links: Record<string, string | null>): Record<string, string> {
  const shown = Object.entries(links).filter(([rel, path]) => rel !== 'self' && path !== null)
  return shown.length > 0 ? { link: shown.map(([rel, path]) => `<${path}>; rel="${rel}"`).join(', ') } : {}
}

export interface RefusalOptions {
  baseUrl: string
  requestId: string
  /** Tells which part of the request a parameter is in. */
  locationOf?: (name: string | undefined) => FieldError['in']
  headers?: Record<string, string> | undefined
}

/** RFC 9457. All text is ours: nothing of the request is repeated. */
export function problemText(problem: Problem, options: RefusalOptions): string {
  const { code, entry, detail, extra } = problem
  const { baseUrl, requestId, locationOf = () => 'query' } = options
  return jsonText({
    type: `${baseUrl}/problems/${code}`,
    title: entry.title,
    status: STATUS[entry.kind],
    code,
    detail,
    request_id: requestId,
    agent_hint: problem.hint,
    ...(extra.errors && { errors: extra.errors.map((error) => ({ in: locationOf(error.name), ...error })) }),
    ...extra.members,
    ...(extra.retryAfterSeconds !== undefined && { retry_after_seconds: extra.retryAfterSeconds }),
  })
}

/** The body as a value, for readers that change it. */
export const problemDocument = (problem: Problem, options: RefusalOptions): Record<string, unknown> =>
  JSON.parse(problemText(problem, options))

/** The headers of a refusal: when to come again, and which credential to bring. */
export const refusalHeaders = ({ code, extra }: Problem, baseUrl: string): Record<string, string> => ({
  'cache-control': 'no-store',
  ...(extra.retryAfterSeconds !== undefined && { 'retry-after': String(extra.retryAfterSeconds) }),
  ...(extra.authenticate && { 'www-authenticate': challengeOf(code, extra.authenticate, baseUrl) }),
})

export function refusal(problem: Problem, options: RefusalOptions, text = problemText(problem, options)): WholeReply {
  const body = Buffer.from(text)
  return {
    status: STATUS[problem.entry.kind],
    headers: {
      ...refusalHeaders(problem, options.baseUrl),
      ...options.headers,
      'content-type': PROBLEM_TYPE,
      'content-length': String(body.length),
    },
    body,
  }
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

export const methodRefusal = (allowed: string): Problem =>
  new Problem('method_not_allowed', undefined, { members: { allowed_methods: allowed.split(', ') } })

export const notAcceptable = (types: readonly string[]): Problem =>
  new Problem('not_acceptable', undefined, { members: { available_types: types.map((type) => type.split(';', 1)[0]) } })

export const asProblem = (error: unknown): Problem =>
  refusalOf(error) ?? new Problem('internal_error', undefined, { cause: error })
