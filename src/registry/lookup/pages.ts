import { ourTurn } from '../../queue.ts'
import type { ReleaseFile, StoredRow } from '../rows/release-file-store.ts'

// Pages of the rows of a release. Rows are numbered in the order of their keys, so rows that are passed over are
// counted and not read.

export interface RowFilter {
  cpt?: string | undefined
  region?: string | undefined
  npi?: string | undefined
  /** What the keys of a code begin with. */
  prefix: (code: string) => string
}

/** Whether the key of a row is one that was asked for. */
export function fits(key: string, { cpt, region, npi }: Omit<RowFilter, 'prefix'>): boolean {
  const [code, place, provider] = key.split('|')
  return (cpt ?? code) === code && (region ?? place) === place && (npi ?? provider) === provider
}

/** The most codes that are looked at in one piece of work. */
const CODES_AT_ONCE = 10

/** How many rows fit. Of most questions the file holds the number; else the rows of one code, or of every code, are counted. */
export async function countRows(file: ReleaseFile, filter: RowFilter): Promise<number> {
  const { cpt, region, npi } = filter
  if (npi === undefined) {
    if (cpt === undefined) return region === undefined ? file.rowCount : file.totalOf('region', region)
    if (region === undefined) return file.totalOf('code', cpt)
  } else if (cpt === undefined) {
    const ofProvider = file.totalOf('provider', npi)
    const ofRegion = region === undefined ? file.rowCount : file.totalOf('region', region)
    if (ofProvider === 0 || ofRegion === 0) return 0
    if (ofRegion === file.rowCount) return ofProvider
  }
  let rows = 0
  for await (const [from, to] of stretches(file, filter, '')) rows += to - from
  return rows
}

/** One page of a release's rows in key order, after `after` if given. */
export async function pageOfRows(
  file: ReleaseFile,
  filter: RowFilter,
  { after, offset, limit }: { after: string; offset: number; limit: number },
): Promise<StoredRow[]> {
  const found: StoredRow[] = []
  let skip = offset
  for await (const [from, to] of stretches(file, filter, after)) {
    const start = Math.min(to, from + skip)
    skip -= start - from
    found.push(...file.rowsAt(start, Math.min(to, start + limit - found.length)))
    if (found.length === limit) break
  }
  return found
}

/**
 * Where the rows that fit lie, after a key. Keys start with code, region and provider, so a question about a region or
 * a provider alone walks the release's codes and seeks each one.
 */
async function* stretches(
  file: ReleaseFile,
  { cpt, region, npi, prefix: prefixOf }: RowFilter,
  after: string,
): AsyncGenerator<[from: number, to: number]> {
  const first = after === '' ? 0 : file.placeAfter(after)
  if (cpt === undefined && region === undefined && npi === undefined) {
    yield [first, file.rowCount]
    return
  }
  const codes = cpt === undefined ? [...file.totals('code').keys()] : [cpt]
  const regions = npi === undefined || region !== undefined ? [region ?? ''] : [...file.totals('region').keys()]
  // Codes before the cursor's are not looked at again.
  const [firstCode = ''] = after.split('|')
  for (const [at, code] of codes.entries()) {
    if (code < firstCode) continue
    if (at % CODES_AT_ONCE === 0) await ourTurn()
    for (const each of regions) {
      const prefix = each === '' ? prefixOf(code) : npi === undefined ? `${code}|${each}|` : `${code}|${each}|${npi}|`
      const [from, to] = file.placesUnder(prefix)
      if (to > first && to > from) yield [Math.max(from, first), to]
    }
  }
}
