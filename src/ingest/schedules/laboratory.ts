import { CODE, type LineRule, noAmount, scheduleAmount, unreadableRow } from '../findings.ts'
import { withoutSeparators } from '../records.ts'
import { tableSchedule } from './one-table.ts'
import { quarterEnd } from './quarter.ts'
import type { Line, LineResult } from './table.ts'

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
export const laboratory = tableSchedule({
  what: 'a clinical laboratory fee schedule',
  columns: COLUMNS,
  assumed: ASSUMED,
  series: 'CLFS',
  empty: 'no line of the schedule can be read for this edition: check the file and --effective-from',
  row: laboratoryRow,
})

/** A row, R03 for a line without a code that can be read, or nothing for a blank one. */
function laboratoryRow({ line, code, cell, number }: Line, effective_from: string): LineResult {
  const cpt = code('cpt')
  const modifier = cell('modifier')
  const rate = withoutSeparators(number('rate'))
  if (cpt === '' && rate === '') return undefined
  const indicator = cell('indicator')
  if (!CODE.test(cpt)) return 'R03'
  const isModifier = /^([A-Z0-9]{2})?$/.test(modifier)
  const key = {
    cpt,
    modifier: isModifier && modifier !== '' ? modifier : null,
    npi: null,
    basis: 'medicare_clfs',
  } as const
  const refused = (rule: LineRule): LineResult => unreadableRow({ ...key, effective_from }, rule, line)
  // An indicator that is not known may well mean that the rate is none.
  if (!isModifier || !/^[NL]?$/.test(indicator)) return refused('R03')
  if (!belongs(cell('year'), cell('effective'), effective_from)) return refused('R14')
  const base = {
    ...key,
    region: 'national',
    setting: null,
    class: null,
    effective_from,
    flags: [],
    indicators: indicator === '' ? {} : { indicator },
  }
  const locator = [{ citation: 0, line }]
  if (indicator === 'L') {
    const derivation = { method: 'clfs-indicator/1', inputs: { indicator } }
    return { ...base, kind: 'absence', reason: 'carrier_priced', locator, derivation }
  }
  const nothing = noAmount(rate)
  if (nothing !== undefined) {
    const derivation = { method: 'no-amount/1', inputs: { rate: nothing } }
    return { ...base, kind: 'absence', reason: 'no_price_stated', locator, derivation }
  }
  const amount = scheduleAmount(rate)
  if (amount === undefined) return refused('R02')
  const derivation = { method: 'verbatim/1', inputs: { rate } }
  return { ...base, kind: 'price', price: { amount, currency: 'USD', per: null }, locator, derivation }
}

/**
 * A schedule lists each rate under the day from which it first applied, so earlier days are as they should be. Another
 * year, or a day after the quarter, is a line of another edition.
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
