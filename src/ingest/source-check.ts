import { Problem } from '../problem.ts'
import { kindOfRows } from '../proof/price/charts.ts'
import type { Citation, Manifest } from '../proof/price/release.ts'
import { type AnyRow, isOfPrices, type Row } from '../proof/price/row.ts'
import { CHARTS } from '../registry/charts.ts'
import { CODE, codeIn } from './findings.ts'
import { type ChartParts, READERS } from './readers.ts'
import { tableRecords } from './records.ts'
import { fail, OK, type Place, type SourceInput, type SourceVerdict, whole } from './reread.ts'

/** The chart is needed for a row that names no basis: several charts have rows of its kind. */
export type SourceCheck = (row: AnyRow, citations: readonly Citation[], chart?: string) => SourceVerdict

/**
 * Checks rows against the files they cite: the bytes are those that were cited, and the lines, read as they
 * were read on loading, say what the row says. A file is read once, however many rows cite it.
 */
export function sourceCheck(
  given: readonly SourceInput[],
  { charts = CHARTS, readers = READERS }: ChartParts = {},
): SourceCheck {
  const checks = new Map(
    charts.flatMap(({ chart, bases }) => {
      const check = readers[chart]?.reread()
      const names: readonly string[] = kindOfRows(chart) ? [chart] : bases
      return check ? names.map((name) => [name, check] as const) : []
    }),
  )
  return (row, citations, chart = '') => {
    const places: Place[] = []
    for (const { citation, line } of row.locator) {
      const found = findSource(given, citations[citation])
      if ('reason' in found) return found
      places.push({ source: found.source, file: citations[citation]?.file ?? '', line })
    }
    const check = checks.get(isOfPrices(row) ? row.basis : chart)
    if (!check) return fail('source_unreadable')
    const used = new Set(places.map(({ source }) => source))
    const beside = citations.flatMap((cited) => {
      const found = findSource(given, cited)
      return 'reason' in found || used.has(found.source) ? [] : [found.source]
    })
    try {
      return check(row as Row, places, beside)
    } catch (error) {
      if (error instanceof Problem) return fail('source_unreadable')
      throw error
    }
  }
}

/**
 * Whether a file of a chart has a line for a code. It is read as on loading, so that a release that has no row for the
 * code is right if and only if this finds none. A file too large to be read whole can be asked only for the codes that were gathered.
 */
export function findsCode(
  source: SourceInput,
  chart: string,
  cpt: string,
  { readers = READERS }: Pick<ChartParts, 'readers'> = {},
): boolean {
  const [entry = ''] = chart.split(':')
  const reader = Object.hasOwn(readers, entry) ? readers[entry] : undefined
  return (reader?.finds ?? inFirstColumn)(source, cpt)
}

/**
 * Searches the files that a release cites for a code of which it has no row: a line that has the code was left out.
 * All files that were given are searched; a missing one is named, because the line may be in it.
 */
export function absenceCheck(
  given: readonly SourceInput[],
  parts: Pick<ChartParts, 'readers'> = {},
): (cpt: string, release: Pick<Manifest, 'chart' | 'citations'>) => SourceVerdict {
  return (cpt, { chart, citations }) => {
    let missing: SourceVerdict | undefined
    for (const cited of citations) {
      const found = findSource(given, cited)
      if ('reason' in found) missing ??= found
      else {
        const verdict = searched(() => findsCode(found.source, chart, cpt, parts))
        if (!verdict.ok) return { ...verdict, file: named(cited) }
      }
    }
    return missing ?? OK
  }
}

function searched(finds: () => boolean): SourceVerdict {
  try {
    return finds() ? fail('code_in_source') : OK
  } catch (error) {
    if (error instanceof Problem) return fail('source_unreadable')
    throw error
  }
}

/** Most schedules have the code first. */
function inFirstColumn(source: SourceInput, cpt: string): boolean {
  if (!CODE.test(cpt)) return false
  for (const { cells } of tableRecords(whole(source))) if (codeIn(cells[0] ?? '') === cpt) return true
  return false
}

/** A file is known by its digest. One that has only the name is the wrong file, or was changed. */
function findSource(
  given: readonly SourceInput[],
  cited: Citation | undefined,
): { source: SourceInput } | (SourceVerdict & { ok: false }) {
  if (!cited) return { ok: false, reason: 'source_missing' }
  const source = given.find(({ sha256 }) => sha256 === cited.sha256)
  if (source) return { source }
  const isNamed = given.some((each) => each.file === cited.file)
  return { ok: false, reason: isNamed ? 'source_hash_mismatch' : 'source_missing', file: named(cited) }
}

const named = ({ file, sha256, url }: Citation): Pick<Citation, 'file' | 'sha256' | 'url'> => ({ file, sha256, url })
