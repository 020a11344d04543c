import type { Gate, Visit } from '../../operation.ts'
import { after, type Soon } from '../../soon.ts'
import type { ReadyBytes } from '../../transport/answer.ts'
import { preferredEncoding } from './compression.ts'
import { forReader, type RefusalPages } from './exchange.ts'
import { type KeptRoute, variantOf } from './kept-route.ts'
import { prefersPage } from './negotiation.ts'
import type { KeptAnswers, ReadyReply, ReplyCache } from './reply-cache.ts'
import { type Asked, callOf, LIMITS, type RequestHead, readHead } from './request.ts'
import { millisecondsSince, type RequestLine } from './request-line.ts'
import { forCaller, refusal, setCommon, written } from './response.ts'

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
): (asked: Asked, address: string, started: number, plain: Plain) => Soon<ReadyBytes | Response> | undefined {
  const { cache, gate } = parts
  return (asked, address, started, plain) => {
    const { method, target } = asked.head
    if (method !== 'GET' && method !== 'HEAD') return undefined
    const answers = findAnswers(cache, target)
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

function findAnswers(cache: ReplyCache, target: string): KeptAnswers | undefined {
  const found = cache.find(target)
  if (found) return found
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
