/** Neighbours in a row: from the first one up to the one after the last. */
export type Span = readonly [from: number, to: number]

const MOST_FAULTS = 20
/** Past this many, what lies between them is not served either. */
const MOST_SPANS = 1_000

/** What a verification of one part finds: sentences for the operator, and what must not be served. */
export class Verdict {
  /** The first few. */
  readonly faults: string[] = []
  faultCount = 0
  #failed: Span[] = []

  /** A fault without a span is one that no row or entry is wrong by. */
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

  /** How many fail. */
  get failedCount(): number {
    return this.failed.reduce((sum, [from, to]) => sum + to - from, 0)
  }
}

/** In order, and none beside another. */
function merged(spans: readonly Span[]): Span[] {
  const result: [number, number][] = []
  for (const [from, to] of spans.toSorted((a, b) => a[0] - b[0])) {
    const last = result.at(-1)
    if (last && from <= last[1]) last[1] = Math.max(last[1], to)
    else result.push([from, to])
  }
  return result
}

/** Whether any of these spans has something of `from` to `to - 1`. */
export const touches = (spans: readonly Span[], from: number, to: number): boolean =>
  spans.some((span) => span[0] < to && from < span[1])

/** Whether one of them has all of it. */
export const covers = (spans: readonly Span[], from: number, to: number): boolean =>
  spans.some((span) => span[0] <= from && to <= span[1])
