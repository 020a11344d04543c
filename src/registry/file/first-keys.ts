import { ahead, Budget } from './memory.ts'

/** Where the keys are read from. Bundles are numbered in the order of their keys. */
export interface KeySource {
  readonly bundles: number
  /** The first key of a bundle. */
  firstKey(bundle: number): string
  /** The first keys from this one on, at most so many, each in a line. */
  firstKeysFrom(key: string, most: number): string
}

/** So many are read at once, and so many are looked through last: their beginnings stand side by side in 256 bytes. */
const [CHUNK, GROUP] = [256, 16]
const GROUPS = CHUNK / GROUP
/** So many come into the caches of a processor together. */
const IN_LINE = 4
// Most keys differ in their code and place, which are fourteen characters. So many are two numbers: where these differ, the
// texts come in their order.
const [NUMBERS, IN_NUMBER] = [2, 7]
const BEGINNING = NUMBERS * IN_NUMBER

/** Of ten million rows they take twelve megabytes. */
const memory = new Budget(32 * 1024 * 1024)
const BYTES = 8 * NUMBERS + 2
/** Of an honest file there are some dozens. */
const [MOST_RESTS, REST_BYTES] = [4_096, 100]

const [UNKNOWN, READ, LEFT] = [0, 1, 2]

/**
 * The first key of each bundle, so that a row is found without a search in the file. They are read when they are first
 * needed, a few hundred at a time: a service that starts reads none, and one that has answered for a while has all.
 *
 * A search reads memory in as few places as it can: of two million rows they take more than the caches next to a processor, and
 * to wait for memory takes longer than to compare.
 */
export class FirstKeys {
  /** The first key of each chunk, as far as it is known. */
  readonly #firsts: string[] = []
  /** The beginnings of these, of the first key of each group, and of all keys. */
  readonly #ofChunks: Float64Array
  readonly #ofGroups: Float64Array
  readonly #ofAll: Float64Array
  /** What follows on the beginning is one of a few texts: the number of that of each key. */
  readonly #restOf: Uint16Array
  readonly #rests: string[] = []
  readonly #numberOf = new Map<string, number>()
  /**
   * Of each chunk. What is left to the file is where there is no memory for it. Also in a file from elsewhere whose index says other
   * keys than its bundles, or has line feeds in them, so that it is open which bundle each of them is of; or characters
   * that keys do not have.
   */
  readonly #states: Uint8Array

  constructor(private readonly source: KeySource) {
    const { bundles } = source
    const chunks = Math.ceil(bundles / CHUNK)
    const kept = memory.take(this, bundles * BYTES) ? bundles : 0
    this.#ofChunks = new Float64Array(chunks * NUMBERS)
    this.#ofGroups = new Float64Array(Math.ceil(kept / GROUP) * NUMBERS)
    this.#ofAll = new Float64Array(kept * NUMBERS)
    this.#restOf = new Uint16Array(kept)
    this.#states = new Uint8Array(chunks).fill(kept < bundles ? LEFT : UNKNOWN)
  }

