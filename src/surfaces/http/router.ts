import { allowedParameters, answerText, madeOnce, type Operation, perform, refusalOf } from '../../operation.ts'
import { Problem } from '../../problem.ts'
import { after, attempt, type Soon } from '../../soon.ts'
import { type ReadyBytes, responseOf } from '../../transport/answer.ts'
import { sendReady } from '../../transport/output.ts'
import { isText, isWorthwhile, preferredEncoding } from './compression.ts'
import {
  aboutRefusal,
  answerPreflight,
  type Env,
  forReader,
  type HttpParts,
  isSecure,
  refuse,
  refuseUnread,
  type Unreadable,
} from './exchange.ts'
import { jsonFormFor, type KeptRoute, operationRoute, resourceRoute, variantsOf } from './kept-route.ts'
import { isFromAllowedPage, readersOf } from './mount.ts'
import { type CacheFigures, keep, ReplyCache } from './reply-cache.ts'
import {
  type Asked,
  askedBy,
  callFor,
  callOf,
  checkHead,
  ownAddresses,
  placeOf,
  queryValues,
  readHead,
  readInput,
  refuseBody,
  targetOf,
  withOwnPath,
} from './request.ts'
import { lineOf, loggedStatus, millisecondsSince, type RequestLine, refusedLineOf } from './request-line.ts'
import { isFile, type Resource, wholePage } from './resource.ts'
import {
  asProblem,
  conditional,
  documentHeaders,
  fileReply,
  forCaller,
  good,
  ifUnchanged,
  linkHeader,
  methodRefusal,
  notAcceptable,
  problemDocument,
  type Reply,
  refusal,
  replyOf,
  setCommon,
  type WholeReply,
  written,
} from './response.ts'
import { methodOf, parameterValues, type Route, RouteTable } from './route-path.ts'
import { warmPath } from './warm.ts'

export type { RequestLine }

export interface HttpSurface {
  /** Answers a request that the transport has read. A promise unless the answer is ready-made. */
  answer: (asked: Asked, address: string) => Soon<ReadyBytes | Response>
  /** What is said to somebody whose request the transport could not read. */
  refuse: (refusal: Unreadable, address: string) => Promise<ReadyBytes | Response>
  /** The same answer to a request that is an object already. */
  fetch: (request: Request, address: string) => Soon<Response>
  /** The routes that the router really has, for the tests that compare them with the documents. */
  routes: { method: string; path: string }[]
  cacheFigures: () => CacheFigures
}

