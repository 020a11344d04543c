import type { Gate, Visit } from '../../operation.ts'
import { preferredEncoding } from './compression.ts'
import { forReader, type RefusalPages } from './exchange.ts'
import { type KeptRoute, variantOf } from './kept-route.ts'
import { prefersPage } from './negotiation.ts'
import type { KeptAnswers, ReadyReply, ReplyCache } from './reply-cache.ts'
import { callOf, LIMITS, type RequestHead, readHead, targetText } from './request.ts'
import { millisecondsSince, type RequestLine } from './request-line.ts'
import { asResponse, forCaller, refusal, setCommon } from './response.ts'

export interface ReadyParts {
  cache: ReplyCache
  gate: Gate
  baseUrl: () => string
  observe: (line: RequestLine) => void
  randomId: () => string
  refusalPages?: RefusalPages | undefined
}

/** Answers by the general way. A caller who was counted before is not counted again. */
export type General = (visit?: Visit) => Promise<Response>

/**
 * Sends ready-made answers, without the router and without a promise. It checks what the general way checks before its work:
 * quota and credentials, the form, the conditional request. It leaves to the general way all that this would refuse; only
 * what the gate refuses it must answer, because a request is counted once.
 */
export function readyAnswers(
  parts: ReadyParts,
): (request: Request, address: string, started: number, general: General) => Response | Promise<Response> | undefined {
  const { cache, gate } = parts
  return (request, address, started, general) => {
    const { method } = request
    if (method !== 'GET' && method !== 'HEAD') return undefined
    const answers = findAnswers(cache, targetText(request))
    if (!answers) return undefined
    const head = readHead(request.headers)
    const reply = choose(answers, head)
    if (!reply) return undefined
    const { access, limit } = answers.route
    const cost = answers.cost === 1 ? undefined : () => answers.cost
    const found: Found = { route: answers.route, reply, head, method, started }
    const visit = gate.enter(callOf(head, address), access, limit, cost)
    if (!(visit instanceof Promise)) return answer(parts, found, visit)
    // A gate that fails has counted nothing: it reads the credential first. What has changed meanwhile is made anew.
    return visit.then(
      (entered) => (answers.route.stamp() === answers.stamp ? answer(parts, found, entered) : general(entered)),
      () => general(),
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
  if (head.hasBody || route.stamp() !== stamp) return undefined
  const form = route.formFor(head.accept)
  const reply = form === undefined ? undefined : replies.get(variantOf(form, preferredEncoding(head.acceptEncoding)))
  // It is kept as JSON: a browser gets a page.
  if (reply?.code !== undefined && prefersPage(head.accept)) return undefined
  return head.ifMatch === null || reply?.isFor(head.ifMatch) ? reply : undefined
}

/** A ready-made answer, and the request that it answers. */
interface Found {
  route: KeptRoute
  reply: ReadyReply
  head: RequestHead
  method: string
  started: number
}

function answer(parts: ReadyParts, found: Found, visit: Visit): Response | Promise<Response> {
  const { reply, head, method } = found
  const requestId = parts.randomId()
  if (visit.refusal) return refuse(parts, found, requestId, visit, visit.refusal)
  parts.cache.hit()
  const response = reply.respond(requestId, visit.quota, method === 'HEAD', head.ifNoneMatch)
  observe(parts, found, requestId, visit, response.status, reply.code)
  return response
}

async function refuse(
  parts: ReadyParts,
  found: Found,
  requestId: string,
  visit: Visit,
  problem: NonNullable<Visit['refusal']>,
): Promise<Response> {
  const { route, head, method } = found
  const baseUrl = parts.baseUrl()
  const reply = forCaller(refusal(problem, { baseUrl, requestId }), visit, route.access)
  setCommon(reply.headers, requestId, baseUrl)
  observe(parts, found, requestId, visit, reply.status, problem.code)
  return asResponse(await forReader(reply, head, parts.refusalPages), method === 'HEAD')
}

function observe(
  parts: ReadyParts,
  { route, method, started }: Found,
  request_id: string,
  { agent }: Visit,
  status: number,
  code: string | undefined,
): void {
  const ms = millisecondsSince(started)
  const line: RequestLine = { request_id, method, route: route.path, status, ms, caller: agent ? 'agent' : 'anonymous' }
  // Set one by one: spreading an object would cost more than all else in a line.
  if (agent) line.key_id = agent.key_id
  if (code !== undefined) line.code = code
  parts.observe(line)
}
