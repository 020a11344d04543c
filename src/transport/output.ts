/** What is written to a socket: the number of bytes that it took, or -1 if it is closed. */
export interface Sending {
  write(bytes: Uint8Array, from: number, length: number): number
}

/**
 * Where bytes are put together before they are sent. All connections share it: whoever puts something in must flush it
 * before another one has its turn, that is before it waits for anything.
 */
const scratch = Buffer.allocUnsafe(64 * 1024)
let used = 0
/** Whose bytes are in it. What one has left there by a fault is never sent to another. */
let owner: Output | undefined

/** Larger pieces are sent from where they are. */
const MOST_COPIED = 32 * 1024

/** What is on its way to one socket. Several small pieces leave in one write. */
export class Output {
  /** What the socket has not taken yet. */
  #waiting: Uint8Array[] = []
  readonly #socket: Sending

  constructor(socket: Sending) {
    this.#socket = socket
  }

  /** Whether there is nobody left to send to. A socket that is not read does not say so otherwise. */
  isDead = false

  /** Whether the other side must read before more can be sent. */
  get isBlocked(): boolean {
    return this.#waiting.length > 0
  }

  /** All characters must be single bytes. */
  text(text: string): void {
    this.#begin()
    if (text.length > scratch.length - used) this.flush()
    if (text.length > scratch.length) this.#send(Buffer.from(text, 'latin1'), text.length, false)
    else used += scratch.write(text, used, 'latin1')
  }

  /** The bytes must not change later. */
  bytes(bytes: Uint8Array): void {
    this.#begin()
    if (bytes.length > MOST_COPIED) {
      this.flush()
      this.#send(bytes, bytes.length, false)
      return
    }
    if (bytes.length > scratch.length - used) this.flush()
    scratch.set(bytes, used)
    used += bytes.length
  }

  #begin(): void {
    if (owner === this) return
    owner = this
    used = 0
  }

  flush(): void {
    if (owner !== this) return
    const length = used
    used = 0
    if (length > 0) this.#send(scratch, length, true)
  }

  /** Sends what waits, as far as the socket takes it. */
  drain(): void {
    while (this.#waiting.length > 0) {
      const first = this.#waiting[0] as Uint8Array
      const written = this.#socket.write(first, 0, first.length)
      if (written < 0) this.#die()
      else if (written < first.length) {
        this.#waiting[0] = first.subarray(written)
        return
      } else this.#waiting.shift()
    }
  }

  #die(): void {
    this.isDead = true
    this.drop()
  }

  drop(): void {
    this.#waiting = []
  }

  #send(bytes: Uint8Array, length: number, isShared: boolean): void {
    const written = this.isBlocked ? 0 : this.#socket.write(bytes, 0, length)
    if (written < 0) this.#die()
    if (written < 0 || written === length) return
    const rest = bytes.subarray(written, length)
    this.#waiting.push(isShared ? Buffer.from(rest) : rest)
  }
}