/** The whole HTTP surface: a loop over the operations, one over the resources, and the protocols that are mounted. */
export function httpSurface(parts: HttpParts): HttpSurface {
  const routes = new RouteTable<RouteAnswer>()
  for (const op of parts.operations) {
    const route = operationRoute(op)
    routes.add(op.http.method, op.http, (env, values) => runOperation(parts, op, route, env, values))
  }
  for (const resource of parts.resources) {
    const route = resourceRoute(resource)
    routes.add('GET', resource, (env, values) => showResource(parts, resource, route, env, values))
  }
  for (const mount of parts.mounts ?? []) {
    routes.add('POST', mount, async (env) => {
      const request = env.asked.request()
      const call = { ...callOf(env.head, env.address), signal: () => request.signal }
      return replyOf(await mount.handle(request, { call, requestId: env.requestId }))
    })
  }

  const cache = new ReplyCache(parts.cacheBytes ?? 0)
  const plain = (asked: Asked, address: string, started: number, visit?: Env['visit']): Soon<ReadyBytes | Response> => {
    sendReady()
    const { method, target } = asked.head
    const { pathname, search } = targetOf(target)
    const env: Env = {
      address,
      requestId: parts.randomId(),
      pathname,
      search,
      head: readHead(asked.head),
      asked,
      visit,
      about: { caller: 'unknown' },
    }
    const mount = parts.mounts?.find(({ path }) => path === pathname)
    const signal = (): AbortSignal => asked.request().signal
    const found = routes.find(pathname)
    let error: unknown
    const ask = (): Soon<Reply> => {
      checkHead(env, env.head)
      if (methodOf(asked.head) === 'other') throw new Problem('method_not_implemented')
      if (mount && !isFromAllowedPage(mount, asked.head)) throw new Problem('origin_not_allowed')
      const made = found
        ? answerBy(parts, found.route, env, found.values)
        : refuse(parts, env, new Problem('route_not_found'))
      return env.head.ifMatch === null ? made : after(made, (whole) => ifUnchanged(whole, env.head.ifMatch))
    }
    const finish = (whole: Reply): Soon<ReadyBytes | Response> => {
      setCommon(whole.headers, env.requestId, isSecure(parts))
      if (mount) Object.assign(whole.headers, readersOf(mount, asked.head))
      if (env.made) keep(cache, env.made, whole as WholeReply, env)
      const reply = conditional(whole, env.head.ifNoneMatch)
      parts.observe({
        request_id: env.requestId,
        method: methodOf(asked.head),
        route: found?.route.path ?? 'unknown',
        status: loggedStatus(signal, reply),
        ms: millisecondsSince(started),
        ...env.about,
        ...(error !== undefined && { error }),
      })
      const shown = forReader(reply, env.head.accept, parts.refusalPages)
      return after(shown, (made) => written(made, method === 'HEAD'))
    }
    const whole = attempt(ask, (caught) => {
      const problem = asProblem(caught)
      if (problem.code === 'internal_error' && !signal().aborted) error = caught
      env.made = undefined // what was made is not what is sent
      return refuse(parts, env, problem)
    })
    return after(whole, finish)
  }
  const ready = { ...parts, cache, isSecure: () => isSecure(parts) }
  const warm = warmPath(ready)
  const { door } = parts
  const answer: HttpSurface['answer'] = (asked, address) => {
    const started = performance.now()
    const made = warm(asked, address, started, plain)
    if (made) return made
    if (!door || door.isOpen()) return plain(asked, address, started)
    return door.inLine(address, () => plain(asked, address, started))
  }
  return {
    answer,
    fetch: (request, address) =>
      after(answer(askedBy(request), address), (made) => (made instanceof Response ? made : responseOf(made))),
    refuse: (unreadable, address) => refuseUnread(parts, unreadable, address),
    routes: routes.list(),
    cacheFigures: () => cache.figures,
  }
}

type RouteAnswer = (env: Env, values: Record<string, string>) => Soon<Reply>

/** HEAD is answered as GET is: its body is left out where it is written. */
function answerBy(
  parts: HttpParts,
  { methods }: Route<RouteAnswer>,
  env: Env,
  values: Record<string, string>,
): Soon<Reply> {
  const { method } = env.asked.head
  const answer = methods.get(method === 'HEAD' ? 'GET' : method)
  if (answer) return answer(env, values)
  const allow = [...methods.keys()].flatMap((each) => (each === 'GET' ? ['GET', 'HEAD'] : [each]))
  const allowed = [...allow, 'OPTIONS'].join(', ')
  return method === 'OPTIONS'
    ? answerPreflight(parts, env, allowed)
    : refuse(parts, env, methodRefusal(allowed), { allow: allowed })
}

