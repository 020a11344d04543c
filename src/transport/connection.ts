import { attempt, type Soon } from '../soon.ts'
import { FAILED, type ReadyBytes } from './answer.ts'
import { type BodyReader, ChunkedBody, CountedBody } from './body.ts'
import { CHUNKED, type Head, malformed, type Refusal, requestOf } from './head.ts'
import { HeadReader, MOST_HEAD_BYTES } from './head-reader.ts'
import { HeldBytes } from './held-bytes.ts'
import type { Asked, House, Wire } from './host.ts'
import { IncomingBody } from './incoming-body.ts'
import { Output } from './output.ts'
import { Deadline, HALF_CLOSED_MS, MOST_DROPPED, REQUESTS_IN_TURN } from './patience.ts'
import { Sender } from './sender.ts'

const CUT_SHORT = malformed('the connection was closed before the end of the body')

/**
 * One connection: requests in, answers out, in their order and one at a time. What comes meanwhile is held, up to the size
 * of one head; then the socket is not read until there is room.
 */
export class Connection implements Asked {
  readonly deadline: Deadline
  readonly #house: House
  readonly #wire: Wire
  readonly #output: Output
  readonly #sender: Sender
  readonly #reader = new HeadReader()
  readonly #held = new HeldBytes()
  #head: Head | undefined
  /** The body of the request that is being answered, if it has one, and the same as long as more of it is to come. */
  #content: Uint8Array<ArrayBuffer> | IncomingBody | undefined
  #coming: IncomingBody | undefined
  #request: Request | undefined
  #caller: AbortController | undefined
  #isAnswering = false
  #isScheduled = false
  #isPaused = false
  /** Whether there may be more that nobody will read. */
  #hasMore = false
  #isLingering = false
  #dropped = 0
  #hasEnded = false
  isClosed = false
  /** Counts the answers: one that comes after its request was given up is not sent. */
  #turn = 0

  constructor(
    house: House,
    wire: Wire,
    readonly address: string,
  ) {
    this.#house = house
    this.#wire = wire
    this.#output = new Output(wire, this.cut)
    this.deadline = new Deadline(house)
    this.#sender = new Sender(house, this.#output, this.deadline)
  }

  get head(): Head {
    return this.#head as Head
  }

