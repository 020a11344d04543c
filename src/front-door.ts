/** How long requests are answered as they come. What comes later in the same round of the event loop waits in line. */
const ROUND_MS = 4
/** How many who wait are answered at most before the sockets are looked at again. */
const ANSWERS_IN_ROUND = 64

let light = 0
/** Whether requests wait in line: heavy work lets them go first. */
export const isRush = (): boolean => light > 0

/**
 * Decides who is answered next when more requests come than can be answered at once. All sockets that are ready are read in
 * one round of the event loop, so whoever sends a hundred requests would keep everyone waiting for a hundred answers.
 * Here they wait in line: callers who have not been answered since the line formed go first, the others take turns, and
 * after each answer the sockets are looked at again. While there is little to do, nobody waits.
 */
export class FrontDoor {
  /** When the first request of this round came. */
  #began: number | undefined
  readonly #new = new Map<string, (() => void)[]>()
  readonly #served = new Map<string, (() => void)[]>()
  /** Who has been answered since the line formed. */
  readonly #known = new Set<string>()
  #hasAnswered = false
  #waiting = 0

  get waiting(): number {
    return this.#waiting
  }

  /** To be asked once for each request: whether it is answered now. If not, it waits in line. */
  isOpen(): boolean {
    const now = performance.now()
    if (this.#began === undefined) {
      this.#began = now
      setImmediate(this.#round)
    }
    return this.#waiting === 0 && now - this.#began < ROUND_MS
  }

  inLine<T>(who: string, answer: () => T | Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#line(who, () => {
        try {
          resolve(answer())
        } catch (error) {
          reject(error)
        }
      })
    })
  }

  #line(who: string, go: () => void): void {
    this.#waiting++
    light++
    const lines = this.#known.has(who) ? this.#served : this.#new
    const mine = lines.get(who)
    if (mine) mine.push(go)
    else lines.set(who, [go])
  }

  readonly #round = (): void => {
    this.#began = undefined
    if (this.#waiting === 0) {
      this.#known.clear()
      return
    }
    this.#began = performance.now()
    this.#hasAnswered = false
    // Each in a callback of its own: most of the work of an answer is done after its function has returned.
    for (let i = Math.min(ANSWERS_IN_ROUND, this.#waiting); i > 0; i--) setImmediate(this.#next)
    setImmediate(this.#round)
  }

  readonly #next = (): void => {
    // At least one in each round, and no more when the time is over.
    if (this.#hasAnswered && performance.now() - (this.#began ?? 0) > ROUND_MS) return
    this.#hasAnswered = true
    const lines = this.#new.size > 0 ? this.#new : this.#served
    const [who, mine] = lines.entries().next().value ?? []
    if (who === undefined || mine === undefined) return
    lines.delete(who)
    this.#known.add(who)
    const go = mine.shift()
    if (mine.length > 0) this.#served.set(who, mine)
    this.#waiting--
    light--
    go?.()
  }
}
