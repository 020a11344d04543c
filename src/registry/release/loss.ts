import type { AnyRow, Row } from '../../proof/price/row.ts'
import { ourTurn } from '../../queue.ts'
import type { ReleaseFile } from '../rows/release-file-store.ts'
import type { Check } from './check-store.ts'
import { countStated } from './contents.ts'
import { ruleOf, WITHOUT_CODE } from './rules.ts'
import type { ReleaseState } from './store.ts'

// Losses are what a source states and its release does not: combinations of code, modifier, setting, class and basis without a price.

/** The loss by one rule, and its first line. */
export interface LossCause {
  rule: string
  combinations: number
  lines: number[]
}
export interface Loss {
  /** How much the source states, as far as that is known. */
  stated: number
  lost: number
  causes: LossCause[]
}

/** Judges by what is stored, so that it is the same whenever it is asked. */
export const lossOf = (
  file: ReleaseFile,
  release: ReleaseState,
  checks: readonly Check[],
  unit: 'lines' | 'combinations',
): Promise<Loss> => (unit === 'lines' ? lostLines(file, release, checks) : lostCombinations(file, release, checks))

/** A line of a schedule is a combination by itself. */
async function lostLines(file: ReleaseFile, release: ReleaseState, checks: readonly Check[]): Promise<Loss> {
  const rejected = checks.filter(({ severity, failed }) => severity === 'reject' && failed > 0)
  const lost = release.rejected_count
  return {
    stated: countStated(file) + lost,
    lost,
    causes: rejected.map(({ rule, failed, sample_lines }) => ({ rule, combinations: failed, lines: sample_lines })),
  }
}

const ROWS_PER_READ = 2_000
const FIRST_LINES = 20

/**
 * A hospital's file has forty lines, one for each payer, for one combination: so rows are counted. A line without a
 * code that can be read is in no row. It counts for as many combinations as the lines that can be read have on average.
 */
async function lostCombinations(file: ReleaseFile, release: ReleaseState, checks: readonly Check[]): Promise<Loss> {
  const byRule = new Map<string, { rows: number; lines: Set<number> }>()
  let rows = 0
  for await (const body of bodiesOf(file)) {
    const absence = body.includes('"kind":"absence"') ? (JSON.parse(body) as AnyRow) : undefined
    if (absence && !isLost(absence)) continue
    rows++
    if (!absence) continue
    const rule = ruleBehind(absence)
    const cause = byRule.get(rule) ?? { rows: 0, lines: new Set() }
    byRule.set(rule, cause)
    cause.rows++
    for (const { line } of absence.locator) if (cause.lines.size < FIRST_LINES) cause.lines.add(line)
  }
  // Every combination stands there once for each provider.
  const providers = release.providers === null ? 1 : (JSON.parse(release.providers) as string[]).length
  const inRelease = Math.ceil(rows / providers)
  const causes: LossCause[] = [...byRule].map(([rule, found]) => ({
    rule,
    combinations: Math.ceil(found.rows / providers),
    lines: [...found.lines],
  }))
  const unread = checks.filter(({ rule, failed }) => WITHOUT_CODE.includes(rule) && failed > 0)
  const judged = Math.max(0, ...unread.map(({ evaluated }) => evaluated))
  const read = judged - unread.reduce((sum, { failed }) => sum + failed, 0)
  const perLine = read > 0 ? inRelease / read : 1
  for (const { rule, failed, sample_lines } of unread)
    causes.push({ rule, combinations: Math.ceil(failed * perLine), lines: sample_lines })
  const lost = causes.reduce((sum, { combinations }) => sum + combinations, 0)
  const beside = causes.filter(({ rule }) => WITHOUT_CODE.includes(rule))
  return {
    stated: inRelease + beside.reduce((sum, { combinations }) => sum + combinations, 0),
    lost,
    causes: causes.sort((a, b) => b.combinations - a.combinations),
  }
}

type LostRow = Extract<Row, { kind: 'absence' }>
const isLost = (row: AnyRow): row is LostRow =>
  row.kind === 'absence' && (row.reason === 'unreadable' || row.reason === 'withheld_conflict')

/** The rows of a release are under a code that can be read: by R03, their modifier or setting cannot be. */
function ruleBehind({ derivation: { inputs } }: LostRow): string {
  const rule = inputs['rule'] ?? 'R10'
  return rule === 'R03' ? 'R03_field' : rule
}

async function* bodiesOf(file: ReleaseFile): AsyncGenerator<string> {
  for (let from = 0; from < file.rowCount; from += ROWS_PER_READ) {
    for (const { body } of file.rowsAt(from, from + ROWS_PER_READ)) yield body
    await ourTurn()
  }
}

const SHOWN_LINES = 8
const percent = (part: number, whole: number): string => `${((part / Math.max(1, whole)) * 100).toFixed(2)} %`
const whole = (count: number): string => count.toLocaleString('en-US')

/** Losses in sentences. */
export function lossText({ stated, lost, causes }: Loss): string[] {
  if (lost === 0) return []
  return [
    `${whole(lost)} of about ${whole(stated)} prices in the source (${percent(lost, stated)}) are not in the release`,
    ...causes.map(({ rule, combinations, lines }) => {
      const first = lines.slice(0, SHOWN_LINES).join(', ')
      const where = lines.length === 0 ? '' : `, first on line${lines.length === 1 ? '' : 's'} ${first}`
      const why = ruleOf(rule).meaning.replace(/^[AT](?=[a-z]* )/, (letter) => letter.toLowerCase())
      return `${rule}: ${whole(combinations)} (${percent(combinations, stated)}): ${why}${where}`
    }),
  ]
}
