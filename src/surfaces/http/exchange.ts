import type { Gate, Operation, Visit } from '../../operation.ts'
import type { Problem } from '../../problem.ts'
import { STATUS } from '../../status.ts'
import { encoded, preferredEncoding } from './compression.ts'
import type { Mount } from './mount.ts'
import { prefersPage } from './negotiation.ts'
import type { CacheableAnswer } from './reply-cache.ts'
import { callOf, type ReadRequest, type RequestHead } from './request.ts'
import { lineOf, type RequestLine } from './request-line.ts'
import type { Resource } from './resource.ts'
import {
  documentHeaders,
  forCaller,
  PROBLEM_TYPE,
  preflight,
  type RefusalOptions,
  type Reply,
  refusal,
  varying,
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
  /** Names the callers that take turns when requests wait in line. Each address is a caller if this is left out. */
  callerAt?: (address: string) => string
  /** The pages that browsers are refused with; JSON if left out. */
  refusalPages?: RefusalPages | undefined
  /** How much memory ready-made answers may take; none if left out. */
  cacheBytes?: number | undefined
}

/** A request on its way to its answer. */
export interface Exchange extends ReadRequest {
  requestId: string
  /** Set if the caller was admitted and counted before. */
  visit?: Visit | undefined
  /** Set if the next caller can have the same answer. */
  cacheable?: CacheableAnswer | undefined
  /** Members of the log line about the caller and a refusal. */
  logged: Pick<RequestLine, 'caller' | 'key_id' | 'code' | 'error'>
}

/** Answers OPTIONS. It counts like the tiles of a log: a page asks before each request, and that costs little. */
export async function answerPreflight(parts: HttpParts, exchange: Exchange, methods: string): Promise<Reply> {
  const visit = await parts.gate.enter({ address: exchange.address }, 'public', 'log')
  exchange.logged = lineOf(visit, visit.refusal?.code)
  if (!visit.refusal) return preflight(methods)
  return forCaller(refusal(visit.refusal, refusalOptions(parts, exchange)), visit, 'public')
}

/** A refusal outside any operation. It counts against the quota like any other answer. */
export async function refuse(
  parts: HttpParts,
  exchange: Exchange,
  problem: Problem,
  headers: Record<string, string> = {},
): Promise<Reply> {
  const visit = await visitOf(parts, exchange)
  exchange.logged = lineOf(visit, (visit.refusal ?? problem).code)
  const options = refusalOptions(parts, exchange)
  const reply = visit.refusal ? refusal(visit.refusal, options) : refusal(problem, { ...options, headers })
  return forCaller(reply, visit, 'public')
}

/** Counts the caller. A caller that cannot be counted, because the gate fails too, is refused all the same. */
async function visitOf({ gate }: HttpParts, { head, address }: Exchange): Promise<Visit> {
  try {
    return await gate.enter(callOf(head, address), 'public', 'default')
  } catch {
    return {}
  }
}

export const refusalOptions = ({ baseUrl }: HttpParts, { requestId }: Exchange): RefusalOptions => ({
  baseUrl: baseUrl(),
  requestId,
})

/** Makes the page that a browser is refused with, from the problem document. */
export interface RefusalPages {
  headers: Readonly<Record<string, string>>
  of(document: Record<string, unknown>): Uint8Array<ArrayBuffer> | Promise<Uint8Array<ArrayBuffer>>
}

const PAGE_TYPE = 'text/html; charset=utf-8'

/** A refusal as a page, for a caller who prefers one: the same status, words and headers. Any other reply is left as it is. */
export async function forReader(
  reply: Reply,
  { accept, acceptEncoding }: Pick<RequestHead, 'accept' | 'acceptEncoding'>,
  pages: RefusalPages | undefined,
): Promise<Reply> {
  const { status, headers, body } = reply
  const isRefusal = headers['content-type'] === PROBLEM_TYPE && body instanceof Uint8Array
  // A route that has no page says so in the form of the API: its caller is a program that asked for the wrong form.
  if (!pages || !isRefusal || status === STATUS.not_acceptable || !prefersPage(accept)) return reply
  const page = await pageOf(pages, JSON.parse(Buffer.from(body).toString()) as Record<string, unknown>)
  if (!page) return reply
  const encoding = preferredEncoding(acceptEncoding)
  const sent = await encoded(page, encoding)
  return {
    ...reply,
    headers: {
      ...headers,
      ...documentHeaders(PAGE_TYPE, pages.headers),
      'content-type': PAGE_TYPE,
      'content-length': String(sent.length),
      ...(sent !== page && { 'content-encoding': encoding }),
      vary: varying(headers['vary'], 'Accept, Accept-Encoding'),
    },
    body: sent,
  }
}

/** Undefined where the page cannot be made: then the refusal is sent as JSON. */
async function pageOf(
  pages: RefusalPages,
  document: Record<string, unknown>,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  try {
    return await pages.of(document)
  } catch {
    return undefined
  }
}
