import type { BodyReader } from './body.ts'

/** What a body needs of its connection. */
export interface BodySource {
  /** More is wanted. */
  resume(): void
  /** More has come than is wanted for now. */
  pause(): void
}

const MOST_QUEUED = 64 * 1024

/** A body that is still coming while the request is answered. */
export class IncomingBody {
  readonly stream: ReadableStream<Uint8Array>
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined
  /** What nobody has asked for yet. */
  #queued = 0

  constructor(
    readonly reader: BodyReader,
    source: BodySource,
  ) {
    this.stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller
        },
        pull: () => {
          this.#queued = 0
          source.resume()
        },
        cancel: () => {
          this.#controller = undefined
          source.resume()
        },
      },
      // Nothing is asked for before someone reads: who waits for a go-ahead gets none if the request is refused anyway.
      { highWaterMark: 0 },
    )
  }

  get isFull(): boolean {
    return this.#queued > MOST_QUEUED
  }

  readonly add = (piece: Uint8Array): void => {
    if (!this.#controller) return
    this.#queued += piece.length
    this.#controller.enqueue(piece)
  }

  end(): void {
    this.#controller?.close()
    this.#controller = undefined
  }

  /** The rest will not come. */
  fail(): void {
    this.#controller?.error(new Error('the caller has stopped sending'))
    this.#controller = undefined
  }
}
