import type { Quota } from '../../operation.ts'
import type { KeptRoute } from './kept-route.ts'
import { type ReadRequest, targetText } from './request.ts'
import {
  CONTENT_HEADERS,
  isNamedBy,
  isSamePolicy,
  matches,
  policyOf,
  remainingOf,
  type WholeReply,
} from './response.ts'

/** Memory of a response beside its bytes: headers, and the objects around them. Measured, and rounded up. */
const OVERHEAD_BYTES = 3 * 1024
const LONGEST_TARGET = 512
/** For so many bytes one target that came once is remembered, as a hash: twice as many as there is room for usual answers. */
const BYTES_FOR_SEEN = 4 * 1024
const SEEN_IN_PLACE = 8

const NOT_MODIFIED = 304

/** An answer that was made once. Only the request id and the quota are added for each caller. */
export class ReadyReply {
  /** How large its body is. */
  readonly bytes: number
  readonly #whole: Response
  readonly #etag: string | undefined
  /** The quota whose policy is among the headers. */
  readonly #quota: Quota | undefined
  /** The bytes before and after the request id, where the body states it. */
  readonly #around: readonly [Uint8Array, Uint8Array] | undefined

  /** `requestId` is set where the body states it. `code` says what it refuses. */
  constructor(
    { status, headers, body }: WholeReply,
    quota: Quota | undefined,
    requestId?: string,
    readonly code?: string,
  ) {
    const { 'x-request-id': _id, ratelimit: _remaining, ...kept } = headers
    this.bytes = body.length
    this.#quota = quota
    this.#whole = new Response(body, { status, headers: kept })
    this.#etag = headers['etag']
    this.#around = requestId === undefined ? undefined : around(body, requestId)
  }

  /** Whether a caller with this `If-Match` gets it. */
  isFor(ifMatch: string | null): boolean {
    return this.#whole.status !== 200 || isNamedBy(ifMatch, this.#etag)
  }

  respond(requestId: string, quota: Quota | undefined, isHead: boolean, ifNoneMatch: string | null): Response {
    const response = this.#response(requestId, isHead, ifNoneMatch)
    const { headers } = response
    headers.set('x-request-id', requestId)
    if (quota) headers.set('ratelimit', remainingOf(quota))
    // Most callers of a route have the same quota.
    if (quota && !isSamePolicy(quota, this.#quota)) headers.set('ratelimit-policy', policyOf(quota))
    return response
  }

  /** A clone shares the bytes, where a new response would copy them. */
  #response(requestId: string, isHead: boolean, ifNoneMatch: string | null): Response {
    if (ifNoneMatch !== null && this.#etag !== undefined && matches(ifNoneMatch, this.#etag)) return this.#unchanged()
    if (isHead) return new Response(null, this.#whole)
    if (!this.#around) return this.#whole.clone()
    return new Response(Buffer.concat([this.#around[0], Buffer.from(requestId), this.#around[1]]), this.#whole)
  }

  #unchanged(): Response {
    const response = new Response(null, { status: NOT_MODIFIED, headers: this.#whole.headers })
    for (const name of CONTENT_HEADERS) response.headers.delete(name)
    return response
  }
}

/** Divides a body at the request id. */
function around(body: Uint8Array, requestId: string): readonly [Uint8Array, Uint8Array] {
  const at = Buffer.from(body.buffer, body.byteOffset, body.length).indexOf(requestId)
  return [body.subarray(0, at), body.subarray(at + requestId.length)]
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
export interface CacheableAnswer {
  route: KeptRoute
  stamp: string
  cost: number
  /** The forms and codings in which it is the answer. */
  variants: number[]
  /** The quota that the reply states. */
  quota: Quota | undefined
  /** The code of a refusal, whose body states the id of its request. */
  code?: string
}

/** Keeps an answer for the next caller, under the target as it was sent. */
export function keep(
  cache: ReplyCache,
  { route, stamp, cost, variants, quota, code }: CacheableAnswer,
  reply: WholeReply,
  { request, pathname, search, requestId }: ReadRequest & { requestId: string },
): void {
  const target = targetText(request)
  const key = route.ignoresQuery ? (target.split(/[?#]/, 1)[0] as string) : target
  // Other spellings of the same target have no end, and nobody needs them twice.
  if (key !== (route.ignoresQuery ? pathname : `${pathname}${search}`)) return
  if (!cache.wants(key, route, reply.body.length)) return
  const ready = new ReadyReply(reply, quota, code && requestId, code)
  cache.keep(key, { route, stamp, cost }, variants, ready)
}

/**
 * Ready-made answers, by target. What they depend on is named by the stamp of their route, so they need no time to live.
 *
 * Bounded by bytes, in two halves: what is asked for again moves to the young half, and when that is full, the old half is
 * dropped. A caller who asks a new question each time takes no room: a target is kept when it comes for the second time. And not
 * after too long: with more targets in turn than there is room for, each would be dropped before it is asked for again.
 */
export class ReplyCache {
  #young = new Half()
  #old = new Half()
  readonly #seen: Int32Array
  #hits = 0
  #misses = 0

  constructor(readonly mostBytes: number) {
    const places = Math.ceil((mostBytes + 1) / BYTES_FOR_SEEN / SEEN_IN_PLACE)
    this.#seen = new Int32Array(places * SEEN_IN_PLACE)
  }

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

  /** To be asked once for each answer that was made: whether to keep it. Not if it is too large, nor when its target has come for the first time. */
  wants(target: string, { isSmall }: KeptRoute, bytes: number): boolean {
    this.#misses++
    if (bytes + OVERHEAD_BYTES > this.mostBytes / 8 || target.length > LONGEST_TARGET) return false
    return isSmall || this.find(target) !== undefined || this.#hasComeBefore(target)
  }

  keep(
    target: string,
    made: Omit<KeptAnswers, 'replies' | 'bytes'>,
    variants: readonly number[],
    reply: ReadyReply,
  ): void {
    const known = this.find(target)
    const isSame = known?.route === made.route && known.stamp === made.stamp
    if (isSame && variants.every((variant) => known.replies.has(variant))) return
    this.#young.take(target)
    const answers = isSame ? known : { ...made, replies: new Map<number, ReadyReply>(), bytes: 2 * target.length }
    for (const variant of variants) answers.replies.set(variant, reply)
    answers.bytes += reply.bytes + OVERHEAD_BYTES
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
    const hash = hashOf(target)
    const seen = this.#seen
    const from = (hash % (seen.length / SEEN_IN_PLACE)) * SEEN_IN_PLACE
    // The others move on by one, up to where this one was.
    let moved = hash
    for (let at = from; at < from + SEEN_IN_PLACE; at++) {
      const here = seen[at] as number
      seen[at] = moved
      if (here === hash) return true
      moved = here
    }
    return false
  }
}

/** Few targets are alike, and nobody gains by making some that are. */
function hashOf(target: string): number {
  let hash = 0
  for (let i = 0; i < target.length; i++) hash = Math.imul(hash ^ target.charCodeAt(i), 0x01000193)
  // Not below zero, and small enough to be counted with as a whole number.
  return (hash ^ (hash >>> 15)) >>> 1
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
