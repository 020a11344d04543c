import { Problem } from '../problem.ts'
import type { Citation, Row } from '../proof/price/row.ts'
import { CHARTS } from '../registry/charts.ts'
import { type ChartParts, READERS } from './readers.ts'
import { fail, type Given, type Place, type SourceVerdict } from './reread.ts'

export type SourceCheck = (row: Row, citations: readonly Citation[]) => SourceVerdict

/**
 * Checks rows against the files they cite: the bytes are those that were cited, and the lines, read as they
 * were read on loading, say what the row says. A file is read once, however many rows cite it.
 */
export function sourceCheck(
  given: readonly Given[],
  { charts = CHARTS, readers = READERS }: ChartParts = {},
): SourceCheck {
  const checks = new Map(
    charts.flatMap(({ chart, bases }) => {
      const check = readers[chart]?.reread()
      return check ? bases.map((basis) => [basis, check] as const) : []
    }),
  )
  return (row, citations) => {
    const places: Place[] = []
    for (const { citation, line } of row.locator) {
      const found = findSource(given, citations[citation])
      if ('reason' in found) return found
      places.push({ source: found.source, file: citations[citation]?.file ?? '', line })
    }
    const check = checks.get(row.basis)
    if (!check) return fail('source_unreadable')
    try {
      return check(row, places)
    } catch (error) {
      if (error instanceof Problem) return fail('source_unreadable')
      throw error
    }
  }
}

/** A file is known by its digest. One that has only the name is the wrong file, or was changed. */
function findSource(
  given: readonly Given[],
  cited: Citation | undefined,
): { source: Given } | (SourceVerdict & { ok: false }) {
  if (!cited) return { ok: false, reason: 'source_missing' }
  const source = given.find(({ sha256 }) => sha256 === cited.sha256)
  if (source) return { source }
  const { file, sha256, url } = cited
  const named = given.some((each) => each.file === file)
  return { ok: false, reason: named ? 'source_hash_mismatch' : 'source_missing', file: { file, sha256, url } }
}
