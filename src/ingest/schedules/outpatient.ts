import { isPaidApart, reasonForIndicator } from '../../proof/price/derivation.ts'
import { bareNumber, CODE, noAmount } from '../findings.ts'
import { quarterly } from './quarter.ts'
import { absent, type CitedLine, nationalRow, type RowBase, refused, roundedPrice, scheduleReader } from './schedule.ts'
import type { LineResult } from './table.ts'

const COLUMNS = {
  cpt: { titles: ['HCPCS Code', 'HCPCS', 'CPT/HCPCS', 'CPT/HCPCS Code'] },
  status: { titles: ['SI', 'Status Indicator'] },
  rate: { titles: ['Payment Rate'] },
} as const

/** Addendum B as CSV, as tab-delimited text or as a workbook: the national unadjusted payment rate, or why there is none. */
export const reader = scheduleReader({
  what: 'an OPPS Addendum B',
  parts: [{ columns: COLUMNS }],
  dated: quarterly('OPPS'),
  empty: 'the Addendum B has no line that can be read',
  row: outpatientRow,
})

/** A row, R03 for a line without a code that can be read, or nothing for a blank one. */
function outpatientRow(given: CitedLine, effective_from: string): LineResult {
  const { code, cell, number } = given
  const cpt = code('cpt')
  const status_indicator = cell('status')
  if (cpt === '' && status_indicator === '') return undefined
  if (!CODE.test(cpt)) return 'R03'
  const unread = nationalRow(given, 'medicare_opps', effective_from)
  if (!/^[A-Z][0-9]?$/.test(status_indicator)) return refused(unread, 'R03')
  const base: RowBase = { ...unread, setting: 'outpatient', indicators: { status_indicator } }
  const rate = bareNumber(number('rate'))
  if (noAmount(rate) !== undefined || !isPaidApart(status_indicator))
    return absent(base, reasonForIndicator(status_indicator), 'opps-status/1', { status_indicator })
  return roundedPrice(base, rate) ?? refused(unread, 'R02')
}
