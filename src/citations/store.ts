import type { Db } from '../db/db.ts'
import type { CitationRecord } from './judgement.ts'
import type { Fingerprint } from './look.ts'

export interface StoredCheck extends CitationRecord, Fingerprint {
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
  'entity_tag',
  'modified',
] as const

/** The key of a source. */
export const keyOf = ({ url, sha256 }: { url: string; sha256: string }): string => `${sha256} ${url}`

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

/** The last check of a copy of a cited file. */
export interface StoredCopy {
  sha256: string
  kept_at: number
  checked_at: number
  is_sound: 0 | 1
}

export const listCopies = (db: Db): Promise<StoredCopy[]> =>
  db.query<StoredCopy>('SELECT sha256, kept_at, checked_at, is_sound FROM source_copy ORDER BY sha256')

export async function putCopy(db: Db, sha256: string, at: number, isSound: boolean): Promise<void> {
  await db.query(
    `INSERT INTO source_copy (sha256, kept_at, checked_at, is_sound) VALUES ($1, $2, $2, $3)
     ON CONFLICT (sha256) DO UPDATE SET checked_at = excluded.checked_at, is_sound = excluded.is_sound`,
    [sha256, at, isSound ? 1 : 0],
  )
}

/** Sources that have changed or are gone, and of which no copy is kept. */
export const listLost = (
  db: Db,
  hasArchive: boolean,
): Promise<{ url: string; sha256: string; state: 'changed' | 'gone'; since: number }[]> =>
  db.query(
    `SELECT c.url, c.sha256, c.state, COALESCE(c.first_failed_at, c.checked_at) AS since FROM citation_check c
      WHERE c.state IN ('changed', 'gone')
        AND NOT EXISTS (SELECT 1 FROM source_copy s WHERE s.sha256 = c.sha256 AND s.is_sound = $1)
      ORDER BY c.url, c.sha256`,
    [hasArchive ? 1 : -1], // without an archive, stored copies do not count
  )

export type CitationEventKind = 'source_changed' | 'source_gone' | 'source_back'

/** The loss of a cited source, which nobody can see any more, or its return. */
export interface CitationEvent {
  at: number
  kind: CitationEventKind
  url: string
  sha256: string
  chart: string
  release_id: string
  http_status: number | null
  observed_sha256: string | null
}

const EVENT = 'at, kind, url, sha256, chart, release_id, http_status, observed_sha256'

/** The events, newest first. */
export const listEvents = (db: Db, most: number): Promise<CitationEvent[]> =>
  db.query<CitationEvent>(`SELECT ${EVENT} FROM citation_event ORDER BY event_no DESC LIMIT $1`, [most])

/** Appends an event. The caller has the lock of the check, so numbers do not collide. */
export async function appendEvent(db: Db, event: CitationEvent): Promise<void> {
  const { at, kind, url, sha256, chart, release_id, http_status, observed_sha256 } = event
  await db.query(
    `INSERT INTO citation_event (event_no, ${EVENT})
     SELECT COALESCE(MAX(event_no), 0) + 1, $1, $2, $3, $4, $5, $6, $7, $8 FROM citation_event`,
    [at, kind, url, sha256, chart, release_id, http_status, observed_sha256],
  )
}

/** The kind of the last event of each source. */
export async function lastEvents(db: Db): Promise<Map<string, CitationEventKind>> {
  const rows = await db.query<{ url: string; sha256: string; kind: CitationEventKind }>(
    'SELECT url, sha256, kind FROM citation_event ORDER BY event_no',
  )
  return new Map(rows.map(({ kind, ...source }) => [keyOf(source), kind]))
}
