// The root of a tree whose leaves are inserted and removed in its middle.

import { EMPTY_ROOT, type Hash, nodeHash } from './merkle.ts'

/** A leaf or a node. It remembers the last node whose left half it was. */
interface Node {
  readonly hash: Hash
  right: Node | undefined
  parent: Node | undefined
}

const nodeOf = (hash: Hash): Node => ({ hash, right: undefined, parent: undefined })

/**
 * The tree of RFC 6962 2.1. An inserted leaf moves all leaves after it, and so pairs them anew; but neighbours that were
 * paired before still have their node. So most nodes are hashed once, and the next root costs little more than a look at
 * each node after the first change.
 */
export class MovingTree {
  readonly #levels: Node[][] = [[]]
  /** From this leaf on, the levels above are out of date. */
  #changedFrom = 0

  get size(): number {
    return this.#levels[0]?.length ?? 0
  }

  /** Replaces leaves. */
  splice(from: number, removed: number, leaves: readonly Hash[]): void {
    this.#levels[0]?.splice(from, removed, ...leaves.map(nodeOf))
    this.#changedFrom = Math.min(this.#changedFrom, from)
  }

  get root(): Hash {
    let first = this.#changedFrom
    this.#changedFrom = this.size
    let height = 0
    for (let level = this.#levels[0] as Node[]; level.length > 1; height++) {
      first = Math.floor(first / 2)
      this.#levels[height + 1] ??= []
      const next = this.#levels[height + 1] as Node[]
      const pairs = level.length >> 1
      for (let i = first; i < pairs; i++) next[i] = paired(level[2 * i] as Node, level[2 * i + 1] as Node)
      if (level.length % 2 === 1) next[pairs] = level.at(-1) as Node
      next.length = pairs + (level.length % 2)
      level = next
    }
    return this.#levels[height]?.[0]?.hash ?? EMPTY_ROOT
  }
}

function paired(left: Node, right: Node): Node {
  if (left.right === right && left.parent) return left.parent
  const parent = nodeOf(nodeHash(left.hash, right.hash))
  left.right = right
  left.parent = parent
  return parent
}
