// A client that verifies every answer. It runs in Bun, Node 20 and later, Deno and browsers.

import { tilePath } from '../proof/growth.ts'
import type { Inquiry, StatedBill, VerifiedAnswer } from '../proof/verify-lists.ts'
import { standsAt } from '../proof/whole/asked.ts'
import type { Operations } from './api-types.ts'
import { Checks, type LogName, type PinStore } from './checks.ts'
import { ClientError, notVerified, refusalOf } from './error.ts'
import { Rails, type RailsOptions } from './rails.ts'
import { type Reply, type Request, Transport, type TransportOptions } from './transport.ts'

export interface ClientOptions extends Partial<Omit<TransportOptions, 'baseUrl'>>, Partial<RailsOptions> {
  /** The address of the service: `https://registry.example`. */
  baseUrl: string
  /** The text of `/log/policy`, from a source that you trust. Without it the policy is kept in `pins` from first use. */
  policy?: string | undefined
  /** Keeps the policy and the newest checkpoints. Without it they are kept in memory. */
  pins?: PinStore | undefined
  /** The greatest age of the checkpoint of an answer. */
  maxAgeHours?: number | undefined
  /** `false` turns all checks off. */
  verify?: boolean | undefined
}

export interface CallOptions {
  signal?: AbortSignal | undefined
}

/** An answer as it came, and what it proves. Rely on nothing else in it. */
export interface Answer<Body> {
  /** 200, or 404 for a proved absence. */
  status: number
  body: Body
  /** Undefined if `verify` is off, or if `unproved` is set. */
  proved: VerifiedAnswer | undefined
  /** Why a valid answer has no proof. A false answer would look the same, so conclude nothing from it. */
  unproved?: Unproved
}

/** A list without entries or proof of that; a bill whose lines were all refused; a kind of answer that has no proof. */
export type Unproved = 'empty_list' | 'all_refused' | 'never_proved'

type Input<Name extends keyof Operations> = Operations[Name]['input']
type Output<Name extends keyof Operations> = Operations[Name]['output']
/** The input of a lookup, which always asks for the whole proof. */
type Question<Name extends keyof Operations> = Omit<Input<Name>, 'proof'>
type WithProof<Name extends keyof Operations> = Exclude<
  Output<Name>,
  { proof: { type: 'agent-trust-registry/proof-ref@v3' } }
>
type Query = Record<string, string | number | undefined>

/** The refusal of a lookup that carries a proof. */
export interface ProvedAbsence {
  code: string
  detail: string
  agent_hint: string
  [member: string]: unknown
}

const DEFAULTS = { timeoutMs: 30_000, retries: 3, patienceSeconds: 60, maxAgeHours: 72 }

export class RegistryClient {
  readonly #transport: Transport
  readonly #rails: Rails
  readonly #checks: Checks | undefined
  readonly #now: () => number

  constructor({ baseUrl, verify = true, ...options }: ClientOptions) {
    const { timeoutMs, retries, patienceSeconds, maxAgeHours } = { ...DEFAULTS, ...withoutUndefined(options) }
    this.#now = options.now ?? Date.now
    const now = this.#now
    const fetch = options.fetch ?? ((url: string, init: RequestInit) => globalThis.fetch(url, init))
    const address = baseUrl.replace(/(?<!\/)\/+$/, '')
    this.#transport = new Transport({ baseUrl: address, fetch, timeoutMs, retries, patienceSeconds })
    this.#rails = new Rails(this.#transport, { ...options, now })
    if (verify) this.#checks = new Checks(this.#transport, { ...options, maxAgeHours, now })
  }

