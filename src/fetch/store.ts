import type { Db } from '../db/db.ts'
import type { Conditions } from '../outgoing/conditions.ts'
import type { Way } from './way.ts'

/** The state of a host: when it may be asked again, and its robots.txt. */
export interface HostState {
  host: string
  not_before: number
  failures: number
  robots: string | null
  robots_at: number
}

export async function findHost(db: Db, host: string): Promise<HostState | undefined> {
  const [row] = await db.query<HostState>(
    'SELECT host, not_before, failures, robots, robots_at FROM fetch_host WHERE host = $1',
    [host],
  )
  return row
}

export async function putHost(db: Db, { host, not_before, failures, robots, robots_at }: HostState): Promise<void> {
  await db.query(
    `INSERT INTO fetch_host (host, not_before, failures, robots, robots_at) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (host) DO UPDATE SET not_before = excluded.not_before, failures = excluded.failures,
       robots = excluded.robots, robots_at = excluded.robots_at`,
    [host, not_before, failures, robots, robots_at],
  )
}

/** A page as it was read last. `step` is the JSON of its step of a way. */
export interface StoredPage extends Conditions {
  url: string
  sha256: string
  step: string
}

export async function findPage(db: Db, url: string): Promise<(StoredPage & { body: Uint8Array }) | undefined> {
  const [row] = await db.query<StoredPage & { body: Uint8Array }>(
    `SELECT p.url, p.entity_tag, p.modified, p.sha256, p.step, b.body
       FROM fetch_page p JOIN fetch_bytes b ON b.sha256 = p.sha256 WHERE p.url = $1`,
    [url],
  )
  return row
}

/** Stores a page. The bytes of pages before it stay: releases name them by their digest. */
export function putPage(
  db: Db,
  { url, entity_tag, modified, sha256, step }: StoredPage,
  body: Uint8Array,
): Promise<void> {
  return db.transaction(async (tx) => {
    await tx.query('INSERT INTO fetch_bytes (sha256, body) VALUES ($1, $2) ON CONFLICT (sha256) DO NOTHING', [
      sha256,
      body,
    ])
    await tx.query(
      `INSERT INTO fetch_page (url, entity_tag, modified, sha256, step) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (url) DO UPDATE SET entity_tag = excluded.entity_tag, modified = excluded.modified,
         sha256 = excluded.sha256, step = excluded.step`,
      [url, entity_tag, modified, sha256, step],
    )
  })
}

/** The last look at the source of a chart. */
export interface StoredLook {
  chart: string
  looked_at: number
  whole_at: number
  settled_page: string | null
  /** The newest edition that the publisher has shown, such as `2026 Q4`, and its first day where the link says it. */
  newest: string | null
  newest_from: string | null
  trouble: string | null
  failures: number
  first_failed_at: number | null
  next_look_at: number
}
const LOOK = [
  'chart',
  'looked_at',
  'whole_at',
  'settled_page',
  'newest',
  'newest_from',
  'trouble',
  'failures',
  'first_failed_at',
  'next_look_at',
] as const

export const listLooks = (db: Db): Promise<StoredLook[]> =>
  db.query<StoredLook>(`SELECT ${LOOK.join(', ')} FROM fetch_look ORDER BY chart`)

export async function findLook(db: Db, chart: string): Promise<StoredLook | undefined> {
  const [row] = await db.query<StoredLook>(`SELECT ${LOOK.join(', ')} FROM fetch_look WHERE chart = $1`, [chart])
  return row
}

export async function putLook(db: Db, look: StoredLook): Promise<void> {
  const renewed = LOOK.slice(1).map((column) => `${column} = excluded.${column}`)
  await db.query(
    `INSERT INTO fetch_look (${LOOK.join(', ')}) VALUES (${LOOK.map((_, i) => `$${i + 1}`).join(', ')})
     ON CONFLICT (chart) DO UPDATE SET ${renewed.join(', ')}`,
    LOOK.map((column) => look[column]),
  )
}

/** A file that was loaded. */
export interface StoredFile extends Conditions {
  chart: string
  url: string
  sha256: string
  release_id: string
}

/** The files of a chart whose releases still exist: those of others must be loaded again. */
export const listFiles = (db: Db, chart: string): Promise<StoredFile[]> =>
  db.query<StoredFile>(
    `SELECT f.chart, f.url, f.entity_tag, f.modified, f.sha256, f.release_id
       FROM fetch_file f JOIN release r ON r.release_id = f.release_id AND r.state <> 'loading'
      WHERE f.chart = $1`,
    [chart],
  )

export async function putFile(db: Db, file: StoredFile): Promise<void> {
  await db.query(
    `INSERT INTO fetch_file (chart, url, entity_tag, modified, sha256, release_id) VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (chart, url) DO UPDATE SET entity_tag = excluded.entity_tag, modified = excluded.modified,
       sha256 = excluded.sha256, release_id = excluded.release_id`,
    [file.chart, file.url, file.entity_tag, file.modified, file.sha256, file.release_id],
  )
}

/** Who accepted an agreement, and the digest of the text that it had. */
export interface StoredAgreement {
  gate: string
  accepted_by: string
  accepted_at: number
  text_sha256: string
  /** 1 where the text is that of the publisher's page, 0 where a person saved it. */
  is_of_page: 0 | 1
}

export async function findAgreement(db: Db, gate: string): Promise<StoredAgreement | undefined> {
  const [row] = await db.query<StoredAgreement>(
    'SELECT gate, accepted_by, accepted_at, text_sha256, is_of_page FROM fetch_agreement WHERE gate = $1',
    [gate],
  )
  return row
}

export async function putAgreement(db: Db, agreement: StoredAgreement): Promise<void> {
  const { gate, accepted_by, accepted_at, text_sha256, is_of_page } = agreement
  await db.query(
    `INSERT INTO fetch_agreement (gate, accepted_by, accepted_at, text_sha256, is_of_page) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (gate) DO UPDATE SET accepted_by = excluded.accepted_by, accepted_at = excluded.accepted_at,
       text_sha256 = excluded.text_sha256, is_of_page = excluded.is_of_page`,
    [gate, accepted_by, accepted_at, text_sha256, is_of_page],
  )
}

/** The first way by which a release was found stays. */
export async function putOrigin(db: Db, release_id: string, way: Way): Promise<void> {
  await db.query('INSERT INTO fetch_origin (release_id, way) VALUES ($1, $2) ON CONFLICT (release_id) DO NOTHING', [
    release_id,
    JSON.stringify(way),
  ])
}

export async function findOrigin(db: Db, release_id: string): Promise<Way | undefined> {
  const [row] = await db.query<{ way: string }>('SELECT way FROM fetch_origin WHERE release_id = $1', [release_id])
  return row && (JSON.parse(row.way) as Way)
}

/** Staged releases of a chart that came by themselves, in the order of their first days. */
export const listFetched = (db: Db, chart: string): Promise<{ release_id: string }[]> =>
  db.query(
    `SELECT r.release_id FROM release r JOIN fetch_origin o ON o.release_id = r.release_id
      WHERE r.chart = $1 AND r.state = 'staged' ORDER BY r.effective_from, r.release_no`,
    [chart],
  )

/** The editions of a chart that are held, in the order of their first days. */
export const listHeld = (db: Db, chart: string): Promise<{ effective_from: string; effective_to: string }[]> =>
  db.query(
    `SELECT effective_from, effective_to FROM release
      WHERE chart = $1 AND state IN ('staged', 'published') AND data_class = 'published'
      ORDER BY effective_from, release_no`,
    [chart],
  )
