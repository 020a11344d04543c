// One step of the figures in a process of its own, so that its memory is its own: `import <file>` or `release`.

import { readConfig } from '../src/config.ts'
import { importOutcomes } from '../src/figures/ledger/ledger.ts'
import { releaseFigures } from '../src/figures/release.ts'
import { systemDice } from '../src/figures/window/dice.ts'
import { openInstallation } from '../src/installation.ts'

const [step, file = ''] = process.argv.slice(2)
const { db, figuresLog: log, cosign } = await openInstallation(readConfig(process.env))
let largest = 0
const watch = setInterval(() => {
  largest = Math.max(largest, process.memoryUsage.rss())
}, 20)
const started = performance.now()
if (step === 'import') await importOutcomes(db, Bun.file(file).stream(), { now: Date.now })
else await releaseFigures({ db, log, now: Date.now, cosign, dice: systemDice() })
const seconds = (performance.now() - started) / 1000
clearInterval(watch)
console.log(JSON.stringify({ seconds, bytes: Math.max(largest, process.memoryUsage.rss()) }))
await db.close()
