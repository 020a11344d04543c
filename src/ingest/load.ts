import type { Db } from '../db/db.ts'
import { Problem } from '../problem.ts'
import { toHex, utf8 } from '../proof/bytes.ts'
import { canonical } from '../proof/canonical-json.ts'
import { isCitation, isDay, type Row } from '../proof/row.ts'
import { sha256 } from '../proof/sha256.ts'
import { chartOf, hospitalChart } from '../registry/charts.ts'
import { type Rejects, type Staged, stage } from '../registry/staging.ts'
import { laboratoryRows } from './cms-clfs.ts'
import { physicianRows } from './cms-pfs.ts'
import { type Locality, readGpci } from './gpci.ts'
import { hospitalFile } from './hospital-mrf.ts'
import { citation, type Provenance, readSource, type Source } from './source.ts'
import * as store from './store.ts'

export interface LoadOptions extends Partial<Provenance> {
  edition?: string | undefined
  effective_from?: string | undefined
  npis?: readonly string[] | undefined
  data_class?: 'published' | 'sample' | undefined
}

/** What a kind of source turns into: which chart and edition, from when, and the rows in key order. */
interface Reading {
  chart: string
  edition: string
  effective_from: string
  rows: Iterable<Row>
  localities?: readonly Locality[]
}
type Reader = (sources: readonly Source[], options: LoadOptions, rejects: Rejects) => Reading

/** The kinds of price list that can be loaded. A new chart is one reader and one line here. */
const READERS: { [kind: string]: Reader } = {
  'cms-pfs': ([rvus, gpci, ...more], options, rejects) => {
    if (!rvus || !gpci || more.length > 0)
      throw new Problem('source_unreadable', 'give the PPRRVU file and the GPCI file, in this order')
    const { edition, effective_from } = named(options)
    const localities = readGpci(gpci)
    return {
      chart: 'cms-pfs',
      edition,
      effective_from,
      localities,
      rows: physicianRows(rvus, localities, effective_from, rejects),
    }
  },
  'cms-clfs': ([schedule, ...more], options, rejects) => {
    if (!schedule || more.length > 0)
      throw new Problem('source_unreadable', 'give the laboratory fee schedule, one file')
    const { edition, effective_from } = named(options)
    return { chart: 'cms-clfs', edition, effective_from, rows: laboratoryRows(schedule, effective_from, rejects) }
  },
  'hospital-mrf': ([file, ...more], options, rejects) => {
    if (!file || more.length > 0) throw new Problem('source_unreadable', 'give the hospital\u2019s file, one at a time')
    const { npis, last_updated_on, rows } = hospitalFile(file, options.npis ?? [], rejects)
    const effective_from = options.effective_from ?? last_updated_on
    return { chart: hospitalChart(npis[0] ?? ''), edition: options.edition ?? last_updated_on, effective_from, rows }
  },
}
export const LOAD_KINDS: readonly string[] = Object.keys(READERS)

function named({ edition, effective_from }: LoadOptions): { edition: string; effective_from: string } {
  if (!edition || !effective_from)
    throw new Problem('invalid_parameter', 'say --edition and --effective-from: the file does not')
  return { edition, effective_from }
}

const EDITION = /^[A-Za-z0-9._-]{1,40}$/

/** Reads source files into a staged release. The same bytes with the same options are loaded once. */
export async function load(
  db: Db,
  kind: string,
  paths: readonly string[],
  options: LoadOptions,
  now: number,
): Promise<Staged> {
  const reader = Object.hasOwn(READERS, kind) ? READERS[kind] : undefined
  if (!reader) throw new Problem('invalid_parameter', `the kinds are ${LOAD_KINDS.join(', ')}`)
  const sources = await Promise.all(paths.map(readSource))
  const rejects: Rejects = new Map()
  const { chart, edition, effective_from, rows, localities = [] } = reader(sources, options, rejects)
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
  await store.putContractorLocalities(db, localities)
  const data_class = options.data_class ?? 'published'
  const identity = {
    kind,
    files: sources.map((source) => source.sha256),
    effective_from,
    data_class,
    npis: [...(options.npis ?? [])],
  }
  const source_digest = toHex(sha256(utf8(canonical(identity))))
  return stage(db, { chart, edition, effective_from, data_class, source_digest, citations }, rows, rejects, now)
}