  request(): Request {
    if (this.#request) return this.#request
    this.#caller = new AbortController()
    if (this.isClosed) this.#caller.abort()
    const body = this.#content instanceof IncomingBody ? this.#content.stream : this.#content
    this.#request = requestOf(this.head, body, this.#caller.signal)
    return this.#request
  }

  receive(chunk: Buffer): void {
    if (this.#isLingering) {
      this.#dropped += chunk.length
      if (this.#dropped > MOST_DROPPED) this.#wire.terminate()
      return
    }
    const from = this.#coming ? this.#feed(this.#coming, chunk) : 0
    if (from < 0 || from === chunk.length) return
    this.#held.add(from === 0 ? chunk : chunk.subarray(from))
    if (!this.#isWaiting) this.#advance()
    else if (this.#held.size > MOST_HEAD_BYTES) this.pause()
  }

  /** The other side sends nothing more. It may still read. */
  ended(): void {
    this.#hasEnded = true
    if (this.#isLingering) this.#wire.end()
    else if (this.#coming) this.#wire.terminate()
    else if (!this.#isWaiting) this.#close()
    else if (this.#caller) setTimeout((caller) => caller.abort(), HALF_CLOSED_MS, this.#caller)
  }

  closed(): void {
    this.isClosed = true
    this.#caller?.abort()
    this.#coming?.fail()
    this.#sender.stop()
    this.#held.clear()
  }

  drained(): void {
    if (!this.#output.isBlocked) return
    this.#output.drain()
    this.deadline.allow('idle')
    if (this.#output.isBlocked) return
    if (this.#sender.isStreaming) this.#sender.goOn()
    else if (!this.#isWaiting) this.#advance()
  }

  /** No further request is answered. */
  stop(): void {
    this.#sender.isLast = true
    if (!this.#isWaiting) this.#close()
  }

  /** Ends it, because its time is over, there is no room for it, or it has met a fault: that ends one connection, not the process. */
  readonly cut = (): void => this.#wire.terminate()

  readonly fail = (error: unknown): void => {
    this.#failed(error, this.#turn)
    this.cut()
  }

  /** What fails because the caller has left, or asks for it no more, is no fault. */
  #failed(error: unknown, turn: number): ReadyBytes {
    if (turn === this.#turn && !this.isClosed && !this.#caller?.signal.aborted) this.#house.fault(error)
    return FAILED
  }

  get #isWaiting(): boolean {
    return this.#isAnswering || this.#isScheduled || this.#output.isBlocked || this.#output.isDead
  }

  /** Reads and answers what has come, as far as it can be answered now. */
  readonly #advance = (): void => {
    this.#isScheduled = false
    let { bytes, at } = this.#held
    for (let requests = 0; bytes && at < bytes.length && !this.#isWaiting && !this.#sender.isLast; requests++) {
      if (requests === REQUESTS_IN_TURN) {
        this.#schedule()
        break
      }
      const hadBegun = this.#reader.hasBegun
      const length = this.#reader.read(bytes, at)
      if (length === 0) {
        if (!hadBegun) this.deadline.allow('head')
        break
      }
      if (length > 0) at = this.#begin(bytes, at + length)
      else {
        at = bytes.length
        this.#refuse(this.#reader.refusal as Refusal)
      }
    }
    this.#held.keepFrom(at)
    if (this.#sender.isLast && this.#held.size > 0) {
      this.#hasMore = true
      this.#held.clear()
    }
    this.#settle()
  }

  /** Goes on when others had their turn. */
  #schedule(): void {
    this.#output.flush()
    this.#isScheduled = true
    setImmediate(() => attempt(this.#advance, this.fail))
  }

  /** After an answer that was waited for. Many of them settle at once, one after the other, and would keep everyone else waiting. */
  #next(): void {
    if (this.#held.size > 0) this.#schedule()
    else this.#advance()
  }

  /** Sends what is ready, and decides what to wait for. */
  #settle(): void {
    this.#output.leave()
    if (this.#output.isBlocked) this.deadline.allow('idle')
    if (this.#isWaiting || this.isClosed) return
    if (this.#sender.isLast || this.#hasEnded) this.#close()
    else {
      if (!this.#reader.hasBegun) this.deadline.allow('idle')
      this.resume()
    }
  }

  /** Answers the request whose head was read. Gives the place after it. */
  #begin(bytes: Buffer, from: number): number {
    const head = this.#reader.take()
    const { body, keepsAlive, expectsContinue } = head.framing
    this.#head = head
    if (!keepsAlive || this.#house.isStopping) this.#sender.isLast = true
    let at = from
    if (body !== 0) {
      at = this.#beginBody(body === CHUNKED ? new ChunkedBody() : new CountedBody(body), bytes, from, expectsContinue)
      if (at < 0) return bytes.length
    }
    this.#give(() => this.#house.answer(this))
    return at
  }

  #beginBody(reader: BodyReader, bytes: Buffer, from: number, expectsContinue: boolean): number {
    const pieces: Uint8Array<ArrayBuffer>[] = []
    const at = reader.read(bytes, from, (piece) => pieces.push(piece))
    // Who has closed one side sends no more of it.
    const refusal = reader.refusal ?? (this.#hasEnded && !reader.isDone ? CUT_SHORT : undefined)
    if (refusal) {
      this.#refuse(refusal)
      return -1
    }
    if (reader.isDone) {
      this.#content = pieces.length === 1 ? pieces[0] : Buffer.concat(pieces)
      return at
    }
    const body = new IncomingBody(reader, this)
    for (const piece of pieces) body.add(piece)
    this.#content = this.#coming = body
    this.#sender.expectsContinue = expectsContinue
    this.deadline.beginBody()
    return at
  }

  /** Gives a body what has come of it. Gives the place after it, or -1 if the rest is not read. */
  #feed(body: IncomingBody, chunk: Buffer): number {
    const at = body.reader.read(chunk, 0, body.add)
    if (at < 0) {
      // Whoever makes the answer is told to stop, and what it answers is not sent.
      this.#caller?.abort()
      body.fail()
      this.#coming = undefined
      // Where the answer has begun, a refusal would stand in the middle of it.
      if (this.#hasMore) this.cut()
      else this.#refuse(body.reader.refusal as Refusal)
      this.#settle()
      return -1
    }
    this.deadline.allowBody()
    if (body.reader.isDone) {
      body.end()
      this.#coming = undefined
      this.deadline.allow('answer')
    } else if (body.isFull) this.pause()
    return at
  }

  pause(): void {
    if (!this.#isPaused) this.#wire.pause()
    this.#isPaused = true
  }

  /** Reads on. Who waits for a go-ahead before sending a body gets it. */
  resume(): void {
    this.#sender.goAhead()
    if (!this.#isPaused || this.isClosed) return
    this.#isPaused = false
    this.#wire.resume()
  }

  /** Answers what cannot be read, and then reads no more. */
  #refuse(refusal: Refusal): void {
    this.#head = undefined
    this.#sender.isLast = true
    this.#hasMore = true
    this.#give(() => this.#house.refuse(refusal, this.address))
  }

  #give(work: () => Soon<Response | ReadyBytes>): void {
    const turn = ++this.#turn
    const answer = attempt(work, (error) => this.#failed(error, turn))
    if (!(answer instanceof Promise)) {
      this.#send(answer)
      return
    }
    this.#isAnswering = true
    this.deadline.allow(this.#coming ? 'idle' : 'answer')
    const send = (made: Response | ReadyBytes): void => {
      if (turn !== this.#turn) return
      this.#isAnswering = false
      this.#send(made)
      if (!this.#isAnswering) this.#next()
    }
    answer.then(send).catch(this.fail)
  }

  #send(answer: Response | ReadyBytes): void {
    // Nobody has read the rest of the body, and nobody will.
    if (this.#coming) this.#sender.isLast = this.#hasMore = true
    const sent = this.#sender.send(answer, this.#head)
    this.#isAnswering = sent !== undefined
    if (sent) sent.then(this.#sent).catch(this.fail)
    else this.#done()
  }

  readonly #sent = (): void => {
    this.#done()
    this.#next()
  }

  /** The answer is on its way. */
  #done(): void {
    this.#isAnswering = false
    this.#caller = this.#request = this.#content = this.#coming = undefined
  }

  /** What was sent and is not read would make the system reset the connection, and the last answer would be lost with it. */
  #close(): void {
    this.#output.flush()
    // What the socket has not taken yet would be lost too: when it has, this is tried again.
    if (this.#output.isBlocked) this.deadline.allow('idle')
    else if (!this.#hasMore || this.#hasEnded) this.#wire.end()
    else {
      this.#isLingering = true
      this.#wire.shutdown()
      this.deadline.allow('linger')
      this.resume()
    }
  }
}
