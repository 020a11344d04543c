// Asks publishers' servers politely: one request at a time, a second apart, only where robots.txt allows it, only known
// hosts, and not before a host that was busy wants to be asked again.

import type { Db } from '../db/db.ts'
import {
  AGENT,
  ask,
  type OutgoingAnswer,
  OutgoingFault,
  type OutgoingFaultCode,
  type OutgoingRequest,
} from '../outgoing/outgoing.ts'
import { allows, robotsRules } from './robots.ts'
import { findHost, type HostState, putHost } from './store.ts'
import { Trouble, type TroubleCode } from './trouble.ts'

/** Adds the signature of this installation to a request. */
export type Signer = (url: URL, now: number) => Record<string, string>

export interface DoorParts {
  db: Db
  now: () => number
  wait: (ms: number) => Promise<void>
  /** `loopback` only where the operator's own table of publishers names this machine. */
  outgoing?: Pick<OutgoingRequest, 'loopback' | 'resolve'>
  sign?: Signer | undefined
  patience?: { answerMs: number; fileMs: number }
}

export interface DoorRequest {
  /** Whether a host is the publisher's. Redirections too lead to no other. */
  isOwn: (host: string) => boolean
  headers?: Record<string, string>
  mostBytes: number
  each?: (piece: Uint8Array) => void
}

/** An answer at the end of its redirections. */
export interface DoorAnswer extends OutgoingAnswer {
  url: string
}

const PATIENCE = { answerMs: 60_000, fileMs: 60 * 60_000 }
const BETWEEN_MS = 1_000
const REDIRECTIONS = 5
const ROBOTS_MS = 86_400_000
const ROBOTS_BYTES = 512 * 1024
/** How far the two clocks may be apart. A copy on the way says how old it is. */
const CLOCK_MS = 6 * 3_600_000
const MINUTE_MS = 60_000
/** How long a busy host is left alone after the first time, the second, and so on. */
const BACK_OFF_MS = [15 * MINUTE_MS, 60 * MINUTE_MS, 6 * 60 * MINUTE_MS, 24 * 60 * MINUTE_MS]
const LONGEST_BACK_OFF_MS = 7 * 24 * 60 * MINUTE_MS

const OF_FAULT: Readonly<Record<OutgoingFaultCode, TroubleCode>> = {
  address_refused: 'address_refused',
  unreachable: 'unreachable',
  cut_off: 'cut_off',
  too_slow: 'too_slow',
  too_large: 'too_large',
  redirected: 'redirected_too_often',
}

export class Door {
  readonly #asked = new Map<string, number>()
  readonly #hosts = new Map<string, HostState>()
  /** How many requests were sent. */
  requests = 0

  constructor(readonly parts: DoorParts) {}

  /** The answer of an address, 200 or 304. Anything else is a `Trouble`. */
  async get(address: string, request: DoorRequest): Promise<DoorAnswer> {
    const first = new URL(address)
    const path: { status: number; to: string }[] = []
    for (let target = first; ; ) {
      if (!request.isOwn(target.host)) throw new Trouble('leads_elsewhere')
      await this.#checkRobots(target, request)
      // A redirection is foreign text: it may not lead to another place of this machine.
      const isFirst = target.origin === first.origin
      const answer = await this.#send(target, request, isFirst)
      const location = answer.headers.get('location')
      if (answer.status < 300 || answer.status > 308 || answer.status === 304 || location === null) {
        await this.#judge(target.host, answer)
        return { ...answer, path, url: target.href }
      }
      if (path.length >= REDIRECTIONS) throw new Trouble('redirected_too_often')
      if (!URL.canParse(location, target.href)) throw new Trouble('leads_elsewhere')
      target = new URL(location, target.href)
      path.push({ status: answer.status, to: target.href })
    }
  }

  async #send(target: URL, { headers, mostBytes, each }: DoorRequest, isFirst: boolean): Promise<OutgoingAnswer> {
    const { now, wait, outgoing, sign, patience = PATIENCE } = this.parts
    const state = await this.#hostOf(target.host)
    if (state.not_before > now()) throw waiting(state)
    const since = now() - (this.#asked.get(target.host) ?? Number.NEGATIVE_INFINITY)
    if (since >= 0 && since < BETWEEN_MS) await wait(BETWEEN_MS - since)
    this.requests++
    try {
      return await ask(target.href, {
        ...outgoing,
        loopback: isFirst && outgoing?.loopback === true,
        headers: { ...headers, ...sign?.(target, now()) },
        mostBytes,
        ...(each && { each }),
        timeoutMs: each ? patience.fileMs : patience.answerMs,
      })
    } catch (error) {
      if (error instanceof OutgoingFault) throw new Trouble(OF_FAULT[error.code], {}, error)
      throw error
    } finally {
      this.#asked.set(target.host, now())
    }
  }

