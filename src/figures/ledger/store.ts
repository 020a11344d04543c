import type { Db } from '../../db/db.ts'
import type { DataClass } from '../rule/figure.ts'
import type { ProviderCells } from '../rule/provider.ts'
import type { OutcomeCell } from '../rule/tally.ts'
import type { Outcome } from './outcome.ts'
import { breakSeals, SIXTEENTHS } from './seal-store.ts'
import { Counter, PACKED, putPending } from './window-store.ts'

export type BatchKind = 'import' | 'correction' | 'deletion'

const OUTCOME_COLUMNS = [
  'case_ref',
  'outcome_year',
  'state',
  'npi',
  'closed',
  'settled',
  'recurring',
  'certified_mail',
  'recovered_50',
  'person',
] as const satisfies (keyof Outcome)[]

/** Deletes the lines of imports without an update since `before`: a crash left them. */
export const dropAbandoned = (db: Db, before: number): Promise<void> =>
  db.transaction(async (tx) => {
    await tx.query('DELETE FROM outcome_staging WHERE alive_at < $1', [before])
    await tx.query('DELETE FROM outcome_staged WHERE staging_id NOT IN (SELECT staging_id FROM outcome_staging)')
  })

/** Updates the timestamp of an import under way. */
export const putAlive = (db: Db, staging_id: number, alive_at: number): Promise<unknown> =>
  db.query(
    `INSERT INTO outcome_staging (staging_id, alive_at) VALUES ($1, $2)
     ON CONFLICT (staging_id) DO UPDATE SET alive_at = excluded.alive_at`,
    [staging_id, alive_at],
  )

export const endStaging = (db: Db, staging_id: number): Promise<void> =>
  db.transaction(async (tx) => {
    await tx.query('DELETE FROM outcome_staged WHERE staging_id = $1', [staging_id])
    await tx.query('DELETE FROM outcome_staging WHERE staging_id = $1', [staging_id])
  })

export interface StagedLine {
  line: number
  outcome: Pick<Outcome, 'case_ref'> & Partial<Outcome>
}

export const insertStaged = (tx: Db, staging_id: number, lines: readonly StagedLine[]): Promise<void> =>
  tx.insertMany(
    'outcome_staged',
    ['staging_id', 'line', ...OUTCOME_COLUMNS],
    lines.map(({ line, outcome }) => [staging_id, line, ...OUTCOME_COLUMNS.map((column) => outcome[column] ?? null)]),
  )

export async function countStaged(tx: Db, staging_id: number): Promise<number> {
  const [row] = await tx.query<{ n: number }>('SELECT COUNT(*) AS n FROM outcome_staged WHERE staging_id = $1', [
    staging_id,
  ])
  return row?.n ?? 0
}

/** The staged lines that break a rule that needs the store: how many, and the first few. */
const BREAKS = {
  case_already_in_ledger: `SELECT line FROM outcome_staged s
     WHERE staging_id = $1 AND EXISTS (SELECT 1 FROM outcome o WHERE o.case_ref = s.case_ref)`,
  case_not_in_ledger: `SELECT line FROM outcome_staged s
     WHERE staging_id = $1 AND NOT EXISTS (SELECT 1 FROM outcome o WHERE o.case_ref = s.case_ref)`,
  case_named_twice: `SELECT line FROM (
       SELECT line, ROW_NUMBER() OVER (PARTITION BY case_ref ORDER BY line) AS nth
         FROM outcome_staged WHERE staging_id = $1) named
     WHERE nth > 1`,
  npi_not_in_directory: `SELECT line FROM outcome_staged s
     WHERE staging_id = $1 AND npi IS NOT NULL AND NOT EXISTS (SELECT 1 FROM provider p WHERE p.npi = s.npi)`,
  // What a window protects is said when the first one is closed, for all that follow.
  person_token_missing: `SELECT line FROM outcome_staged
     WHERE staging_id = $1 AND person IS NULL AND EXISTS (SELECT 1 FROM figure_window WHERE unit = 'person')`,
} as const
export type StoreRule = keyof typeof BREAKS

