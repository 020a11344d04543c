import { unreadable } from '../../files/unreadable.ts'
import { isPaidApart, reasonForIndicator, roundedCents } from '../../proof/price/derivation.ts'
import { dollars } from '../../proof/price/physician-fee.ts'
import type { Row } from '../../proof/price/row.ts'
import type { Findings as Rejects } from '../../registry/release/rules.ts'
import { CODE, isFilled, scheduleCents } from '../findings.ts'
import type { Source } from '../source.ts'
import { type Edition, quarterlyEdition } from './quarter.ts'
import { chooseSource, type Line, type Made, readTable, rowsInOrder, type Table } from './table.ts'

const OUTPATIENT = 'an OPPS Addendum B'
const COLUMNS = {
  cpt: { titles: ['HCPCS Code', 'HCPCS', 'CPT/HCPCS', 'CPT/HCPCS Code'] },
  status: { titles: ['SI', 'Status Indicator'] },
  rate: { titles: ['Payment Rate'] },
} as const

/** Addendum B as CSV, as tab-delimited text or as a workbook; the columns are found by their names. */
export const outpatientTable = (source: Source): Table => readTable(source, COLUMNS, OUTPATIENT)

/** What an operator loads: the addendum among the files given, with its edition by the quarter that it names. */
export function outpatientSchedule(given: readonly Source[], options: Edition, rejects: Rejects) {
  const source = chooseSource(given, outpatientTable, OUTPATIENT)
  const table = outpatientTable(source)
  const { edition, effective_from } = quarterlyEdition('OPPS', table.titles, options, source.archive)
  const rows = rowsOf(table, effective_from, rejects)
  return {
    chart: 'cms-opps',
    edition,
    effective_from,
    rows,
    row_total: rows.length,
    line_total: rows.length,
    cited: [source],
  }
}

/** Every row of an Addendum B, in key order: the national unadjusted payment rate, or why there is none. */
export const outpatientRows = (source: Source, effective_from: string, rejects: Rejects): Row[] =>
  rowsOf(outpatientTable(source), effective_from, rejects)

function rowsOf({ lines }: Table, effective_from: string, rejects: Rejects): Row[] {
  const rows = rowsInOrder(madeOf(lines, effective_from), rejects)
  if (rows.length === 0) throw unreadable('the Addendum B has no line that can be read')
  return rows
}

function* madeOf(lines: Iterable<Line>, effective_from: string): Generator<{ line: number; row: Made }> {
  for (const line of lines) yield { line: line.line, row: outpatientRow(line, effective_from) }
}

/** A row, the rule that refuses it, or nothing for a blank line. */
export function outpatientRow({ line, cell, number }: Line, effective_from: string): Made {
  const cpt = cell('cpt')
  const status = cell('status')
  if (cpt === '' && status === '') return undefined
  if (!CODE.test(cpt) || !/^[A-Z][0-9]?$/.test(status)) return 'R03'
  const base = {
    cpt,
    modifier: null,
    region: 'national',
    npi: null,
    basis: 'medicare_opps',
    setting: 'outpatient',
    effective_from,
  } as const
  const locator = [{ citation: 0, line }]
  // CSV editions write $1,234.50, and a lone dot where there is nothing to state.
  const rate = number('rate').replaceAll(/[$,\s]/g, '')
  if (rate === '' || rate === '.' || !isPaidApart(status)) {
    const derivation = { method: 'opps-status/1', inputs: { status_indicator: status } }
    return { ...base, kind: 'absence', reason: reasonForIndicator(status), flags: [], locator, derivation }
  }
  const exact = scheduleCents(rate)
  const cents = exact ?? (isFilled(rate) ? undefined : roundedCents(rate))
  if (cents === undefined) return 'R02'
  const derivation = { method: exact === undefined ? 'rounded/1' : 'verbatim/1', inputs: { rate } }
  return { ...base, kind: 'price', price: { amount: dollars(cents), currency: 'USD' }, flags: [], locator, derivation }
}
