import type { Gate, Visit } from '../../operation.ts'
import type { Soon } from '../../soon.ts'
import { preferredEncoding } from './compression.ts'
import { variantOf } from './kept-route.ts'
import type { KeptAnswers, ReadyReply, ReplyCache } from './reply-cache.ts'
import { callOf, LIMITS, type RequestHead, rawTarget, readHead } from './request.ts'
import { forCaller, lineOf, millisecondsSince, type RequestLine, refusal, setCommon } from './response.ts'

export interface WarmParts {
  cache: ReplyCache
  gate: Gate
  baseUrl: () => string
  isSecure: () => boolean
  observe: (line: RequestLine) => void
  randomId: () => string
}

type Plain = (request: Request, address: string, started: number) => Soon<Response>

/**
 * Answers that are ready-made, without the router. It does what the plain path does before it gets to the work: sizes, quota
 * and credentials, the form, the conditional request. It leaves to the plain path all that it would refuse itself; only
 * what the gate refuses it must answer, because a request is counted once.
 */
export function warmPath(
  parts: WarmParts,
): (request: Request, address: string, started: number, plain: Plain) => Soon<Response> | undefined {
  const { cache, gate } = parts
  return (request, address, started, plain) => {
    const { method } = request
    if (method !== 'GET' && method !== 'HEAD') return undefined
    const answers = findAnswers(cache, request.url)
    if (!answers) return undefined
    const head = readHead(request.headers)
    const reply = choose(answers, head)
    if (!reply) return undefined
    const { access, limit } = answers.route
    const cost = answers.cost === 1 ? undefined : () => answers.cost
    const give = (visit: Visit): Response => answer(parts, { answers, reply, visit, head, method, started })
    const visit = gate.enter(callOf(head, address), access, limit, cost)
    // Nothing was counted when the gate fails: it reads the credential first.
    return visit instanceof Promise ? visit.then(give, () => plain(request, address, started)) : give(visit)
  }
}

function findAnswers(cache: ReplyCache, url: string): KeptAnswers | undefined {
  const target = rawTarget(url)
  if (target === undefined) return undefined
  const found = cache.find(target)
  if (found) return found
  const query = target.search(/[?#]/)
  const page = query < 0 ? undefined : cache.find(target.slice(0, query))
  return page?.route.ignoresQuery && target.length <= LIMITS.urlBytes ? page : undefined
}

function choose({ route, stamp, replies }: KeptAnswers, head: RequestHead): ReadyReply | undefined {
  const isPlain = head.ifMatch === null && !head.hasTwoHosts && !head.hasBody && head.bytes <= LIMITS.headerBytes
  if (!isPlain || route.stamp() !== stamp) return undefined
  const form = route.formFor(head.accept)
  return form === undefined ? undefined : replies.get(variantOf(form, preferredEncoding(head.acceptEncoding)))
}

interface Warm {
  answers: KeptAnswers
  reply: ReadyReply
  visit: Visit
  head: RequestHead
  method: string
  started: number
}

function answer(parts: WarmParts, { answers, reply, visit, head, method, started }: Warm): Response {
  const requestId = parts.randomId()
  const { path, access } = answers.route
  let response: Response
  if (visit.refusal) {
    response = forCaller(refusal(visit.refusal, { baseUrl: parts.baseUrl(), requestId }), visit, access)
    setCommon(response.headers, requestId, parts.isSecure())
    if (method === 'HEAD') response = new Response(null, response)
  } else {
    parts.cache.hit()
    response = reply.respond(requestId, visit.quota, method === 'HEAD', head.ifNoneMatch)
  }
  parts.observe({
    request_id: requestId,
    method,
    route: path,
    status: response.status,
    ms: millisecondsSince(started),
    ...lineOf(visit, visit.refusal?.code ?? reply.code),
  })
  return response
}
