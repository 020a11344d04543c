const MOST_CREDENTIALS = 10_000

/** Credentials that were valid lately, by names that do not reveal their texts. They are still looked up at each use. */
export class RecentCredentials {
  readonly #known = new Set<string>()

  has(name: string): boolean {
    return this.#known.has(name)
  }

  forget(name: string): void {
    this.#known.delete(name)
  }

  add(name: string): void {
    if (this.#known.has(name)) return
    const [oldest] = this.#known
    if (this.#known.size >= MOST_CREDENTIALS && oldest !== undefined) this.#known.delete(oldest)
    this.#known.add(name)
  }
}

/** Runs work of the same name one at a time, in the order in which it came. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>()

  async take<T>(name: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(name)
    const mine = before ? before.then(work, work) : work()
    this.#last.set(name, mine)
    try {
      return await mine
    } finally {
      if (this.#last.get(name) === mine) this.#last.delete(name)
    }
  }
}
