import type { Gate, Operation, Quota, Visit } from '../../operation.ts'
import { after, type Soon } from '../../soon.ts'
import { headerLines, lasting, MOST_PASSING, type ReadyBytes, statusLine } from '../../transport/answer.ts'
import { isWorthwhile, preferredEncoding } from './compression.ts'
import { forReader, type RefusalPages } from './exchange.ts'
import { type KeptRoute, variantOf, variantsOf } from './kept-route.ts'
import { prefersPage } from './negotiation.ts'
import { type KeptAnswers, ReadyReply, type ReplyCache } from './reply-cache.ts'
import { type Asked, callOf, LIMITS, type RequestHead, readHead } from './request.ts'
import { millisecondsSince, type RequestLine } from './request-line.ts'
import {
  forCaller,
  good,
  isSamePolicy,
  refusal,
  remainingOf,
  setCommon,
  type WholeReply,
  writeEtag,
  written,
} from './response.ts'

export interface WarmParts {
  cache: ReplyCache
  gate: Gate
  baseUrl: () => string
  isSecure: () => boolean
  observe: (line: RequestLine) => void
  randomId: () => string
  refusalPages?: RefusalPages | undefined
}

/** The way of everything else. A caller who was counted before is not counted again. */
type Plain = (asked: Asked, address: string, started: number, visit?: Visit) => Soon<ReadyBytes | Response>

/**
 * Answers that are ready-made, without the router. It does what the plain path does before it gets to the work: sizes, quota
 * and credentials, the form, the conditional request. It leaves to the plain path all that it would refuse itself; only
 * what the gate refuses it must answer, because a request is counted once.
 */
export function warmPath(
  parts: WarmParts,
  firsts: readonly FirstRoute[],
): (asked: Asked, address: string, started: number, plain: Plain) => Soon<ReadyBytes | Response> | undefined {
  const { cache, gate } = parts
  return (asked, address, started, plain) => {
    const { method, target } = asked.head
    if (method !== 'GET' && method !== 'HEAD') return undefined
    const answers = findAnswers(cache, target, firsts)
    if (!answers) return undefined
    const head = readHead(asked.head)
    const reply = choose(answers, head)
    if (!reply) return undefined
    const { access, limit } = answers.route
    const cost = answers.cost === 1 ? undefined : () => answers.cost
    const visit = gate.enter(callOf(head, address), access, limit, cost)
    const warm = { answers, reply, head, method, started }
    if (!(visit instanceof Promise)) return answer(parts, warm, visit)
    // Nothing was counted when the gate fails: it reads the credential first. What has changed meanwhile is made anew.
    return visit.then(
      (entered) =>
        answers.route.stamp() === answers.stamp
          ? answer(parts, warm, entered)
          : plain(asked, address, started, entered),
      () => plain(asked, address, started),
    )
  }
}

function findAnswers(cache: ReplyCache, target: string, firsts: readonly FirstRoute[]): KeptAnswers | undefined {
  const found = cache.find(target)
  if (found || firstRouteOf(target, firsts)) return found
  const query = target.indexOf('?')
  const page = query < 0 ? undefined : cache.find(target.slice(0, query))
  return page?.route.ignoresQuery && target.length <= LIMITS.urlBytes ? page : undefined
}

function choose({ route, stamp, replies }: KeptAnswers, head: RequestHead): ReadyReply | undefined {
  if (head.hasBody || head.bytes > LIMITS.headerBytes || route.stamp() !== stamp) return undefined
  const form = route.formFor(head.accept)
  const reply = form === undefined ? undefined : replies.get(variantOf(form, preferredEncoding(head.acceptEncoding)))
  // It is kept as JSON: a browser gets a page.
  if (reply?.code !== undefined && prefersPage(head.accept)) return undefined
  return head.ifMatch === null || reply?.isFor(head.ifMatch) ? reply : undefined
}

interface Warm {
  answers: KeptAnswers
  reply: ReadyReply
  head: RequestHead
  method: string
  started: number
}

