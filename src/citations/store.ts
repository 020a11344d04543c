import type { Db } from '../db/db.ts'
import type { CitationRecord } from './judgement.ts'
import type { Signs } from './look.ts'

export interface StoredCheck extends CitationRecord, Signs {
  url: string
  sha256: string
  read_at: number | null
}

const COLUMNS = [
  'url',
  'sha256',
  'state',
  'http_status',
  'observed_sha256',
  'checked_at',
  'last_ok_at',
  'first_failed_at',
  'failures',
  'next_check_at',
  'validators',
  'samples',
  'read_at',
] as const

export const listChecks = (db: Db): Promise<StoredCheck[]> =>
  db.query<StoredCheck>(`SELECT ${COLUMNS.join(', ')} FROM citation_check ORDER BY url, sha256`)

export async function putCheck(db: Db, check: StoredCheck): Promise<void> {
  const values = COLUMNS.map((_, i) => `$${i + 1}`).join(', ')
  const renewed = COLUMNS.slice(2).map((column) => `${column} = excluded.${column}`)
  await db.query(
    `INSERT INTO citation_check (${COLUMNS.join(', ')}) VALUES (${values})
     ON CONFLICT (url, sha256) DO UPDATE SET ${renewed.join(', ')}`,
    COLUMNS.map((column) => check[column]),
  )
}
