import { z } from 'zod'
import { allowedParameters, type Call, type Operation, type SignedCall, unknownParameter } from '../../operation.ts'
import { type FieldError, Problem, type ProblemCode, type ProblemExtra } from '../../problem.ts'
import { type Json, JsonError, parseJson } from '../../proof/canonical-json.ts'
import type { Resource } from './resource.ts'

// Reads requests. Everything in them is hostile, and nothing is ever repeated in an answer.

/** Bun itself refuses headers of more than 16 KiB, and bodies far beyond the limits of any route. */
export const LIMITS = { bodyBytes: 16 * 1024, urlBytes: 4 * 1024 } as const

/** Path and query of a request. */
export interface Target {
  pathname: string
  search: string
}

/** Path and query as text. Bun leaves out scheme and host where the `Host` header is one that no address can have. */
export const targetText = ({ url }: Request): string =>
  url.startsWith('/') ? url : url.slice(url.indexOf('/', url.indexOf('://') + 3))

/** Reads path and query of a request. The host is hostile text and is never used. */
export function targetOf(text: string): Target {
  const { pathname, search } = new URL(`http://localhost${text}`)
  return { pathname, search }
}

/** The headers that the surface reads. */
export interface RequestHead {
  accept: string | null
  acceptEncoding: string
  ifNoneMatch: string | null
  ifMatch: string | null
  agentKey: string | undefined
  railsToken: string | undefined
  authorization: string | undefined
  hasBody: boolean
}

export const readHead = (headers: Headers): RequestHead => ({
  accept: headers.get('accept'),
  acceptEncoding: headers.get('accept-encoding') ?? '',
  ifNoneMatch: headers.get('if-none-match'),
  ifMatch: headers.get('if-match'),
  agentKey: headers.get('x-agent-key') ?? undefined,
  railsToken: headers.get('x-agent-rails') ?? undefined,
  authorization: headers.get('authorization') ?? undefined,
  hasBody: headers.get('transfer-encoding') !== null || Number(headers.get('content-length') ?? 0) > 0,
})

/** A request, with what was read of it before a route is chosen. */
export interface ReadRequest extends Target {
  request: Request
  head: RequestHead
  address: string
}

/** The caller, as far as headers tell. */
export const callOf = ({ agentKey, railsToken, authorization }: RequestHead, address: string): Call => ({
  address,
  agentKey,
  railsToken,
  bearer: authorization === undefined ? undefined : /^bearer +(\S+)$/i.exec(authorization)?.[1],
})

/** The caller of an operation. A signature says something only where a key is to be proved. */
export const callFor = ({ access }: Operation, { request, head, address }: ReadRequest): Call => ({
  ...callOf(head, address),
  signed: access === 'agent_key' && request.headers.has('signature-input') ? signedCall(request) : undefined,
  signal: request.signal,
})

/** Copies the body before anyone reads it, because its digest is signed. */
function signedCall(request: Request): SignedCall {
  const copy = request.clone()
  return { header: (name) => request.headers.get(name) ?? undefined, body: () => copy.bytes() }
}

/** Refuses an address that is too long, before anything else of the request is read. */
export function checkLength({ pathname, search }: Target): void {
  if (pathname.length + search.length > LIMITS.urlBytes) throw new Problem('uri_too_long')
}

/** Gathers an operation's input from the path, the query and the body. */
export async function readInput(
  op: Operation,
  { request, search, head }: Omit<ReadRequest, 'pathname' | 'address'>,
  path: Record<string, string>,
): Promise<Record<string, unknown>> {
  const { shape } = op.input
  const query = readQuery(search, op.http.method === 'GET' ? shape : {})
  if (op.http.method === 'POST') return readJsonObject(request, op.bodyBytes ?? LIMITS.bodyBytes)
  refuseBody(head)
  Object.assign(query, path)
  for (const name in query) {
    const text = query[name] as string
    if (isInteger(op, name) && /^-?[0-9]{1,9}$/.test(text)) query[name] = Number(text)
  }
  return query
}

/**
 * Takes the address of this service off a permalink, because permalinks are written with it. A permalink of another service is
 * left as it is. The host of a request is hostile text, and harmless here: its sender could as well send the path alone.
 */
export function withOwnPath(input: Record<string, unknown>, addresses: readonly string[]): Record<string, unknown> {
  const { href } = input
  const own = typeof href === 'string' ? addresses.find((each) => href.startsWith(`${each}/rows/`)) : undefined
  return own === undefined ? input : { ...input, href: String(href).slice(own.length) }
}

