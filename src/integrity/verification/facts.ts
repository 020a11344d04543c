import type { Db } from '../../db/db.ts'
import { listParts, type VerifiedPart } from './store.ts'

/** The stored results of the last verifications of everything that is public. */
export interface VerificationFacts {
  /** The time of the oldest last verification of a part; null if no part was verified. Parts never verified do not count. */
  oldest_verification_at: number | null
  last_verification_at: number | null
  rows_verified: number
  /** Rows that are wrong or cannot be proved. If the registry log is not sound, no row can be proved. */
  rows_failed: number
  /** The verified parts by name; for a release, the copy with the worst result. */
  parts: ReadonlyMap<string, VerifiedPart>
  /** The parts that failed, in the order of their names. */
  failing: VerifiedPart[]
}

/** The names of the parts that are not releases. */
export const PARTS = {
  registry: 'registry log',
  figures: 'figures log',
  /** Checked by `atr fsck` only, because they take long: the ledger behind the figures, and how releases differ. */
  ledger: 'figures',
  comparisons: 'comparisons',
} as const
const BY_FSCK: readonly string[] = [PARTS.ledger, PARTS.comparisons]

export async function verificationFacts(db: Db): Promise<VerificationFacts> {
  const found = await listParts(db)
  const parts = new Map<string, VerifiedPart>()
  for (const each of found) {
    const known = parts.get(each.part)
    // If several machines have a copy, the copy of this machine counts, unless another copy has failed.
    const isOwn = each.copy === '' || each.copy === db.files.copy
    if (!known || each.fault_count > known.fault_count || (isOwn && known.fault_count === 0)) parts.set(each.part, each)
  }
  const all = [...parts.values()]
  const times = all.flatMap(({ part, verified_at }) => (BY_FSCK.includes(part) ? [] : verified_at))
  const sum = (count: (part: VerifiedPart) => number): number => all.reduce((total, part) => total + count(part), 0)
  const rows_verified = sum((part) => part.rows_verified)
  const isLogSound = (parts.get(PARTS.registry)?.fault_count ?? 0) === 0
  return {
    oldest_verification_at: times.length === 0 ? null : Math.min(...times),
    last_verification_at: times.length === 0 ? null : Math.max(...times),
    rows_verified,
    rows_failed: isLogSound ? sum((part) => part.rows_failed) : rows_verified,
    parts,
    failing: all.filter(({ fault_count }) => fault_count > 0),
  }
}
