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
