import type { Db } from '../../db/db.ts'
import type { DataClass } from '../rule/figure.ts'
import type { ProviderCells } from '../rule/provider.ts'
import type { Unit } from '../rule/rule-2.ts'
import { cellOf, type Histogram, METRICS, type Metric, type OutcomeCell } from '../rule/tally.ts'
import type { Outcome } from './outcome.ts'
import { breakSeals, SIXTEENTHS } from './seal-store.ts'

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

/** Deletes the lines of imports without an update since `before`, which a crash left. */
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

/** Queries for the staged lines that break a rule. These are the rules that need the store to be checked. */
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
  // The first closed window decides for all later ones whether the noise protects persons.
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

/** Corrects cases. A corrected case stays in its batch and gets a new salt. Its person stays if the file has no token. */
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

/** Deletes cases with their salts. Without the salt, nobody can prove the content of a case from any root. */
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

interface LedgerState {
  /** 0 if the ledger is empty. */
  last_batch_id: number
  /** The last file that corrected or deleted cases; 0 if there is no such file. */
  last_correction_id: number
  /** `sample` if any file is. */
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

/** A selection of cases: from files after one batch and up to another, and from years before one. */
export interface CaseSelection {
  after_batch_id?: number
  until_batch_id?: number
  before_year?: number
}

const SELECTED = 'batch_id > $1 AND batch_id <= $2 AND outcome_year < $3'
const selected = ({
  after_batch_id = 0,
  until_batch_id = 2 ** 31 - 1,
  before_year = 10_000,
}: CaseSelection): number[] => [after_batch_id, until_batch_id, before_year]

/**
 * Counts the selected cases by their answers; all cases by default. They are counted here, because the database would sort
 * a million lines to group them.
 */
export async function outcomeCells(db: Db, which: CaseSelection = {}): Promise<OutcomeCell[]> {
  const all = new Counter()
  for (const [from, to] of SIXTEENTHS) {
    const rows = await db.query<{ packed: number }>(
      `SELECT ${PACKED} AS packed FROM outcome WHERE ${SELECTED} AND case_ref >= $4 AND case_ref < $5`,
      [...selected(which), from, to],
    )
    for (const { packed } of rows) all.add(packed)
  }
  return all.cells
}

export async function countCases(db: Db, which: CaseSelection): Promise<number> {
  const [row] = await db.query<{ n: number }>(`SELECT COUNT(*) AS n FROM outcome WHERE ${SELECTED}`, selected(which))
  return row?.n ?? 0
}

/** Removes cases with their salts. */
export async function deleteCases(tx: Db, which: CaseSelection): Promise<void> {
  await breakSeals(tx, `SELECT case_ref, batch_id FROM outcome WHERE ${SELECTED}`, selected(which))
  await tx.query(
    `DELETE FROM outcome_left_out WHERE case_ref IN (SELECT case_ref FROM outcome WHERE ${SELECTED})`,
    selected(which),
  )
  await tx.query(`DELETE FROM outcome WHERE ${SELECTED}`, selected(which))
}

/** The cases of each provider in these years, counted by their answers. */
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

/** SQL for all answers of a case in one number. */
const PACKED = '((((closed * 2 + settled) * 2 + recurring) * 2 + certified_mail) * 1001 + recovered_50)'

/** Counts cases by their answers. */
export class Counter {
  readonly #cases = new Map<number, number>()

  add(packed: number, cases = 1): void {
    this.#cases.set(packed, (this.#cases.get(packed) ?? 0) + cases)
  }