export async function linesBreaking(
  tx: Db,
  rule: StoreRule,
  staging_id: number,
  limit: number,
): Promise<{ count: number; first: number[] }> {
  const [row] = await tx.query<{ n: number }>(`SELECT COUNT(*) AS n FROM (${BREAKS[rule]}) broken`, [staging_id])
  const count = row?.n ?? 0
  if (count === 0) return { count, first: [] }
  const lines = await tx.query<{ line: number }>(`${BREAKS[rule]} ORDER BY line LIMIT $2`, [staging_id, limit])
  return { count, first: lines.map(({ line }) => line) }
}

/** Moves staged lines into the ledger, ordered by key, as the table is stored in that order. */
export const importStaged = (tx: Db, staging_id: number, batch_id: number): Promise<unknown> =>
  tx.query(
    `INSERT INTO outcome (${OUTCOME_COLUMNS.join(', ')}, batch_id)
     SELECT ${OUTCOME_COLUMNS.join(', ')}, $2 FROM outcome_staged WHERE staging_id = $1 ORDER BY case_ref`,
    [staging_id, batch_id],
  )

/** The cases of the ledger that a staged file names. */
const NAMED = `SELECT o.case_ref, o.batch_id FROM outcome o
      WHERE o.case_ref IN (SELECT case_ref FROM outcome_staged WHERE staging_id = $1)`

/** A corrected case stays in its batch. Its content is new, and so is its salt. Its person stays if the file names none. */
export async function correctStaged(tx: Db, staging_id: number): Promise<void> {
  await breakSeals(tx, NAMED, [staging_id])
  await putPending(tx, staging_id, -1)
  const columns = OUTCOME_COLUMNS.filter((column) => column !== 'case_ref' && column !== 'person')
  await tx.query(
    `UPDATE outcome SET ${columns.map((column) => `${column} = s.${column}`).join(', ')},
            person = COALESCE(s.person, outcome.person)
       FROM outcome_staged s
      WHERE s.staging_id = $1 AND outcome.case_ref = s.case_ref`,
    [staging_id],
  )
  await putPending(tx, staging_id, 1)
}

/** Deletes cases with their salts: without the salt nobody can show what a case said, from any root. */
export async function deleteStaged(tx: Db, staging_id: number): Promise<void> {
  await breakSeals(tx, NAMED, [staging_id])
  await putPending(tx, staging_id, -1)
  for (const table of ['outcome_left_out', 'outcome'])
    await tx.query(
      `DELETE FROM ${table} WHERE case_ref IN (SELECT case_ref FROM outcome_staged WHERE staging_id = $1)`,
      [staging_id],
    )
}

export async function findBatch(
  db: Db,
  kind: BatchKind,
  source_digest: string,
): Promise<{ batch_id: number; cases: number } | undefined> {
  const [row] = await db.query<{ batch_id: number; cases: number }>(
    'SELECT batch_id, case_count AS cases FROM outcome_batch WHERE kind = $1 AND source_digest = $2',
    [kind, source_digest],
  )
  return row
}

export async function insertBatch(
  tx: Db,
  batch: { kind: BatchKind; source_digest: string; data_class: DataClass; imported_at: number; cases: number },
): Promise<number> {
  const batch_id = (await ledgerState(tx)).last_batch_id + 1
  await tx.query(
    `INSERT INTO outcome_batch (batch_id, kind, source_digest, data_class, imported_at, case_count)
     VALUES ($1, $2, $3, $4, $5, $6)`,
    [batch_id, batch.kind, batch.source_digest, batch.data_class, batch.imported_at, batch.cases],
  )
  return batch_id
}

export interface LedgerState {
  /** 0 when it is empty. */
  last_batch_id: number
  /** The last file that corrected or deleted cases, 0 when there is none. */
  last_correction_id: number
  /** `sample` when any of it is. */
  data_class: DataClass
}

