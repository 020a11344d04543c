import { DamageFault, type Db } from '../../db/db.ts'
import type { Log } from '../../integrity/log.ts'
import { type Charts, chartTable } from '../charts.ts'
import { citable } from './cited-row.ts'
import { checkRead, find } from './find.ts'
import { Proofs } from './proofs.ts'
import { questionOf, ReferenceQuery } from './query.ts'
import type { PublishedRegistry } from './view.ts'

interface Parts {
  db: Db
  log: Log
  published: PublishedRegistry
  today: () => string
  charts: Charts
}

/** The code of the price that the landing page shows. */
const EXAMPLE = '99213'

/** One price in force today and where in its source it stands; nothing if the code has no single amount, or its row is damaged. */
export async function examplePrice(parts: Parts) {
  const proofs = Proofs.under(await parts.published.at(), parts.db, parts.log, chartTable(parts.charts))
  try {
    return examplePriceIn(proofs, parts.today())
  } catch (error) {
    if (error instanceof DamageFault) return undefined
    throw error
  }
}

function examplePriceIn(proofs: Proofs, day: string) {
  const found = find(proofs, questionOf(ReferenceQuery.parse({ cpt: EXAMPLE }), day))
  const { decision } = found
  if (decision.outcome !== 'price') return undefined
  checkRead(proofs, found.trace)
  const { release } = citable(found, decision.chart, decision.row)
  const { row } = decision
  if (!('amount' in row.price)) return undefined
  return {
    cpt: row.code,
    amount: row.price.amount,
    region: row.region,
    effective_from: row.effective_from,
    release_id: release.release_id,
    file: release.manifest.citations[0]?.file ?? '',
    line: row.locator[0]?.line ?? 0,
  }
}
