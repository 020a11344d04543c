import type { Db } from '../db/db.ts'
import * as providers from './provider-store.ts'
import { type Audit, audit } from './rule/audit.ts'
import { RULE } from './rule/figure.ts'
import * as store from './store.ts'

/**
 * Audits everything exact that was ever published, and stores the result. Noised figures need no audit of this kind: what
 * they reveal does not depend on what else is known, and `atr fsck` checks that they follow from noised counts alone.
 */
export async function auditFigures({ db, now }: { db: Db; now: () => number }): Promise<Audit> {
  const found = audit(await store.exactFigures(db), await providers.bandCounts(db), RULE)
  await noteAudit(db, found, now())
  return found
}

export const noteAudit = (db: Db, { cells, pinned }: Audit, audited_at: number): Promise<unknown> =>
  store.putAudit(db, { audited_at, cells, pinned: pinned.length })

export const auditText = ({ pinned }: Audit): string =>
  `published figures would pin ${pinned.length} hidden counts; first: ${pinned
    .slice(0, 3)
    .map(({ kind, metric, as_of }) => `${kind} ${metric} ${as_of}`)
    .join('; ')}`
