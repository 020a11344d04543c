// `npm run bench [name...]`: figures as ratios against named peers, measured in the same run on this machine.

import { cpus } from 'node:os'
import { table } from '../src/cli/command.ts'
import { figureErrors } from './figure-errors.ts'
import { figures } from './figures.ts'
import { loading } from './load.ts'
import type { Line } from './measure.ts'
import { hospitalFiles } from './mrf.ts'
import { verification } from './verify.ts'

const BENCHES: Record<string, () => Promise<Line[]>> = {
  errors: figureErrors,
  figures,
  loading,
  mrf: hospitalFiles,
  verification,
}

const asked = process.argv.slice(2)
console.log(`Bun ${Bun.version}, ${cpus()[0]?.model ?? process.arch}, ${cpus().length} cores`)
for (const [name, bench] of Object.entries(BENCHES)) {
  if (asked.length > 0 && !asked.includes(name)) continue
  const lines = await bench()
  console.log(`\n${name}\n${table(lines.map(({ what, figure, beside }) => [what, figure, beside]))}`)
}
