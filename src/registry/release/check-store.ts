import type { Db } from '../../db/db.ts'
import type { ReleaseDiff } from './diff.ts'
import { type Findings, ruleOf, type Severity } from './rules.ts'

// Facts about a release beside its rows: what the rules found in it, and how it differs from the one before.

export interface Check {
  rule: string
  severity: Severity
  evaluated: number
  failed: number
  sample_lines: number[]
  sample_keys: string[]
}

interface CheckRow extends Omit<Check, 'sample_lines' | 'sample_keys'> {
  sample_lines: string
  sample_keys: string
}

const CHECK = ['release_no', 'rule', 'severity', 'evaluated', 'failed', 'sample_lines', 'sample_keys']

/** `stated`: as `countStated` counts it, where a rule has not counted what it evaluated. */
export async function insertChecks(tx: Db, release_no: number, findings: Findings, stated: number): Promise<void> {
  const rows = [...findings].map(([rule, { count, lines, keys = [], evaluated = stated + count }]) => [
    release_no,
    rule,
    ruleOf(rule).severity,
    evaluated,
    count,
    JSON.stringify(lines),
    JSON.stringify(keys),
  ])
  await tx.insertMany('release_check', CHECK, rows)
}

export async function insertCheck(tx: Db, release_no: number, check: Check | undefined): Promise<void> {
  if (!check) return
  const { rule, severity, evaluated, failed, sample_lines, sample_keys } = check
  const samples = [JSON.stringify(sample_lines), JSON.stringify(sample_keys)]
  await tx.insertMany('release_check', CHECK, [[release_no, rule, severity, evaluated, failed, ...samples]])
}

export async function checksOf(db: Db, release_no: number): Promise<Check[]> {
  const rows = await db.query<CheckRow>(
    `SELECT rule, severity, evaluated, failed, sample_lines, sample_keys FROM release_check
      WHERE release_no = $1 ORDER BY rule`,
    [release_no],
  )
  return rows.map((row) => ({
    ...row,
    sample_lines: JSON.parse(row.sample_lines) as number[],
    sample_keys: JSON.parse(row.sample_keys) as string[],
  }))
}

/** How a release differs from the one it took the place of. */
export interface Delta extends Pick<ReleaseDiff, 'added' | 'removed' | 'changed' | 'unchanged' | 'max_abs_change_pct'> {
  previous_release: string
}

/** Percentages are kept as whole hundredths. */
export async function insertDelta(tx: Db, release_no: number, previous: string, diff: ReleaseDiff): Promise<void> {
  const { added, removed, changed, unchanged, max_abs_change_pct, ...moves } = diff
  await tx.query(
    `INSERT INTO release_delta (release_no, previous, added, removed, changed, unchanged, max_change_bp, moves)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      release_no,
      previous,
      added,
      removed,
      changed,
      unchanged,
      Math.round(max_abs_change_pct * 100),
      JSON.stringify(moves),
    ],
  )
}

export async function findDelta(db: Db, release_no: number): Promise<Delta | undefined> {
  return (await findStored(db, release_no))?.delta
}

/** The whole comparison with the release before it, if it was kept. */
export async function findDiff(db: Db, release_no: number): Promise<ReleaseDiff | undefined> {
  const stored = await findStored(db, release_no)
  if (!stored || stored.moves === null) return undefined
  const { previous_release: _, ...delta } = stored.delta
  return { ...delta, ...(JSON.parse(stored.moves) as Omit<ReleaseDiff, keyof Delta>) }
}

async function findStored(db: Db, release_no: number): Promise<{ delta: Delta; moves: string | null } | undefined> {
  const [row] = await db.query<Omit<Delta, 'max_abs_change_pct'> & { max_change_bp: number; moves: string | null }>(
    `SELECT previous AS previous_release, added, removed, changed, unchanged, max_change_bp, moves
       FROM release_delta WHERE release_no = $1`,
    [release_no],
  )
  if (!row) return undefined
  const { max_change_bp, moves, ...delta } = row
  return { delta: { ...delta, max_abs_change_pct: max_change_bp / 100 }, moves }
}
