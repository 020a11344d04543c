import type { Db } from '../db/db.ts'
import type { FigureState, FigureStates, Tallies } from './rule/disclosure.ts'
import type { DataClass, Figure, Noise } from './rule/figure.ts'
import type { MedianBand, Unit } from './rule/rule-2.ts'
import { METRICS, type Metric } from './rule/tally.ts'

/** The public part of a release. */
export interface PublicFigures {
  sdc_rule_version: string
  data_class: DataClass
  noise: Noise | null
  metrics: Record<Metric, Figure>
  /** Marks exact figures. Releases from before rule 2 existed do not have it. */
  exact?: true
  /** Under rule 2 only. */
  unit?: Unit
  median_band?: MedianBand | null
  counts_standard_error?: number | null
}

export interface FigureRelease {
  release_no: number
  release_id: string
  released_at: number
  last_batch_id: number
  /** Whether it is the first of its quarter, which refreshes the statistics of providers. */
  refreshes_providers: boolean
  /** The size of the figures log after this release. The release is public once the public checkpoint has that size. */
  log_size: number
  figures: PublicFigures
  /** Under rule 2, the last window that it sums up. */
  window_no: number | null
  /** Under rule 1, the input of the rule and the cases that each figure was last decided on. */
  basis: { tallies: Tallies; states: FigureStates } | null
}

type StoredBases = Record<Metric, Omit<FigureState, 'figure'>>

const RELEASE = `SELECT release_no, release_id, released_at, last_batch_id, refreshes_providers, log_size, tallies, bases, figures, window_no
       FROM figure_release`

type ReleaseRow = Omit<FigureRelease, 'figures' | 'basis' | 'refreshes_providers'> & {
  refreshes_providers: 0 | 1
  tallies: string
  bases: string
  figures: string
}

/** The last release, public or not: a new release follows it. */
export async function latestRelease(db: Db): Promise<FigureRelease | undefined> {
  const [row] = await db.query<ReleaseRow>(`${RELEASE} ORDER BY release_no DESC LIMIT 1`)
  return row && toRelease(row)
}

/** Every release that was made, oldest first. */
export async function releases(db: Db): Promise<FigureRelease[]> {
  return (await db.query<ReleaseRow>(`${RELEASE} ORDER BY release_no`)).map(toRelease)
}

function toRelease({ tallies, bases, figures: text, ...row }: ReleaseRow): FigureRelease {
  const figures = JSON.parse(text) as PublicFigures
  const of = row.window_no === null ? (JSON.parse(bases) as StoredBases) : undefined
  return {
    ...row,
    refreshes_providers: row.refreshes_providers === 1,
    figures,
    basis: of
      ? {
          tallies: JSON.parse(tallies) as Tallies,
          states: {
            rule_version: figures.sdc_rule_version,
            of: mapMetrics((metric) => ({ figure: figures.metrics[metric], ...of[metric] })),
          },
        }
      : null,
  }
}

export async function insertRelease(tx: Db, { basis, ...release }: FigureRelease): Promise<void> {
  const bases: Partial<StoredBases> = basis
    ? mapMetrics((metric) => {
        const { figure: _, ...rest } = basis.states.of[metric]
        return rest
      })
    : {}
  await tx.query(
    `INSERT INTO figure_release
       (release_no, release_id, released_at, last_batch_id, refreshes_providers, log_size, tallies, bases, figures, window_no)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      release.release_no,
      release.release_id,
      release.released_at,
      release.last_batch_id,
      release.refreshes_providers ? 1 : 0,
      release.log_size,
      JSON.stringify(basis?.tallies ?? {}),
      JSON.stringify(bases),
      JSON.stringify(release.figures),
      release.window_no,
    ],
  )
}

const mapMetrics = <T>(value: (metric: Metric) => T): Record<Metric, T> =>
  Object.fromEntries(METRICS.map((metric) => [metric, value(metric)])) as Record<Metric, T>

/** The figures of each exact release, oldest first, without tallies. An audit needs no more. */
export async function exactFigures(db: Db): Promise<{ as_of: string; metrics: Record<Metric, Figure> }[]> {
  const rows = await db.query<{ released_at: number; figures: string }>(
    'SELECT released_at, figures FROM figure_release WHERE window_no IS NULL ORDER BY release_no',
  )
  return rows.flatMap(({ released_at, figures }) => {
    const { noise, metrics } = JSON.parse(figures) as PublicFigures
    return noise === null ? [{ as_of: new Date(released_at).toISOString(), metrics }] : []
  })
}

interface StoredAudit {
  audited_at: number
  cells: number
  pinned: number
}

export const putAudit = (db: Db, { audited_at, cells, pinned }: StoredAudit): Promise<unknown> =>
  db.query(
    `INSERT INTO disclosure_audit (audited_at, cells, pinned) VALUES ($1, $2, $3)
     ON CONFLICT (audited_at) DO UPDATE SET cells = excluded.cells, pinned = excluded.pinned`,
    [audited_at, cells, pinned],
  )

export async function lastAudit(db: Db): Promise<StoredAudit | undefined> {
  const [row] = await db.query<StoredAudit>(
    'SELECT audited_at, cells, pinned FROM disclosure_audit ORDER BY audited_at DESC LIMIT 1',
  )
  return row
}

export interface StoredChange {
  /** Its index in the figures log. */
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
  /** Only entries below this index: those that the checkpoint covers. */
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
  return row?.total ?? 0
}

export function changes(
  db: Db,
  query: ChangeQuery,
  { order, limit, offset }: { order: 'ASC' | 'DESC'; limit: number; offset: number },
): Promise<{ seq: number; entry: string }[]> {
  return db.query(`SELECT seq, entry ${MATCHING} ORDER BY seq ${order} LIMIT $6 OFFSET $7`, [
    ...matching(query),
    limit,
    offset,
  ])
}

/** The states between two indexes of the log, both excluded. */
export function statesBetween(
  db: Db,
  [after, before]: readonly [number, number],
  { order, limit }: { order: 'ASC' | 'DESC'; limit: number },
): Promise<{ leaf_index: number; body: Uint8Array }[]> {
  return db.query(
    `SELECT l.leaf_index, l.body
       FROM log_leaf l LEFT JOIN figure_change c ON c.seq = l.leaf_index
      WHERE l.log = 'figures' AND l.leaf_index > $1 AND l.leaf_index < $2 AND c.seq IS NULL
      ORDER BY l.leaf_index ${order} LIMIT $3`,
    [after, before, limit],
  )
}

/** Every change with its log entry. States have no `entry`, and changes that are missing in the log have no `body`. */
export function changesAndLeaves(
  db: Db,
): Promise<{ seq: number; metric: string | null; entry: string | null; body: Uint8Array | null }[]> {
  return db.query(
    `SELECT l.leaf_index AS seq, c.metric, c.entry, l.body
       FROM log_leaf l LEFT JOIN figure_change c ON c.seq = l.leaf_index WHERE l.log = 'figures'
     UNION ALL
     SELECT c.seq, c.metric, c.entry, NULL FROM figure_change c
      WHERE NOT EXISTS (SELECT 1 FROM log_leaf l WHERE l.log = 'figures' AND l.leaf_index = c.seq)
      ORDER BY 1`,
  )
}
