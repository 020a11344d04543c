import { Hono } from 'hono'
import {
  type Access,
  type Call,
  type Gate,
  type Operation,
  perform,
  ReadyAnswer,
  refusalOf,
  type SignedCall,
  type Visit,
} from '../../operation.ts'
import { Problem } from '../../problem.ts'
import { compressed } from './compression.ts'
import { isFromAllowedPage, type Mount, readersOf } from './mount.ts'
import { negotiate } from './negotiation.ts'
import { addressOf, checkSize, placeOf, readInput, refuseBody } from './request.ts'
import type { PathParameter, Resource } from './resource.ts'
import {
  asProblem,
  commonHeaders,
  good,
  linkHeader,
  preflight,
  quotaHeaders,
  type RefusalOptions,
  refusal,
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
}

export interface RequestLine {
  request_id: string
  method: string
  route: string
  status: number
  ms: number
  error?: unknown
}

type Env = { Bindings: { address: string; requestId: string } }
const JSON_FORMS = [{ type: 'application/json' }, { type: 'application/problem+json' }]
const GUARDED = 'X-Agent-Rails, Authorization'

export interface HttpSurface {
  fetch: (request: Request, address: string) => Promise<Response>
  /** The routes that the router really has, for the tests that compare them with the documents. */
  routes: { method: string; path: string }[]
}

/** The whole HTTP surface: a loop over the operations, one over the resources, and the protocols that are mounted. */
export function httpSurface(parts: HttpParts): HttpSurface {
  const app = new Hono<Env>({ getPath: (request) => addressOf(request).pathname })
  const routeOf = routeNames(parts)
  const methodsOf = new Map<string, Set<string>>()
  const documentedAs = new Map<string, string>()
  /** Converts a documented path to the router's form, and records that it accepts this method. */
  const allow = (method: string, path: string, parameters?: readonly PathParameter[]): string => {
    const routed = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => (takesRest(name, parameters) ? '*' : `:${name}`))
    methodsOf.set(routed, (methodsOf.get(routed) ?? new Set()).add(method))
    documentedAs.set(routed, path)
    return routed
  }

  for (const op of parts.operations) {
    const path = allow(op.http.method, op.http.path)
    app.on(op.http.method, path, (c) => runOperation(parts, op, c.req.raw, c.env, c.req.param()))
  }
  for (const resource of parts.resources) {
    const path = allow('GET', resource.path, resource.parameters)
    app.get(path, (c) => showResource(parts, resource, c.req.raw, c.env, c.req.param()))
  }
  for (const mount of parts.mounts ?? []) {
    app.post(allow('POST', mount.path), ({ req: { raw }, env: { address, requestId } }) =>
      mount.handle(raw, { call: callOf(raw, address), requestId }),
    )
  }
  for (const [path, methods] of methodsOf) {
    const allowed = [...methods].flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ')
    app.all(path, (c) =>
      c.req.method === 'OPTIONS'
        ? preflight(`${allowed}, OPTIONS`)
        : refuse(parts, c.req.raw, c.env, new Problem('method_not_allowed'), { allow: `${allowed}, OPTIONS` }),
    )
  }
  // By default Hono answers a fault in plain text and prints the error.
  app.onError((error) => {
    throw error
  })
  app.notFound((c) => refuse(parts, c.req.raw, c.env, new Problem('route_not_found')))

  const fetch: HttpSurface['fetch'] = async (request, address) => {
    const env = { address, requestId: parts.randomId() }
    const started = performance.now()
    const mount = parts.mounts?.find(({ path }) => path === addressOf(request).pathname)
    let error: unknown
    let response: Response
    try {
      checkSize(request)
      if (mount && !isFromAllowedPage(mount, request)) throw new Problem('origin_not_allowed')
      response = await app.fetch(request, env)
    } catch (caught) {
      const problem = asProblem(caught)
      if (problem.code === 'internal_error') error = caught
      response = await refuse(parts, request, env, problem)
    }
    const secure = parts.baseUrl().startsWith('https:')
    const headers = { ...commonHeaders(env.requestId, secure), ...readersOf(mount, request) }
    for (const [name, value] of Object.entries(headers)) response.headers.set(name, value)
    const ms = Math.round((performance.now() - started) * 1000) / 1000
    const line = {
      request_id: env.requestId,
      method: methodOf(request),
      route: routeOf(request),
      status: response.status,
      ms,
    }
    parts.observe(error === undefined ? line : { ...line, error })
    return response
  }
  const routes = app.routes.filter(({ method }) => method !== 'ALL')
  return { fetch, routes: routes.map(({ method, path }) => ({ method, path: documentedAs.get(path) ?? path })) }
}

async function runOperation(
  parts: HttpParts,
  op: Operation,
  request: Request,
  env: Env['Bindings'],
  path: Record<string, string>,
): Promise<Response> {
  const outcome = await perform(op, callOf(request, env.address), parts.gate, async () => {
    if (!negotiate(JSON_FORMS, request.headers.get('accept'))) throw new Problem('not_acceptable')
    return readInput(op, request, path)
  })
  const { visit } = outcome
  if (!outcome.ok) {
    const about = { ...aboutRefusal(parts, env), placeOf: (name: string | undefined) => placeOf(op, name) }
    return withQuota(refusal(outcome.problem, about), visit, op.access)
  }
  const links = (outcome.output as { links?: Record<string, string | null> }).links
  const answer = {
    body: outcome.output instanceof ReadyAnswer ? outcome.output.text : JSON.stringify(outcome.output),
    type: 'application/json',
    cache: op.cache,
    headers: links ? linkHeader(links) : {},
  }
  return withQuota(good(request, answer), visit, op.access)
}

