// Gives files with switches in place of the code, and `collected.ts` in place of `bun:test`.

import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import './switch.ts'

const ROOT = join(import.meta.dir, '..', '..')
const COLLECTED = join(import.meta.dir, 'collected.ts')
const { texts } = JSON.parse(readFileSync(process.env['ATR_MUTANTS'] ?? '', 'utf8')) as {
  texts: Record<string, string>
}
MUTANT.on = Number(process.env['ATR_MUTANT'] ?? -1)

Bun.plugin({
  name: 'mutants',
  setup(build) {
    build.onLoad({ filter: new RegExp(`^${RegExp.escape(ROOT)}/(src|test)/.*\\.tsx?$`) }, ({ path }) => ({
      contents:
        texts[relative(ROOT, path)] ?? readFileSync(path, 'utf8').replace("from 'bun:test'", `from '${COLLECTED}'`),
      loader: path.endsWith('x') ? 'tsx' : 'ts',
    }))
  },
})
