// Publishes one edition after another until it is killed. Run by the crash test.

import { readConfig } from '../src/config.ts'
import { openInstallation } from '../src/installation.ts'
import { publish } from '../src/registry/publish.ts'
import { stage } from '../src/registry/staging.ts'
import { aPrice, aRelease } from './builders.ts'

const { db, registryLog } = await openInstallation(readConfig(process.env))
const rowsPerEdition = Number(process.argv[2])
for (let n = Number(process.argv[3]); ; n++) {
  const amount = `${n}.00`
  const codes = Array.from({ length: rowsPerEdition }, (_, i) => String(10_000 + i))
  const rows = codes.map((cpt) => aPrice({ cpt, price: { amount, currency: 'USD' } }))
  const release = aRelease({ edition: `E${n}`, rows })
  const staged = await stage(db, release, release.rows, new Map(), Date.now())
  console.log(`staged ${n}`)
  await publish(db, registryLog, staged.release.release_id, Date.now())
  console.log(`published ${n}`)
}
