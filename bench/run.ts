// `npm run bench [name...]`: figures as ratios against named peers, measured in the same run on this machine, written to
// results.json. With `--quick`: a minute's worth of them, compared with the committed ones; fails if one fell by a third.

import { cpus } from 'node:os'
import { table } from '../src/cli/command.ts'
import { bystanders } from './bystander.ts'
import { figureErrors } from './figure-errors.ts'
import { figures } from './figures.ts'
import { loading } from './load.ts'
import type { Line } from './measure.ts'
import { moving } from './move.ts'
import { hospitalFiles } from './mrf.ts'
import { reporting } from './report.ts'
import { committed, losses, type Results, writeResults } from './results.ts'
import { serving } from './serving.ts'
import { stores } from './stores.ts'
import { tenMillion } from './ten-million.ts'
import { verification } from './verify.ts'

const BENCHES: Record<string, (how: { quick: boolean }) => Promise<Line[]>> = {
  bystanders,
  errors: figureErrors,
  figures,
  loading,
  mrf: hospitalFiles,
  report: reporting,
  serving,
  stores,
  verification,
}
/** These take many minutes, and run only if they are named. */
const LONG: typeof BENCHES = { 'ten-million': () => tenMillion(), move: moving }
const QUICK = ['serving', 'verification']

const quick = process.argv.includes('--quick')
const asked = process.argv.slice(2).filter((name) => name !== '--quick')
const all = { ...BENCHES, ...LONG }
const unknown = asked.filter((name) => !(name in all))
if (unknown.length > 0) {
  console.error(`there is no bench with this name; there are ${Object.keys(all).join(', ')}`)
  process.exit(2)
}
const chosen = asked.length > 0 ? asked : quick ? QUICK : Object.keys(BENCHES)

// On ARM the system does not name the model.
const model = cpus()[0]?.model.replace(/^unknown$/, process.arch) ?? process.arch
const machine = `Bun ${Bun.version}, ${model}, ${cpus().length} cores`
console.log(machine)
const results: Results = {}
for (const name of chosen) {
  const lines = (await all[name]?.({ quick })) ?? []
  results[name] = { machine, lines }
  console.log(`\n${name}\n${table(lines.map(({ what, figure, beside }) => [what, figure, beside]))}`)
}

if (!quick) writeResults(results)
else {
  const before = committed()
  const lost = before ? losses(before, results) : []
  for (const { name, was, is } of lost)
    console.error(`fell by more than a third: ${name} was ${was.toFixed(2)}, is ${is.toFixed(2)}`)
  if (!before)
    console.error(`bench/results.json has no figures of ${process.arch} to compare with: run \`npm run bench\` once`)
  process.exit(lost.length > 0 || !before ? 1 : 0)
}
