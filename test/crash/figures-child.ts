// Imports a batch and releases the figures, again and again, until it is killed. Each release is in a quarter of its own,
// so that each closes a window. Run by the crash test of the figures.

import { readConfig } from '../../src/config.ts'
import { importOutcomes } from '../../src/figures/ledger/ledger.ts'
import { releaseFigures } from '../../src/figures/release.ts'
import { systemDice } from '../../src/figures/window/dice.ts'
import { openInstallation } from '../../src/installation.ts'
import { outcomesFile, quarterOf } from '../support/outcomes.ts'

const [first = 0, casesPerBatch = 0] = process.argv.slice(2).map(Number)
const { db, figuresLog: log, cosign } = await openInstallation(readConfig(process.env))
const dice = systemDice()
console.log('at work')
for (let n = first; ; n++) {
  // The first may be one that an earlier child had taken just before it was killed: then this changes nothing.
  const file = new Blob([outcomesFile(n, casesPerBatch)])
  console.log(`importing ${n}`)
  await importOutcomes(db, file.stream(), { now: Date.now })
  console.log(`imported ${n}`)
  console.log('releasing')
  const { release_id } = await releaseFigures({ db, log, now: () => quarterOf(n), cosign, dice })
  console.log(`released ${release_id}`)
}
