import type { Db } from '../../db/db.ts'
import type { Unit } from '../rule/rule-2.ts'
import { cellOf, type OutcomeCell } from '../rule/tally.ts'
import { SIXTEENTHS } from './seal-store.ts'

/** All answers of a case that the figures need, in one number. */
export const PACKED = '((((closed * 2 + settled) * 2 + recurring) * 2 + certified_mail) * 1001 + recovered_50)'

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

const CLOSED = '(SELECT COALESCE(MAX(last_batch_id), 0) FROM figure_window)'

/**
 * Notes what the named cases add to closed windows, or take from them, for the next window. Cases that no window has
 * counted yet are simply counted as they will be then.
 */
export async function putPending(tx: Db, staging_id: number, sign: 1 | -1): Promise<void> {
  await tx.query(
    `INSERT INTO outcome_pending (person, npi, packed, case_count)
     SELECT COALESCE(person, -1), COALESCE(npi, ''), ${PACKED}, ${sign} * COUNT(*) FROM outcome
      WHERE case_ref IN (SELECT case_ref FROM outcome_staged WHERE staging_id = $1)
        AND batch_id <= ${CLOSED}
        AND case_ref NOT IN (SELECT case_ref FROM outcome_left_out)
      GROUP BY 1, 2, 3
     ON CONFLICT (person, npi, packed) DO UPDATE SET case_count = outcome_pending.case_count + excluded.case_count`,
    [staging_id],
  )
  await tx.query('DELETE FROM outcome_pending WHERE case_count = 0')
}

export interface Pending {
  /** -1 if the case had none. */
  person: number
  /** Empty if the case had none. */
  npi: string
  packed: number
  /** Below zero, if these cases are to be taken back. */
  case_count: number
}

export const pendingChanges = (db: Db): Promise<Pending[]> =>
  db.query('SELECT person, npi, packed, case_count FROM outcome_pending ORDER BY person, npi, packed')

/** Keeps only what the window could not take. */
export async function replacePending(tx: Db, left: readonly Pending[]): Promise<void> {
  await tx.query('DELETE FROM outcome_pending')
  await tx.insertMany(
    'outcome_pending',
    ['person', 'npi', 'packed', 'case_count'],
    left.map(({ person, npi, packed, case_count }) => [person, npi, packed, case_count]),
  )
}

/** More than any packed answers. An NPI has ten digits, so that both together are a whole number below 2^46. */
const ABOVE_PACKED = 16_384

export interface NewCase {
  /** Provider and answers in one number: a million texts would take most of the time of a release. */
  coded: number
  /** Only where persons are counted. */
  person?: number
}

export const answersIn = (coded: number): number => coded % ABOVE_PACKED

/** The NPI as a number; 0 if the case has none. */
export const providerIn = (coded: number): number => Math.floor(coded / ABOVE_PACKED)

/** The cases of files after a batch, ordered by reference, a sixteenth of them at a time. */
export const newCases = (db: Db, after_batch_id: number, unit: Unit): AsyncGenerator<NewCase[]> => {
  const coded = `COALESCE(CAST(npi AS BIGINT), 0) * ${ABOVE_PACKED} + ${PACKED} AS coded`
  return newOnes(db, after_batch_id, unit === 'person' ? `${coded}, person` : coded)
}

/** The same cases in the same order, with their references. */
export const newReferences = (db: Db, after_batch_id: number): AsyncGenerator<{ case_ref: string; person: number }[]> =>
  newOnes(db, after_batch_id, 'case_ref, person')

async function* newOnes<Row>(db: Db, after_batch_id: number, columns: string): AsyncGenerator<Row[]> {
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

/** Whether there are cases, and every one has a person. */
export async function allHavePersons(db: Db): Promise<boolean> {
  const [row] = await db.query<{ cases: number; named: number }>(
    'SELECT COUNT(*) AS cases, COUNT(person) AS named FROM outcome',
  )
  return row !== undefined && row.cases > 0 && row.cases === row.named
}

export const allProviders = async (db: Db): Promise<string[]> =>
  (await db.query<{ npi: string }>('SELECT npi FROM provider ORDER BY npi')).map(({ npi }) => npi)
