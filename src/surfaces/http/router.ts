import {
  allowedParameters,
  answerText,
  madeOnce,
  type Operation,
  perform,
  refusalOf,
  type Visit,
} from '../../operation.ts'
import { Problem } from '../../problem.ts'
import { inTurn } from '../../queue.ts'
import { isText, isWorthwhile, preferredEncoding } from './compression.ts'
import { answerPreflight, type Exchange, forReader, type HttpParts, refusalOptions, refuse } from './exchange.ts'
import { jsonFormFor, type KeptRoute, operationRoute, resourceRoute, variantsOf } from './kept-route.ts'
import { isFromAllowedPage, type Mount, readersOf } from './mount.ts'
import { readyAnswers } from './ready-answers.ts'
import { type CacheFigures, keep, ReplyCache } from './reply-cache.ts'
import {
  callFor,
  callOf,
  checkLength,
  ownAddresses,
  parameterLocation,
  queryValues,
  readHead,
  readInput,
  refuseBody,
  targetOf,
  targetText,
  withOwnPath,
} from './request.ts'
import { lineOf, loggedStatus, millisecondsSince, type RequestLine, refusedLineOf } from './request-line.ts'
import { isFile, type Resource, wholePage } from './resource.ts'
import {
  asProblem,
  asResponse,
  conditional,
  documentHeaders,
  fileReply,
  forCaller,
  good,
  ifUnchanged,
  linkHeader,
  methodRefusal,
  notAcceptable,
  problemText,
  type Reply,
  refusal,
  replyOf,
  setCommon,
  type WholeReply,
} from './response.ts'
import { methodOf, parameterValues, type Route, RouteTable } from './route-path.ts'

export type { RequestLine }

export interface HttpSurface {
  /** Answers a request from an address. A promise unless the answer is ready-made. */
  fetch: (request: Request, address: string) => Response | Promise<Response>
  /** The routes that the router really has, for the tests that compare them with the documents. */
  routes: { method: string; path: string }[]
  cacheFigures: () => CacheFigures
}

/** The whole HTTP surface: a loop over the operations, one over the resources, and the protocols that are mounted. */
export function httpSurface(parts: HttpParts): HttpSurface {
  const routes = routesOf(parts)
  const cache = new ReplyCache(parts.cacheBytes ?? 0)
  const routed = { ...parts, routes, cache }
  const answerReady = readyAnswers(routed)
  const { callerAt = (address) => address } = parts
  return {
    fetch: (request, address) => {
      const started = performance.now()
      const general = (visit?: Visit): Promise<Response> =>
        answer(routed, exchangeOf(parts, request, address, visit), started)
      // A ready answer, and its refusal, waits for its turn like any other: else a caller with many connections goes first.
      return inTurn(callerAt(address), () => answerReady(request, address, started, general) ?? general())
    },
    routes: routes.list(),
    cacheFigures: () => cache.figures,
  }
}

type RouteAnswer = (exchange: Exchange, values: Record<string, string>) => Promise<Reply>

function routesOf(parts: HttpParts): RouteTable<RouteAnswer> {
  const routes = new RouteTable<RouteAnswer>()
  for (const op of parts.operations) {
    const route = operationRoute(op)
    routes.add(op.http.method, op.http, (exchange, values) => runOperation(parts, op, route, exchange, values))
  }
  for (const resource of parts.resources) {
    const route = resourceRoute(resource)
    routes.add('GET', resource, (exchange, values) => showResource(parts, resource, route, exchange, values))
  }
  for (const mount of parts.mounts ?? [])
    routes.add('POST', mount, async ({ request, head, address, requestId }) => {
      const call = { ...callOf(head, address), signal: request.signal }
      return replyOf(await mount.handle(request, { call, requestId }))
    })
  return routes
}

function exchangeOf({ randomId }: HttpParts, request: Request, address: string, visit: Visit | undefined): Exchange {
  return {
    request,
    ...targetOf(targetText(request)),
    head: readHead(request.headers),
    address,
    requestId: randomId(),
    visit,
    logged: { caller: 'unknown' },
  }
}