  get cells(): OutcomeCell[] {
    return [...this.#cases].map(([packed, cases]) => cellOf(packed, cases))
  }
}

const LAST_COUNTED = '(SELECT COALESCE(MAX(last_batch_id), 0) FROM figure_window)'

/**
 * Stores, for the next window, what the staged cases add to closed windows or take from them. Cases that no window has
 * counted yet need no such note: the next window counts them as they are then.
 */
async function putPending(tx: Db, staging_id: number, sign: 1 | -1): Promise<void> {
  await tx.query(
    `INSERT INTO outcome_pending (person, npi, packed, case_count)
     SELECT COALESCE(person, -1), COALESCE(npi, ''), ${PACKED}, ${sign} * COUNT(*) FROM outcome
      WHERE case_ref IN (SELECT case_ref FROM outcome_staged WHERE staging_id = $1)
        AND batch_id <= ${LAST_COUNTED}
        AND case_ref NOT IN (SELECT case_ref FROM outcome_left_out)
      GROUP BY 1, 2, 3
     ON CONFLICT (person, npi, packed) DO UPDATE SET case_count = outcome_pending.case_count + excluded.case_count`,
    [staging_id],
  )
  await tx.query('DELETE FROM outcome_pending WHERE case_count = 0')
}

/** A correction or deletion of counted cases that the next window takes in. */
export interface PendingChange {
  /** -1 if the case has no person. */
  person: number
  /** Empty if the case has no provider. */
  npi: string
  packed: number
  /** Negative if these cases are subtracted. */
  case_count: number
}

export const pendingChanges = (db: Db): Promise<PendingChange[]> =>
  db.query('SELECT person, npi, packed, case_count FROM outcome_pending ORDER BY person, npi, packed')

/** Keeps only the changes that the window could not take in. */
export async function replacePending(tx: Db, left: readonly PendingChange[]): Promise<void> {
  await tx.query('DELETE FROM outcome_pending')
  await tx.insertMany(
    'outcome_pending',
    ['person', 'npi', 'packed', 'case_count'],
    left.map(({ person, npi, packed, case_count }) => [person, npi, packed, case_count]),
  )
}

/** Larger than any packed answers. An NPI has ten digits, so both together are a whole number below 2^46. */
const ABOVE_PACKED = 16_384

interface NewCase {
  /** Provider and answers in one number, because a million texts would take most of the time of a release. */
  coded: number
  /** Present if the window counts persons. */
  person?: number
}

export const answersIn = (coded: number): number => coded % ABOVE_PACKED

/** The NPI as a number; 0 if the case has none. */
export const providerIn = (coded: number): number => Math.floor(coded / ABOVE_PACKED)

/** The cases of files after a batch, ordered by reference, a sixteenth of them at a time. */
export const newCases = (db: Db, after_batch_id: number, unit: Unit): AsyncGenerator<NewCase[]> => {
  const coded = `COALESCE(CAST(npi AS BIGINT), 0) * ${ABOVE_PACKED} + ${PACKED} AS coded`
  return casesAfter(db, after_batch_id, unit === 'person' ? `${coded}, person` : coded)
}

/** The references and persons of the cases of `newCases`, in the order in which it has them. */
export const newReferences = (db: Db, after_batch_id: number): AsyncGenerator<{ case_ref: string; person: number }[]> =>
  casesAfter(db, after_batch_id, 'case_ref, person')

async function* casesAfter<Row>(db: Db, after_batch_id: number, columns: string): AsyncGenerator<Row[]> {
  for (const [from, to] of SIXTEENTHS)
    yield await db.query<Row>(
      `SELECT ${columns} FROM outcome
        WHERE case_ref >= $1 AND case_ref < $2 AND batch_id > $3 ORDER BY outcome.case_ref`,
      [from, to, after_batch_id],
    )
}

export const insertLeftOut = (tx: Db, case_refs: readonly string[]): Promise<void> =>
  tx.insertMany(
    'outcome_left_out',
    ['case_ref'],
    case_refs.map((case_ref) => [case_ref]),
  )

/** Whether there are cases and all of them have a person. */
export async function allHavePersons(db: Db): Promise<boolean> {
  const [row] = await db.query<{ cases: number; named: number }>(
    'SELECT COUNT(*) AS cases, COUNT(person) AS named FROM outcome',
  )
  return row !== undefined && row.cases > 0 && row.cases === row.named
}

export const allProviders = async (db: Db): Promise<string[]> =>
  (await db.query<{ npi: string }>('SELECT npi FROM provider ORDER BY npi')).map(({ npi }) => npi)

/** How many removed cases gave each answer, for the figures that counted them. */
type Carryover = Partial<Record<Metric, Histogram>>

export async function carryover(db: Db): Promise<Carryover> {
  const rows = await db.query<{ metric: Metric; answer: number; case_count: number }>(
    'SELECT metric, answer, case_count FROM outcome_carried ORDER BY metric, answer',
  )
  const of: Partial<Record<Metric, [number, number][]>> = {}
  for (const { metric, answer, case_count } of rows) {
    const histogram = of[metric] ?? []
    histogram.push([answer, case_count])
    of[metric] = histogram
  }
  return of
}

export async function putCarryover(tx: Db, of: Record<Metric, Histogram>): Promise<void> {
  await tx.query('DELETE FROM outcome_carried')
  await tx.insertMany(
    'outcome_carried',
    ['metric', 'answer', 'case_count'],
    METRICS.flatMap((metric) => of[metric].map(([answer, cases]) => [metric, answer, cases])),
  )
}
