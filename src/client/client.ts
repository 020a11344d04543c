// A client that believes nothing it has not checked. Runs in Bun, Node 20 and later, Deno and browsers.

import { tilePath } from '../proof/growth.ts'
import type { Inquiry, VerifiedAnswer } from '../proof/verify-lists.ts'
import type { Operations } from './api-types.ts'
import { Checks, type LogName, type PinStore } from './checks.ts'
import { ClientError, notVerified, refusalOf } from './error.ts'
import { Rails, type RailsOptions } from './rails.ts'
import { type Received, type Sent, Transport, type TransportOptions } from './transport.ts'

export interface ClientOptions extends Partial<Omit<TransportOptions, 'baseUrl'>>, Partial<RailsOptions> {
  /** Where the service is: `https://registry.example`. */
  baseUrl: string
  /** The text of `/log/policy`, from a source that you trust. Without it the policy is kept in `pins` from first use. */
  policy?: string | undefined
  /** Where the policy and the newest checkpoints are kept. Without it they are kept in memory. */
  pins?: PinStore | undefined
  /** How old the view of an answer may be. */
  maxAgeHours?: number | undefined
  /** `false` takes every answer as it comes. */
  verify?: boolean | undefined
}

export interface CallOptions {
  signal?: AbortSignal | undefined
}

/** An answer as it came, and what it proves: nothing else of it should be relied on. */
export interface Answer<Body> {
  /** 200, or 404 for a proved absence. */
  status: number
  body: Body
  /** Undefined if `verify` is off, or if `unproved` is set. */
  proved: VerifiedAnswer | undefined
  /** Why there is no proof although the answer is in order. A lie would look the same: conclude nothing from it. */
  unproved?: Unproved
}

/**
 * A list without entries, where nothing shows that there are none; a bill of which every line was refused; an answer of a
 * kind that carries no proof.
 */
export type Unproved = 'empty_list' | 'all_refused' | 'never_proved'

