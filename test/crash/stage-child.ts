// Stages one edition and kills itself at a named step. Run by the crash tests of staging.

import { readConfig } from '../../src/config.ts'
import { openInstallation } from '../../src/installation.ts'
import { stage } from '../../src/registry/release/staging.ts'
import { aPrice, aRelease } from '../support/builders.ts'

const [edition = '', fatalStep = ''] = process.argv.slice(2)
const { db } = await openInstallation(readConfig(process.env))
const rows = Array.from({ length: 100 }, (_, i) => aPrice({ code: String(10_000 + i) }))
const release = aRelease({ edition, rows, source_digest: edition })
await stage(db, release, release.rows, new Map(), Date.now(), {
  trace(step) {
    if (step === fatalStep) process.kill(process.pid, 'SIGKILL')
  },
})
