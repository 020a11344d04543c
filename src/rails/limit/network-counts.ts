import { randomBytes } from 'node:crypto'

/** Networks are kept in sets; one that is full forgets the network with the fewest requests. */
const SETS = 256
const WAYS = 16
/** Each network has a hash of two words, the number of the window, the requests in it, and those in the one before. */
const [WINDOW, CURRENT, BEFORE, NETWORK_WORDS] = [2, 3, 4, 5]

const TABLE_WORDS = SETS * WAYS * NETWORK_WORDS

/** The requests of a network in this window and in the one before, and how much of this window is over, from 0 to 1. */
export interface NetworkCount {
  current: number
  before: number
  elapsed: number
}

/** How many requests the last window holds: all of this one, and what is left of the one before. */
export const lately = ({ current, before, elapsed }: NetworkCount): number => current + before * (1 - elapsed)

/** Whole seconds until a request of this cost fits, if no other comes meanwhile; at least 1. */
export function secondsUntilRoom(count: NetworkCount, limit: number, cost: number, windowSeconds: number): number {
  const { current, before, elapsed } = count
  const room = limit - cost
  const share =
    current <= room ? 1 - (room - current) / before - elapsed : 1 - elapsed + Math.max(0, 1 - room / current)
  return Math.max(1, Math.ceil(share * windowSeconds))
}

/** A network by its name. */
export interface NamedNetwork {
  name: string
  /** The hashes of the name and the seeds that they were made with, kept because making them costs more than all else. */
  hashes?: { seeds: Int32Array; first: number; second: number }
}

/** Secret, so that nobody can choose addresses that share a set. */
const OWN_SEEDS = new Int32Array(new Uint8Array(randomBytes(16)).buffer)

/**
 * Counts the requests of networks: those of the current window, and as much of the window before as the last sixty
 * seconds still hold. That is not exact, and takes five numbers for a network of any size.
 */
export class NetworkCounts {
  readonly #windowMs: number
  readonly words = new Int32Array(TABLE_WORDS)

  constructor(
    windowSeconds: number,
    readonly seeds: Int32Array = OWN_SEEDS,
  ) {
    this.#windowMs = windowSeconds * 1000
  }

  countOf(network: NamedNetwork, now: number): NetworkCount {
    const elapsed = (now % this.#windowMs) / this.#windowMs
    const at = this.#find(network)
    if (at < 0) return { current: 0, before: 0, elapsed }
    const age = (this.#windowAt(now) - this.#word(at + WINDOW)) | 0
    const [current, before] = [this.#word(at + CURRENT), this.#word(at + BEFORE)]
    if (age === 0) return { current, before, elapsed }
    return { current: 0, before: age === 1 ? current : 0, elapsed }
  }

  hasRoom(network: NamedNetwork, limit: number, cost: number, now: number): boolean {
    const at = this.#find(network)
    // Most are far from their limit: then nothing has to be worked out.
    if (at < 0 || this.#word(at + CURRENT) + this.#word(at + BEFORE) + cost <= limit) return cost <= limit
    return lately(this.countOf(network, now)) + cost <= limit
  }

  add(network: NamedNetwork, cost: number, now: number): void {
    const window = this.#windowAt(now)
    const found = this.#find(network)
    const at = found < 0 ? this.#takePlace(network, window) : found
    const age = (window - this.#word(at + WINDOW)) | 0
    if (age !== 0) {
      this.words[at + BEFORE] = age === 1 ? this.#word(at + CURRENT) : 0
      this.words[at + CURRENT] = 0
      this.words[at + WINDOW] = window
    }
    this.words[at + CURRENT] = this.#word(at + CURRENT) + cost
  }

  #windowAt(now: number): number {
    return Math.floor(now / this.#windowMs) | 0
  }

  #word(at: number): number {
    return this.words[at] as number
  }

  /** One hash chooses the set, both together name the network. */
  #hashes(network: NamedNetwork): NonNullable<NamedNetwork['hashes']> {
    const { hashes, name } = network
    if (hashes?.seeds === this.seeds) return hashes
    const hash = (seed: number): number => Bun.hash.xxHash32(name, (this.seeds[seed] as number) >>> 0) | 0
    const made = { seeds: this.seeds, first: hash(0), second: hash(1) }
    network.hashes = made
    return made
  }

  /** Where a network is kept, or -1. */
  #find(network: NamedNetwork): number {
    const { first, second } = this.#hashes(network)
    const begin = (first & (SETS - 1)) * WAYS * NETWORK_WORDS
    for (let at = begin; at < begin + WAYS * NETWORK_WORDS; at += NETWORK_WORDS)
      if (this.words[at] === first && this.words[at + 1] === second) return at
    return -1
  }

  #takePlace(network: NamedNetwork, window: number): number {
    const { first, second } = this.#hashes(network)
    const begin = (first & (SETS - 1)) * WAYS * NETWORK_WORDS
    let [place, fewest] = [begin, Infinity]
    for (let at = begin; at < begin + WAYS * NETWORK_WORDS; at += NETWORK_WORDS) {
      const age = (window - this.#word(at + WINDOW)) | 0
      const before = age === 0 ? this.#word(at + BEFORE) : 0
      const requests = age === 0 || age === 1 ? this.#word(at + CURRENT) + before : -1
      if (requests < fewest) [place, fewest] = [at, requests]
    }
    this.words.set([first, second, window, 0, 0], place)
    return place
  }
}
