import type { Db } from '../../db/db.ts'
import type { Span } from './verdict.ts'

/** The last verification of a release or a log. */
export interface VerifiedPart {
  /** The name of the release, or of the log. */
  part: string
  /** The folder of release files that was read; empty for a part in the store itself. */
  copy: string
  verified_at: number
  rows_verified: number
  rows_failed: number
  fault_count: number
  /** The first few. */
  faults: string[]
  /** Rows, or entries of a log, that are not served until they pass. */
  failed: Span[]
  /** The first failure since it was sound; null if it is sound. */
  first_failed_at: number | null
}

interface PartRow extends Omit<VerifiedPart, 'faults' | 'failed'> {
  faults: string
  failed: string
}

const PART = 'part, copy, verified_at, rows_verified, rows_failed, fault_count, faults, failed, first_failed_at'

const toPart = (row: PartRow): VerifiedPart => ({
  ...row,
  faults: JSON.parse(row.faults) as string[],
  failed: JSON.parse(row.failed) as Span[],
})

/**
 * Stores a result. A part that goes on failing keeps the time of its first failure. The result of a verification that
 * began before the stored one ended is ignored, because it may have read older bytes.
 */
export async function putPart(
  db: Db,
  part: Omit<VerifiedPart, 'first_failed_at'>,
  began_at = part.verified_at,
): Promise<void> {
  await db.query(
    `INSERT INTO verified_part (${PART}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
     ON CONFLICT (part, copy) DO UPDATE
       SET verified_at = excluded.verified_at, rows_verified = excluded.rows_verified,
           rows_failed = excluded.rows_failed, fault_count = excluded.fault_count, faults = excluded.faults,
           failed = excluded.failed,
           first_failed_at = CASE WHEN excluded.fault_count = 0 THEN NULL
             ELSE COALESCE(verified_part.first_failed_at, excluded.first_failed_at) END
       WHERE $10 >= verified_part.verified_at`,
    [
      part.part,
      part.copy,
      part.verified_at,
      part.rows_verified,
      part.rows_failed,
      part.fault_count,
      JSON.stringify(part.faults),
      JSON.stringify(part.failed),
      part.fault_count === 0 ? null : part.verified_at,
      began_at,
    ],
  )
}

export async function listParts(db: Db): Promise<VerifiedPart[]> {
  return (await db.query<PartRow>(`SELECT ${PART} FROM verified_part ORDER BY part, copy`)).map(toPart)
}

/** The rows and entries that must not be served from a folder of release files, or from the store itself. */
export async function failedParts(db: Db, copy: string): Promise<Pick<PartRow, 'part' | 'failed'>[]> {
  return db.query("SELECT part, failed FROM verified_part WHERE copy IN ('', $1) AND failed <> '[]' ORDER BY part", [
    copy,
  ])
}

/** A text that changes with each verification. */
export async function lastNews(db: Db): Promise<string> {
  const [row] = await db.query<{ parts: number; at: number | null }>(
    'SELECT COUNT(*) AS parts, MAX(verified_at) AS at FROM verified_part',
  )
  return `${row?.parts ?? 0}.${row?.at ?? 0}`
}

/** Forgets the results of other machines that have verified nothing since `before`. */
export async function forgetCopies(db: Db, own: string, before: number): Promise<void> {
  await db.query(
    `DELETE FROM verified_part WHERE copy NOT IN ('', $1) AND copy NOT IN (
       SELECT copy FROM verified_part WHERE verified_at >= $2)`,
    [own, before],
  )
}
