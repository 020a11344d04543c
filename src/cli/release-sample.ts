import { randomInt } from 'node:crypto'
import type { Installation } from '../installation.ts'
import { Problem } from '../problem.ts'
import type { Citation } from '../proof/price/release.ts'
import { type AnyRow, isOfPrices, rowKey } from '../proof/price/row.ts'
import type { ReleaseState } from '../registry/release/store.ts'
import { openRelease, type ReleaseFile, type StoredRow } from '../registry/rows/release-file-store.ts'
import { rowOf } from '../registry/store.ts'
import { table } from './command.ts'
import { editText, priceText } from './release-text.ts'

// Rows with their places in the source files, so that a person can compare both.

interface SampledRow {
  row: AnyRow
  /** The files and lines that it cites. In a JSON file, the line is the number of an item in its list, from 1. */
  sources: { file: string; sha256: string; line: number }[]
}

const DEFAULT_ROWS = 20
const MOST_ROWS = 1_000

/** Chooses rows at random, or the first rows of one code. */
export function sampleRows(
  db: Installation['db'],
  release: ReleaseState,
  { rows = DEFAULT_ROWS, cpt }: { rows?: number | undefined; cpt?: string | undefined },
): SampledRow[] {
  if (release.state === 'loading')
    throw new Problem('release_conflict', 'the release is still being loaded, or its load was interrupted')
  const citations = JSON.parse(release.citations) as Citation[]
  const most = Math.min(rows, MOST_ROWS)
  const file = openRelease(db, release)
  const found = (cpt === undefined ? randomRows(file, most) : file.rowsUnder(`${cpt}|`).slice(0, most)).map(rowOf)
  return found.map((row) => ({
    row,
    sources: row.locator.map(({ citation, line }) => {
      const { file = '', sha256 = '' } = citations[citation] ?? {}
      return { file, sha256, line }
    }),
  }))
}

function randomRows(file: ReleaseFile, most: number): StoredRow[] {
  const chosen = new Set<number>()
  while (chosen.size < Math.min(most, file.rowCount)) chosen.add(randomInt(file.rowCount))
  return [...chosen].sort((a, b) => a - b).flatMap((index) => file.rowsAt(index, index + 1))
}

export function sampleText({ release_id, state }: ReleaseState, sampled: readonly SampledRow[]): string {
  const files = [...new Map(sampled.flatMap(({ sources }) => sources.map((each) => [each.file, each.sha256])))]
  const isJson = files.some(([file]) => /\.json/i.test(file))
  return [
    table([
      ['key', 'states', 'file', isJson ? 'item' : 'line'],
      ...sampled.map(({ row, sources }) => [
        rowKey(row),
        stated(row),
        [...new Set(sources.map(({ file }) => file))].join(', '),
        sources.map(({ line }) => line).join(', '),
      ]),
    ]),
    '',
    ...files.map(([file, sha256]) => `${file}: SHA-256 ${sha256}`),
    '',
    isJson
      ? 'Open the file and compare: an item is `.standard_charge_information[item - 1]`.'
      : 'Open the file at these lines and compare.',
    ...(state === 'staged'
      ? [
          `If they agree: \`atr release publish ${release_id}\`, with --override LIMIT --reason verified_by_operator for each limit that holds it.`,
        ]
      : []),
  ].join('\n')
}

/** The price, absence or region of a row. The ends of a range are on the two lines that it cites. */
function stated(row: AnyRow): string {
  if (row.kind === 'place') return row.region ?? 'no region'
  if (row.kind === 'hospital') return `${row.region} ${row.zip}, ${row.name ?? 'no name'}`
  if (!isOfPrices(row)) return editText(row)
  const flags = row.flags.length === 0 ? '' : ` (${row.flags.join(', ')})`
  return `${row.kind === 'absence' ? `no price: ${row.reason}` : priceText(row.price)}${flags}`
}
