// A Merkle tree that is small enough to be in memory as a whole.

import type { NodePlace } from './leaf-set.ts'
import { EMPTY_ROOT, type Hash, nodeHash } from './merkle.ts'

/** The tree of RFC 6962 2.1 over these leaf hashes. */
export class HashTree {
  readonly #levels: Hash[][]

  constructor(leaves: readonly Hash[]) {
    this.#levels = [[...leaves]]
    // Pairing level by level and passing an odd one up gives the same tree as splitting at powers of two.
    for (let level = this.#levels[0] as Hash[]; level.length > 1; ) {
      const next: Hash[] = []
      for (let i = 0; i + 1 < level.length; i += 2) next.push(nodeHash(level[i] as Hash, level[i + 1] as Hash))
      if (level.length % 2 === 1) next.push(level.at(-1) as Hash)
      this.#levels.push(next)
      level = next
    }
  }

  get size(): number {
    return this.#levels[0]?.length ?? 0
  }

  get root(): Hash {
    return this.#levels.at(-1)?.[0] ?? EMPTY_ROOT
  }

  /** PATH of RFC 6962 2.1.1: the siblings from the leaf upwards. */
  path(index: number): Hash[] {
    if (!Number.isSafeInteger(index) || index < 0 || index >= this.size) throw new RangeError('index outside the tree')
    return this.#levels.flatMap((level, height) => {
      const sibling = level[Math.floor(index / 2 ** height) ^ 1]
      return sibling ? [sibling] : []
    })
  }

  /** A node by its place, at the right edge too. */
  node({ level, index }: NodePlace): Hash {
    return this.#levels[level]?.[index] as Hash
  }
}
