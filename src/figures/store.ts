import type { Db } from '../db/db.ts'
import type { Figure, Standings } from './disclosure.ts'
import type { DataClass, Outcome } from './ledger.ts'
import type { ProviderCell } from './provider.ts'
import { type Histogram, METRICS, type Metric, type OutcomeCell } from './tally.ts'

const KEYS_PER_STATEMENT = 500

function* chunksOf<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let start = 0; start < items.length; start += KEYS_PER_STATEMENT)
    yield items.slice(start, start + KEYS_PER_STATEMENT)
}

const placeholders = (items: readonly unknown[]): string => items.map((_, i) => `$${i + 1}`).join(', ')

export async function insertProviders(tx: Db, npis: readonly string[]): Promise<number> {
  let added = 0
  for (const chunk of chunksOf(npis)) {
    const tuples = chunk.map((_, i) => `($${i + 1}, 2)`).join(', ')
    const rows = await tx.query(
      `INSERT INTO provider (npi, entity_type) VALUES ${tuples} ON CONFLICT (npi) DO NOTHING RETURNING npi`,
      chunk,
    )
    added += rows.length
  }
  return added
}

export async function providersAmong(db: Db, npis: readonly string[]): Promise<Set<string>> {
  const known = new Set<string>()
  for (const chunk of chunksOf(npis)) {
    const sql = `SELECT npi FROM provider WHERE npi IN (${placeholders(chunk)})`
    for (const { npi } of await db.query<{ npi: string }>(sql, chunk)) known.add(npi)
  }
  return known
}

export async function casesAmong(db: Db, refs: readonly string[]): Promise<Set<string>> {
  const known = new Set<string>()
  for (const chunk of chunksOf(refs)) {
    const sql = `SELECT case_ref FROM outcome WHERE case_ref IN (${placeholders(chunk)})`
    for (const { case_ref } of await db.query<{ case_ref: string }>(sql, chunk)) known.add(case_ref)
  }
  return known
}

export async function findBatch(
  db: Db,
  source_digest: string,
): Promise<{ batch_id: number; cases: number } | undefined> {
  const [row] = await db.query<{ batch_id: number; case_count: number }>(
    'SELECT batch_id, case_count FROM outcome_batch WHERE source_digest = $1',
    [source_digest],
  )
  return row && { batch_id: Number(row.batch_id), cases: Number(row.case_count) }
}

export async function insertBatch(
  tx: Db,
  batch: { source_digest: string; data_class: DataClass; imported_at: number; cases: number },
): Promise<number> {
  const batch_id = (await ledgerState(tx)).last_batch_id + 1
  await tx.query(
    `INSERT INTO outcome_batch (batch_id, source_digest, data_class, imported_at, case_count)
     VALUES ($1, $2, $3, $4, $5)`,
    [batch_id, batch.source_digest, batch.data_class, batch.imported_at, batch.cases],
  )
  return batch_id
}

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
] as const satisfies (keyof Outcome)[]

export async function insertOutcomes(tx: Db, batch_id: number, outcomes: readonly Outcome[]): Promise<void> {
  for (const chunk of chunksOf(outcomes))
    await tx.insertMany(
      'outcome',
      [...OUTCOME_COLUMNS, 'batch_id'],
      chunk.map((outcome) => [...OUTCOME_COLUMNS.map((column) => outcome[column]), batch_id]),
    )
}

/** The last batch of the ledger, 0 when it is empty, and whether any of it is sample data. */
export async function ledgerState(db: Db): Promise<{ last_batch_id: number; data_class: DataClass }> {
  const [row] = await db.query<{ last: number; samples: number }>(
    `SELECT COALESCE(MAX(batch_id), 0) AS last,
            COALESCE(SUM(CASE WHEN data_class = 'sample' THEN 1 ELSE 0 END), 0) AS samples
       FROM outcome_batch`,
  )
  return { last_batch_id: Number(row?.last ?? 0), data_class: Number(row?.samples ?? 0) > 0 ? 'sample' : 'published' }
}

/** The ledger as the figures see it, up to a batch. */
export async function outcomeCells(db: Db, last_batch_id: number): Promise<OutcomeCell[]> {
  const rows = await db.query<OutcomeCell>(
    `SELECT closed, settled, recurring, certified_mail, recovered_50, COUNT(*) AS cases
       FROM outcome
      WHERE batch_id <= $1
      GROUP BY closed, settled, recurring, certified_mail, recovered_50`,
    [last_batch_id],
  )
  return rows.map((row) => ({ ...row, cases: Number(row.cases) }))
}

/** Undefined when the provider is not in the directory. */
export async function findProviderCells(db: Db, npi: string): Promise<ProviderCell[] | undefined> {
  const [listed] = await db.query('SELECT npi FROM provider WHERE npi = $1', [npi])
  if (!listed) return undefined
  const rows = await db.query<ProviderCell>(
    `SELECT batch_id, outcome_year, closed, settled, recurring, certified_mail, recovered_50, COUNT(*) AS cases
       FROM outcome
      WHERE npi = $1
      GROUP BY batch_id, outcome_year, closed, settled, recurring, certified_mail, recovered_50`,
    [npi],
  )
  return rows.map((row) => ({ ...row, cases: Number(row.cases) }))
}

export interface FigureRelease {
  release_no: number
  release_id: string
  released_at: number
  last_batch_id: number
  /** The size of the figures log with this release's entries: it can be read once the public checkpoint is that large. */
  log_size: number
  data_class: DataClass
  standings: Standings
}

