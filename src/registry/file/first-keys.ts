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
/** Of ten million rows they take fifteen megabytes. */
const memory = new Budget(32 * 1024 * 1024)

/**
 * The first key of each bundle, so that a row is found without a search in the file. They are read when they are first
 * needed, a few hundred at a time: a service that starts reads none, and one that has answered for a while has all.
 */
export class FirstKeys {
  /** The first key of each chunk, as far as it is known, and its beginning as a number. */
  readonly #firsts: string[] = []
  readonly #beginnings: Int32Array
  /**
   * Null where there is no memory for it. Also in a file from elsewhere whose index says other keys than its bundles, or has line
   * feeds in them, so that it is open which bundle each of them is of.
   */
  readonly #chunks: (Chunk | null | undefined)[] = []
  readonly #count: number

  constructor(private readonly source: KeySource) {
    this.#count = Math.ceil(source.bundles / CHUNK)
    this.#beginnings = new Int32Array(this.#count).fill(UNKNOWN)
  }

  /** The last bundle that does not begin after a text; -1 if all do, and undefined if that is not known here. */
  find(text: string): number | undefined {
    const beginning = beginningOf(text)
    const chunk = lastUpTo(this.#count, (at) => {
      if (this.#beginnings[at] === UNKNOWN) this.#first(at)
      const difference = (this.#beginnings[at] as number) - beginning
      return difference === 0 ? this.#first(at) <= text : difference < 0
    })
    if (chunk < 0) return -1
    const keys = this.#chunk(chunk)
    return keys ? chunk * CHUNK + keys.find(text, beginning) : undefined
  }

  /** Whether a bundle begins with another code or place than this (`code|place`). Undefined if that is not known here. */
  isOther(bundle: number, codeAndPlace: string): boolean | undefined {
    const keys = this.#chunk(Math.floor(bundle / CHUNK))
    return keys ? !keys.hasHalf(bundle % CHUNK, codeAndPlace) : undefined
  }

  #first(chunk: number): string {
    const known = this.#firsts[chunk]
    if (known !== undefined) return known
    const read = this.source.firstKey(chunk * CHUNK)
    this.#beginnings[chunk] = beginningOf(read)
    this.#firsts[chunk] = read
    return read
  }

  #chunk(at: number): Chunk | null {
    const known = this.#chunks[at]
    if (known !== undefined) return known
    const first = this.#first(at)
    const keys = this.source.firstKeysFrom(first, CHUNK).split('\n', CHUNK + 1)
    const isWhole = keys[0] === first && keys.length === Math.min(CHUNK, this.source.bundles - at * CHUNK)
    const made = isWhole ? this.#kept(new Chunk(keys)) : null
    this.#chunks[at] = made
    return made
  }

  #kept(chunk: Chunk): Chunk | null {
    return memory.take(this, chunk.bytes) ? chunk : null
  }
}

/**
 * Some keys in order. Their second half, from the second bar on, is one of a few: each of these is kept once. So they take a
 * third of the memory of their texts, and a tenth of what they would take as texts of their own.
 */
class Chunk {
  /** The first halves, one after the other, and where each of them ends. */
  readonly #halves: string
  readonly #ends: Uint32Array
  readonly #rests: string[] = []
  /** The number of the second half of each key. */
  readonly #restOf: Uint16Array
  readonly #beginnings: Int32Array

  constructor(keys: readonly string[]) {
    this.#ends = new Uint32Array(keys.length)
    this.#restOf = new Uint16Array(keys.length)
    this.#beginnings = Int32Array.from(keys, beginningOf)
    let halves = ''
    for (const [i, key] of keys.entries()) {
      const bar = key.indexOf('|', key.indexOf('|') + 1)
      const rest = key.slice(bar)
      if (!this.#rests.includes(rest)) this.#rests.push(ownText(rest))
      this.#restOf[i] = this.#rests.indexOf(rest)
      halves += key.slice(0, bar)
      this.#ends[i] = halves.length
    }
    this.#halves = ownText(halves)
  }

  get bytes(): number {
    return this.#halves.length + 10 * this.#ends.length + 100 * this.#rests.length
  }

  find(key: string, beginning: number): number {
    return lastUpTo(this.#ends.length, (at) => {
      const difference = (this.#beginnings[at] as number) - beginning
      return difference === 0 ? this.#isUpTo(at, key) : difference < 0
    })
  }

  /** Whether this is the first half of a key. */
  hasHalf(at: number, text: string): boolean {
    const start = at === 0 ? 0 : (this.#ends[at - 1] as number)
    return (this.#ends[at] as number) - start === text.length && this.#halves.startsWith(text, start)
  }

  /** Whether a key is not after a text. They are compared where they stand: to put the key together takes ten times as long. */
  #isUpTo(at: number, text: string): boolean {
    const start = at === 0 ? 0 : (this.#ends[at - 1] as number)
    const size = (this.#ends[at] as number) - start
    for (let i = 0; i < size; i++) {
      // Past its end a text has no character, and comes first.
      const difference = this.#halves.charCodeAt(start + i) - (i < text.length ? text.charCodeAt(i) : -1)
      if (difference !== 0) return difference < 0
    }
    return (this.#rests[this.#restOf[at] as number] as string) <= text.slice(size)
  }
}

const BEGINNING = 5
const UNKNOWN = -1

/** The first characters of a text as a number: where two of them differ, the texts come in their order. */
function beginningOf(text: string): number {
  let number = 0
  for (let i = 0; i < BEGINNING; i++) {
    const character = i < text.length ? text.charCodeAt(i) : 0
    number = number * 64 + Math.min(63, Math.max(0, character - 32))
  }
  return number
}

/** As bytes and back: a text that was cut out of another, or put together of others, keeps all of them in memory. */
const ownText = (text: string): string => Buffer.from(text, 'latin1').toString('latin1')

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