function runOperation(
  parts: HttpParts,
  op: Operation,
  route: KeptRoute,
  env: Env,
  path: Record<string, string>,
): Soon<Reply> {
  const stamp = route.stamp()
  const form = jsonFormFor(env.head.accept)
  const read = (): Soon<Record<string, unknown>> => {
    if (form === undefined) throw notAcceptable(['application/json'])
    const input = readInput(op, () => env.asked.request(), env, path)
    return 'href' in op.input.shape
      ? after(input, (sent) => withOwnPath(sent, ownAddresses(parts.baseUrl(), env.asked.head.get('host'))))
      : input
  }
  const { visit: counted } = env
  const gate = counted ? { ...parts.gate, enter: () => counted } : parts.gate
  return after(perform(op, callFor(op, env.asked, env), gate, read), (outcome) => {
    const { visit, cost } = outcome
    env.about = outcome.ok ? lineOf(visit) : refusedLineOf(visit, outcome.problem)
    const kept = stamp !== undefined && stamp === route.stamp() ? { route, stamp, cost, quota: visit.quota } : undefined
    if (!outcome.ok) {
      const { problem } = outcome
      const about = { ...aboutRefusal(parts, env), placeOf: (name: string | undefined) => placeOf(op, name) }
      const text = JSON.stringify(problemDocument(problem, about))
      // Other refusals cost little to make, or will not be so again.
      if (kept && problem.entry.kind === 'not_found')
        env.made = { ...kept, variants: variantsOf(form ?? 0), code: problem.code }
      return forCaller(refusal(problem, about, text), visit, op.access)
    }
    const { output } = outcome
    const { links } = output as { links?: Record<string, string | null> }
    const bytes = Buffer.from(answerText(output))
    const encoding = isWorthwhile(bytes.length, 'answer') ? preferredEncoding(env.head.acceptEncoding) : undefined
    const headers = links && linkHeader(links)
    return after(good({ bytes, type: 'application/json', cache: op.cache, headers, encoding }), (reply) => {
      if (kept) env.made = { ...kept, variants: variantsOf(form ?? 0, encoding) }
      return forCaller(reply, visit, op.access)
    })
  })
}

async function showResource(
  parts: HttpParts,
  resource: Resource,
  route: KeptRoute,
  env: Env,
  path: Record<string, string>,
): Promise<Reply> {
  const { access, limit } = route
  const { head } = env
  const { cost = 1 } = resource
  const enter = () => parts.gate.enter(callOf(head, env.address), access, limit, cost === 1 ? undefined : () => cost)
  const visit = env.visit ?? (await enter())
  env.about = lineOf(visit)
  const show = async (): Promise<Reply> => {
    if (visit.refusal) throw visit.refusal
    if (!resource.lenient && env.search.replaceAll('&', '').length > 1)
      throw new Problem('unknown_parameter', undefined, allowedParameters([]))
    refuseBody(head)
    const at = route.formFor(head.accept) ?? -1
    const form = resource.forms[at]
    if (!form) throw notAcceptable(resource.forms.map(({ type }) => type))
    const stamp = route.stamp()
    const values = [...parameterValues(resource, env.pathname, path), ...queryValues(resource, env.search)]
    const render = async () => form.render(...values)
    const { heavy } = parts.gate
    const hungUp = (): AbortSignal => env.asked.request().signal
    const who = visit.who ?? env.address
    const inTurn = () => (resource.heavy ? heavy.run(who, render, hungUp) : render())
    const what = JSON.stringify([stamp, at, values])
    const rendered = await (stamp === undefined ? inTurn() : madeOnce(route.underWay, what, inTurn))
    if (isFile(rendered)) {
      const named = { 'content-type': form.type, 'cache-control': resource.cache, etag: rendered.etag }
      const isHead = env.asked.head.method === 'HEAD'
      return await fileReply({ ...head, isHead }, named, () => rendered.open(who, hungUp()))
    }
    const { bytes, status, headers: own } = wholePage(rendered)
    const isCompressible = isWorthwhile(bytes.length, 'document') && (resource.compressed || isText(form.type))
    const encoding = isCompressible ? preferredEncoding(head.acceptEncoding) : undefined
    const isOneOf = resource.forms.length > 1 && { vary: 'Accept' }
    const headers = { ...documentHeaders(form.type, resource.headers), ...own, ...isOneOf }
    // As other refusals: the answer may be another one tomorrow.
    const cache = status < 400 ? resource.cache : 'no-store'
    const { isMadeOnce } = resource
    const reply = await good({
      bytes,
      type: form.type,
      cache,
      headers,
      encoding,
      status,
      isMadeOnce,
      ifMatch: head.ifMatch,
    })
    if (stamp !== undefined && stamp === route.stamp())
      env.made = { route, stamp, cost, quota: visit.quota, variants: variantsOf(at, encoding) }
    return reply
  }
  const reply = await show().catch((error) => {
    const problem = refusalOf(error)
    if (!problem) throw error
    env.about = refusedLineOf(visit, problem)
    return refusal(problem, aboutRefusal(parts, env))
  })
  return forCaller(reply, visit, access)
}
