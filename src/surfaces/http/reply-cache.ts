import type { Quota } from '../../operation.ts'
import type { KeptRoute } from './kept-route.ts'
import { rawTarget, type Target } from './request.ts'
import { matches, setQuota, setRemaining, unchanged } from './response.ts'

/** What a response holds besides its bytes: headers, and the objects around them. Measured, and rounded up. */
const OVERHEAD_BYTES = 3 * 1024
const LONGEST_TARGET = 512
/** Targets that came once, as hashes. */
const SEEN = 1 << 16
const SEEN_IN_PLACE = 8

/** An answer that was made once. Only the request id and the quota are added for each caller. */
export class ReadyReply {
  readonly #whole: Response
  readonly #etag: string | null
  /** The quota whose policy stands in the headers. */
  readonly #quota: Quota | undefined
  readonly #around: readonly string[] | undefined
  #head: Response | undefined
  #unchanged: Response | undefined

  /** `requestId` is set where the body states it: then the bytes around it are kept. `code` says what it refuses. */
  constructor(
    { status, headers }: Response,
    body: Uint8Array<ArrayBuffer>,
    quota: Quota | undefined,
    requestId?: string,
    readonly code?: string,
  ) {
    this.#quota = quota
    this.#around = requestId === undefined ? undefined : around(new TextDecoder().decode(body), requestId)
    this.#whole = new Response(this.#around ? null : body, { status, headers })
    this.#etag = headers.get('etag')
  }

  respond(requestId: string, quota: Quota | undefined, isHead: boolean, ifNoneMatch: string | null): Response {
    const response = this.#response(requestId, isHead, ifNoneMatch)
    response.headers.set('x-request-id', requestId)
    if (quota) this.#setQuota(response.headers, quota)
    return response
  }

  /** The policy stands in the headers already: the limits of a route are the same for all. */
  #setQuota(headers: Headers, quota: Quota): void {
    const isStated = quota.bucket === this.#quota?.bucket && quota.limit === this.#quota.limit
    if (isStated) setRemaining(headers, quota)
    else setQuota(headers, quota)
  }

  /** A clone shares the bytes, where a new response would copy them. */
  #response(requestId: string, isHead: boolean, ifNoneMatch: string | null): Response {
    if (ifNoneMatch !== null && this.#etag !== null && matches(ifNoneMatch, this.#etag)) {
      this.#unchanged ??= unchanged(this.#whole.headers)
      return this.#unchanged.clone()
    }
    if (isHead) {
      this.#head ??= new Response(null, this.#whole)
      return this.#head.clone()
    }
    return this.#around ? new Response(this.#around.join(requestId), this.#whole) : this.#whole.clone()
  }
}

/** What stands before the id and after it. */
function around(text: string, requestId: string): readonly string[] {
  const at = text.indexOf(requestId)
  return [text.slice(0, at), text.slice(at + requestId.length)]
}

/** The answers to one target, in its forms and codings. */
export interface KeptAnswers {
  readonly route: KeptRoute
  readonly stamp: string
  /** How many requests it counts as. */
  readonly cost: number
  readonly replies: Map<number, ReadyReply>
  bytes: number
}

export interface CacheFigures {
  hits: number
  misses: number
  bytes: number
  targets: number
}

/** An answer that the next caller can have too. */
export interface Made {
  route: KeptRoute
  stamp: string
  cost: number
  /** The forms and codings in which it is the answer. */
  variants: number[]
  body: Uint8Array<ArrayBuffer>
  quota: Quota | undefined
  /** Of a refusal, whose body states the id of its request. */
  code?: string
}

/** Keeps what was made for the next caller, under the target as it was sent. */
export function keep(
  cache: ReplyCache,
  made: Made,
  request: Request,
  whole: Response,
  env: Target & { requestId: string },
): void {
  const { route, stamp, cost, variants, body, quota, code } = made
  const { pathname, search, requestId } = env
  const target = rawTarget(request.url)
  const key = route.ignoresQuery ? target?.split(/[?#]/, 1)[0] : target
  // Other spellings of the same target have no end, and nobody needs them twice.
  if (key === undefined || key !== (route.ignoresQuery ? pathname : `${pathname}${search}`)) return
  const make = (): ReadyReply => new ReadyReply(whole, body, quota, code && requestId, code)
  cache.keep(key, { route, stamp, cost }, variants, body.length, make)
}

/**
 * Ready-made answers, by target. What they depend on is named by the stamp of their route, so they need no time to live.
 *
 * Bounded by bytes, in two halves: what is asked for again moves to the young half, and when that is full, the old half is
 * dropped. A caller who asks a new question each time takes no room: a target is kept when it comes for the second time.
 */
export class ReplyCache {
  #young = new Half()
  #old = new Half()
  readonly #seen = new Uint32Array(SEEN)
  #hits = 0
  #misses = 0

  constructor(readonly mostBytes: number) {}

  get figures(): CacheFigures {
    const halves = [this.#young, this.#old]
    const sum = (count: (half: Half) => number): number => halves.reduce((total, half) => total + count(half), 0)
    const [bytes, targets] = [sum((half) => half.bytes), sum((half) => half.kept.size)]
    return { hits: this.#hits, misses: this.#misses, bytes, targets }
  }

  hit(): void {
    this.#hits++
  }

  find(target: string): KeptAnswers | undefined {
    const found = this.#young.kept.get(target)
    if (found) return found
    const older = this.#old.take(target)
    if (older) this.#add(target, older)
    return older
  }

  /** Keeps a reply, unless it is too large or the target has come for the first time. */
  keep(
    target: string,
    made: Omit<KeptAnswers, 'replies' | 'bytes'>,
    variants: readonly number[],
    bytes: number,
    make: () => ReadyReply,
  ): void {
    this.#misses++
    if (bytes + OVERHEAD_BYTES > this.mostBytes / 8 || target.length > LONGEST_TARGET) return
    const known = this.find(target)
    if (!known && !made.route.isSmall && !this.#hasComeBefore(target)) return
    const isSame = known?.route === made.route && known.stamp === made.stamp
    if (isSame && variants.every((variant) => known.replies.has(variant))) return
    this.#young.take(target)
    const answers = isSame ? known : { ...made, replies: new Map<number, ReadyReply>(), bytes: 2 * target.length }
    const reply = make()
    for (const variant of variants) answers.replies.set(variant, reply)
    answers.bytes += bytes + OVERHEAD_BYTES
    this.#add(target, answers)
  }

  #add(target: string, answers: KeptAnswers): void {
    this.#young.put(target, answers)
    if (this.#young.bytes <= this.mostBytes / 2) return
    this.#old = this.#young
    this.#young = new Half()
  }

  /**
   * Each place holds the last few targets that fell on it: with one, two targets that are asked in turn would push each
   * other out for ever.
   */
  #hasComeBefore(target: string): boolean {
    const hash = Bun.hash.crc32(target)
    const from = (hash % (SEEN / SEEN_IN_PLACE)) * SEEN_IN_PLACE
    const place = this.#seen.subarray(from, from + SEEN_IN_PLACE)
    if (place.includes(hash)) return true
    place.copyWithin(1, 0)
    place[0] = hash
    return false
  }
}

class Half {
  readonly kept = new Map<string, KeptAnswers>()
  bytes = 0

  put(target: string, answers: KeptAnswers): void {
    this.kept.set(target, answers)
    this.bytes += answers.bytes
  }

  take(target: string): KeptAnswers | undefined {
    const answers = this.kept.get(target)
    if (!answers) return undefined
    this.kept.delete(target)
    this.bytes -= answers.bytes
    return answers
  }
}