interface RoutedParts extends HttpParts {
  routes: RouteTable<RouteAnswer>
  cache: ReplyCache
}

async function answer(parts: RoutedParts, exchange: Exchange, started: number): Promise<Response> {
  const { request, head, requestId, pathname } = exchange
  const found = parts.routes.find(pathname)
  const mount = parts.mounts?.find(({ path }) => path === pathname)
  let fault: unknown
  let reply: Reply
  try {
    reply = ifUnchanged(await answerBy(parts, exchange, found, mount), head.ifMatch)
  } catch (error) {
    const problem = asProblem(error)
    if (problem.code === 'internal_error' && !request.signal.aborted) fault = error
    exchange.cacheable = undefined
    reply = await refuse(parts, exchange, problem)
  }
  setCommon(reply.headers, requestId, parts.baseUrl())
  if (mount) Object.assign(reply.headers, readersOf(mount, request.headers))
  if (exchange.cacheable) keep(parts.cache, exchange.cacheable, reply as WholeReply, exchange)
  const sent = conditional(reply, head.ifNoneMatch)
  parts.observe({
    request_id: requestId,
    method: methodOf(request),
    route: found?.route.path ?? 'unknown',
    status: loggedStatus(request, sent),
    ms: millisecondsSince(started),
    ...exchange.logged,
    ...(fault !== undefined && { error: fault }),
  })
  return asResponse(await forReader(sent, head, parts.refusalPages), request.method === 'HEAD')
}

/** HEAD is answered as GET is: its body is left out where the response is made. */
async function answerBy(
  parts: HttpParts,
  exchange: Exchange,
  found: { route: Route<RouteAnswer>; values: Record<string, string> } | undefined,
  mount: Mount | undefined,
): Promise<Reply> {
  const { request } = exchange
  const { method } = request
  checkLength(exchange)
  if (methodOf(request) === 'other') throw new Problem('method_not_implemented')
  if (mount && !isFromAllowedPage(mount, request.headers)) throw new Problem('origin_not_allowed')
  if (!found) return refuse(parts, exchange, new Problem('route_not_found'))
  const { methods } = found.route
  const routeAnswer = methods.get(method === 'HEAD' ? 'GET' : method)
  if (routeAnswer) return routeAnswer(exchange, found.values)
  const allow = [...methods.keys()].flatMap((each) => (each === 'GET' ? ['GET', 'HEAD'] : [each]))
  const allowed = [...allow, 'OPTIONS'].join(', ')
  return method === 'OPTIONS'
    ? answerPreflight(parts, exchange, allowed)
    : refuse(parts, exchange, methodRefusal(allowed), { allow: allowed })
}

async function runOperation(
  parts: HttpParts,
  op: Operation,
  route: KeptRoute,
  exchange: Exchange,
  path: Record<string, string>,
): Promise<Reply> {
  const { request, head, visit: counted } = exchange
  const stamp = route.stamp()
  const form = jsonFormFor(head.accept)
  const read = async (): Promise<Record<string, unknown>> => {
    if (form === undefined) throw notAcceptable(['application/json'])
    const input = await readInput(op, exchange, path)
    return 'href' in op.input.shape
      ? withOwnPath(input, ownAddresses(parts.baseUrl(), request.headers.get('host')))
      : input
  }
  const gate = counted ? { ...parts.gate, enter: () => counted } : parts.gate
  const outcome = await perform(op, callFor(op, exchange), gate, read)
  const { visit, cost } = outcome
  exchange.logged = outcome.ok ? lineOf(visit) : refusedLineOf(visit, outcome.problem)
  const kept = stamp !== undefined && stamp === route.stamp() ? { route, stamp, cost, quota: visit.quota } : undefined
  if (!outcome.ok) {
    const { problem } = outcome
    const locationOf = (name: string | undefined) => parameterLocation(op, name)
    const options = { ...refusalOptions(parts, exchange), locationOf }
    const text = problemText(problem, options)
    // Other refusals cost little to make, or will not be so again.
    if (kept && problem.entry.kind === 'not_found')
      exchange.cacheable = { ...kept, variants: variantsOf(form ?? 0), code: problem.code }
    return forCaller(refusal(problem, options, text), visit, op.access)
  }
  const { output } = outcome
  const { links } = output as { links?: Record<string, string | null> }
  const bytes = Buffer.from(answerText(output))
  const encoding = isWorthwhile(bytes.length, 'answer') ? preferredEncoding(head.acceptEncoding) : undefined
  const headers = links && linkHeader(links)
  const reply = await good({ bytes, type: 'application/json', cache: op.cache, headers, encoding })
  if (kept) exchange.cacheable = { ...kept, variants: variantsOf(form ?? 0, encoding) }
  return forCaller(reply, visit, op.access)
}

