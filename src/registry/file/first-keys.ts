import { Budget } from './budget.ts'

/** Where the keys are read from. Bundles are numbered in the order of their keys. */
export interface KeySource {
  readonly bundles: number
  /** The first key of a bundle. */
  firstKey(bundle: number): string
  /** The first keys from this one on, at most so many, each in a line. */
  firstKeysFrom(key: string, most: number): string
}

const CHUNK = 256
/** Of ten million rows they take thirty megabytes. */
const memory = new Budget(48 * 1024 * 1024)

/**
 * The first key of each bundle, so that a row is found without a search in the file. They are read when they are first
 * needed, a few hundred at a time: a service that starts reads none, and one that has answered for a while has all.
 */
export class FirstKeys {
  /** The first key of each chunk, as far as it is known. */
  readonly #firsts: string[] = []
  /** Null where there is no memory for it. */
  readonly #chunks: (Chunk | null | undefined)[] = []
  readonly #count: number

  constructor(private readonly source: KeySource) {
    this.#count = Math.ceil(source.bundles / CHUNK)
  }

  /** The last bundle that does not begin after a text; -1 if all do, and undefined if there is no memory to know it. */
  find(text: string): number | undefined {
    const chunk = lastUpTo(this.#count, (at) => this.#first(at) <= text)
    if (chunk < 0) return -1
    const keys = this.#chunk(chunk)
    return keys ? chunk * CHUNK + keys.find(text) : undefined
  }

  #first(chunk: number): string {
    const known = this.#firsts[chunk] ?? this.source.firstKey(chunk * CHUNK)
    this.#firsts[chunk] = known
    return known
  }

  #chunk(at: number): Chunk | null {
    const known = this.#chunks[at]
    if (known !== undefined) return known
    const text = this.source.firstKeysFrom(this.#first(at), CHUNK)
    const made = memory.take(this, text.length + CHUNK * 4) ? new Chunk(text) : null
    this.#chunks[at] = made
    return made
  }
}

/** Some keys in order, as one text: as many texts they would take three times the memory. */
class Chunk {
  /** Where each key begins, and where one more would. */
  readonly #starts: Uint32Array

  constructor(private readonly text: string) {
    const starts = [0]
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
    this.#starts = Uint32Array.from([...starts, text.length + 1])
  }

  find(key: string): number {
    const starts = this.#starts
    const keyAt = (at: number): string => this.text.slice(starts[at], (starts[at + 1] as number) - 1)
    return lastUpTo(starts.length - 1, (at) => keyAt(at) <= key)
  }
}

/** The last of `count` places for which something holds, where it holds for all before it; -1 if for none. */
function lastUpTo(count: number, holds: (place: number) => boolean): number {
  let [from, to] = [0, count]
  while (from < to) {
    const middle = (from + to) >> 1
    if (holds(middle)) from = middle + 1
    else to = middle
  }
  return from - 1
}
