import type { Db } from '../db/db.ts'
import { Problem } from '../problem.ts'
import { toHex, utf8 } from '../proof/bytes.ts'
import { canonical } from '../proof/canonical-json.ts'
import { isCitation } from '../proof/price/row.ts'
import { isDay } from '../proof/price/shape.ts'
import { sha256 } from '../proof/sha256.ts'
import { chartOf, hospitalChart } from '../registry/charts.ts'
import { chartsSharingNpis } from '../registry/release/content-store.ts'
import { judged } from '../registry/release/row-rules.ts'
import type { Findings as Rejects } from '../registry/release/rules.ts'
import { type Progress, type Stageable, type Staged, stage } from '../registry/release/staging.ts'
import type { Locality } from './cms/gpci.ts'
import { laboratorySchedule } from './cms/laboratory.ts'
import { outpatientSchedule } from './cms/outpatient.ts'
import { type PhysicianOptions, physicianSchedule } from './cms/physician.ts'
import * as store from './cms/store.ts'
import { checkCount } from './findings.ts'
import { openHospitalFile } from './hospital/file.ts'
import { publishedName } from './published-name.ts'
import { type Citable, citation, type Provenance, readSources, type Source } from './source.ts'

export interface LoadOptions extends Partial<Provenance> {
  edition?: string | undefined
  effective_from?: string | undefined
  npis?: readonly string[] | undefined
  /** For the physician schedule: which regions to make rows for, if not all. */
  regions?: readonly string[] | undefined
  conversion_factor_kind?: PhysicianOptions['conversion_factor_kind']
  accept?: PhysicianOptions['accept']
  data_class?: 'published' | 'sample' | undefined
}
/** Told how many bytes and lines have been read, by the readers of files that take long. */
type ReadOptions = LoadOptions & { onRead?: (bytes: number, lines: number) => void }

/** What a kind of source turns into: which chart and edition, from when, and the rows in key order. */
interface Reading {
  chart: string
  edition: string
  effective_from: string
  rows: Stageable
  /** How many rows there will be, where that is known beforehand. */
  row_total?: number
  /** Where it is not: how much of them has been taken, from 0 to 1. */
  share?: () => number
  /** How many lines of the source can be read, where that tells whether it is whole. */
  line_total?: number
  /** The sources the rows cite, in the order of their locators, where an archive holds others too. */
  cited?: readonly Citable[]
  localities?: readonly Locality[]
  close?(): void
}
type Reader = (sources: readonly Source[], options: LoadOptions, rejects: Rejects) => Reading

/** The kinds of price list that can be loaded. A new chart is one reader and one line here. */
const READERS: { [kind: string]: Reader } = {
  'cms-pfs': physicianSchedule,
  'cms-clfs': laboratorySchedule,
  'cms-opps': outpatientSchedule,
}
/** The kinds whose files are too large to be read into memory. */
const STREAMED: {
  [kind: string]: (paths: readonly string[], options: LoadOptions, rejects: Rejects) => Promise<CitedReading>
} = {
  'hospital-mrf': async ([path, ...more], options, rejects) => {
    if (!path || more.length > 0) throw new Problem('source_unreadable', 'give the hospital\u2019s file, one at a time')
    const { npis, last_updated_on, published, ...file } = await openHospitalFile(path, options, rejects)
    return {
      ...file,
      chart: hospitalChart(npis[0] ?? ''),
      edition: options.edition ?? last_updated_on,
      effective_from: last_updated_on,
      cited: [
        { ...published, file: publishedName(published.name, published.sha256), bytes: { length: published.bytes } },
      ],
    }
  },
}
export const LOAD_KINDS: readonly string[] = [...Object.keys(READERS), ...Object.keys(STREAMED)]

/** How far a load is: a large file is read first, and then its rows are written. */
export type LoadProgress =
  | { phase: 'reading'; bytes: number; bytes_total: number; lines: number }
  | ({ phase: 'writing'; row_total: number | undefined } & Progress)

