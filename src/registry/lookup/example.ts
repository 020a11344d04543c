import type { Db } from '../../db/db.ts'
import type { Log } from '../../integrity/log.ts'
import { type Charts, chartTable } from '../charts.ts'
import { answer } from './answer.ts'
import { find } from './find.ts'
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
const EXAMPLE = ReferenceQuery.parse({ cpt: '99213' })

/** One price in force today and where in its source it stands; nothing if the code has no single amount. */
export async function examplePrice({ db, log, published, today, charts }: Parts) {
  const proofs = Proofs.under(await published.at(), db, log, chartTable(charts))
  const found = find(proofs, questionOf(EXAMPLE, today()))
  if (found.decision.outcome !== 'price') return undefined
  const row = answer(proofs, found, { related: false })
  if (!('amount' in row.price)) return undefined
  const { release } = row.proof
  return {
    cpt: row.cpt,
    amount: row.price.amount,
    region: row.region,
    effective_from: row.effective_from,
    release_id: release.release_id,
    file: release.citations[0]?.file ?? '',
    line: row.locator[0]?.line ?? 0,
  }
}