function answer(parts: WarmParts, warm: Warm, visit: Visit): Soon<ReadyBytes | Response> {
  const { answers, reply, head, method, started } = warm
  const requestId = parts.randomId()
  const isHead = method === 'HEAD'
  const request = { requestId, method, accept: head.accept, started }
  if (visit.refusal) return refused(parts, answers.route, request, visit, visit.refusal)
  parts.cache.hit()
  const made = reply.respond(requestId, visit.quota, isHead, head.ifNoneMatch)
  observed(parts, answers.route, request, visit, made.status, reply.code)
  return made
}

interface Request {
  requestId: string
  method: string
  accept: string | null
  started: number
}

function refused(
  parts: WarmParts,
  route: KeptRoute,
  request: Request,
  visit: Visit,
  problem: NonNullable<Visit['refusal']>,
): Soon<ReadyBytes | Response> {
  const { requestId, method, accept } = request
  const reply = forCaller(refusal(problem, { baseUrl: parts.baseUrl(), requestId }), visit, route.access)
  setCommon(reply.headers, requestId, parts.isSecure())
  observed(parts, route, request, visit, reply.status, problem.code)
  const shown = forReader(reply, accept, parts.refusalPages)
  return after(shown, (whole) => written(whole, method === 'HEAD'))
}

function observed(
  parts: WarmParts,
  { path }: KeptRoute,
  { requestId, method, started }: Request,
  { agent }: Visit,
  status: number,
  code: string | undefined,
): void {
  const line: RequestLine = {
    request_id: requestId,
    method,
    route: path,
    status,
    ms: millisecondsSince(started),
    caller: agent ? 'agent' : 'anonymous',
  }
  // Set one by one: spreading an object costs more than all else in a line.
  if (agent) line.key_id = agent.key_id
  if (code !== undefined) line.code = code
  parts.observe(line)
}

/** An operation that makes the bytes of most answers itself. */
export interface FirstRoute {
  /** How the targets of its questions begin. */
  prefix: string
  route: KeptRoute
  op: Operation
  first: NonNullable<Operation['first']>
  /** The head of the last answer. */
  head?: PassingHead
}

/** Those of the operations that an exact path leads to. */
export function firstRoutes(direct: ReadonlyMap<string, { op: Operation; route: KeptRoute }>): FirstRoute[] {
  const routes: FirstRoute[] = []
  for (const [path, { op, route }] of direct)
    if (op.first && !op.cost && !op.heavy) routes.push({ prefix: `${path}?`, route, op, first: op.first })
  return routes
}

/** There are so few that to look at each takes less time than to cut the path out of a target. */
function firstRouteOf(target: string, firsts: readonly FirstRoute[]): FirstRoute | undefined {
  for (const first of firsts) if (target.startsWith(first.prefix)) return first
  return undefined
}

/**
 * Answers that are not ready-made, but are made as bytes by their operation (`first`), without the router. As above it does
 * what the plain path does, and leaves to it whatever is unusual in the request, and every question that `first` leaves open.
 */
export function firstPath(
  parts: WarmParts,
  firsts: readonly FirstRoute[],
): (asked: Asked, address: string, started: number, plain: Plain) => Soon<ReadyBytes | Response> {
  return (asked, address, started, plain) => {
    const { method, target } = asked.head
    const found = method === 'GET' ? firstRouteOf(target, firsts) : undefined
    const head = found && readHead(asked.head)
    if (!head || !isUsual(head) || target.length > LONGEST_TARGET) return plain(asked, address, started)
    const visit = parts.gate.enter(callOf(head, address), found.route.access, found.route.limit)
    if (!(visit instanceof Promise))
      return firstAnswer(parts, found, asked, head, started, visit) ?? plain(asked, address, started, visit)
    return visit.then(
      (entered) => {
        const made = firstAnswer(parts, found, asked, head, started, entered)
        return made ? after(made, lasting) : plain(asked, address, started, entered)
      },
      // Nothing was counted when the gate fails: it reads the credential first.
      () => plain(asked, address, started),
    )
  }
}

