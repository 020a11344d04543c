// Withdraws one release and kills itself at a numbered step. Run by the crash tests.

import { readConfig } from '../../src/config.ts'
import { openInstallation } from '../../src/installation.ts'
import { withdraw } from '../../src/registry/release/withdrawal.ts'

const [release_id = '', fatalStep = ''] = process.argv.slice(2)

let withdrawing = false
const { db, registryLog, cosign } = await openInstallation(readConfig(process.env), {
  trace(step) {
    if (withdrawing && step === Number(fatalStep)) process.kill(process.pid, 'SIGKILL')
  },
})
// The steps of what an earlier crash left to do are not the ones that count.
withdrawing = true
await withdraw({ db, log: registryLog, cosign }, release_id, 'wrong_source', Date.now())