async function showResource(
  parts: HttpParts,
  resource: Resource,
  route: KeptRoute,
  exchange: Exchange,
  path: Record<string, string>,
): Promise<Reply> {
  const { access, limit } = route
  const { cost = 1 } = resource
  const { head, address } = exchange
  const costOf = cost === 1 ? undefined : () => cost
  const visit = exchange.visit ?? (await parts.gate.enter(callOf(head, address), access, limit, costOf))
  exchange.logged = lineOf(visit)
  try {
    if (visit.refusal) throw visit.refusal
    return forCaller(await rendered(parts, resource, route, exchange, path, visit), visit, access)
  } catch (error) {
    const problem = refusalOf(error)
    if (!problem) throw error
    exchange.logged = refusedLineOf(visit, problem)
    return forCaller(refusal(problem, refusalOptions(parts, exchange)), visit, access)
  }
}

/** A resource in the form that the caller prefers. */
async function rendered(
  parts: HttpParts,
  resource: Resource,
  route: KeptRoute,
  exchange: Exchange,
  path: Record<string, string>,
  visit: Visit,
): Promise<Reply> {
  const { request, head, address, pathname, search } = exchange
  if (!resource.lenient && search.replaceAll('&', '').length > 1)
    throw new Problem('unknown_parameter', undefined, allowedParameters([]))
  refuseBody(head)
  const at = route.formFor(head.accept) ?? -1
  const form = resource.forms[at]
  if (!form) throw notAcceptable(resource.forms.map(({ type }) => type))
  const stamp = route.stamp()
  const values = [...parameterValues(resource, pathname, path), ...queryValues(resource, search)]
  const render = async () => form.render(...values)
  const who = visit.who ?? address
  const inQueue = () => (resource.heavy ? parts.gate.queue.run(who, render, request.signal) : render())
  const name = JSON.stringify([stamp, at, values])
  const made = await (stamp === undefined ? inQueue() : madeOnce(route.underWay, name, inQueue))
  if (isFile(made)) {
    const headers = { 'content-type': form.type, 'cache-control': resource.cache, etag: made.etag }
    const isHead = request.method === 'HEAD'
    return fileReply({ ...head, isHead }, headers, () => made.open(who, request.signal))
  }
  const { bytes, status, headers: own } = wholePage(made)
  const isCompressible = isWorthwhile(bytes.length, 'document') && (resource.compressed || isText(form.type))
  const encoding = isCompressible ? preferredEncoding(head.acceptEncoding) : undefined
  const isOneOf = resource.forms.length > 1 && { vary: 'Accept' }
  const reply = await good({
    bytes,
    type: form.type,
    // A refusal may be another answer tomorrow.
    cache: status < 400 ? resource.cache : 'no-store',
    headers: { ...documentHeaders(form.type, resource.headers), ...own, ...isOneOf },
    encoding,
    status,
    isMadeOnce: resource.isMadeOnce,
    ifMatch: head.ifMatch,
  })
  if (stamp !== undefined && stamp === route.stamp())
    exchange.cacheable = {
      route,
      stamp,
      cost: resource.cost ?? 1,
      quota: visit.quota,
      variants: variantsOf(at, encoding),
    }
  return reply
}
