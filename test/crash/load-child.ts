// Loads one edition, stops half way until it is told to go on, and publishes it. Run by the tests of two loads at once.

import { readConfig } from '../../src/config.ts'
import { openInstallation } from '../../src/installation.ts'
import { Problem } from '../../src/problem.ts'
import type { Row } from '../../src/proof/price/row.ts'
import { publish } from '../../src/registry/release/publish.ts'
import { stage } from '../../src/registry/release/staging.ts'
import { aPrice, aRelease } from '../support/builders.ts'

const [amount = '', rows = ''] = process.argv.slice(2)
const { db, registryLog, cosign } = await openInstallation(readConfig(process.env))

async function* priced(): AsyncGenerator<Row> {
  for (let i = 0; i < Number(rows); i++) {
    if (i === Number(rows) - 1) {
      console.log('waiting')
      for await (const _ of console) break
    }
    yield aPrice({ code: String(10_000 + i), price: { amount, currency: 'USD' } })
  }
}

const [citation] = aRelease().citations
const { rows: _, ...release } = aRelease({ source_digest: `of ${amount}` })
const cited = { ...release, citations: [{ ...(citation as NonNullable<typeof citation>), file: `${amount}.csv` }] }
try {
  const staged = await stage(db, cited, priced(), new Map(), Date.now())
  const { release_id, release_no } = staged.release
  await publish({ db, log: registryLog, cosign }, release_id, Date.now())
  console.log(`published ${release_no}`)
} catch (error) {
  if (!(error instanceof Problem)) throw error
  console.log(`refused ${error.code}`)
}
await db.close()
