import type { Db } from '../../db/db.ts'
import { listParts, type VerifiedPart } from './store.ts'

/** What is known of the soundness of everything that is public, from stored results. */
export interface VerificationFacts {
  /** Every release and log that was ever verified has been since then; null if none was. Others may be missing. */
  oldest_verification_at: number | null
  /** When something was verified last. */
  last_verification_at: number | null
  rows_verified: number
  /** Rows that are wrong, or that nothing proves any more. If the registry log is not sound, no row is proved. */
  rows_failed: number
  /** What was verified, by its name: of a release, the copy that was found worst. */
  parts: ReadonlyMap<string, VerifiedPart>
  /** Those of them that failed, in the order of their names. */
  failing: VerifiedPart[]
}

/** What the parts are called that are not releases. */
export const PARTS = {
  registry: 'registry log',
  figures: 'figures log',
  /** Long work, and checked by `atr fsck` alone: the ledger behind the figures, and how releases differ. */
  ledger: 'figures',
  comparisons: 'comparisons',
} as const
const BY_FSCK: readonly string[] = [PARTS.ledger, PARTS.comparisons]

export async function verificationFacts(db: Db): Promise<VerificationFacts> {
  const found = await listParts(db)
  const parts = new Map<string, VerifiedPart>()
  for (const each of found) {
    const known = parts.get(each.part)
    // Where several machines have a copy, this one's counts, unless another one has failed.
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
