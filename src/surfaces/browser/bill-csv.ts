// A bill with its reference prices for a spreadsheet: every line of the bill, also one that could not be read.

import { citedLines } from '../../proof/price/row-of-release.ts'
import { COLUMNS, type Column } from './bill-lines.ts'
import {
  type ComparedBill,
  editionOf,
  permalink,
  type Reference,
  reasonOf,
  referencesIn,
  TITLES,
  whyUncounted,
} from './bill-reference.ts'

const LINE = ['Line', 'Code', 'Units', 'Billed', 'Place', 'Day']
const PRICE = ['', ': edition', ': file and line', ': permalink', ': why there is no amount']

export function billCsv({ entries, faults, answers, origin }: ComparedBill): string {
  const columns = COLUMNS.filter((column) => answers[column])
  const references = referencesIn(entries, answers)
  const head = [
    ...LINE,
    ...columns.flatMap((column) => PRICE.map((part) => `${TITLES[column]}${part}`)),
    'Why the line could not be read',
  ]
  const read = entries.map((entry, i) => {
    const { at, code, modifier, units, billed, place, day } = entry
    const cellsOf = (column: Column): string[] => {
      const found = references.find((each) => each.entry === entry && each.column === column)
      return found ? priced(found, origin) : ['', '', '', '', reasonOf(answers[column]?.results[i]?.problem?.code)]
    }
    const line = [String(at), modifier ? `${code}-${modifier}` : code, String(units), billed ?? '', place, day]
    return { at, cells: [...line, ...columns.flatMap(cellsOf), ''] }
  })
  const unread = faults.map(({ at, what }) => ({
    at,
    cells: [String(at), ...Array<string>(head.length - 2).fill(''), what],
  }))
  return [head, ...[...read, ...unread].sort((a, b) => a.at - b.at).map(({ cells }) => cells)]
    .map((cells) => `${cells.map(csvCell).join(',')}\r\n`)
    .join('')
}

/** Amounts are plain numbers, so that a spreadsheet can add them up. */
function priced(reference: Reference, origin: string): string[] {
  const { row, release, extended } = reference
  const files = citedLines(row, release).map(({ file, line }) => `${file} line ${line}`)
  const amount = extended === null ? '' : 'amount' in extended ? extended.amount : `${extended.low} to ${extended.high}`
  const source = [editionOf(release), files.join(' and '), `${origin}${permalink(reference)}`]
  return [amount, ...source, extended === null ? whyUncounted(reference) : '']
}

/** A spreadsheet runs a cell that begins like a formula, so such a cell begins with an apostrophe instead. */
function csvCell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
