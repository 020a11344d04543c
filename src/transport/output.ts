/** What is written to a socket: the number of bytes that it took, or -1 if it is closed. */
export interface Sending {
  write(bytes: Uint8Array, from: number, length: number): number
}

/**
 * Where bytes are put together before they are sent. All connections share it. What is ready at the end of a round of the event
 * loop leaves then, one socket after the other: to send each answer as soon as it is made takes a third longer, because
 * the system wakes the other side each time.
 */
const outbox = Buffer.allocUnsafe(256 * 1024)
/** Up to here the bytes have been given up for sending. */
let ready = 0
/** Up to here there are bytes; those after `ready` are still being put together. */
let used = 0
/** Whose they are. What one has left there by a fault is never sent to another. */
let owner: Output | undefined
let letters: Letter[] = []
/** When the first of them was put in. */
let since = 0
let isDue = false

interface Letter {
  output: Output
  from: number
  to: number
}

/** Larger pieces are sent from where they are. */
const MOST_COPIED = 32 * 1024
/** How long an answer waits for others at most, in milliseconds. */
const LONGEST_WAIT = 3

/** Sends what is ready. To be called before work that takes longer than most answers. */
export function sendReady(): void {
  const sent = letters
  letters = []
  for (const { output, from, to } of sent) output.post(outbox.subarray(from, to), true)
  // All of it was sent or copied, and gives its room to what is still being put together.
  outbox.copyWithin(0, ready, used)
  used -= ready
  ready = 0
}

const sendDue = (): void => {
  isDue = false
  sendReady()
}

/** What is on its way to one socket. Several small pieces leave in one write. */
export class Output {
  /** What the socket has not taken yet. */
  #waiting: Uint8Array[] = []
  readonly #socket: Sending
  readonly #died: () => void

  /** `died` is called when it is found that nobody is left to send to. A socket that is not read does not say so otherwise. */
  constructor(socket: Sending, died: () => void) {
    this.#socket = socket
    this.#died = died
  }

  isDead = false

  /** Whether the other side must read before more can be sent. */
  get isBlocked(): boolean {
    return this.#waiting.length > 0
  }

  /** All characters must be single bytes. */
  text(text: string): void {
    if (text.length > outbox.length - used) this.flush()
    if (text.length > outbox.length) {
      this.post(Buffer.from(text, 'latin1'), false)
      return
    }
    this.#begin()
    used += outbox.write(text, used, 'latin1')
  }

  /** More than `MOST_COPIED` must not change later. */
  bytes(bytes: Uint8Array): void {
    if (bytes.length > MOST_COPIED) {
      this.flush()
      this.post(bytes, false)
      return
    }
    if (bytes.length > outbox.length - used) this.flush()
    this.#begin()
    outbox.set(bytes, used)
    used += bytes.length
  }

  #begin(): void {
    if (owner === this) return
    owner = this
    used = ready
  }

  /** Sends what was put in at the end of this round at the latest. Another one may put something in then. */
  leave(): void {
    if (owner !== this) return
    owner = undefined
    if (used === ready) return
    const now = performance.now()
    if (letters.length === 0) since = now
    letters.push({ output: this, from: ready, to: used })
    ready = used
    if (now - since > LONGEST_WAIT) sendReady()
    else if (!isDue) {
      isDue = true
      setImmediate(sendDue)
    }
  }

  /** Sends what was put in now, after what others have left. */
  flush(): void {
    this.leave()
    sendReady()
  }

  /** Sends what waits, as far as the socket takes it. */
  drain(): void {
    while (this.#waiting.length > 0) {
      const first = this.#waiting[0] as Uint8Array
      const written = this.#write(first)
      if (written < 0) return
      if (written < first.length) {
        this.#waiting[0] = first.subarray(written)
        return
      }
      this.#waiting.shift()
    }
  }

  drop(): void {
    this.#waiting = []
  }

  /** Sends these bytes after all others. Those that are shared will be written over. */
  post(bytes: Uint8Array, isShared: boolean): void {
    if (this.isDead) return
    const written = this.isBlocked ? 0 : this.#write(bytes)
    if (written < 0 || written === bytes.length) return
    const rest = bytes.subarray(written)
    this.#waiting.push(isShared ? Buffer.from(rest) : rest)
  }

  #write(bytes: Uint8Array): number {
    const written = this.#socket.write(bytes, 0, bytes.length)
    if (written < 0) {
      this.isDead = true
      this.drop()
      // Not now: others may be waiting in the outbox, and nobody must put anything in before they are sent.
      queueMicrotask(this.#died)
    }
    return written
  }
}
