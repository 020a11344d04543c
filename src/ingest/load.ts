import { dayOf, periodEnd } from '../calendar.ts'
import type { Db } from '../db/db.ts'
import { Problem } from '../problem.ts'
import { toHex, utf8 } from '../proof/bytes.ts'
import { canonical } from '../proof/canonical-json.ts'
import { isCitation } from '../proof/price/release.ts'
import { sha256 } from '../proof/sha256.ts'
import { isDay } from '../proof/shape.ts'
import { CHARTS, type Chart, type Charts, chartOf, providerChart } from '../registry/charts.ts'
import { chartsSharingNpis } from '../registry/release/contents.ts'
import { judged } from '../registry/release/row-rules.ts'
import type { Findings } from '../registry/release/rules.ts'
import { type Progress, type StagingResult, stage } from '../registry/release/staging.ts'
import type { NewRelease } from '../registry/release/store.ts'
import { PUBLISHERS } from '../tables/publishers.ts'
import { spend } from './budget.ts'
import type { LoadOptions, Reader, Reading } from './reader.ts'
import { type ChartParts, READERS, type Readers } from './readers.ts'
import { type Citable, citation } from './source.ts'

/** The progress of a load: a large file is read first, and then its rows are written. */
export type LoadProgress =
  | { phase: 'reading'; bytes: number; bytes_total: number; lines: number }
  | ({ phase: 'writing'; row_total: number | undefined } & Progress)

/** A staged release, and what the operator should know beside the findings of the rules. */
export interface LoadResult extends StagingResult {
  /** The schedules that its prices would have been compared with, and that are not in force. */
  judged_without: readonly string[]
  /** Other charts that state prices for one of its providers. */
  shares_npis_with: readonly string[]
}

const EDITION = /^[A-Za-z0-9._-]{1,40}$/

/** Reads source files into a staged release. Loading the same bytes with the same options again does nothing. */
export async function load(
  db: Db,
  kind: string,
  paths: readonly string[],
  options: LoadOptions,
  now: number,
  onProgress?: (progress: LoadProgress) => void,
  { charts = CHARTS, readers = READERS }: ChartParts = {},
): Promise<LoadResult> {
  const reader = readerOf(kind, readers)
  const rejects: Findings = Object.assign(new Map(), { onNote: options.onNote })
  const bytes_total = paths.reduce((sum, path) => sum + Bun.file(path).size, 0)
  const onRead = (bytes: number, lines: number): void => onProgress?.({ phase: 'reading', bytes, bytes_total, lines })
  const reading = await reader.read(paths, { ...options, onRead }, rejects)
  const urls = [options.url ?? ''].flat()
  const urlOf = ({ path = '' }: Citable): string => (urls[paths.indexOf(path)] ?? urls[0]) as string
  try {
    return await stageReading(db, charts, kind, reading, { ...options, urlOf }, rejects, now, onProgress)
  } finally {
    reading.close?.()
  }
}

function readerOf(kind: string, readers: Readers): Reader {
  const reader = Object.hasOwn(readers, kind) ? readers[kind] : undefined
  if (!reader) throw new Problem('invalid_parameter', `the kind must be one of ${Object.keys(readers).join(', ')}`)
  return reader
}

async function stageReading(
  db: Db,
  charts: Charts,
  kind: string,
  reading: Reading,
  options: LoadOptions & { urlOf: (source: Citable) => string },
  rejects: Findings,
  now: number,
  onProgress?: (progress: LoadProgress) => void,
): Promise<LoadResult> {
  const { provider, edition, effective_from, rows, row_total, line_total, share, cited: sources } = reading
  if (!EDITION.test(edition) || !isDay(effective_from))
    throw new Problem('invalid_parameter', '--edition must be a short word, and --effective-from a day as YYYY-MM-DD')

  const chart = provider === undefined ? kind : providerChart(kind, provider)
  const facts = chartOf(chart, charts)
  if (!facts) throw new Error(`there is a reader for ${kind} and no chart`)
  const period = periodOf(facts, reading, options)
  const title = facts.title
  const retrieved_at = options.retrieved_at ?? new Date(now).toISOString()
  const citations = sources.map((source) => citation(source, title, { url: options.urlOf(source), retrieved_at }))
  if (!citations.every(isCitation))
    throw new Problem(
      'invalid_parameter',
      '--url must have no spaces, and --retrieved-at must be a time such as 2026-07-01T00:00:00Z',
    )
  const data_class = options.data_class ?? 'published'
  // Rule W03: a file that was cut at the end of a line looks sound, and is short.
  const isShort = line_total !== undefined && line_total < facts.leastLines
  if (isShort && data_class === 'published') rejects.set('W03', { count: 1, lines: [] })
  const files = sources.map((source) => source.sha256)
  const today = dayOf(now)
  const source_digest = sourceDigest({ kind, files, effective_from, data_class }, options)
  // The owner of the file is the first provider that it names, and the only one where it names no others.
  const providers = reading.providers ?? (provider === undefined ? null : [provider])
  const release = { chart, edition, effective_from, ...period, data_class, source_digest, citations, providers }
  const { rows: checked, without } = await judged(db, chart, rows, rejects, today, charts)
  const staged = await stage(db, release, checked, rejects, now, {
    inspect: options.inspect,
    canaries: options.canaries ? PUBLISHERS.charts[facts.entry] : undefined,
    onProgress: (written) => {
      spend(options.budget, 'rows', written.rows)
      spend(options.budget, 'scratch_bytes', written.bytes + (reading.scratchBytes?.() ?? 0))
      onProgress?.({ phase: 'writing', ...written, row_total: share ? Math.round(written.rows / share()) : row_total })
    },
  })
  return { ...staged, judged_without: without, shares_npis_with: await chartsSharingNpis(db, staged.release) }
}

interface LoadedSource {
  kind: string
  /** The SHA-256 of each cited file, in the order of the citations. */
  files: readonly string[]
  effective_from: string
  data_class: 'published' | 'sample'
}

/** Identifies what was loaded, and with which options: the same again does nothing. */
export function sourceDigest(
  source: LoadedSource,
  { npis = [], effective_to, regions }: Pick<LoadOptions, 'npis' | 'effective_to' | 'regions'>,
): string {
  const identity = {
    ...source,
    npis: [...npis],
    ...(effective_to === undefined ? {} : { effective_to }),
    ...(regions ? { regions: [...regions].sort() } : {}),
  }
  return toHex(sha256(utf8(canonical(identity))))
}

/**
 * The last day of an edition: from the operator, else from the file, else from the calendar of its chart. Where the
 * operator put it off, the publisher's own is kept, because every answer says it. A sample has no publisher.
 */
function periodOf(
  { calendar }: Chart,
  { effective_from, effective_to: inFile }: Reading,
  { effective_to: said, data_class }: LoadOptions,
): Pick<NewRelease, 'effective_to' | 'period_by' | 'publisher_until'> {
  const own = inFile ?? periodEnd(calendar.next, effective_from)
  const effective_to = said ?? own
  if (!isDay(effective_to) || effective_to < effective_from)
    throw new Problem(
      'invalid_parameter',
      'the last day of an edition (--effective-to) must be a day as YYYY-MM-DD, and not before its first day',
    )
  const period_by = said !== undefined ? 'operator' : inFile !== undefined ? 'file' : 'calendar'
  const isProlonged = effective_to > own && data_class !== 'sample'
  return { effective_to, period_by, publisher_until: isProlonged ? own : null }
}
