// Publishes one edition after another until it is killed, or kills itself at a numbered step. Run by the crash tests.

import { readConfig } from '../../src/config.ts'
import { openInstallation } from '../../src/installation.ts'
import { overrideAll } from '../../src/registry/release/breaker.ts'
import { publish } from '../../src/registry/release/publish.ts'
import { stage } from '../../src/registry/release/staging.ts'
import { aPrice, aRelease } from '../support/builders.ts'

const [rowsPerEdition = 0, first = 0, fatalStep = 0] = process.argv.slice(2).map(Number)

let publishing = false
const trace = (step: number): void => {
  if (publishing && step === fatalStep) process.kill(process.pid, 'SIGKILL')
}
const { db, registryLog, cosign } = await openInstallation(readConfig(process.env), { trace })
for (let n = first; ; n++) {
  const amount = `${n}.00`
  const codes = Array.from({ length: rowsPerEdition }, (_, i) => String(10_000 + i))
  const rows = codes.map((code) => aPrice({ code, price: { amount, currency: 'USD' } }))
  const release = aRelease({ edition: `E${n}`, rows })
  const staged = await stage(db, release, release.rows, new Map(), Date.now())
  console.log(`staged ${n}`)
  // The steps of what an earlier crash left to do come first, and are not the ones that count.
  publishing = true
  await publish({ db, log: registryLog, cosign }, staged.release.release_id, Date.now(), overrideAll('sample_data'))
  console.log(`published ${n}`)
}
