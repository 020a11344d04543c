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
/** Of ten million rows they take twelve megabytes. */
const memory = new Budget(32 * 1024 * 1024)

/**
 * The first key of each bundle, so that a row is found without a search in the file. They are read when they are first
 * needed, a few hundred at a time: a service that starts reads none, and one that has answered for a while has all.
 */
export class FirstKeys {
  /** The first key of each chunk, as far as it is known, and its beginning as numbers. */
  readonly #firsts: string[] = []
  readonly #beginnings: Int32Array
  /**
   * Null where there is no memory for it. Also in a file from elsewhere whose index says other keys than its bundles, or has line
   * feeds in them, so that it is open which bundle each of them is of; or characters that keys do not have.
   */
  readonly #chunks: (Chunk | null | undefined)[] = []
  readonly #count: number

  constructor(private readonly source: KeySource) {
    this.#count = Math.ceil(source.bundles / CHUNK)
    this.#beginnings = new Int32Array(this.#count * NUMBERS).fill(UNKNOWN)
  }

  /** The last bundle that does not begin after a text and one that follows on it; -1 if all do, and undefined if that is not known here. */
  find(text: string, more = ''): number | undefined {
    writeBeginning(text, more, asked, 0)
    let from = 0
    let to = this.#count
    while (from < to) {
      const middle = (from + to) >> 1
      if (this.#beginnings[middle * NUMBERS] === UNKNOWN) this.#first(middle)
      const difference = compareAsked(this.#beginnings, middle)
      if (difference < 0 || (difference === 0 && this.#first(middle) <= text + more)) from = middle + 1
      else to = middle
    }
    if (from === 0) return -1
    const keys = this.#chunk(from - 1)
    return keys ? (from - 1) * CHUNK + keys.findAsked(text, more) : undefined
  }

  /** Whether a bundle begins with another code or place than this (`code|place`). Undefined if that is not known here. */
  isOther(bundle: number, codeAndPlace: string): boolean | undefined {
    const keys = this.#chunk(Math.floor(bundle / CHUNK))
    return keys ? !keys.beginsWith(bundle % CHUNK, codeAndPlace) : undefined
  }

  #first(chunk: number): string {
    const known = this.#firsts[chunk]
    if (known !== undefined) return known
    const read = this.source.firstKey(chunk * CHUNK)
    writeBeginning(read, '', this.#beginnings, chunk * NUMBERS)
    this.#firsts[chunk] = read
    return read
  }

  #chunk(at: number): Chunk | null {
    const known = this.#chunks[at]
    if (known !== undefined) return known
    const first = this.#first(at)
    const keys = this.source.firstKeysFrom(first, CHUNK).split('\n', CHUNK + 1)
    const isWhole = keys[0] === first && keys.length === Math.min(CHUNK, this.source.bundles - at * CHUNK)
    const made = isWhole && !keys.some(isStrange) ? this.#kept(new Chunk(keys)) : null
    this.#chunks[at] = made
    return made
  }

  #kept(chunk: Chunk): Chunk | null {
    return memory.take(this, chunk.bytes) ? chunk : null
  }
}

/**
 * Some keys in order. The beginnings are numbers, so most are compared without their texts. What follows on these is one of a
 * few, each of which is kept once.
 */
class Chunk {
  readonly #beginnings: Int32Array
  readonly #rests: string[] = []
  /** The number of the rest of each key. */
  readonly #restOf: Uint16Array

  constructor(keys: readonly string[]) {
    this.#beginnings = new Int32Array(keys.length * NUMBERS)
    this.#restOf = new Uint16Array(keys.length)
    for (const [i, key] of keys.entries()) {
      writeBeginning(key, '', this.#beginnings, i * NUMBERS)
      const rest = key.slice(BEGINNING)
      if (!this.#rests.includes(rest)) this.#rests.push(ownText(rest))
      this.#restOf[i] = this.#rests.indexOf(rest)
    }
  }

  get bytes(): number {
    return (4 * NUMBERS + 2) * this.#restOf.length + 100 * this.#rests.length
  }

  /** The last key that is not after the text whose beginning was asked for; there is one. */
  findAsked(text: string, more: string): number {
    let from = 0
    let to = this.#restOf.length
    while (from < to) {
      const middle = (from + to) >> 1
      const difference = compareAsked(this.#beginnings, middle)
      if (difference < 0 || (difference === 0 && this.#restAt(middle) <= (text + more).slice(BEGINNING)))
        from = middle + 1
      else to = middle
    }
    return from - 1
  }

  /** Whether a key has a bar after this text. */
  beginsWith(at: number, text: string): boolean {
    for (let i = 0; i < text.length; i++) if (this.#characterAt(at, i) !== text.charCodeAt(i)) return false
    return this.#characterAt(at, text.length) === BAR
  }

  #restAt(at: number): string {
    return this.#rests[this.#restOf[at] as number] as string
  }

  #characterAt(at: number, i: number): number {
    if (i >= BEGINNING) return this.#restAt(at).charCodeAt(i - BEGINNING)
    const number = this.#beginnings[at * NUMBERS + Math.floor(i / IN_NUMBER)] as number
    return (number >> (BITS * (IN_NUMBER - 1 - (i % IN_NUMBER)))) & MOST_CHARACTER
  }
}

// Most keys differ in their code and place, which are fifteen characters. So many are four numbers: where two of them
// differ, the texts come in their order.
const [NUMBERS, IN_NUMBER, BITS] = [4, 4, 7]
const BEGINNING = NUMBERS * IN_NUMBER
/** Stands for all characters from here on in a text that is looked for. Keys have none of them. */
const MOST_CHARACTER = 127
const isStrange = (key: string): boolean => /[^\x01-~]/.test(key)
const BAR = 124
const UNKNOWN = -1

/** The beginning of the text that is looked for. */
const asked = new Int32Array(NUMBERS)

/** Two texts are not put together for it. Past their end there is no character, and that comes first. */
function writeBeginning(text: string, more: string, into: Int32Array, at: number): void {
  for (let number = 0; number < NUMBERS; number++) {
    let bits = 0
    for (let i = number * IN_NUMBER; i < (number + 1) * IN_NUMBER; i++)
      bits = (bits << BITS) | (i < text.length ? characterOf(text, i) : characterOf(more, i - text.length))
    into[at + number] = bits
  }
}

const characterOf = (text: string, i: number): number =>
  i < text.length ? Math.min(MOST_CHARACTER, text.charCodeAt(i)) : 0

/** Below zero where a beginning is before the one that is looked for. */
function compareAsked(beginnings: Int32Array, place: number): number {
  for (let number = 0; number < NUMBERS; number++) {
    const difference = (beginnings[place * NUMBERS + number] as number) - (asked[number] as number)
    if (difference !== 0) return difference
  }
  return 0
}

/** As bytes and back: a text that was cut out of another, or put together of others, keeps all of them in memory. */
const ownText = (text: string): string => Buffer.from(text, 'latin1').toString('latin1')
