// The only code that sends requests to other hosts. Every address is checked when it is connected to, and answers are
// bounded in time and size. Errors do not repeat the address or the answer.

import type { Agent, IncomingMessage, request } from 'node:http'
import { isIP } from 'node:net'
import { version } from '../../package.json' with { type: 'json' }
import { isLoopbackAddress, isPublicAddress } from './public-address.ts'

const OUTGOING_FAULTS = {
  address_refused: 'that address may not be asked: only https at public hosts, or this machine by its own name',
  unreachable: 'that address cannot be reached',
  cut_off: 'the answer of that address ended early',
  too_slow: 'that address takes too long',
  too_large: 'that address answers with more than an answer can have',
  redirected: 'that address leads elsewhere too often, or to where may not be asked',
} as const
export type OutgoingFaultCode = keyof typeof OUTGOING_FAULTS

/** Why there is no answer. The text has neither the address nor anything that its server sent. */
export class OutgoingFault extends Error {
  override name = 'OutgoingFault'
  constructor(
    readonly code: OutgoingFaultCode,
    cause?: unknown,
  ) {
    super(OUTGOING_FAULTS[code], { cause })
  }
}

/** The signature of `dns.lookup` with all addresses. */
export type Resolver = (
  name: string,
  options: { all: true },
  done: (error: Error | null, addresses: { address: string; family: number }[]) => void,
) => void

export interface OutgoingRequest {
  method?: 'GET' | 'HEAD' | 'POST'
  headers?: Record<string, string>
  body?: string
  timeoutMs: number
  /** The most bytes that the body may have. */
  mostBytes: number
  /** How many redirections are followed. If left out, a redirection is an answer like any other. */
  redirects?: number
  /** Allows this machine as an address. Set it only for addresses from a command or a setting, never for foreign text. */
  loopback?: boolean
  /** Limits the hosts, also of redirections. */
  hosts?: (hostname: string) => boolean
  /** Looks names up; the resolver of the system if left out. */
  resolve?: Resolver
  /** Takes the body piece by piece, which is then not kept. */
  each?: (piece: Uint8Array) => void
}

export interface OutgoingAnswer {
  status: number
  headers: Headers
  bytes: Uint8Array
  size: number
  /** The redirections that were followed. */
  path: readonly { status: number; to: string }[]
}

const REDIRECTIONS = [301, 302, 303, 307, 308]
export const AGENT = 'agent-trust-registry'
let contact: string | undefined

/** Sets the contact that every request names as its sender. */
export function setContact(text: string | undefined): void {
  contact = text
}

/** Sends a request, and follows redirections as far as they are allowed. Throws `OutgoingFault` and nothing else. */
export async function ask(url: string, request: OutgoingRequest): Promise<OutgoingAnswer> {
  const deadline = AbortSignal.timeout(request.timeoutMs)
  const path: { status: number; to: string }[] = []
  if (!URL.canParse(url)) throw new OutgoingFault('address_refused')
  const first = new URL(url)
  for (let target = first; ; ) {
    const isFirst = target.origin === first.origin
    // A redirection is foreign text: it may not lead to this machine, and gets no credentials.
    const step = isFirst ? request : { ...request, loopback: false, headers: withoutCredentials(request.headers) }
    if (!isAllowed(target, step)) throw new OutgoingFault(path.length === 0 ? 'address_refused' : 'redirected')
    const answer = await once(target, step, deadline)
    const location = answer.headers.get('location')
    if (!REDIRECTIONS.includes(answer.status) || location === null || request.redirects === undefined)
      return { ...answer, path }
    if (path.length >= request.redirects || !URL.canParse(location, target.href)) throw new OutgoingFault('redirected')
    target = new URL(location, target.href)
    path.push({ status: answer.status, to: target.href })
  }
}

const CREDENTIALS = ['authorization', 'cookie', 'x-agent-key', 'x-agent-rails']
const withoutCredentials = (headers: Record<string, string> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !CREDENTIALS.includes(name.toLowerCase())))

const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1')
const isOwnName = (host: string): boolean => host === 'localhost' || isLoopbackAddress(host)

/** Checks an address before its name is looked up. The addresses of a name are checked when it is connected to. */
function isAllowed(target: URL, { hosts, loopback = false }: OutgoingRequest): boolean {
  const host = hostOf(target)
  if (target.username !== '' || target.password !== '') return false
  if (hosts && !hosts(host)) return false
  if (loopback && isOwnName(host)) return target.protocol === 'http:' || target.protocol === 'https:'
  if (target.protocol !== 'https:') return false
  return isIP(host) === 0 ? isPublicName(host) : isPublicAddress(host)
}