export async function ledgerState(db: Db): Promise<LedgerState> {
  const [row] = await db.query<{ last: number; correction: number; samples: number }>(
    `SELECT COALESCE(MAX(batch_id), 0) AS last,
            COALESCE(MAX(CASE WHEN kind <> 'import' THEN batch_id ELSE 0 END), 0) AS correction,
            COALESCE(SUM(CASE WHEN data_class = 'sample' THEN 1 ELSE 0 END), 0) AS samples
       FROM outcome_batch`,
  )
  return {
    last_batch_id: row?.last ?? 0,
    last_correction_id: row?.correction ?? 0,
    data_class: (row?.samples ?? 0) > 0 ? 'sample' : 'published',
  }
}

/** A selection of cases: of files after one batch and up to another, and of years before one. */
export interface Cases {
  after_batch_id?: number
  until_batch_id?: number
  before_year?: number
}

const CHOSEN = 'batch_id > $1 AND batch_id <= $2 AND outcome_year < $3'
const chosen = ({ after_batch_id = 0, until_batch_id = 2 ** 31 - 1, before_year = 10_000 }: Cases): number[] => [
  after_batch_id,
  until_batch_id,
  before_year,
]

/**
 * The ledger as the figures need it, all of it by default. Counted here, because the database would sort a million
 * lines to group them.
 */
export async function outcomeCells(db: Db, which: Cases = {}): Promise<OutcomeCell[]> {
  const all = new Counter()
  for (const [from, to] of SIXTEENTHS) {
    const rows = await db.query<{ packed: number }>(
      `SELECT ${PACKED} AS packed FROM outcome WHERE ${CHOSEN} AND case_ref >= $4 AND case_ref < $5`,
      [...chosen(which), from, to],
    )
    for (const { packed } of rows) all.add(packed)
  }
  return all.cells
}

export async function countCases(db: Db, which: Cases): Promise<number> {
  const [row] = await db.query<{ n: number }>(`SELECT COUNT(*) AS n FROM outcome WHERE ${CHOSEN}`, chosen(which))
  return row?.n ?? 0
}

/** Removes cases with their salts. */
export async function deleteCases(tx: Db, which: Cases): Promise<void> {
  await breakSeals(tx, `SELECT case_ref, batch_id FROM outcome WHERE ${CHOSEN}`, chosen(which))
  await tx.query(
    `DELETE FROM outcome_left_out WHERE case_ref IN (SELECT case_ref FROM outcome WHERE ${CHOSEN})`,
    chosen(which),
  )
  await tx.query(`DELETE FROM outcome WHERE ${CHOSEN}`, chosen(which))
}

/** The cases of each provider in these years, equal ones grouped. */
export async function providerCells(
  db: Db,
  [first, last]: readonly [first: number, last: number],
): Promise<ProviderCells> {
  const byProvider = new Map<string, Counter>()
  for (const [from, to] of SIXTEENTHS) {
    const rows = await db.query<{ npi: string; packed: number }>(
      `SELECT npi, ${PACKED} AS packed FROM outcome
        WHERE case_ref >= $1 AND case_ref < $2 AND npi IS NOT NULL AND outcome_year >= $3 AND outcome_year <= $4`,
      [from, to, first, last],
    )
    for (const { npi, packed } of rows) {
      const own = byProvider.get(npi) ?? new Counter()
      own.add(packed)
      byProvider.set(npi, own)
    }
  }
  return { npis: [...byProvider.keys()], of: (npi) => byProvider.get(npi)?.cells ?? [] }
}

const NPIS_PER_STATEMENT = 500

export async function insertProviders(tx: Db, npis: readonly string[]): Promise<number> {
  let added = 0
  for (let start = 0; start < npis.length; start += NPIS_PER_STATEMENT) {
    const chunk = npis.slice(start, start + NPIS_PER_STATEMENT)
    const tuples = chunk.map((_, i) => `($${i + 1}, 2)`).join(', ')
    const rows = await tx.query(
      `INSERT INTO provider (npi, entity_type) VALUES ${tuples} ON CONFLICT (npi) DO NOTHING RETURNING npi`,
      chunk,
    )
    added += rows.length
  }
  return added
}

export async function isProvider(db: Db, npi: string): Promise<boolean> {
  return (await db.query('SELECT npi FROM provider WHERE npi = $1', [npi])).length > 0
}
