// `npm run bench`: the table of docs/performance.md in one run. A whole run writes results.json and the page; with names of parts
// (`npm run bench -- loading`) only these are measured, and nothing is written.

import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { table } from '../src/cli/command.ts'
import { answers, machine } from './answers.ts'
import { loading, tenMillion } from './loading.ts'
import { type Line, notMeasured } from './measure.ts'
import { mark, writeResults } from './results.ts'
import { FILES } from './service.ts'

const PARTS: Record<string, { run: (folder: string) => Promise<Line[]>; needs: string[] }> = {
  answers: { run: answers, needs: FILES },
  loading: { run: loading, needs: FILES },
  'ten-million': { run: tenMillion, needs: [] },
}

const asked = process.argv.slice(2)
const unknown = asked.filter((name) => !Object.hasOwn(PARTS, name))
if (unknown.length > 0 || !Bun.which('wrk')) {
  console.error(unknown.length > 0 ? `the parts are ${Object.keys(PARTS).join(', ')}` : 'the bench needs wrk')
  process.exit(2)
}
console.log(machine())
const lines: Line[] = []
for (const [name, { run, needs }] of Object.entries(PARTS)) {
  if (asked.length > 0 && !asked.includes(name)) continue
  const folder = mkdtempSync(join(tmpdir(), 'atr-bench-'))
  try {
    const isPossible = needs.every((file) => existsSync(file))
    const found = isPossible ? await run(folder) : [notMeasured(name, '', 'there are no published files')]
    lines.push(...found)
    console.log(`\n${table(found.map((line) => [line.what, line.floor, line.figure, mark(line)]))}`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
if (asked.length === 0) writeResults(machine(), new Date().toISOString().slice(0, 10), lines)
