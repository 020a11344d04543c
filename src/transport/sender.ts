import { headText, isBodiless, type ReadyBytes } from './answer.ts'
import type { Head } from './head.ts'
import type { House } from './host.ts'
import type { Output } from './output.ts'
import type { Deadline } from './patience.ts'

/** Larger bodies are not put together in memory. */
const MOST_AT_ONCE = 1024 * 1024

/** Writes the answers of one connection. */
export class Sender {
  /** Whether the answer under way is the last one. */
  isLast = false
  /** Whether the other side waits for a go-ahead before it sends the body. */
  expectsContinue = false
  readonly #house: House
  readonly #output: Output
  readonly #deadline: Deadline
  #isStopped = false
  #onDrain: (() => void) | undefined

  /** Each piece of an answer that takes long gets time of its own. */
  constructor(house: House, output: Output, deadline: Deadline) {
    this.#house = house
    this.#output = output
    this.#deadline = deadline
  }

  /** Whether it waits for the other side to read before it goes on with the same answer. */
  get isStreaming(): boolean {
    return this.#onDrain !== undefined
  }

  goOn(): void {
    this.#onDrain?.()
    this.#onDrain = undefined
  }

  goAhead(): void {
    if (!this.expectsContinue) return
    this.expectsContinue = false
    this.#output.text('HTTP/1.1 100 Continue\r\n\r\n')
    this.#output.flush()
  }

  /** The connection is gone. */
  stop(): void {
    this.#isStopped = true
    this.#output.drop()
    this.goOn()
  }

  /** Puts an answer on its way: a promise where its body must be waited for. Without a head the request was not understood. */
  send(answer: Response | ReadyBytes, head: Head | undefined): Promise<void> | undefined {
    if (!(answer instanceof Response)) {
      this.#output.bytes(answer.head)
      this.#head(answer.lines, head)
      if (answer.body) this.#output.bytes(answer.body)
      return undefined
    }
    const { status, headers, body } = answer
    const length = headers.get('content-length')
    const isHead = head?.method === 'HEAD'
    if (body !== null && !isHead && !isBodiless(status)) {
      this.#deadline.allow('answer')
      return length !== null && Number(length) <= MOST_AT_ONCE
        ? this.#sendWhole(answer, head)
        : this.#sendStream(answer, body, head, length)
    }
    const stated = length ?? (isHead ? undefined : '0')
    const line = stated === undefined || isBodiless(status) ? '' : `content-length: ${stated}\r\n`
    this.#head(headText(status, headers) + line, head)
    void body?.cancel().catch(() => undefined)
    return undefined
  }

  async #sendWhole(response: Response, head: Head | undefined): Promise<void> {
    const bytes = await response.bytes()
    this.#head(`${headText(response.status, response.headers)}content-length: ${bytes.length}\r\n`, head)
    this.#output.bytes(bytes)
    this.#output.flush()
  }

  /**
   * A body piece by piece: with the length that was stated, in chunks, or up to the end of the connection where chunks are
   * not known. What has another length than was stated is cut: the rest would be read as the next answer.
   */
  async #sendStream(
    response: Response,
    body: ReadableStream<Uint8Array>,
    head: Head | undefined,
    length: string | null,
  ): Promise<void> {
    const isChunked = length === null && !head?.isOld
    if (length === null && !isChunked) this.isLast = true
    const framing = isChunked ? 'transfer-encoding: chunked\r\n' : ''
    const line = length === null ? framing : `content-length: ${length}\r\n`
    this.#head(headText(response.status, response.headers) + line, head)
    this.#output.flush()
    let left = length === null ? Infinity : Number(length)
    for await (const piece of body) {
      if (this.#isStopped) return
      left -= piece.length
      if (left < 0) throw new RangeError('the body is longer than its stated length')
      if (piece.length === 0) continue
      if (isChunked) this.#output.text(`${piece.length.toString(16)}\r\n`)
      this.#output.bytes(piece)
      if (isChunked) this.#output.text('\r\n')
      this.#output.flush()
      if (this.#output.isBlocked) this.#deadline.allow('idle')
      // Pieces that wait for nothing would keep everyone else waiting.
      await (this.#output.isBlocked ? this.#drain() : new Promise(setImmediate))
      this.#deadline.allow('answer')
    }
    if (length !== null && left > 0) throw new RangeError('the body is shorter than its stated length')
    if (isChunked) this.#output.text('0\r\n\r\n')
    this.#output.flush()
  }

  #drain(): Promise<void> {
    return new Promise((resolve) => {
      this.#onDrain = resolve
    })
  }

  /** Writes these lines, the last headers of an answer, and the empty line. A go-ahead would stand in the middle of the answer from here on. */
  #head(lines: string, head: Head | undefined): void {
    this.expectsContinue = false
    this.#output.text(lines + this.#ownLines(head))
  }

  #ownLines(head: Head | undefined): string {
    const { date } = this.#house
    if (this.isLast) return `${date}connection: close\r\n\r\n`
    return head?.isOld ? `${date}connection: keep-alive\r\n\r\n` : `${date}\r\n`
  }
}
