// Publishes one edition. At a numbered step the disk fills: no file of this process can be written any more.

import { spawnSync } from 'node:child_process'
import { readConfig } from '../../src/config.ts'
import { openInstallation } from '../../src/installation.ts'
import { overrideAll } from '../../src/registry/release/breaker.ts'
import { publish } from '../../src/registry/release/publish.ts'
import { stage } from '../../src/registry/release/staging.ts'
import { aRelease } from '../support/builders.ts'

const fullAt = Number(process.argv[2])
let publishing = false
const trace = (step: number): void => {
  if (publishing && step === fullAt) spawnSync('prlimit', ['--pid', String(process.pid), '--fsize=0'])
}
const { db, registryLog, cosign } = await openInstallation(readConfig(process.env), { trace })
const release = aRelease()
const { release: staged } = await stage(db, release, release.rows, new Map(), Date.now())
publishing = true
const said = await publish(
  { db, log: registryLog, cosign },
  staged.release_id,
  Date.now(),
  overrideAll('sample_data'),
).then(
  () => 'published',
  (error: unknown) => String(error instanceof Error ? error.message : error),
)
process.stdout.write(said)
process.exit(0)
