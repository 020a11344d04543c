import type { Gate, Operation, Visit } from '../../operation.ts'
import { Problem, type ProblemCode } from '../../problem.ts'
import { after, attempt, type Soon } from '../../soon.ts'
import { STATUS } from '../../status.ts'
import type { ReadyBytes } from '../../transport/answer.ts'
import type { Mount } from './mount.ts'
import { prefersPage } from './negotiation.ts'
import type { Made } from './reply-cache.ts'
import { type Asked, askedBy, callOf, type RequestHead, readHead, type Target } from './request.ts'
import { lineOf, millisecondsSince, type RequestLine } from './request-line.ts'
import type { Resource } from './resource.ts'
import {
  documentHeaders,
  forCaller,
  PROBLEM_TYPE,
  preflight,
  type RefusalOptions,
  type Reply,
  refusal,
  setCommon,
  varying,
  written,
} from './response.ts'

export interface HttpParts {
  operations: readonly Operation[]
  resources: readonly Resource[]
  mounts?: readonly Mount[]
  gate: Gate
  baseUrl: () => string
  /** One line per request: method, route, status, time. Never the query, a header or an address. */
  observe: (line: RequestLine) => void
  randomId: () => string
  /** Decides when an answer is made that is not ready-made; at once if left out. */
  door?: Door
  /** The pages that browsers are refused with; JSON if left out. */
  refusalPages?: RefusalPages | undefined
  /** How much memory ready-made answers may take; none if left out. */
  cacheBytes?: number | undefined
}

export interface Door {
  /** Whether a request is answered now. */
  isOpen(): boolean
  /** Where it waits if not. */
  inLine<T>(address: string, answer: () => Soon<T>): Promise<T>
}

/** What is known of a request before a route is chosen, and what is left of it to be kept. */
export interface Env extends Target {
  address: string
  requestId: string
  head: RequestHead
  asked: Asked
  /** Set if the caller was admitted and counted before. */
  visit?: Visit | undefined
  made?: Made | undefined
  /** What the log says of the caller and of a refusal. */
  about: Pick<RequestLine, 'caller' | 'key_id' | 'code' | 'error'>
}
/** Why a request could not be read. */
export interface Unreadable {
  code: ProblemCode
  detail?: string
}

/** Counted like the tiles of a log: a page asks before each request, and costs little. */
export async function answerPreflight({ gate, baseUrl }: HttpParts, env: Env, methods: string): Promise<Reply> {
  const visit = await gate.enter({ address: env.address }, 'public', 'log')
  env.about = lineOf(visit, visit.refusal?.code)
  const about = { baseUrl: baseUrl(), requestId: env.requestId }
  return visit.refusal ? forCaller(refusal(visit.refusal, about), visit, 'public') : preflight(methods)
}

/** A refusal outside any operation. It counts against the quota like any other answer. */
export async function refuse(
  { gate, baseUrl }: HttpParts,
  env: Env,
  problem: Problem,
  headers: Record<string, string> = {},
): Promise<Reply> {
  const enter = async (): Promise<Visit> => gate.enter(callOf(env.head, env.address), 'public', 'default')
  const visit = await enter().catch((): Visit => ({}))
  env.about = lineOf(visit, (visit.refusal ?? problem).code)
  const about = { baseUrl: baseUrl(), requestId: env.requestId }
  const reply = visit.refusal ? refusal(visit.refusal, about) : refusal(problem, { ...about, headers })
  return forCaller(reply, visit, 'public')
}

export const aboutRefusal = ({ baseUrl }: HttpParts, { requestId }: Env): RefusalOptions => ({
  baseUrl: baseUrl(),
  requestId,
})

/** Makes the page that a browser is refused with, from the problem document. */
export interface RefusalPages {
  headers: Readonly<Record<string, string>>
  of(document: Record<string, unknown>): Soon<Uint8Array<ArrayBuffer>>
}

const PAGE_TYPE = 'text/html; charset=utf-8'

/** A refusal as a page, for a caller who prefers one: the same status, words and headers. Any other reply is left as it is. */
export function forReader(reply: Reply, accept: string | null, pages: RefusalPages | undefined): Soon<Reply> {
  const { status, headers, body } = reply
  const isRefusal = headers['content-type'] === PROBLEM_TYPE && body instanceof Uint8Array
  // A route that has no page is told so in the form of the API: its caller is a program that asked for the wrong form.
  if (!pages || !isRefusal || status === STATUS.not_acceptable || !prefersPage(accept)) return reply
  const page = (bytes: Uint8Array<ArrayBuffer>): Reply => ({
    ...reply,
    headers: {
      ...headers,
      ...documentHeaders(PAGE_TYPE, pages.headers),
      'content-type': PAGE_TYPE,
      'content-length': String(bytes.length),
      vary: varying(headers['vary'], 'Accept'),
    },
    body: bytes,
  })
  const document = JSON.parse(Buffer.from(body).toString()) as Record<string, unknown>
  return attempt(
    () => after(pages.of(document), page),
    () => reply,
  )
}

/** A request that nobody could read is counted and logged like any other. */
export async function refuseUnread(
  parts: HttpParts,
  { code, detail }: Unreadable,
  address: string,
): Promise<ReadyBytes | Response> {
  const started = performance.now()
  const requestId = parts.randomId()
  const asked = askedBy(new Request('http://localhost/'))
  const env: Env = { address, requestId, ...NOWHERE, asked, head: readHead(asked.head), about: { caller: 'unknown' } }
  const reply = await refuse(parts, env, new Problem(code, detail))
  setCommon(reply.headers, requestId, isSecure(parts))
  const { status } = reply
  const ms = millisecondsSince(started)
  parts.observe({ request_id: requestId, method: 'other', route: 'unknown', status, ms, ...env.about })
  return written(reply, false)
}

const NOWHERE: Target = { pathname: '', search: '' }

export const isSecure = ({ baseUrl }: HttpParts): boolean => baseUrl().startsWith('https:')
