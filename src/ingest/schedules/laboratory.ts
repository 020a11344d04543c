import { CODE, noAmount } from '../findings.ts'
import { withoutSeparators } from '../records.ts'
import { quarterEnd, quarterly } from './quarter.ts'
import { absent, type CitedLine, nationalRow, type RowBase, refused, scheduleReader, statedPrice } from './schedule.ts'
import type { LineResult } from './table.ts'

const COLUMNS = {
  year: { titles: ['YEAR'] },
  cpt: { titles: ['HCPCS', 'HCPCS Code'] },
  modifier: { titles: ['MOD', 'Modifier'] },
  effective: { titles: ['EFF_DATE', 'Effective Date'], optional: true },
  indicator: { titles: ['INDICATOR', 'IND'] },
  rate: { titles: ['RATE', 'Payment Rate'] },
} as const
/** The tilde-delimited list may have no header. */
const ASSUMED = ['year', 'cpt', 'modifier', 'effective', 'indicator', 'rate']

/** The schedule as CSV, as tilde-delimited text or as a workbook. An L line is priced locally: it states no national price. */
export const reader = scheduleReader({
  what: 'a clinical laboratory fee schedule',
  parts: [{ columns: COLUMNS, assumed: ASSUMED }],
  dated: quarterly('CLFS'),
  empty: 'no line of the schedule can be read for this edition: check the file and --effective-from',
  row: laboratoryRow,
})

/** A row, R03 for a line without a code that can be read, or nothing for a blank one. */
function laboratoryRow(given: CitedLine, effective_from: string): LineResult {
  const { code, cell, number } = given
  const cpt = code('cpt')
  const modifier = cell('modifier')
  const rate = withoutSeparators(number('rate'))
  if (cpt === '' && rate === '') return undefined
  const indicator = cell('indicator')
  if (!CODE.test(cpt)) return 'R03'
  const isModifier = /^([A-Z0-9]{2})?$/.test(modifier)
  const base: RowBase = {
    ...nationalRow(given, 'medicare_clfs', effective_from),
    modifier: isModifier && modifier !== '' ? modifier : null,
    indicators: indicator === '' ? {} : { indicator },
  }
  // An indicator that is not known may well mean that the rate is none.
  if (!isModifier || !/^[NL]?$/.test(indicator)) return refused(base, 'R03')
  if (!belongs(cell('year'), cell('effective'), effective_from)) return refused(base, 'R14')
  if (indicator === 'L') return absent(base, 'carrier_priced', 'clfs-indicator/1', { indicator })
  const nothing = noAmount(rate)
  if (nothing !== undefined) return absent(base, 'no_price_stated', 'no-amount/1', { rate: nothing })
  return statedPrice(base, rate) ?? refused(base, 'R02')
}

/**
 * Whether a line is of this edition. A schedule lists each rate under the day from which it first applied, so earlier
 * days are as they should be. Another year, or a day after the quarter, is a line of another edition.
 */
function belongs(year: string, effective: string, effective_from: string): boolean {
  if (year !== effective_from.slice(0, 4)) return false
  return effective === '' || dayOf(effective) <= quarterEnd(effective_from)
}

/** A day as 20260401 or, in a workbook, as the number of days since the end of 1899. */
function dayOf(text: string): string {
  if (/^[0-9]{8}$/.test(text)) return `${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6)}`
  if (/^[0-9]{5}$/.test(text)) return new Date(Date.UTC(1899, 11, 30 + Number(text))).toISOString().slice(0, 10)
  return '9999-12-31'
}
