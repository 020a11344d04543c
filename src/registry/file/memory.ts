/**
 * Memory that may be kept to answer faster, shared by all files of the process. Who gets none reads from its file
 * instead. What an owner took comes back when the owner is no longer in use.
 */
export class Budget {
  #left: number
  readonly #returns = new FinalizationRegistry<number>((bytes) => {
    this.#left += bytes
  })

  constructor(readonly most: number) {
    this.#left = most
  }

  get left(): number {
    return this.#left
  }

  /** False if there is not so much left. */
  take(owner: object, bytes: number): boolean {
    if (bytes > this.#left) return false
    this.#left -= bytes
    this.#returns.register(owner, bytes)
    return true
  }
}

const READ_AT_ONCE = 5_120
const KEPT_AS = 10
let read = 0

/**
 * To be called for each bundle that was read. The engine does not see what they take, and would let hundreds of megabytes of
 * them pile up. One that is kept takes ten times as much, with the texts that are made of it, as one that is passed.
 */
export function countRead(how: 'kept' | 'passed'): void {
  read += how === 'kept' ? KEPT_AS : 1
  if (read < READ_AT_ONCE) return
  read = 0
  Bun.gc(false)
}

/**
 * Where what is read ahead goes: the engine would leave out a read of which nothing comes.
 *
 * What a large file has in memory comes from far away, and each time it is waited for. What is read in one place after
 * another, with nothing in between that depends on it, comes at once.
 */
export const ahead = new Float64Array(1)
