import { Problem } from '../../problem.ts'
import { toHex, utf8 } from '../../proof/bytes.ts'
import type { AnyRow, Row } from '../../proof/price/row.ts'
import { sha256 } from '../../proof/sha256.ts'
import type { Reread, SourceVerdict } from '../reread.ts'
import type { Source } from '../source.ts'

/** A file of lines, as a test writes it. */
export function source(lines: readonly (readonly string[])[], file: string): Source {
  const text = lines
    .map((cells) => `${cells.map((cell) => (cell.includes(',') ? `"${cell}"` : cell)).join()}\n`)
    .join('')
  const bytes = utf8(text)
  return { file, text, bytes, sha256: toHex(sha256(bytes)), kind: 'text' }
}

/** The amount of a row, or the reason for which it has none. */
export const saying = (row: Row): string =>
  row.kind === 'absence' ? row.reason : 'amount' in row.price ? row.price.amount : ''

/** Reads the lines that a row cites again. */
export const checked = <R extends AnyRow>(
  reread: (row: R, places: Parameters<Reread>[1], beside: Parameters<Reread>[2]) => SourceVerdict,
  row: R,
  cited: readonly Source[],
): SourceVerdict =>
  reread(
    row,
    row.locator.map(({ citation, line }) => {
      const given = cited[citation] as Source
      return { source: given, file: given.file, line }
    }),
    cited.filter((_, at) => row.locator.every(({ citation }) => citation !== at)),
  )

/** The refusal of a load. */
export function refusal(load: () => unknown): string {
  try {
    load()
  } catch (error) {
    if (error instanceof Problem) return error.detail
    throw error
  }
  return 'loaded'
}
