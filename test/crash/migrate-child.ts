// Moves a store to the other engine and kills itself after a named step. Run by the crash tests of moving.

import { move } from '../../src/cli/migrate.ts'
import { readConfig } from '../../src/config.ts'
import { storePlace } from '../../src/installation.ts'

const [to = '', fatalStep = ''] = process.argv.slice(2)
const config = readConfig(process.env)
const target = storePlace(
  to.startsWith('postgres:') ? { ...config, DATABASE_URL: to } : { ...config, DATABASE_URL: undefined },
)
await move(config, target, Date.now(), {
  trace: (step) => {
    if (step === fatalStep) process.kill(process.pid, 'SIGKILL')
  },
})