/** What stands in the two text columns: `figures` is what the public sees, `tallies` what it never does. */
interface StoredFigures {
  sdc_rule_version: string
  data_class: DataClass
  metrics: Record<Metric, Figure>
}
type StoredTallies = Record<Metric, Histogram>

const COVERED = `log_size <= (SELECT size FROM log_head WHERE log = 'figures')`

/** The release in force: the last that the public checkpoint covers. */
export const currentRelease = (db: Db): Promise<FigureRelease | undefined> => findRelease(db, `WHERE ${COVERED}`)

/** The last release that was made, public or not: the one that a new release follows. */
export const latestRelease = (db: Db): Promise<FigureRelease | undefined> => findRelease(db, '')

async function findRelease(db: Db, where: string): Promise<FigureRelease | undefined> {
  const [row] = await db.query<Omit<FigureRelease, 'standings' | 'data_class'> & { tallies: string; figures: string }>(
    `SELECT release_no, release_id, released_at, last_batch_id, log_size, tallies, figures
       FROM figure_release ${where} ORDER BY release_no DESC LIMIT 1`,
  )
  if (!row) return undefined
  const { sdc_rule_version, data_class, metrics } = JSON.parse(row.figures) as StoredFigures
  const bases = JSON.parse(row.tallies) as StoredTallies
  const of = METRICS.map((metric) => [metric, { figure: metrics[metric], basis: bases[metric] }])
  return {
    release_no: Number(row.release_no),
    release_id: row.release_id,
    released_at: Number(row.released_at),
    last_batch_id: Number(row.last_batch_id),
    log_size: Number(row.log_size),
    data_class,
    standings: { rule_version: sdc_rule_version, of: Object.fromEntries(of) },
  }
}

export async function insertRelease(tx: Db, release: FigureRelease): Promise<void> {
  const { rule_version, of } = release.standings
  const figures: StoredFigures = {
    sdc_rule_version: rule_version,
    data_class: release.data_class,
    metrics: mapMetrics((metric) => of[metric].figure),
  }
  const tallies: StoredTallies = mapMetrics((metric) => of[metric].basis)
  await tx.query(
    `INSERT INTO figure_release (release_no, release_id, released_at, last_batch_id, log_size, tallies, figures)
     VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [
      release.release_no,
      release.release_id,
      release.released_at,
      release.last_batch_id,
      release.log_size,
      JSON.stringify(tallies),
      JSON.stringify(figures),
    ],
  )
}

const mapMetrics = <T>(value: (metric: Metric) => T): Record<Metric, T> =>
  Object.fromEntries(METRICS.map((metric) => [metric, value(metric)])) as Record<Metric, T>

/** When each public release was made and how much of the ledger it had seen, oldest first. */
export async function releaseMoments(db: Db): Promise<{ released_at: number; last_batch_id: number }[]> {
  const rows = await db.query<{ released_at: number; last_batch_id: number }>(
    `SELECT released_at, last_batch_id FROM figure_release WHERE ${COVERED} ORDER BY release_no`,
  )
  return rows.map((row) => ({ released_at: Number(row.released_at), last_batch_id: Number(row.last_batch_id) }))
}

export interface StoredChange {
  /** Its place in the figures log. */
  seq: number
  metric: Metric
  /** The exact text of its leaf. */
  entry: string
}

export async function insertChanges(
  tx: Db,
  release: Pick<FigureRelease, 'release_no' | 'released_at'>,
  changes: readonly StoredChange[],
): Promise<void> {
  await tx.insertMany(
    'figure_change',
    ['seq', 'release_no', 'released_at', 'metric', 'entry'],
    changes.map(({ seq, metric, entry }) => [seq, release.release_no, release.released_at, metric, entry]),
  )
}

export interface ChangeQuery {
  /** Only entries below this place: those the checkpoint at hand covers. */
  before_seq: number
  after_seq: number
  since: number
  until: number
  metric: Metric | undefined
}

const MATCHING = `FROM figure_change
      WHERE seq > $1 AND seq < $2 AND released_at >= $3 AND released_at < $4 AND (metric = $5 OR $5 = '')`

const matching = ({ after_seq, before_seq, since, until, metric }: ChangeQuery): unknown[] => [
  after_seq,
  before_seq,
  since,
  until,
  metric ?? '',
]

export async function countChanges(db: Db, query: ChangeQuery): Promise<number> {
  const [row] = await db.query<{ total: number }>(`SELECT COUNT(*) AS total ${MATCHING}`, matching(query))
  return Number(row?.total ?? 0)
}

export async function changes(
  db: Db,
  query: ChangeQuery,
  { order, limit, offset }: { order: 'ASC' | 'DESC'; limit: number; offset: number },
): Promise<{ seq: number; entry: string }[]> {
  const rows = await db.query<{ seq: number; entry: string }>(
    `SELECT seq, entry ${MATCHING} ORDER BY seq ${order} LIMIT $6 OFFSET $7`,
    [...matching(query), limit, offset],
  )
  return rows.map(({ seq, entry }) => ({ seq: Number(seq), entry }))
}

/** Every change beside its log entry; one side is null where the other stands alone. */
export function changesAndLeaves(db: Db): Promise<{ seq: number; entry: string | null; body: Uint8Array | null }[]> {
  return db.query(
    `SELECT l.leaf_index AS seq, c.entry, l.body
       FROM log_leaf l LEFT JOIN figure_change c ON c.seq = l.leaf_index WHERE l.log = 'figures'
     UNION ALL
     SELECT c.seq, c.entry, NULL FROM figure_change c
      WHERE NOT EXISTS (SELECT 1 FROM log_leaf l WHERE l.log = 'figures' AND l.leaf_index = c.seq)
      ORDER BY 1`,
  )
}
