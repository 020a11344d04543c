/** A range of indexes: from the first one up to the one after the last. */
export type Span = readonly [from: number, to: number]

const MOST_FAULTS = 20
/** Above this number, spans are joined to one, and the rows between them are not served either. */
const MOST_SPANS = 1_000

/** The findings of one verification: sentences for the operator, and the rows or entries that must not be served. */
export class Verdict {
  /** The first few. */
  readonly faults: string[] = []
  faultCount = 0
  #failed: Span[] = []

  /** Adds a fault, with the rows or entries that are wrong because of it, if any. */
  add(fault: string, span?: Span): void {
    this.faultCount++
    if (this.faults.length < MOST_FAULTS) this.faults.push(fault)
    if (span && span[0] < span[1]) this.#fail(span)
  }

  #fail([from, to]: Span): void {
    const last = this.#failed.at(-1)
    if (last?.[1] === from) this.#failed[this.#failed.length - 1] = [last[0], to]
    else this.#failed.push([from, to])
    if (this.#failed.length <= MOST_SPANS) return
    const all = merged(this.#failed)
    this.#failed = all.length <= MOST_SPANS / 2 ? all : [[all[0]?.[0] ?? 0, all.at(-1)?.[1] ?? 0]]
  }

  get failed(): Span[] {
    return merged(this.#failed)
  }

  get failedCount(): number {
    return this.failed.reduce((sum, [from, to]) => sum + to - from, 0)
  }
}

/** Sorts spans, and joins those that overlap or touch. */
function merged(spans: readonly Span[]): Span[] {
  const result: [number, number][] = []
  for (const [from, to] of spans.toSorted((a, b) => a[0] - b[0])) {
    const last = result.at(-1)
    if (last && from <= last[1]) last[1] = Math.max(last[1], to)
    else result.push([from, to])
  }
  return result
}

/** Whether any span overlaps `from` to `to - 1`. */
export const touches = (spans: readonly Span[], from: number, to: number): boolean =>
  spans.some((span) => span[0] < to && from < span[1])

/** Whether one span includes all of `from` to `to - 1`. */
export const covers = (spans: readonly Span[], from: number, to: number): boolean =>
  spans.some((span) => span[0] <= from && to <= span[1])
