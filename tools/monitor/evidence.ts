// Evidence for readers who trust neither the service nor this monitor: signed texts, and how they lead to the fault.
// docs/spec/monitor.md says how each part is checked.

import { fromUtf8, toBase64 } from '../../src/proof/bytes.ts'
import { canonical } from '../../src/proof/canonical-json.ts'
import type { Manifest } from '../../src/proof/price/release.ts'
import { HashTree } from '../../src/proof/tree/hash-tree.ts'
import { consistencyPath, type Hash } from '../../src/proof/tree/merkle.ts'
import type { LogMemory } from './memory.ts'

export type Evidence = Record<string, string>

const trees = new WeakMap<readonly Hash[], HashTree>()

/** The tree over the leaves of a log. It is kept, because the leaves are many and never change. */
export function treeOf(leaves: readonly Hash[]): HashTree {
  const tree = trees.get(leaves) ?? new HashTree(leaves)
  trees.set(leaves, tree)
  return tree
}

const lines = (hashes: readonly Hash[]): string => hashes.map(toBase64).join('\n')

const AS_BYTES = 'base64 '

/** An entry as it is stored. One that is not text cannot be an entry of the log, but its bytes are evidence. */
export function textOrBytes(body: Uint8Array): string {
  try {
    return fromUtf8(body)
  } catch {
    return `${AS_BYTES}${toBase64(body)}`
  }
}

/** Shows that an entry is signed: the checkpoint, the place of the entry, and its path. */
export function entryEvidence({ note, leaves }: LogMemory, index: number, text: string): Evidence {
  const entry = text.startsWith(AS_BYTES) ? { entry_base64: text.slice(AS_BYTES.length) } : { entry: text }
  if (index >= leaves.length) return { checkpoint: note, ...entry }
  return { checkpoint: note, ...entry, index: String(index), inclusion: lines(treeOf(leaves).path(index)) }
}

/** Shows that a manifest is signed. */
export function manifestEvidence(log: LogMemory | undefined, index: number, release: Manifest): Evidence {
  return log ? entryEvidence(log, index, canonical(release)) : { entry: canonical(release) }
}

/** Shows that two checkpoints have different leaves at one place. */
export function forkEvidence(older: LogMemory, newer: LogMemory, index: number): Evidence {
  const at = (name: string, { note, leaves }: LogMemory): Evidence => ({
    [`${name}_checkpoint`]: note,
    [`${name}_leaf_hash`]: toBase64(leaves[index] as Hash),
    [`${name}_inclusion`]: lines(treeOf(leaves).path(index)),
  })
  return { index: String(index), ...at('older', older), ...at('newer', newer) }
}

/** Shows the root that the log had at an earlier size, and that its checkpoint continues it. */
export async function prefixEvidence({ note, leaves }: LogMemory, size: number): Promise<Evidence> {
  const proof = await consistencyPath(size, leaves.length, async ({ height, index }) => {
    const width = 2 ** height
    return new HashTree(leaves.slice(index * width, (index + 1) * width)).root
  })
  const root = new HashTree(leaves.slice(0, size)).root
  return { log_checkpoint: note, log_root_at_size: toBase64(root), consistency: lines(proof) }
}
