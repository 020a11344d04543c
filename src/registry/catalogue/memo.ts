import { CallerGone } from '../../queue.ts'

/** Answers that can never change, such as what a published release holds. Past `most` the oldest is forgotten. */
export class Memo<T> {
  readonly #answers = new Map<string, Promise<T>>()

  constructor(readonly most: number) {}

  /** Callers who ask at the same time share one piece of work; one that failed is not remembered. */
  get(name: string, work: () => Promise<T>): Promise<T> {
    const known = this.#answers.get(name)
    // The caller who began it may hang up, which ends the work; then the next one who waits does it.
    if (known)
      return known.catch((error) => (error instanceof CallerGone ? this.get(name, work) : Promise.reject(error)))
    const answer = work()
    this.#answers.set(name, answer)
    answer.catch(() => this.#answers.delete(name))
    const [oldest] = this.#answers.keys()
    if (this.#answers.size > this.most && oldest !== undefined) this.#answers.delete(oldest)
    return answer
  }
}
