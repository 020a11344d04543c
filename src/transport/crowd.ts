import { readFileSync } from 'node:fs'

/** Descriptors that are left for files, the database and what goes out. */
const RESERVE = 64

export interface CrowdLimits {
  /** How many connections in all. */
  most: number
  /** How many of one block of addresses. */
  perAddress: number
  /** The block that an address is counted in. */
  blockOf: (address: string) => string
  /** Proxies have the connections of many. */
  isExempt: (address: string) => boolean
}

/** A connection that can be closed. */
export interface Member {
  readonly address: string
}

/**
 * The connections that are open, within limits: a connection past those of its block finds no place, and where there is
 * no place for anybody, those who have many give way to those who have few.
 */
export class Crowd<M extends Member> {
  readonly #blocks = new Map<string, Set<M>>()
  readonly #exempt = new Set<M>()
  readonly #limits: CrowdLimits
  readonly #most: number
  #size = 0

  constructor(limits: CrowdLimits, descriptors = descriptorLimit()) {
    this.#limits = limits
    this.#most = Math.max(1, Math.min(limits.most, descriptors - RESERVE))
  }

  get size(): number {
    return this.#size
  }

  *[Symbol.iterator](): Iterator<M> {
    for (const block of this.#blocks.values()) yield* block
    yield* this.#exempt
  }

  /** Takes a connection in. Gives the one that must be closed therefore, which may be the same. */
  enter(member: M): M | undefined {
    const isExempt = this.#limits.isExempt(member.address)
    const name = isExempt ? '' : this.#limits.blockOf(member.address)
    const mine = isExempt ? this.#exempt : (this.#blocks.get(name) ?? new Set<M>())
    if (!isExempt) this.#blocks.set(name, mine)
    mine.add(member)
    this.#size++
    if (!isExempt && mine.size > this.#limits.perAddress) return member
    if (this.#size <= this.#most) return undefined
    const largest = this.#largest()
    // A proxy gives way only where all places are taken by proxies.
    if (isExempt) return firstOf(largest) ?? member
    return largest.size > mine.size ? firstOf(largest) : member
  }

  leave(member: M): void {
    const name = this.#limits.blockOf(member.address)
    const mine = this.#exempt.has(member) ? this.#exempt : this.#blocks.get(name)
    if (!mine?.delete(member)) return
    this.#size--
    if (mine.size === 0 && mine !== this.#exempt) this.#blocks.delete(name)
  }

  #largest(): Set<M> {
    let largest = new Set<M>()
    for (const block of this.#blocks.values()) if (block.size > largest.size) largest = block
    return largest
  }
}

const firstOf = <T>(all: Set<T>): T | undefined => all.values().next().value

/**
 * A socket that cannot be accepted because no descriptor is left stays ready, and is tried at full speed again and again.
 * So there must always be one.
 */
function descriptorLimit(): number {
  if (process.platform !== 'linux') return Infinity
  const found = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
  return found === undefined ? Infinity : Number(found)
}