/** Undefined where the operation leaves the question open. */
function firstAnswer(
  parts: WarmParts,
  found: FirstRoute,
  { head: { method, target } }: Asked,
  { accept }: RequestHead,
  started: number,
  visit: Visit,
): Soon<ReadyBytes | Response> | undefined {
  const { prefix, route, first } = found
  if (visit.refusal) {
    const request = { requestId: parts.randomId(), method, accept, started }
    return refused(parts, route, request, visit, visit.refusal)
  }
  const stamp = route.stamp()
  const form = route.formFor(accept)
  if (stamp === undefined || form === undefined) return undefined
  const body = first(target.slice(prefix.length))
  if (!body || isWorthwhile(body.length, 'answer') || body.length > MOST_PASSING) return undefined
  const request = { requestId: parts.randomId(), method, accept, started }
  if (parts.cache.wants(target, route, body.length)) {
    const reply = new ReadyReply(wholeOf(parts, found, request, visit, new Uint8Array(body)), visit.quota)
    parts.cache.keep(target, { route, stamp, cost: 1 }, variantsOf(form), reply)
  }
  observed(parts, route, request, visit, OK, undefined)
  return bytesOf(parts, found, request, visit, body)
}

const OK = 200
/** Characters that must be encoded take three. What is too long only then is refused by the plain path, before it is counted here. */
const LONGEST_TARGET = LIMITS.urlBytes / 3

const isUsual = ({ hasBody, bytes, ifMatch, ifNoneMatch }: RequestHead): boolean =>
  !hasBody && bytes <= LIMITS.headerBytes && ifMatch === null && ifNoneMatch === null

type Body = Uint8Array<ArrayBuffer>

/** The same reply as the plain path makes. */
function wholeOf(parts: WarmParts, { op }: FirstRoute, { requestId }: Request, visit: Visit, bytes: Body): WholeReply {
  // Without a coding it is there at once.
  const reply = good({ bytes, type: 'application/json', cache: op.cache }) as WholeReply
  forCaller(reply, visit, op.access)
  setCommon(reply.headers, requestId, parts.isSecure())
  return reply
}

function bytesOf(parts: WarmParts, found: FirstRoute, request: Request, visit: Visit, body: Body): ReadyBytes {
  const { quota } = visit
  const isSecure = parts.isSecure()
  // Limits are the same for most callers.
  if (found.head?.isSecure !== isSecure || !isSamePolicy(found.head.quota, quota))
    found.head = new PassingHead(wholeOf(parts, found, request, visit, body), quota, isSecure)
  const head = found.head.write(body, request.requestId, quota)
  return { status: OK, head, lines: '', body, isPassing: true }
}

/** What differs from answer to answer takes no more bytes. */
const MOST_OWN = 512

/** The head of an answer that the next one is written over: what is the same for all of a route, and then what is not. */
class PassingHead {
  readonly #bytes: Buffer
  readonly #shared: number
  /** By length: heads have one of a few. */
  readonly #views: (Uint8Array | undefined)[] = []

  constructor(
    { status, headers }: WholeReply,
    readonly quota: Quota | undefined,
    readonly isSecure: boolean,
  ) {
    const { 'x-request-id': _id, ratelimit: _remaining, etag: _etag, ...shared } = headers
    const text = statusLine(status) + headerLines(shared)
    this.#shared = text.length
    this.#bytes = Buffer.alloc(text.length + MOST_OWN, text, 'latin1')
  }

  write(body: Body, requestId: string, quota: Quota | undefined): Uint8Array {
    let at = this.#add('content-length: ', this.#shared)
    at = this.#add(String(body.length), at)
    at = writeEtag(body, this.#bytes, this.#add('\r\netag: ', at))
    at = this.#add(requestId, this.#add('\r\nx-request-id: ', at))
    if (quota) at = this.#add(remainingOf(quota), this.#add('\r\nratelimit: ', at))
    at = this.#add('\r\n', at)
    if (at > this.#bytes.length) throw new RangeError('the head of an answer is too long')
    const view = this.#views[at - this.#shared] ?? this.#bytes.subarray(0, at)
    this.#views[at - this.#shared] = view
    return view
  }

  /** A few characters: to have them written takes longer than to write them. */
  #add(text: string, at: number): number {
    for (let i = 0; i < text.length; i++) this.#bytes[at + i] = text.charCodeAt(i)
    return at + text.length
  }
}