  /** The last bundle that does not begin after a text and one that follows on it; -1 if all do, and undefined if that is not known here. */
  find(text: string, more = ''): number | undefined {
    writeBeginning(text, more, asked, 0)
    let from = 0
    let to = this.#states.length
    while (from < to) {
      const middle = (from + to) >> 1
      if (this.#ofChunks[middle * NUMBERS] === 0) this.#first(middle) // no key begins with zeros
      const difference = compareAsked(this.#ofChunks, middle)
      if (difference < 0 || (difference === 0 && this.#first(middle) <= text + more)) from = middle + 1
      else to = middle
    }
    if (from === 0) return -1
    if (!this.#isRead(from - 1)) return undefined
    const group = this.#last(this.#ofGroups, GROUP, (from - 1) * GROUPS, GROUPS, text, more)
    return this.#last(this.#ofAll, 1, group * GROUP, GROUP, text, more)
  }

  /** The last of some that does not begin after the text whose beginning was asked for; the first one does not. Each stands for so many bundles. */
  #last(beginnings: Float64Array, bundles: number, first: number, most: number, text: string, more: string): number {
    let from = first + 1
    let to = Math.min(first + most, beginnings.length / NUMBERS)
    let sum = 0
    for (let at = first; at < to; at += IN_LINE) sum += beginnings[at * NUMBERS] as number
    ahead[0] = sum
    while (from < to) {
      const middle = (from + to) >> 1
      const difference = compareAsked(beginnings, middle)
      if (difference < 0 || (difference === 0 && this.#restAt(middle * bundles) <= (text + more).slice(BEGINNING)))
        from = middle + 1
      else to = middle
    }
    return from - 1
  }

  /** Whether a bundle begins with another code or place than this (`code|place`). Undefined if that is not known here. */
  isOther(bundle: number, codeAndPlace: string): boolean | undefined {
    if (!this.#isRead(Math.floor(bundle / CHUNK))) return undefined
    for (let i = 0; i < codeAndPlace.length; i++)
      if (this.#characterAt(bundle, i) !== codeAndPlace.charCodeAt(i)) return true
    return this.#characterAt(bundle, codeAndPlace.length) !== BAR
  }

  #restAt(bundle: number): string {
    return this.#rests[this.#restOf[bundle] as number] as string
  }

  #characterAt(bundle: number, i: number): number {
    if (i >= BEGINNING) return this.#restAt(bundle).charCodeAt(i - BEGINNING)
    const number = this.#ofAll[bundle * NUMBERS + Math.floor(i / IN_NUMBER)] as number
    return Math.floor(number / (UNITS[i % IN_NUMBER] as number)) % BASE
  }

  #first(chunk: number): string {
    const known = this.#firsts[chunk]
    if (known !== undefined) return known
    const read = this.source.firstKey(chunk * CHUNK)
    writeBeginning(read, '', this.#ofChunks, chunk * NUMBERS)
    this.#firsts[chunk] = read
    return read
  }

  #isRead(chunk: number): boolean {
    const state = this.#states[chunk]
    if (state !== UNKNOWN) return state === READ
    const isRead = this.#read(chunk)
    this.#states[chunk] = isRead ? READ : LEFT
    return isRead
  }

  #read(chunk: number): boolean {
    const first = this.#first(chunk)
    const from = chunk * CHUNK
    const keys = this.source.firstKeysFrom(first, CHUNK).split('\n', CHUNK + 1)
    if (keys[0] !== first || keys.length !== Math.min(CHUNK, this.source.bundles - from) || keys.some(isStrange))
      return false
    return keys.every((key, i) => this.#add(from + i, key))
  }

  /** False if there is no memory for it. */
  #add(bundle: number, key: string): boolean {
    const rest = key.slice(BEGINNING)
    const number = this.#numberOf.get(rest) ?? this.#newRest(rest)
    if (number < 0) return false
    this.#restOf[bundle] = number
    writeBeginning(key, '', this.#ofAll, bundle * NUMBERS)
    if (bundle % GROUP === 0) writeBeginning(key, '', this.#ofGroups, (bundle / GROUP) * NUMBERS)
    return true
  }

  #newRest(rest: string): number {
    const number = this.#rests.length
    if (number === MOST_RESTS || !memory.take(this, REST_BYTES + 2 * rest.length)) return -1
    const text = ownText(rest)
    this.#rests.push(text)
    this.#numberOf.set(text, number)
    return number
  }
}

/** Stands for all characters from here on in a text that is looked for. Keys have none of them. */
const MOST_CHARACTER = 127
const BASE = MOST_CHARACTER + 1
/** What each character of a number counts in it. */
const UNITS = Float64Array.from({ length: IN_NUMBER }, (_, i) => BASE ** (IN_NUMBER - 1 - i))
const isStrange = (key: string): boolean => /[^\x01-~]/.test(key)
const BAR = 124

/** The beginning of the text that is looked for. */
const asked = new Float64Array(NUMBERS)

/** Two texts are not put together for it. Past their end there is no character, and that comes first. */
function writeBeginning(text: string, more: string, into: Float64Array, at: number): void {
  for (let number = 0; number < NUMBERS; number++) {
    let sum = 0
    for (let i = number * IN_NUMBER; i < (number + 1) * IN_NUMBER; i++)
      sum = sum * BASE + (i < text.length ? characterOf(text, i) : characterOf(more, i - text.length))
    into[at + number] = sum
  }
}

const characterOf = (text: string, i: number): number =>
  i < text.length ? Math.min(MOST_CHARACTER, text.charCodeAt(i)) : 0

/** Below zero where a beginning is before the one that is looked for. */
function compareAsked(beginnings: Float64Array, place: number): number {
  const difference = (beginnings[place * NUMBERS] as number) - (asked[0] as number)
  return difference === 0 ? (beginnings[place * NUMBERS + 1] as number) - (asked[1] as number) : difference
}

/** As bytes and back: a text that was cut out of another, or put together of others, keeps all of them in memory. */
const ownText = (text: string): string => Buffer.from(text, 'latin1').toString('latin1')