/** The addresses of this service as its caller knows them: its own, and the host that the request was sent to. */
export function ownAddresses(baseUrl: string, host: string | null): string[] {
  return [baseUrl, ...(host === null ? [] : [`http://${host}`, `https://${host}`])]
}

/** Tells which part of a request an operation's parameter is in. */
export function parameterLocation({ http }: Operation, name: string | undefined): FieldError['in'] {
  if (name !== undefined && http.path.includes(`{${name}}`)) return 'path'
  return http.method === 'POST' ? 'body' : 'query'
}

const integers = new WeakMap<z.ZodType, boolean>()

/** Whether a parameter is an integer, so that its digits are converted to a number. Worked out once for each parameter. */
function isInteger(op: Operation, name: string): boolean {
  const field = op.input.shape[name] as z.ZodType | undefined
  if (field === undefined) return false
  const known = integers.get(field) ?? z.toJSONSchema(field, { io: 'input' }).type === 'integer'
  integers.set(field, known)
  return known
}

/** The values of a page's own parameters, in their order. On pages for people, other parameters are not looked at. */
export function queryValues({ query = [], lenient }: Resource, search: string): string[] {
  if (query.length === 0) return []
  const found = readQuery(search, Object.fromEntries(query.map((name) => [name, name])), lenient)
  return query.map((name) => String(found[name] ?? ''))
}

function readQuery(search: string, known: object, lenient = false): Record<string, unknown> {
  const found: Record<string, unknown> = Object.create(null)
  if (search === '' || search === '?') return found
  for (const pair of search.slice(1).split('&')) {
    if (pair === '') continue
    const end = pair.indexOf('=')
    const name = decoded(end < 0 ? pair : pair.slice(0, end))
    if (lenient && !Object.hasOwn(known, name)) continue
    if (!Object.hasOwn(known, name)) throw notKnown(Object.keys(known))
    if (name in found) throw inQuery('duplicate_parameter', name, `the parameter ${name} is given more than once`)
    found[name] = end < 0 ? '' : decoded(pair.slice(end + 1))
  }
  return found
}

function decoded(text: string): string {
  if (!/[%+]/.test(text)) return text
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw new Problem('invalid_request', 'the query is not valid percent-encoded UTF-8')
  }
}

const inQuery = (code: ProblemCode, name: string | undefined, message: string, extra: ProblemExtra = {}): Problem =>
  new Problem(code, message, { errors: [{ in: 'query', ...(name ? { name } : {}), code, message }], ...extra })

const notKnown = (known: readonly string[]): Problem =>
  inQuery('unknown_parameter', undefined, unknownParameter(known), allowedParameters(known))

/** A body on GET is refused: caches and proxies treat it differently, which allows cache poisoning. */
export function refuseBody({ hasBody }: RequestHead): void {
  if (hasBody) throw new Problem('invalid_request', 'this method takes no body')
}

async function readJsonObject(request: Request, most: number): Promise<Record<string, unknown>> {
  const value = await readJson(request, most)
  if (value === undefined) return Object.create(null)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Problem('invalid_request', 'the body must be one JSON object')
  return value
}

/** The body as JSON, undefined if there is none. */
export async function readJson(request: Request, most: number): Promise<Json | undefined> {
  const bytes = await readBody(request, most)
  if (bytes.length === 0) return undefined
  const type = (request.headers.get('content-type') ?? '').toLowerCase().replaceAll(' ', '')
  if (!/^application\/json(;charset="?utf-8"?)?$/.test(type)) throw new Problem('unsupported_media_type')
  return parseBody(bytes)
}

function parseBody(bytes: Uint8Array): Json {
  try {
    return parseJson(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes))
  } catch (cause) {
    if (cause instanceof JsonError || cause instanceof TypeError) throw new Problem('invalid_json')
    throw cause
  }
}

/** Stops reading at the limit, whatever the Content-Length said. */
export async function readBody(request: Request, most: number): Promise<Uint8Array> {
  if ((request.headers.get('content-encoding') ?? 'identity') !== 'identity')
    throw new Problem('unsupported_media_type', 'the body must not be compressed')
  if (Number(request.headers.get('content-length') ?? 0) > most) throw new Problem('payload_too_large')
  if (!request.body) return new Uint8Array()
  const chunks: Uint8Array[] = []
  const reader = request.body.getReader()
  for (let size = 0; ; ) {
    const { done, value } = await reader.read()
    if (done) return Buffer.concat(chunks)
    size += value.length
    if (size > most) {
      // Not waited for: a body that was copied for its signature ends only when both copies do.
      reader.cancel().catch(() => {})
      throw new Problem('payload_too_large')
    }
    chunks.push(value)
  }
}