  /** The price of a code, or the proof that it has no price. The day is today, in UTC, unless `as_of` says otherwise. */
  lookup(question: Question<'lookup_reference'>, call: CallOptions = {}) {
    const query = { as_of: this.#today(), ...withoutUndefined(question) }
    return this.#get<WithProof<'lookup_reference'> | ProvedAbsence>('/reference', query, { question: query }, call)
  }

  /** Everything in force for a code at a place and day. */
  sheet(question: Question<'get_reference_sheet'>, call: CallOptions = {}) {
    const query = { as_of: this.#today(), ...withoutUndefined(question) }
    return this.#get<Output<'get_reference_sheet'>>('/reference/sheet', query, { sheet: query }, call)
  }

  /** What each hospital near a place states for a code, the lowest price first. None of the place is left out. */
  compare(question: Question<'compare_hospitals'>, call: CallOptions = {}) {
    const query = { as_of: this.#today(), ...withoutUndefined(question) }
    return this.#get<Output<'compare_hospitals'>>('/reference/compare', query, { compare: query }, call)
  }

  /** Up to a hundred lookups in one request. The answers have the order of the lines. */
  bill(lines: Input<'lookup_references'>['lines'], call: CallOptions = {}) {
    const questions = lines.map((line) => ({ as_of: this.#today(), ...withoutUndefined(line) }))
    const body = JSON.stringify({ lines: questions })
    const request: Request = { method: 'POST', headers: { 'content-type': 'application/json' }, body, ...call }
    const send = (more: Request): Promise<Reply> => this.#transport.send('/reference/batch', { ...request, ...more })
    return this.#verified<Exclude<Output<'lookup_references'>, ShortBatch>>(send, { questions })
  }

  /** A bill checked by the published rules of its days. The day of lines that state none is today, in UTC, unless `day` says otherwise. */
  checkBill(bill: StatedBill, call: CallOptions = {}) {
    const asked = { day: this.#today(), ...withoutUndefined(bill) } as StatedBill
    const headers = { 'content-type': 'application/json' }
    const request: Request = { method: 'POST', headers, body: JSON.stringify(asked), ...call }
    const send = (more: Request): Promise<Reply> => this.#transport.send('/bill/check', { ...request, ...more })
    return this.#verified<Extract<Output<'check_bill'>, { proof: unknown }>>(send, { bill: asked })
  }

  /** The answer of every edition for a code. */
  history(question: Question<'get_reference_history'>, call: CallOptions = {}) {
    const { limit: _, offset = 0, ...rest } = withoutUndefined(question)
    const inquiry = { history: { ...rest, offset } }
    return this.#get<Output<'get_reference_history'> | ProvedAbsence>('/reference/history', question, inquiry, call)
  }

  /** One row by its permalink. */
  async row({ release_id, index }: Input<'get_row'>, call: CallOptions = {}) {
    const path = `/rows/${encodeURIComponent(release_id)}/${index}`
    const answer = await this.#get<Output<'get_row'>>(path, {}, { anyQuestion: true }, call)
    // The answer is hostile: it was proved, but may be something else than a row.
    if (!standsAt(answer.body, { release_id, index })) throw notVerified('answers_another_question')
    return answer
  }

  /** Rows in force, page by page. Needs `registry:read`. */
  browse(question: Input<'browse_registry'> = {}, call: CallOptions = {}) {
    const query = { as_of: this.#today(), ...withoutUndefined(question) }
    const { limit: _, offset: _o, after: _a, ...page } = query
    const send = this.#protected('/api/registry', query, call)
    return this.#verified<Output<'browse_registry'>>(send, { page })
  }

  /** The charts in force and their content. Answers for a `prefix` of codes have no proof. */
  coverage(question: Input<'get_coverage'> = {}, call: CallOptions = {}) {
    const query = { as_of: this.#today(), ...withoutUndefined(question) }
    const { limit: _, offset = 0, prefix, ...rest } = query
    const inquiry = prefix === undefined ? { coverage: { ...rest, offset } } : undefined
    return this.#get<Output<'get_coverage'>>('/api/coverage', query, inquiry, call)
  }

  /** All releases in the registry log. */
  releases(question: Input<'list_releases'> = {}, call: CallOptions = {}) {
    const { limit: _, offset = 0, ...rest } = withoutUndefined(question)
    return this.#get<Output<'list_releases'>>('/api/releases', question, { releases: { ...rest, offset } }, call)
  }

  /** The aggregate figures. */
  figures(call: CallOptions = {}) {
    const send = (more: Request): Promise<Reply> => this.#transport.send('/api/figures', { ...call, ...more })
    return this.#verified<Output<'get_figures'>>(send, { figures: true }, 'figures')
  }

  /** The changes of the figures, each an entry of the figures log. Needs `audit:read`. */
  async figureChanges(question: Input<'list_figure_changes'> = {}, call: CallOptions = {}) {
    const send = this.#protected('/api/figure-changes', question, call)
    const answer = await this.#verified<Output<'list_figure_changes'>>(send, { anyQuestion: true }, 'figures')
    if (!Array.isArray(answer.body.data)) throw notVerified('answers_another_question')
    return answer
  }

  /** Statistics of a provider, without proof. Needs `provider:read`. */
  provider({ npi }: Input<'get_provider_stats'>, call: CallOptions = {}): Promise<Output<'get_provider_stats'>> {
    return bodyOf(this.#protected(`/api/provider/${encodeURIComponent(npi)}`, {}, call)({}))
  }

  /** The integrity report, without proof. Needs `integrity:read`. */
  integrity(call: CallOptions = {}): Promise<Output<'get_data_integrity'>> {
    return bodyOf(this.#protected('/api/data-integrity', {}, call)({}))
  }

  /** The freshness of each chart and the last verification, without proof. */
  status(call: CallOptions = {}): Promise<Output<'get_status'>> {
    return bodyOf(this.#transport.send('/api/status', call))
  }

  /** The differences of two releases, without proof. */
  diff(question: Input<'diff_releases'>, call: CallOptions = {}): Promise<Output<'diff_releases'>> {
    return bodyOf(this.#transport.send(addressOf('/api/releases/diff', question), call))
  }

  /** The rails policy: scopes, routes and limits. */
  railsPolicy(call: CallOptions = {}): Promise<Output<'get_policy'>> {
    return bodyOf(this.#transport.send('/api/agent-rails/policy', call))
  }

  /** A tile of the hashes of a log. */
  async tile(log: LogName, level: number, n: number, width = 256): Promise<Uint8Array> {
    const { response, text, bytes } = await this.#transport.send(`/log/${log}/${tilePath(level, n, width)}`)
    if (!response.ok) throw refusalOf(response, text)
    return bytes
  }

  #today(): string {
    return new Date(this.#now()).toISOString().slice(0, 10)
  }

  #get<Body>(path: string, query: Query, inquiry: Inquiry | undefined, { signal }: CallOptions): Promise<Answer<Body>> {
    return this.#verified((more) => this.#transport.send(addressOf(path, query), { signal, ...more }), inquiry)
  }

  #protected(path: string, query: Query, { signal }: CallOptions): (more: Request) => Promise<Reply> {
    return (more) => this.#rails.send(addressOf(path, query), { signal, ...more })
  }

  /** Sends a request and verifies the answer. An outdated answer may come from a cache, so it is requested again without caches. */
  async #verified<Body>(
    send: (more: Request) => Promise<Reply>,
    inquiry: Inquiry | undefined,
    log: LogName = 'registry',
  ): Promise<Answer<Body>> {
    const once = async (more: Request): Promise<Answer<Body>> => {
      const pinned = await this.#checks?.pinnedSizes()
      const { response, text } = await send(more)
      const isAbsence = response.status === 404 && /"proof":/.test(text)
      if (!response.ok && !isAbsence) throw refusalOf(response, text)
      const { status } = response
      if (!pinned || !this.#checks) return { status, body: JSON.parse(text) as Body, proved: undefined }
      if (!inquiry) return { status, body: JSON.parse(text) as Body, proved: undefined, unproved: 'never_proved' }
      const result = await this.#checks
        .check(text, inquiry, log, pinned)
        .catch((error: unknown) => unprovedReason(error, text))
      const members = typeof result === 'string' ? { proved: undefined, unproved: result } : { proved: result }
      return { status, body: JSON.parse(text) as Body, ...members }
    }
    try {
      return await once({})
    } catch (error) {
      if (!(error instanceof ClientError) || error.reason !== 'log_rolled_back') throw error
      return once({ fresh: true })
    }
  }
}

/** Why an answer proves nothing although it is valid: it states nothing. Every other failed check is thrown again. */
function unprovedReason(error: unknown, text: string): Unproved {
  if (!(error instanceof ClientError) || error.reason !== 'nothing_proved') throw error
  const { data, results } = JSON.parse(text) as { data?: unknown[]; results?: { status: number }[] }
  if (data?.length === 0) return 'empty_list'
  if (results?.every(({ status }) => status >= 400)) return 'all_refused'
  throw error
}

/** The answer to a bill without proofs. */
type ShortBatch = { results: { row?: { proof: { type: 'agent-trust-registry/proof-ref@v3' } } }[] }

async function bodyOf<Body>(reply: Promise<Reply>): Promise<Body> {
  const { response, text } = await reply
  if (!response.ok) throw refusalOf(response, text)
  return JSON.parse(text) as Body
}

function addressOf(path: string, query: Query): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, String(value))
  return parameters.size > 0 ? `${path}?${parameters}` : path
}

type WithoutUndefined<T> = { [K in keyof T]: Exclude<T[K], undefined> }

/** Leaves out members that are undefined. */
const withoutUndefined = <T extends object>(value: T): WithoutUndefined<T> =>
  Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as WithoutUndefined<T>

export type * from './api-types.ts'
export type { Operations } from './api-types.ts'
export { memoryPins, type PinStore } from './checks.ts'
export { ClientError, type Disbelief } from './error.ts'
