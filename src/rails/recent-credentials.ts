const MOST_CREDENTIALS = 10_000

/** Credentials that were valid of late, by their digests. They are looked up again each time all the same. */
export class RecentCredentials {
  readonly #known = new Set<string>()

  has(digest: Uint8Array): boolean {
    return this.#known.has(nameOf(digest))
  }

  add(digest: Uint8Array): void {
    const name = nameOf(digest)
    if (this.#known.has(name)) return
    const [oldest] = this.#known
    if (this.#known.size >= MOST_CREDENTIALS && oldest !== undefined) this.#known.delete(oldest)
    this.#known.add(name)
  }
}

const nameOf = (digest: Uint8Array): string => Buffer.from(digest).toString('latin1')

/** Lets work of one name run one at a time, in the order in which it came. */
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
