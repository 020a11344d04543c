import type { Gate, Visit } from '../../operation.ts'
import { after, type Soon } from '../../soon.ts'
import type { ReadyBytes } from '../../transport/answer.ts'
import { preferredEncoding } from './compression.ts'
import { forReader, type RefusalPages } from './exchange.ts'
import { variantOf } from './kept-route.ts'
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

type Plain = (asked: Asked, address: string, started: number) => Soon<ReadyBytes | Response>

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
    // Nothing was counted when the gate fails: it reads the credential first.
    return visit.then(
      (entered) => answer(parts, warm, entered),
      () => plain(asked, address, started),
    )
  }
}

function findAnswers(cache: ReplyCache, target: string): KeptAnswers | undefined {
  const found = cache.find(target)
  if (found) return found
  const query = target.search(/[?#]/)
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
  const { path, access } = answers.route
  const isHead = method === 'HEAD'
  let made: Soon<ReadyBytes | Response>
  let status: number
  if (visit.refusal) {
    const refused = forCaller(refusal(visit.refusal, { baseUrl: parts.baseUrl(), requestId }), visit, access)
    setCommon(refused.headers, requestId, parts.isSecure())
    status = refused.status
    const shown = forReader(refused, head.accept, parts.refusalPages)
    made = after(shown, (whole) => written(whole, isHead))
  } else {
    parts.cache.hit()
    const ready = reply.respond(requestId, visit.quota, isHead, head.ifNoneMatch)
    status = ready.status
    made = ready
  }
  const line: RequestLine = {
    request_id: requestId,
    method,
    route: path,
    status,
    ms: millisecondsSince(started),
    caller: visit.agent ? 'agent' : 'anonymous',
  }
  // Set one by one: spreading an object costs more than all else in a line.
  if (visit.agent) line.key_id = visit.agent.key_id
  const code = visit.refusal?.code ?? reply.code
  if (code !== undefined) line.code = code
  parts.observe(line)
  return made
}
