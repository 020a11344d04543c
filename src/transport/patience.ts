// What is borne of a caller.

/** Seconds. */
export interface Patience {
  /** How long a head may take from its first byte. */
  head: number
  /** How long a connection may say and read nothing. */
  idle: number
  /** How long an answer may be made, and a body may come. */
  answer: number
  /** How long the last bytes are read that nobody wants. */
  linger: number
  /** Who takes an answer slowly does not keep a service from stopping. */
  stop: number
  /** How often all of these are looked at. */
  tick: number
}

export const PATIENCE: Patience = { head: 15, idle: 30, answer: 120, linger: 2, stop: 60, tick: 1 }
/** Then the next connection has its turn. */
export const REQUESTS_IN_TURN = 32
/** What is sent after the last request that is answered is read and thrown away, up to this. */
export const MOST_DROPPED = 1024 * 1024
/** Most who close have gone, and a few wait for an answer: they get what is ready by then. */
export const HALF_CLOSED_MS = 500

/** When a connection is cut if nothing happens until then. */
export class Deadline {
  /** In seconds of the house. */
  at = 0
  /** The same for the whole of a body, however its pieces come. */
  #bodyAt = 0

  constructor(private readonly house: { readonly seconds: number; readonly patience: Patience }) {
    this.allow('idle')
  }

  /** How long it may take until the next step. */
  allow(step: 'head' | 'idle' | 'answer' | 'linger'): void {
    this.at = this.house.seconds + this.house.patience[step]
  }

  beginBody(): void {
    this.#bodyAt = this.house.seconds + this.house.patience.answer
  }

  allowBody(): void {
    this.allow('idle')
    this.at = Math.min(this.at, this.#bodyAt)
  }
}