/** A staged release, and what the operator should know of it beside what the rules found. */
export interface Loaded extends Staged {
  /** The schedules that its prices would have been compared with, and that are not in force. */
  judged_without: readonly string[]
  /** Other charts that state prices for one of its providers. */
  shares_npis_with: readonly string[]
}

const EDITION = /^[A-Za-z0-9._-]{1,40}$/

/** Reads source files into a staged release. The same bytes with the same options are loaded once. */
export async function load(
  db: Db,
  kind: string,
  paths: readonly string[],
  options: LoadOptions,
  now: number,
  onProgress?: (progress: LoadProgress) => void,
): Promise<Loaded> {
  const rejects: Rejects = new Map()
  const bytes_total = paths.reduce((sum, path) => sum + Bun.file(path).size, 0)
  const onRead = (bytes: number, lines: number): void => onProgress?.({ phase: 'reading', bytes, bytes_total, lines })
  const reading = await read(kind, paths, { ...options, onRead }, rejects)
  try {
    return await stageReading(db, kind, reading, options, rejects, now, onProgress)
  } finally {
    reading.close?.()
  }
}

type CitedReading = Reading & { cited: readonly Citable[] }

async function read(
  kind: string,
  paths: readonly string[],
  options: ReadOptions,
  rejects: Rejects,
): Promise<CitedReading> {
  const streamed = Object.hasOwn(STREAMED, kind) ? STREAMED[kind] : undefined
  if (streamed) return streamed(paths, options, rejects)
  const reader = Object.hasOwn(READERS, kind) ? READERS[kind] : undefined
  if (!reader) throw new Problem('invalid_parameter', `the kinds are ${LOAD_KINDS.join(', ')}`)
  const given = (await Promise.all(paths.map(readSources))).flat()
  const reading = reader(given, options, rejects)
  return { ...reading, cited: reading.cited ?? given }
}

async function stageReading(
  db: Db,
  kind: string,
  { chart, edition, effective_from, rows, row_total, line_total, share, cited: sources, localities = [] }: CitedReading,
  options: LoadOptions,
  rejects: Rejects,
  now: number,
  onProgress?: (progress: LoadProgress) => void,
): Promise<Loaded> {
  if (!EDITION.test(edition) || !isDay(effective_from))
    throw new Problem('invalid_parameter', 'the edition is a short word, and it takes effect on a day as YYYY-MM-DD')

  const title = chartOf(chart)?.title ?? chart
  const provenance = { url: options.url ?? '', retrieved_at: options.retrieved_at ?? new Date(now).toISOString() }
  const citations = sources.map((source) => citation(source, title, provenance))
  if (!citations.every(isCitation))
    throw new Problem(
      'invalid_parameter',
      'a --url has no spaces, and --retrieved-at is a time as 2026-07-01T00:00:00Z',
    )
  const data_class = options.data_class ?? 'published'
  if (line_total !== undefined && data_class === 'published') checkCount(chart, line_total, rejects)
  const identity = {
    kind,
    files: sources.map((source) => source.sha256),
    effective_from,
    data_class,
    npis: [...(options.npis ?? [])],
    ...(options.regions ? { regions: [...options.regions].sort() } : {}),
    ...(options.conversion_factor_kind ? { conversion_factor_kind: options.conversion_factor_kind } : {}),
  }
  const source_digest = toHex(sha256(utf8(canonical(identity))))
  const release = { chart, edition, effective_from, data_class, source_digest, citations }
  const { rows: checked, without } = await judged(db, chart, rows, rejects, new Date(now).toISOString().slice(0, 10))
  const staged = await stage(db, release, checked, rejects, now, {
    onProgress: (written) =>
      onProgress?.({ phase: 'writing', ...written, row_total: share ? Math.round(written.rows / share()) : row_total }),
    alongside: (tx, release_no) => store.insertLocalities(tx, release_no, localities),
  })
  return { ...staged, judged_without: without, shares_npis_with: await chartsSharingNpis(db, staged.release) }
}
