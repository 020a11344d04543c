// docs/mutation-survivors.md: what no test noticed, and why that is so. The reasons are written by hand and are kept.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Mutant } from './mutants.ts'

export interface PartResult {
  tried: number
  /** How many there are; more than were tried if only some of each file were. */
  all: number
  endless: number
  survivors: readonly Mutant[]
  isReached: (mutant: Mutant) => boolean
}

export interface SurvivorRow {
  file: string
  /** The line of code. */
  code: string
  changes: string
  reason: string
}

const PAGE = 'docs/mutation-survivors.md'
export const NO_REASON = 'not looked at yet'

const HEAD = `# Changes that no test notices

\`bun scripts/mutate.ts\` makes one small change of the code at a time and runs the tests that reach it
([how](security-tests.md#mutation)). These are the changes after which all tests still passed. The script writes this page; the
reasons are written by hand, and stay as long as their line of code does.
`

const escaped = (text: string): string => text.replaceAll('|', '\\|')
const plain = (text: string): string => text.replaceAll('\\|', '|')

/** The rows of the page, or of one part of it. */
export function survivorsIn(page: string): SurvivorRow[] {
  return page
    .split('\n')
    .filter((line) => line.startsWith('| `src/'))
    .map((line) => {
      const [file = '', code = '', changes = '', reason = ''] = line.slice(2, -2).split(' | ')
      return { file: file.slice(1, -1), code: plain(code).slice(3, -3), changes, reason }
    })
}

const brief = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ').replaceAll('`', "'")
  return line.length > 70 ? `${line.slice(0, 67)}...` : line
}

const changeOf = ({ was, now }: Mutant): string =>
  `\`${brief(was)}\` → ${now === '' ? 'left out' : `\`${brief(now)}\``}`

const placeOf = ({ file, code }: Pick<Mutant, 'file' | 'code'>): string => `${file} ${code}`

/** Whether the page lists a change. */
export function hadSurvivedIn(root: string): (mutant: Mutant) => boolean {
  const rows = survivorsIn(readFileSync(join(root, PAGE), 'utf8'))
  const listed = new Set(rows.flatMap((row) => row.changes.split('<br>').map((change) => `${placeOf(row)} ${change}`)))
  return (mutant) => listed.has(`${placeOf(mutant)} ${escaped(changeOf(mutant))}`)
}

/** Writes one part of the page anew and leaves the others as they are. */
export function writeSurvivors(root: string, name: string, figure: string, survivors: readonly Mutant[]): void {
  const path = join(root, PAGE)
  const page = existsSync(path) ? readFileSync(path, 'utf8') : HEAD
  const reasons = new Map(survivorsIn(page).map((row) => [placeOf(row), row.reason]))
  const rows = [...Map.groupBy(survivors, placeOf)].map(([place, those]) => {
    const [{ file, code } = { file: '', code: '' }] = those
    const changes = [...new Set(those.map(changeOf))].join('<br>')
    const cells = [`\`${file}\``, `\`\` ${code} \`\``, changes].map(escaped)
    return `| ${cells.join(' | ')} | ${reasons.get(place) ?? NO_REASON} |`
  })
  const [, ...sections] = page.split(/^(?=## )/m)
  const kept = new Map(sections.map((section) => [/^## (\S+)/.exec(section)?.[1] ?? '', section.trimEnd()]))
  const table = rows.length > 0 ? ['| File | Line | Changes | Why |', '|---|---|---|---|', ...rows] : []
  kept.set(name, [`## ${name}`, '', figure, '', ...table].join('\n').trimEnd())
  writeFileSync(path, `${[HEAD.trimEnd(), ...kept.values()].join('\n\n')}\n`)
}