/** Names of one part, and names below a domain that is never public, belong to the local network (RFC 6761, RFC 8375). */
const isPublicName = (host: string): boolean =>
  host.includes('.') &&
  !/(^|\.)(localhost|local|internal|intranet|home|lan|corp|arpa|test|invalid|onion)\.?$/.test(host)

type Reply = Omit<OutgoingAnswer, 'path'>

interface Transport {
  send: typeof request
  /** Keeps connections. A connection that is used again goes to the address that was checked when it was made. */
  connections: Agent
}

const transports = new Map<string, Promise<Transport>>()

/** Loads the modules with the first request: most services send none, and start sooner without them. */
function transportOf({ protocol }: URL): Promise<Transport> {
  const load = async (): Promise<Transport> => {
    const { Agent, request } = await (protocol === 'https:' ? import('node:https') : import('node:http'))
    return { send: request, connections: new Agent({ keepAlive: true }) }
  }
  return transports.getOrInsertComputed(protocol, load)
}

async function once(target: URL, request: OutgoingRequest, signal: AbortSignal): Promise<Reply> {
  const { method = request.body === undefined ? 'GET' : 'POST', body } = request
  const { send, connections } = await transportOf(target)
  const { lookup } = await import('node:dns')
  return new Promise((resolve, reject) => {
    let hasBegun = false
    const fail = (error: unknown): void => reject(faultOf(error, signal, hasBegun ? 'cut_off' : 'unreachable'))
    try {
      const outgoing = send(
        target,
        {
          method,
          headers: { 'accept-encoding': 'identity', 'user-agent': agent(), ...request.headers },
          signal,
          agent: connections,
          lookup: (name, _, done) => resolvePublic(name, { resolve: lookup, ...request }, done as ResolveCallback),
        },
        (incoming) => {
          hasBegun = true
          read(incoming, method, isFollowed(incoming, request) ? { ...request, each: () => {} } : request).then(
            resolve,
            (error) => {
              outgoing.destroy()
              fail(error)
            },
          )
        },
      )
      outgoing.on('error', fail)
      outgoing.end(body)
    } catch (error) {
      fail(error)
    }
  })
}

const agent = (): string => `${AGENT}/${version}${contact === undefined ? '' : ` (${contact})`}`

type ResolveCallback = (error: Error | null, addresses?: { address: string; family: number }[]) => void

/**
 * Looks a name up and checks all its addresses. These are the addresses that are connected to, so a name that resolves to
 * others the second time gains nothing. A name with one address that is not public is refused.
 */
function resolvePublic(
  name: string,
  { loopback = false, resolve }: OutgoingRequest & { resolve: Resolver },
  done: ResolveCallback,
): void {
  resolve(name, { all: true }, (error, addresses) => {
    if (error) return done(error)
    const isAllowedAddress = (address: string): boolean =>
      isPublicAddress(address) || (loopback && name === 'localhost' && isLoopbackAddress(address))
    if (addresses.length === 0 || !addresses.every(({ address }) => isAllowedAddress(address)))
      return done(new OutgoingFault('address_refused'))
    done(null, addresses)
  })
}

/** Whether an answer is a redirection that will be followed. Its body is not passed on. */
const isFollowed = ({ statusCode = 0 }: IncomingMessage, { redirects }: OutgoingRequest): boolean =>
  redirects !== undefined && REDIRECTIONS.includes(statusCode)

async function read(incoming: IncomingMessage, method: string, { mostBytes, each }: OutgoingRequest): Promise<Reply> {
  const pieces: Uint8Array[] = []
  let size = 0
  const isBody = method !== 'HEAD' && incoming.statusCode !== 304
  const stated = incoming.headers['content-length']
  if (isBody && Number(stated ?? 0) > mostBytes) throw new OutgoingFault('too_large')
  for await (const piece of incoming as AsyncIterable<Uint8Array>) {
    size += piece.length
    if (size > mostBytes) throw new OutgoingFault('too_large')
    if (!each) pieces.push(piece)
    // The body of a refusal is not passed on.
    else if (incoming.statusCode === 200) each(piece)
  }
  // A connection that ends early must not look like a short answer.
  if (isBody && Number(stated ?? size) !== size) throw new OutgoingFault('cut_off')
  return {
    status: incoming.statusCode ?? 0,
    headers: headersOf(incoming),
    bytes: new Uint8Array(Buffer.concat(pieces)),
    size,
  }
}

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers()
  for (let i = 0; i + 1 < rawHeaders.length; i += 2)
    headers.append(rawHeaders[i] as string, rawHeaders[i + 1] as string)
  return headers
}

function faultOf(error: unknown, signal: AbortSignal, otherwise: OutgoingFaultCode): OutgoingFault {
  if (error instanceof OutgoingFault) return error
  return new OutgoingFault(signal.aborted ? 'too_slow' : otherwise, error)
}
