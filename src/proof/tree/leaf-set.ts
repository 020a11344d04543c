// Some leaves of an RFC 6962 tree, proved at once: they, and the nodes that are missing to reach the root. A path, a range and
// a list are all such sets.

import { HASH_SIZE, type Hash, isTreeSize, nodeHash } from './merkle.ts'

/** A leaf and its index in the tree. */
export interface PlacedLeaf {
  index: number
  hash: Hash
}
/** The root of the leaves from `index * 2 ** level` on, up to `2 ** level` of them: at the right edge there may be fewer. */
export interface NodePlace {
  level: number
  index: number
}

/** The nodes to state beside leaves at these rising indexes: level by level from the leaves, from left to right. */
export function missingNodes(indexes: readonly number[], size: number): NodePlace[] {
  const missing: NodePlace[] = []
  const nothing = (): void => undefined
  const leaves = indexes.map((index) => ({ index, value: undefined }))
  if (leaves.length > 0) climb<void>(leaves, size, { missing: (node) => void missing.push(node), join: nothing })
  return missing
}

/** The root by leaves, in rising order, and by the missing nodes; undefined if these do not fit a tree of the size. */
export function rootOfSet(leaves: readonly PlacedLeaf[], size: number, hashes: readonly Hash[]): Hash | undefined {
  if (!isTreeSize(size) || leaves.length === 0 || !rise(leaves, size)) return undefined
  if (![...leaves.map(({ hash }) => hash), ...hashes].every((hash) => hash.length === HASH_SIZE)) return undefined
  let used = 0
  const root = climb<Hash | undefined>(
    leaves.map(({ index, hash }) => ({ index, value: hash })),
    size,
    { missing: () => hashes[used++], join: (left, right) => left && right && nodeHash(left, right) },
  )
  return used === hashes.length ? root : undefined
}

const rise = (leaves: readonly PlacedLeaf[], size: number): boolean =>
  leaves.every(({ index }, i) => isTreeSize(index) && index < size && index > (leaves[i - 1]?.index ?? -1))

interface Climb<T> {
  missing(node: NodePlace): T
  join(left: T, right: T): T
}

/** Pairs nodes level by level. The last node of a level of odd width has no sibling, and is its own parent. */
function climb<T>(leaves: readonly { index: number; value: T }[], size: number, { missing, join }: Climb<T>): T {
  let nodes = leaves
  for (let level = 0, width = size; width > 1; level++, width = Math.ceil(width / 2)) {
    const parents: { index: number; value: T }[] = []
    for (let at = 0; at < nodes.length; at++) {
      const { index, value } = nodes[at] as { index: number; value: T }
      const next = nodes[at + 1]
      const isLeft = index % 2 === 0
      if (!isLeft) parents.push({ index: (index - 1) / 2, value: join(missing({ level, index: index - 1 }), value) })
      else if (index + 1 === width) parents.push({ index: index / 2, value })
      else if (next?.index === index + 1) {
        parents.push({ index: index / 2, value: join(value, next.value) })
        at++
      } else parents.push({ index: index / 2, value: join(value, missing({ level, index: index + 1 })) })
    }
    nodes = parents
  }
  return (nodes[0] as { value: T }).value
}
