import type { Db } from '../../db/db.ts'
import type { Outcome } from './outcome.ts'

export type SealedCase = Outcome & { batch_id: number }
type SaltedCase = SealedCase & { salt: Uint8Array | null }

interface BatchSeal {
  batch_id: number
  cases: number
  rows_root: Uint8Array
}

const OPEN = `SELECT b.batch_id FROM outcome_batch b
      WHERE b.kind = 'import' AND NOT EXISTS (SELECT 1 FROM batch_seal s WHERE s.batch_id = b.batch_id)`

/** Files of the ledger that have no seal. */
export async function openBatches(tx: Db): Promise<number[]> {
  const rows = await tx.query<{ batch_id: number }>(`${OPEN} ORDER BY b.batch_id`)
  return rows.map(({ batch_id }) => batch_id)
}

/** Ranges of references by their first digit. References are random, so each range has a sixteenth of the ledger. */
export const SIXTEENTHS = [...'0123456789abcdef'].map((digit, i, all) => [digit, all[i + 1] ?? 'g'] as const)

/** The cases of files without a seal, with their salts, ordered by reference, a sixteenth at a time. */
export const casesOfOpenBatches = (tx: Db): AsyncGenerator<SaltedCase[]> => saltedCases(tx, `IN (${OPEN})`)

/** Every case of the ledger with its salt, ordered by reference, a sixteenth at a time. */
export const allCases = (db: Db): AsyncGenerator<SaltedCase[]> => saltedCases(db, '> 0')

async function* saltedCases(db: Db, batches: string): AsyncGenerator<SaltedCase[]> {
  for (const [from, to] of SIXTEENTHS) {
    const rows = await db.query<SaltedCase>(
      `SELECT o.case_ref, o.outcome_year, o.batch_id, o.state, o.npi, o.closed, o.settled, o.recurring, o.certified_mail,
              o.recovered_50, s.salt
         FROM outcome o LEFT JOIN outcome_salt s ON s.batch_id = o.batch_id AND s.case_ref = o.case_ref
        WHERE o.case_ref >= $1 AND o.case_ref < $2 AND o.batch_id ${batches}
        ORDER BY o.case_ref`,
      [from, to],
    )
    yield rows
  }
}

export const insertSalts = (tx: Db, rows: readonly SaltedCase[]): Promise<void> =>
  tx.insertMany(
    'outcome_salt',
    ['batch_id', 'case_ref', 'salt'],
    rows.map(({ batch_id, case_ref, salt }) => [batch_id, case_ref, salt]),
  )

export const insertBatchSeals = (tx: Db, seals: readonly BatchSeal[]): Promise<void> =>
  tx.insertMany(
    'batch_seal',
    ['batch_id', 'case_count', 'rows_root'],
    seals.map(({ batch_id, cases, rows_root }) => [batch_id, cases, rows_root]),
  )

export const batchSeals = (db: Db): Promise<BatchSeal[]> =>
  db.query('SELECT batch_id, case_count AS cases, rows_root FROM batch_seal ORDER BY batch_id')

/** How many salts belong to no case. There are none unless another program removed cases. */
export async function countStraySalts(db: Db): Promise<number> {
  const [row] = await db.query<{ n: number }>(
    `SELECT COUNT(*) AS n FROM outcome_salt s
      WHERE NOT EXISTS (SELECT 1 FROM outcome o WHERE o.case_ref = s.case_ref AND o.batch_id = s.batch_id)`,
  )
  return row?.n ?? 0
}

/**
 * Deletes the salts of some cases and unseals the files they came with. `cases` is a query of `case_ref` and
 * `batch_id`; it must run before the cases themselves are deleted.
 */
export async function breakSeals(tx: Db, cases: string, params: readonly unknown[]): Promise<void> {
  await tx.query(`DELETE FROM batch_seal WHERE batch_id IN (SELECT batch_id FROM (${cases}) touched)`, params)
  await tx.query(
    `DELETE FROM outcome_salt WHERE (batch_id, case_ref) IN (SELECT batch_id, case_ref FROM (${cases}) touched)`,
    params,
  )
}

export const insertReleaseSeal = (
  tx: Db,
  release_no: number,
  ledger_root: Uint8Array,
  leaves: readonly unknown[],
): Promise<unknown> =>
  tx.query('INSERT INTO release_seal (release_no, ledger_root, leaves) VALUES ($1, $2, $3)', [
    release_no,
    ledger_root,
    JSON.stringify(leaves),
  ])

interface ReleaseSeal {
  release_no: number
  ledger_root: Uint8Array
  leaves: unknown[]
}

/** The seals of all releases, oldest first. Releases from before seals existed have none. */
export async function releaseSeals(db: Db): Promise<ReleaseSeal[]> {
  const rows = await db.query<{ release_no: number; ledger_root: Uint8Array; leaves: string }>(
    'SELECT release_no, ledger_root, leaves FROM release_seal ORDER BY release_no',
  )
  return rows.map((row) => ({ ...row, leaves: JSON.parse(row.leaves) as unknown[] }))
}
