import { isPaidApart, reasonForIndicator } from '../../proof/price/derivation.ts'
import { CODE, type LineRule, noAmount, roundedScheduleAmount, scheduleAmount, unreadableRow } from '../findings.ts'
import { tableSchedule } from './one-table.ts'
import type { Line, LineResult } from './table.ts'

const COLUMNS = {
  cpt: { titles: ['HCPCS Code', 'HCPCS', 'CPT/HCPCS', 'CPT/HCPCS Code'] },
  status: { titles: ['SI', 'Status Indicator'] },
  rate: { titles: ['Payment Rate'] },
} as const

/** Addendum B as CSV, as tab-delimited text or as a workbook: the national unadjusted payment rate, or why there is none. */
export const outpatient = tableSchedule({
  what: 'an OPPS Addendum B',
  columns: COLUMNS,
  series: 'OPPS',
  empty: 'the Addendum B has no line that can be read',
  row: outpatientRow,
})

/** A row, R03 for a line without a code that can be read, or nothing for a blank one. */
function outpatientRow({ line, code, cell, number }: Line, effective_from: string): LineResult {
  const cpt = code('cpt')
  const status = cell('status')
  if (cpt === '' && status === '') return undefined
  if (!CODE.test(cpt)) return 'R03'
  const key = { cpt, modifier: null, npi: null, basis: 'medicare_opps' } as const
  const refused = (rule: LineRule): LineResult => unreadableRow({ ...key, effective_from }, rule, line)
  if (!/^[A-Z][0-9]?$/.test(status)) return refused('R03')
  const base = {
    ...key,
    region: 'national',
    setting: 'outpatient' as const,
    class: null,
    effective_from,
    flags: [],
    indicators: { status_indicator: status },
  }
  const locator = [{ citation: 0, line }]
  // CSV editions write $1,234.50.
  const rate = number('rate').replaceAll(/[$,\s]/g, '')
  if (noAmount(rate) !== undefined || !isPaidApart(status)) {
    const derivation = { method: 'opps-status/1', inputs: { status_indicator: status } }
    return { ...base, kind: 'absence', reason: reasonForIndicator(status), locator, derivation }
  }
  const exact = scheduleAmount(rate)
  const amount = exact ?? roundedScheduleAmount(rate)
  if (amount === undefined) return refused('R02')
  const derivation = { method: exact === undefined ? 'rounded/1' : 'verbatim/1', inputs: { rate } }
  return { ...base, kind: 'price', price: { amount, currency: 'USD', per: null }, locator, derivation }
}
