// Checks an answer: its proofs under a pinned policy, the question, the arithmetic, and that the log has only grown.

import { checkGrowth, tilePath } from '../proof/growth.ts'
import { openCheckpoint } from '../proof/note/checkpoint.ts'
import type { TreeHead } from '../proof/note/tree-head.ts'
import { type Inquiry, parsePolicy, type TrustPolicy, type VerifiedAnswer, verifyBody } from '../proof/verify-lists.ts'
import { ClientError, notVerified, refusalOf } from './error.ts'
import type { Transport } from './transport.ts'

/** Stores the policy and the newest checkpoints for a caller: a file, a table, the storage of a browser. */
export interface PinStore {
  get(name: string): string | undefined | Promise<string | undefined>
  set(name: string, text: string): void | Promise<void>
}

/** Keeps pins in memory. */
export function memoryPins(): PinStore {
  const pins = new Map<string, string>()
  return {
    get: (name) => pins.get(name),
    set: (name, text) => {
      pins.set(name, text)
    },
  }
}

export interface CheckOptions {
  /** The text of `/log/policy`, from a trusted source. */
  policy?: string | undefined
  pins?: PinStore | undefined
  maxAgeHours: number
  now: () => number
}

const POLICY = 'policy'
/** How far the clock of a log may be ahead of the local one. */
const CLOCKS_DIFFER_MS = 5 * 60_000

export type LogName = 'registry' | 'figures'

/** The pinned size of each log when a request was sent. The answer must not be older. */
export type PinnedSizes = ReadonlyMap<string, number>

interface Pin {
  note: string
  head: TreeHead
}

export class Checks {
  readonly #pins = new Map<string, Pin>()
  #policy: Promise<TrustPolicy> | undefined
  /** Makes pins move one after the other. */
  #turn: Promise<unknown> = Promise.resolve()

  constructor(
    readonly transport: Transport,
    readonly options: CheckOptions,
  ) {}

  async pinnedSizes(): Promise<PinnedSizes> {
    await this.policy()
    return new Map([...this.#pins].map(([origin, { head }]) => [origin, head.size]))
  }

  /** The pinned policy: from the options, from the pin store, or, at first use, from the service. */
  policy(): Promise<TrustPolicy> {
    this.#policy ??= this.#readPolicy().catch((error: unknown) => {
      this.#policy = undefined
      throw error
    })
    return this.#policy
  }

  async #readPolicy(): Promise<TrustPolicy> {
    const { policy: given, pins } = this.options
    if (given === undefined && !pins)
      throw new ClientError('policy_missing: answers are verified under a log policy that you pin', {
        code: 'policy_missing',
        hint: 'Give `policy`, the text of /log/policy from a source that you trust, or `pins`, where it is kept from first use.',
      })
    const text = given ?? (await pins?.get(POLICY)) ?? (await this.#fetchPolicy())
    const policy = parsePolicy(text)
    if (!policy) throw new ClientError('policy_missing: this is not a log policy', { code: 'policy_missing' })
    if (given === undefined) await pins?.set(POLICY, text)
    for (const { key } of policy.logs) {
      const note = await pins?.get(pinOf(key.name))
      if (note === undefined) continue
      const opened = await openCheckpoint(note, policy)
      if (!opened.ok) throw notVerified(opened.reason)
      this.#pins.set(key.name, { note, head: opened.head })
    }
    return policy
  }

  async #fetchPolicy(): Promise<string> {
    const { response, text } = await this.transport.send('/log/policy')
    if (!response.ok) throw refusalOf(response, text)
    return text
  }

  /**
   * Verifies an answer and returns what it proves. Throws if it proves nothing, answers another question, or if its log is
   * not a continuation of the pinned one. The age of the figures log is not limited, because its entries are months apart.
   */
  async check(text: string, inquiry: Inquiry, log: LogName, pinned: PinnedSizes): Promise<VerifiedAnswer> {
    const policy = await this.policy()
    const { maxAgeHours, now } = this.options
    const at = (time: number): string => new Date(time).toISOString()
    const limits = { notBefore: at(now() - maxAgeHours * 3_600_000), notAfter: at(now() + CLOCKS_DIFFER_MS) }
    const proved = await verifyBody(text, policy, inquiry, log === 'figures' ? {} : limits)
    if (!proved.ok) throw notVerified(proved.reason)
    const moved = this.#turn.then(() => this.#follow(proved.checkpoint, log, policy, pinned))
    this.#turn = moved.catch(() => undefined)
    await moved
    return proved
  }

  /** Checks that a checkpoint continues the pinned log and is not older than the pins when the request was sent. */
  async #follow(note: string, log: LogName, policy: TrustPolicy, pinned: PinnedSizes): Promise<void> {
    const opened = await openCheckpoint(note, policy)
    if (!opened.ok) throw notVerified(opened.reason)
    const { head } = opened
    if (!head.origin.endsWith(`/log/${log}`)) throw notVerified('log_of_other_kind')
    const pin = this.#pins.get(head.origin)
    if (head.size < (pinned.get(head.origin) ?? 0)) throw notVerified('log_rolled_back')
    if (pin?.note === note) return
    if (pin) {
      // Answers may arrive in another order than they were made.
      const notes = head.size < pin.head.size ? ([note, pin.note] as const) : ([pin.note, note] as const)
      const grown = await checkGrowth(...notes, policy, (level, n, width) => this.#tile(log, level, n, width))
      if (!grown.ok) throw notVerified(grown.reason)
      if (head.size <= pin.head.size) return
    }
    this.#pins.set(head.origin, { note, head })
    await this.options.pins?.set(pinOf(head.origin), note)
  }

  /** Reads a tile. A partial tile may be gone when the full one exists, which has the same hashes and more. */
  async #tile(log: LogName, level: number, n: number, width: number): Promise<Uint8Array> {
    for (const path of new Set([tilePath(level, n, width), tilePath(level, n)])) {
      const { response, bytes } = await this.transport.send(`/log/${log}/${path}`)
      if (response.ok) return bytes
    }
    throw new Error('the log does not serve a tile that its checkpoint implies')
  }
}

const pinOf = (origin: string): string => `checkpoint ${origin}`
