import { csvRecords, type TableLine } from '../files/csv.ts'
import { readSheet } from '../files/xlsx.ts'
import type { Source } from './source.ts'

/** Workbooks that have been read: one is asked several times what it is, and takes seconds to unpack. */
const sheets = new WeakMap<Uint8Array, readonly TableLine[]>()

/** The records of a text, or the rows of a workbook, with their cells as the file has them. */
export const tableRecords = (source: Source): Iterable<TableLine> =>
  source.kind === 'xlsx' ? sheetRows(source.bytes) : csvRecords(source.text, isTabbed(source) ? '\t' : ',')

/** Whether a text has tabs between its cells, as CMS's GPCI2026.txt has, and not commas. */
export function isTabbed({ text }: Source): boolean {
  const head = text.slice(0, HEAD_LENGTH)
  return head.split('\t').length > head.split(',').length
}

function sheetRows(bytes: Uint8Array): readonly TableLine[] {
  const rows = sheets.get(bytes) ?? [...readSheet(bytes).rows]
  sheets.set(bytes, rows)
  return rows
}

const HEAD_LINES = 40
const HEAD_LENGTH = 8_192

/** The beginning of a table, where its title and its header are, a line for each record. */
export function headOf(source: Source): string {
  if (source.kind !== 'xlsx') return source.text.slice(0, HEAD_LENGTH)
  const lines: string[] = []
  for (const { line, cells } of tableRecords(source)) {
    if (line > HEAD_LINES) break
    lines.push(cells.join(','))
  }
  return lines.join('\n').slice(0, HEAD_LENGTH)
}

/** A title as it is compared: in one line, each run of blanks as one. A header cell may be broken into lines. */
export const oneLine = (title: string): string => title.trim().replaceAll(/\s+/g, ' ')

/** 1,234.50 without its separators, where they can be nothing else; any other text as it is. */
export const withoutSeparators = (number: string): string =>
  /^[0-9]{1,3}(,[0-9]{3})+(\.[0-9]+)?$/.test(number) ? number.replaceAll(',', '') : number
