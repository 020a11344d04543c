// Upgrades a store and kills itself at a step of its publications. Run by the story of upgrades.

import { readConfig } from '../../../src/config.ts'
import { openInstallation } from '../../../src/installation.ts'
import { upgradePlan } from '../../../src/upgrade/plan.ts'
import { findSources } from '../../../src/upgrade/sources.ts'
import { upgrade } from '../../../src/upgrade/upgrade.ts'
import { OLD_SOURCES } from '../old-store.ts'

let stepsLeft = Number(process.argv[2])
const { db, registryLog, cosign } = await openInstallation(readConfig(process.env), {
  trace() {
    if (--stepsLeft === 0) process.kill(process.pid, 'SIGKILL')
  },
})
const plan = await upgradePlan(db)
const wanted = plan.releases.flatMap(({ release }) => release.citations)
const found = await findSources(wanted, undefined, [OLD_SOURCES])
await upgrade({ publisher: { db, log: registryLog, cosign }, archive: undefined }, plan, found)
await db.close()