async function showResource(
  parts: HttpParts,
  resource: Resource,
  request: Request,
  env: Env['Bindings'],
  path: Record<string, string>,
): Promise<Response> {
  const { access = 'public', limit = 'default' } = resource
  const visit: Visit = resource.unmetered ? {} : await parts.gate.enter(callOf(request, env.address), access, limit)
  const show = async (): Promise<Response> => {
    if (visit.refusal) throw visit.refusal
    if (!resource.lenient && addressOf(request).search.length > 1) throw new Problem('unknown_parameter')
    await refuseBody(request)
    const form = negotiate(resource.forms, request.headers.get('accept'))
    if (!form) throw new Problem('not_acceptable')
    const values = parameterValues(resource, request, path)
    const render = async (): Promise<string | Uint8Array> => form.render(...values)
    const { heavy } = parts.gate
    const body = await (resource.heavy ? heavy.run(visit.who ?? env.address, render, () => request.signal) : render())
    const headers = { ...resource.headers, ...(resource.forms.length > 1 ? { vary: 'Accept' } : {}) }
    const answer = { body, type: form.type, cache: resource.cache, headers }
    return good(request, resource.compressed ? await compressed(request, answer) : answer)
  }
  const response = await show().catch((error) => {
    const problem = refusalOf(error)
    if (problem) return refusal(problem, aboutRefusal(parts, env))
    throw error
  })
  return withQuota(response, visit, access)
}

const takesRest = (name: string, parameters: readonly PathParameter[] = []): boolean =>
  parameters.some((parameter) => parameter.name === name && parameter.rest)

/** The values of the path parameters. A value that a parameter does not accept means that the path does not exist. */
function parameterValues(
  { path, parameters = [] }: Resource,
  request: Request,
  read: Record<string, string>,
): string[] {
  const before = path.split('/').length - 1
  return parameters.map(({ name, values, pattern, rest }) => {
    // Clients that are generated from the OpenAPI document send the slashes of a parameter percent-encoded.
    const tail = (): string => addressOf(request).pathname.split('/').slice(before).join('/')
    const value = rest ? tail().replaceAll(/%2f/gi, '/') : (read[name] ?? '')
    const isListed = values === undefined || values.includes(value)
    if (!isListed || (pattern !== undefined && !new RegExp(pattern).test(value))) throw new Problem('route_not_found')
    return value
  })
}

/** A refusal outside any operation. It counts against the quota like any other answer. */
async function refuse(
  parts: HttpParts,
  request: Request,
  env: Env['Bindings'],
  problem: Problem,
  headers: Record<string, string> = {},
): Promise<Response> {
  const visit = await parts.gate.enter(callOf(request, env.address), 'public', 'default').catch((): Visit => ({}))
  const about = aboutRefusal(parts, env)
  const response = visit.refusal ? refusal(visit.refusal, about) : refusal(problem, { ...about, headers })
  return withQuota(response, visit, 'public')
}

const aboutRefusal = ({ baseUrl }: HttpParts, { requestId }: Env['Bindings']): RefusalOptions => ({
  baseUrl: baseUrl(),
  requestId,
})

function withQuota(response: Response, { quota }: Visit, access: Access): Response {
  for (const [name, value] of Object.entries(quotaHeaders(quota))) response.headers.set(name, value)
  // Shared caches treat only Authorization as a credential (RFC 9111 3.5).
  if (access !== 'public') response.headers.append('vary', GUARDED)
  return response
}

function callOf(request: Request, address: string): Call {
  const bearer = /^bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1]
  return {
    address,
    agentKey: request.headers.get('x-agent-key') ?? undefined,
    railsToken: request.headers.get('x-agent-rails') ?? undefined,
    bearer,
    signed: request.headers.has('signature-input') ? signedCall(request) : undefined,
    signal: () => request.signal,
  }
}

/** Copies the body before anyone reads it, because its digest is signed. */
function signedCall(request: Request): SignedCall {
  const copy = request.clone()
  return { header: (name) => request.headers.get(name) ?? undefined, body: () => copy.bytes() }
}

/** Names the route for the log, because the path itself is hostile text. */
function routeNames({ operations, resources, mounts = [] }: HttpParts): (request: Request) => string {
  const routes = [...operations.map(({ http }) => http), ...resources, ...mounts].map(
    (route: Pick<Resource, 'path' | 'parameters'>) => {
      const some = (_: string, name: string): string => (takesRest(name, route.parameters) ? '.+' : '[^/]+')
      return {
        path: route.path,
        fits: new RegExp(`^${route.path.replaceAll('.', '\\.').replaceAll(/\{(\w+)\}/g, some)}$`),
      }
    },
  )
  return (request) => routes.find(({ fits }) => fits.test(addressOf(request).pathname))?.path ?? 'unknown'
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT']
const methodOf = ({ method }: Request): string => (METHODS.includes(method) ? method : 'other')
