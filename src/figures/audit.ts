import type { Db } from '../db/db.ts'
import * as providers from './provider-store.ts'
import { type Audit, audit } from './rule/audit.ts'
import { RULE } from './rule/figure.ts'
import * as store from './store.ts'

/**
 * Audits all exact figures that were ever published, and stores the result. Noised figures need no such audit: they reveal
 * the same whatever else a reader knows, and `atr fsck` checks that they follow from noised counts only.
 */
export async function auditFigures({ db, now }: { db: Db; now: () => number }): Promise<Audit> {
  const result = audit(await store.exactFigures(db), await providers.bandCounts(db), RULE)
  await storeAudit(db, result, now())
  return result
}

export const storeAudit = (db: Db, { cells, pinned }: Audit, audited_at: number): Promise<unknown> =>
  store.putAudit(db, { audited_at, cells, pinned: pinned.length })

export const auditText = ({ pinned }: Audit): string =>
  `published figures would pin ${pinned.length} hidden counts; first: ${pinned
    .slice(0, 3)
    .map(({ kind, metric, as_of }) => `${kind} ${metric} ${as_of}`)
    .join('; ')}`
