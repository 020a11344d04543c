import { isPaidApart, reasonForIndicator, roundedCents } from '../../proof/price/derivation.ts'
import { dollars } from '../../proof/price/physician-fee.ts'
import { CODE, isFilled, scheduleCents } from '../findings.ts'
import { tableSchedule } from './schedule.ts'
import type { Line, Made } from './table.ts'

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

/** A row, the rule that refuses it, or nothing for a blank line. */
function outpatientRow({ line, cell, number }: Line, effective_from: string): Made {
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
