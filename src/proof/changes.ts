// Whether a follower of the figures log has seen every change between two checkpoints, and no other.

import { equalBytes, fromBase64 } from './bytes.ts'
import { oneWay, placesOf } from './entries.ts'
import type { Fault } from './fault.ts'
import { openCheckpoint } from './note/checkpoint.ts'
import type { TrustPolicy } from './note/policy.ts'
import type { LogProof } from './price/proofs.ts'
import { EMPTY_ROOT, type Hash, joinRight } from './tree/merkle.ts'

export type ChangesVerdict = { ok: true; entries: number; from: number; to: number } | { ok: false; reason: Fault }

const fail = (reason: Fault): ChangesVerdict => ({ ok: false, reason })

/**
 * Checks entries as `/api/figure-changes` gives them, changes newest or oldest first, and the states between them,
 * against two checkpoints of the figures log: each entry is proved under the newer one, together they fill every place
 * between the two sizes, and what came before them is the older log. Entries that the older checkpoint covers already
 * may be among them. No tile is needed: the path of the first new entry holds the older tree, as the hashes to its left.
 */
export async function verifyChanges(
  page: { data: readonly unknown[]; states?: unknown },
  olderCheckpoint: string,
  newerCheckpoint: string,
  policy: TrustPolicy,
): Promise<ChangesVerdict> {
  const older = await openCheckpoint(olderCheckpoint, policy)
  if (!older.ok) return older
  const newer = await openCheckpoint(newerCheckpoint, policy)
  if (!newer.ok) return newer
  const [from, to] = [older.head, newer.head]
  if (from.origin !== to.origin) return fail('log_not_the_same')
  if (to.size < from.size) return fail('log_rolled_back')

  const found = await placesOf(page, policy)
  if (!found.ok) return fail(found.reason)
  const { proofs, changes } = found
  if ([...proofs.values()].some(({ checkpoint }) => checkpoint !== newerCheckpoint)) return fail('mixed_checkpoints')
  if (!oneWay(changes)) return fail('entries_out_of_order')
  // Places are whole numbers below the newer size, each taken once: as many as there is room for are all of them.
  const isNew = (place: number): boolean => place >= from.size
  if ([...proofs.keys()].filter(isNew).length !== to.size - from.size) return fail('entries_missing')
  const first = proofs.get(from.size)
  const root = first ? rootBefore(first, to.size) : to.root
  const entries = changes.filter(isNew).length
  return equalBytes(root, from.root) ? { ok: true, entries, from: from.size, to: to.size } : fail('log_forked')
}

/** The root of the tree that ended just before an entry: its left siblings, which are the perfect subtrees of that tree. */
function rootBefore({ index, inclusion }: LogProof, size: number): Hash {
  const left: Hash[] = []
  let fn = index
  let sn = size - 1
  for (const encoded of inclusion) {
    if (fn % 2 === 1 || fn === sn) {
      left.unshift(fromBase64(encoded) as Hash)
      while (fn % 2 === 0 && fn !== 0) {
        fn = Math.floor(fn / 2)
        sn = Math.floor(sn / 2)
      }
    }
    fn = Math.floor(fn / 2)
    sn = Math.floor(sn / 2)
  }
  return left.length === 0 ? EMPTY_ROOT : joinRight(left)
}
