// The check that a follower of the figures log has seen every change between two checkpoints, and no other.

import { equalBytes, fromBase64 } from './bytes.ts'
import { oneWay, placesOf } from './entries.ts'
import { headOf } from './evidence.ts'
import { ensure, type FailedCheck, failed, verdictOf } from './fault.ts'
import type { FiguresLogProof } from './figures.ts'
import type { TrustPolicy } from './note/policy.ts'
import { EMPTY_ROOT, type Hash, joinRight } from './tree/merkle.ts'

interface PassedChanges {
  ok: true
  entries: number
  from: number
  to: number
}
export type ChangesVerdict = PassedChanges | FailedCheck

/**
 * Checks entries as `/api/figure-changes` gives them, changes newest or oldest first, and the states between them,
 * against two checkpoints of the figures log. Each entry is proved under the newer one, the entries fill every index
 * between the two sizes, and the log before them is the older log. Entries that the older checkpoint covers may be among
 * them. No tile is needed: the path of the first new entry has the roots of the older tree, which are to its left.
 */
export async function verifyChanges(
  page: { data: readonly unknown[]; states?: unknown },
  olderCheckpoint: string,
  newerCheckpoint: string,
  policy: TrustPolicy,
): Promise<ChangesVerdict> {
  const verdict = await verdictOf(() => checkChanges(page, olderCheckpoint, newerCheckpoint, policy))
  // Several pages were joined: the position of an entry in all of them means nothing.
  return verdict.ok ? verdict : failed(verdict.reason)
}

async function checkChanges(
  page: { data: readonly unknown[]; states?: unknown },
  olderCheckpoint: string,
  newerCheckpoint: string,
  policy: TrustPolicy,
): Promise<PassedChanges> {
  const [from, to] = [await headOf(olderCheckpoint, policy), await headOf(newerCheckpoint, policy)]
  ensure(from.origin === to.origin, 'log_not_the_same')
  ensure(to.size >= from.size, 'log_rolled_back')
  const { proofs, changes } = await placesOf(page, policy)
  const isUnderOne = [...proofs.values()].every(({ checkpoint }) => checkpoint === newerCheckpoint)
  ensure(isUnderOne, 'mixed_checkpoints')
  ensure(oneWay(changes), 'entries_out_of_order')
  // Indexes are whole numbers below the newer size, each used once: the right number of them is all of them.
  const isNew = (place: number): boolean => place >= from.size
  ensure([...proofs.keys()].filter(isNew).length === to.size - from.size, 'entries_missing')
  const first = proofs.get(from.size)
  ensure(equalBytes(first ? rootBefore(first, to.size) : to.root, from.root), 'log_forked')
  return { ok: true, entries: changes.filter(isNew).length, from: from.size, to: to.size }
}

/** The root of the tree that ended just before an entry: its left siblings, which are the perfect subtrees of that tree. */
function rootBefore({ index, inclusion }: FiguresLogProof, size: number): Hash {
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