  /** Turns the statuses that are not an answer into troubles, and notes which hosts are to be left alone. */
  async #judge(host: string, { status, headers }: OutgoingAnswer): Promise<void> {
    const about = `HTTP ${status}`
    const state = await this.#hostOf(host)
    if (status === 429 || (status === 503 && headers.has('retry-after'))) {
      const failures = state.failures + 1
      const not_before = this.parts.now() + backOff(failures, headers.get('retry-after'), this.parts.now())
      await this.#note({ ...state, failures, not_before })
      throw waiting({ ...state, not_before }, about)
    }
    if (state.failures > 0) await this.#note({ ...state, failures: 0, not_before: 0 })
    if (status === 404 || status === 410) throw new Trouble('missing', { about })
    if ([401, 403, 406, 407, 451].includes(status)) throw new Trouble('refused', { about })
    if (status >= 500) throw new Trouble('server_fault', { about })
    // 202 is how a host says that it wants to see a person first.
    if (status !== 200 && status !== 304) throw new Trouble('unexpected_answer', { about })
    this.#checkClock(headers)
  }

  #checkClock(headers: Headers): void {
    const [date, age] = [Date.parse(headers.get('date') ?? ''), Number(headers.get('age') ?? 0)]
    if (Number.isNaN(date)) return
    const theirs = date + (Number.isFinite(age) ? Math.max(0, age) * 1000 : 0)
    if (Math.abs(theirs - this.parts.now()) > CLOCK_MS) throw new Trouble('clock')
  }

  async #checkRobots(target: URL, request: DoorRequest): Promise<void> {
    const { host, origin } = target
    const state = await this.#hostOf(host)
    const age = this.parts.now() - state.robots_at
    const known = state.robots !== null && age >= 0 && age < ROBOTS_MS ? state.robots : undefined
    const text = known ?? (await this.#robotsOf(origin, host, request))
    if (!allows(robotsRules(text, AGENT), target)) throw new Trouble('robots')
  }

  /** The robots.txt of a host. A host without one allows everything, and one that cannot say allows nothing. */
  async #robotsOf(origin: string, host: string, { isOwn }: DoorRequest): Promise<string> {
    let target = new URL('/robots.txt', origin)
    for (let redirections = 0; ; redirections++) {
      const answer = await this.#send(target, { isOwn, mostBytes: ROBOTS_BYTES }, target.origin === origin).catch(
        (error: unknown) => {
          const isLarge = error instanceof Trouble && error.code === 'too_large'
          throw isLarge ? new Trouble('robots_unreadable', {}, error) : error
        },
      )
      const { status, headers, bytes } = answer
      const location = headers.get('location')
      if (status >= 300 && status < 400 && location !== null && redirections < REDIRECTIONS) {
        if (!URL.canParse(location, target.href)) throw new Trouble('robots_unreadable')
        target = new URL(location, target.href)
        if (!isOwn(target.host)) throw new Trouble('leads_elsewhere')
        continue
      }
      if (status === 429) await this.#judge(host, answer)
      if (status >= 500 || (status < 400 && status !== 200))
        throw new Trouble('robots_unreadable', { about: `HTTP ${status}` })
      const robots = status === 200 ? new TextDecoder().decode(bytes) : ''
      await this.#note({ ...(await this.#hostOf(host)), robots, robots_at: this.parts.now() })
      return robots
    }
  }

  async #hostOf(host: string): Promise<HostState> {
    const known = this.#hosts.get(host) ?? (await findHost(this.parts.db, host))
    return known ?? { host, not_before: 0, failures: 0, robots: null, robots_at: 0 }
  }

  async #note(state: HostState): Promise<void> {
    this.#hosts.set(state.host, state)
    await putHost(this.parts.db, state)
  }
}

const waiting = ({ not_before }: HostState, status?: string): Trouble => {
  const until = `not before ${new Date(not_before).toISOString()}`
  return new Trouble('asked_to_wait', {
    about: status === undefined ? until : `${status}, ${until}`,
    notBefore: not_before,
  })
}

/** As long as the host asks for, and longer each time. */
function backOff(failures: number, retryAfter: string | null, now: number): number {
  const asked = /^[0-9]{1,8}$/.test(retryAfter ?? '')
    ? Number(retryAfter) * 1000
    : Date.parse(retryAfter ?? '') - now || 0
  const own = BACK_OFF_MS[Math.min(failures, BACK_OFF_MS.length) - 1] ?? 0
  return Math.min(LONGEST_BACK_OFF_MS, Math.max(own, asked))
}