type Input<Name extends keyof Operations> = Operations[Name]['input']
type Output<Name extends keyof Operations> = Operations[Name]['output']
/** A lookup always asks for the whole proof. */
type Question<Name extends keyof Operations> = Omit<Input<Name>, 'proof'>
type WithProof<Name extends keyof Operations> = Exclude<
  Output<Name>,
  { proof: { type: 'agent-trust-registry/proof-ref@v2' } }
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
    const { timeoutMs, retries, patienceSeconds, maxAgeHours } = { ...DEFAULTS, ...definedOf(options) }
    this.#now = options.now ?? Date.now
    const now = this.#now
    const fetching = options.fetch ?? ((url: string, init: RequestInit) => globalThis.fetch(url, init))
    const address = baseUrl.replace(/\/+$/, '')
    this.#transport = new Transport({ baseUrl: address, fetch: fetching, timeoutMs, retries, patienceSeconds })
    this.#rails = new Rails(this.#transport, { ...options, now })
    if (verify) this.#checks = new Checks(this.#transport, { ...options, maxAgeHours, now })
  }

  /** The price of a code, or the proof that there is none. The day is today, in UTC, unless `as_of` says otherwise. */
  lookup(question: Question<'lookup_reference'>, call: CallOptions = {}) {
    const asked = { as_of: this.#today(), ...definedOf(question) }
    return this.#proved<WithProof<'lookup_reference'> | ProvedAbsence>('/reference', asked, { question: asked }, call)
  }

  /** Everything in force for a code at a place and day. */
  sheet(question: Question<'get_reference_sheet'>, call: CallOptions = {}) {
    const asked = { as_of: this.#today(), ...definedOf(question) }
    return this.#proved<Output<'get_reference_sheet'>>('/reference/sheet', asked, { sheet: asked }, call)
  }

  /** Up to a hundred lookups in one request. Each line is answered in its place. */
  bill(lines: Input<'lookup_references'>['lines'], call: CallOptions = {}) {
    const questions = lines.map((line) => ({ as_of: this.#today(), ...definedOf(line) }))
    const body = JSON.stringify({ lines: questions })
    const sent: Sent = { method: 'POST', headers: { 'content-type': 'application/json' }, body, ...call }
    const send = (further: Sent): Promise<Received> => this.#transport.send('/reference/batch', { ...sent, ...further })
    return this.#believed<Exclude<Output<'lookup_references'>, ShortBatch>>(send, { questions })
  }

  /** What every edition says about a code. */
  history(question: Question<'get_reference_history'>, call: CallOptions = {}) {
    const { limit: _, offset = 0, ...rest } = definedOf(question)
    const asked = { history: { ...rest, offset } }
    return this.#proved<Output<'get_reference_history'> | ProvedAbsence>('/reference/history', question, asked, call)
  }

  /** One row by its permalink. */
  async row({ release_id, index }: Input<'get_row'>, call: CallOptions = {}) {
    const path = `/rows/${encodeURIComponent(release_id)}/${index}`
    const answer = await this.#proved<Output<'get_row'>>(path, {}, { anyQuestion: true }, call)
    // What came is hostile: it was proved, and may be another thing than a row.
    const { release, row } = (answer.body.proof ?? {}) as Partial<typeof answer.body.proof>
    if (release?.release_id !== release_id || row?.index !== index) throw notVerified('answers_another_question')
    return answer
  }

  /** Rows in force, page by page. Needs `registry:read`. */
  browse(question: Input<'browse_registry'> = {}, call: CallOptions = {}) {
    const asked = { as_of: this.#today(), ...definedOf(question) }
    const { limit: _, offset: _o, after: _a, ...page } = asked
    const send = this.#protected('/api/registry', asked, call)
    return this.#believed<Output<'browse_registry'>>(send, { page })
  }

  /** Which charts are in force and what they hold. The codes that begin with `prefix` carry no proof. */
  coverage(question: Input<'get_coverage'> = {}, call: CallOptions = {}) {
    const asked = { as_of: this.#today(), ...definedOf(question) }
    const { limit: _, offset = 0, prefix, ...rest } = asked
    const expected = prefix === undefined ? { coverage: { ...rest, offset } } : undefined
    return this.#proved<Output<'get_coverage'>>('/api/coverage', asked, expected, call)
  }

  /** Every release in the registry log. */
  releases(question: Input<'list_releases'> = {}, call: CallOptions = {}) {
    const { limit: _, offset = 0, ...rest } = definedOf(question)
    return this.#proved<Output<'list_releases'>>('/api/releases', question, { releases: { ...rest, offset } }, call)
  }

  /** The aggregate figures. */
  figures(call: CallOptions = {}) {
    const send = (further: Sent): Promise<Received> => this.#transport.send('/api/figures', { ...call, ...further })
    return this.#believed<Output<'get_figures'>>(send, { figures: true }, 'figures')
  }

  /** The changes of the figures, each an entry of the figures log. Needs `audit:read`. */
  async figureChanges(question: Input<'list_figure_changes'> = {}, call: CallOptions = {}) {
    const send = this.#protected('/api/figure-changes', question, call)
    const answer = await this.#believed<Output<'list_figure_changes'>>(send, { anyQuestion: true }, 'figures')
    if (!Array.isArray(answer.body.data)) throw notVerified('answers_another_question')
    return answer
  }

  /** Statistics of a provider. They carry no proof. Needs `provider:read`. */
  provider({ npi }: Input<'get_provider_stats'>, call: CallOptions = {}): Promise<Output<'get_provider_stats'>> {
    return bodyOf(this.#protected(`/api/provider/${encodeURIComponent(npi)}`, {}, call)({}))
  }

  /** The integrity report. It carries no proof. Needs `integrity:read`. */
  integrity(call: CallOptions = {}): Promise<Output<'get_data_integrity'>> {
    return bodyOf(this.#protected('/api/data-integrity', {}, call)({}))
  }

  /** How fresh each chart is, and what was last verified. It carries no proof. */
  status(call: CallOptions = {}): Promise<Output<'get_status'>> {
    return bodyOf(this.#transport.send('/api/status', call))
  }

  /** How two releases differ. It carries no proof. */
  diff(question: Input<'diff_releases'>, call: CallOptions = {}): Promise<Output<'diff_releases'>> {
    return bodyOf(this.#transport.send(addressOf('/api/releases/diff', question), call))
  }

  /** The rails policy: scopes, routes and limits. */
  railsPolicy(call: CallOptions = {}): Promise<Output<'get_policy'>> {
    return bodyOf(this.#transport.send('/api/agent-rails/policy', call))
  }

  /** A tile of the hashes of a log. */
  async tile(log: LogName, level: number, n: number, width = 256): Promise<Uint8Array> {
    const received = await this.#transport.send(`/log/${log}/${tilePath(level, n, width)}`)
    if (!received.response.ok) throw refusalOf(received.response, received.text)
    return received.bytes
  }

  #today(): string {
    return new Date(this.#now()).toISOString().slice(0, 10)
  }

  #proved<Body>(
    path: string,
    query: Query,
    asked: Inquiry | undefined,
    { signal }: CallOptions,
  ): Promise<Answer<Body>> {
    return this.#believed((further) => this.#transport.send(addressOf(path, query), { signal, ...further }), asked)
  }

  #protected(path: string, query: Query, { signal }: CallOptions): (further: Sent) => Promise<Received> {
    return (further) => this.#rails.send(addressOf(path, query), { signal, ...further })
  }

  /** A cache on the way may have kept an answer from before: an old one is asked for once more, past all caches. */
  async #believed<Body>(
    send: (further: Sent) => Promise<Received>,
    asked: Inquiry | undefined,
    log: LogName = 'registry',
  ): Promise<Answer<Body>> {
    const once = async (further: Sent): Promise<Answer<Body>> => {
      const floor = await this.#checks?.floor()
      const { response, text } = await send(further)
      const isAbsence = response.status === 404 && /"(proof|absence|because)":/.test(text)
      if (!response.ok && !isAbsence) throw refusalOf(response, text)
      const { status } = response
      if (!floor || !this.#checks) return { status, body: JSON.parse(text) as Body, proved: undefined }
      if (!asked) return { status, body: JSON.parse(text) as Body, proved: undefined, unproved: 'never_proved' }
      const checked = await this.#checks
        .check(text, asked, log, floor)
        .catch((error: unknown) => unprovedBy(error, text))
      const found = typeof checked === 'string' ? { proved: undefined, unproved: checked } : { proved: checked }
      return { status, body: JSON.parse(text) as Body, ...found }
    }
    try {
      return await once({})
    } catch (error) {
      if (!(error instanceof ClientError) || error.reason !== 'log_rolled_back') throw error
      return once({ fresh: true })
    }
  }
}

/** What an answer is that proves nothing because it states nothing. Every other failure of a check is thrown again. */
function unprovedBy(error: unknown, text: string): Unproved {
  if (!(error instanceof ClientError) || error.reason !== 'nothing_proved') throw error
  const { data, results } = JSON.parse(text) as { data?: unknown[]; results?: { status: number }[] }
  if (data?.length === 0) return 'empty_list'
  if (results?.every(({ status }) => status >= 400)) return 'all_refused'
  throw error
}

/** The answer to a bill that was asked for without proofs. */
type ShortBatch = { results: { row?: { proof: { type: 'agent-trust-registry/proof-ref@v2' } } }[] }

async function bodyOf<Body>(sent: Promise<Received>): Promise<Body> {
  const { response, text } = await sent
  if (!response.ok) throw refusalOf(response, text)
  return JSON.parse(text) as Body
}

function addressOf(path: string, query: Query): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, String(value))
  return parameters.size > 0 ? `${path}?${parameters}` : path
}

type Defined<T> = { [K in keyof T]: Exclude<T[K], undefined> }

/** Members that are undefined count as left out. */
const definedOf = <T extends object>(value: T): Defined<T> =>
  Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as Defined<T>

export type * from './api-types.ts'
export type { Operations } from './api-types.ts'
export { memoryPins, type PinStore } from './checks.ts'
export { ClientError, type Disbelief } from './error.ts'
