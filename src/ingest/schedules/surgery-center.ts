import { reasonForAscIndicator } from '../../proof/price/derivation.ts'
import { bareNumber, CODE, noAmount, scheduleAmount } from '../findings.ts'
import { quarterlyEdition } from './quarter.ts'
import type { LineResult } from './table.ts'
import { type CitedLine, indicatorsOf, type RowBase, refused, tablesSchedule } from './tables.ts'

const BB = {
  cpt: { titles: ['HCPCS Code'] },
  indicator: { titles: ['Payment Indicator'] },
  rate: { titles: ['Payment Rate'] },
} as const
const AA = { ...BB, multiple: { titles: ['Subject to Multiple Procedure Discounting'] } } as const

/**
 * What Medicare pays an ambulatory surgical center: Addendum AA has the surgical procedures, Addendum BB what is
 * furnished with them. The national unadjusted rate, or why there is none.
 */
export const surgeryCenter = tablesSchedule({
  what: 'an ASC Addendum AA or BB',
  parts: [
    { what: 'an ASC Addendum AA', columns: AA },
    { what: 'an ASC Addendum BB', columns: BB },
  ],
  dated: (titles, options, archive) => quarterlyEdition('ASC', titles, options, archive),
  empty: 'the addendum has no line that can be read',
  row: surgeryCenterRow,
})

const INDICATOR = /^[A-Z][0-9]$/

/** A row, the rule that refuses it, or nothing for a blank line or a footnote. */
function surgeryCenterRow({ citation, line, cell, code, number }: CitedLine, effective_from: string): LineResult {
  // A mark that refers to a footnote stands in a column of its own, or behind the code.
  const cpt = code('cpt').replace(/ ?\*{1,3}$/, '')
  const printed = cell('indicator')
  const rate = bareNumber(number('rate'))
  if (!CODE.test(cpt)) return printed === '' && rate === '' ? undefined : 'R03'
  // One line of April 2026 has k5.
  const payment_indicator = printed.toUpperCase()
  const base: RowBase = {
    cpt,
    modifier: null,
    region: 'national',
    npi: null,
    basis: 'medicare_asc',
    setting: 'asc',
    class: null,
    effective_from,
    indicators: indicatorsOf({
      payment_indicator: [payment_indicator, INDICATOR],
      multiple_procedure: [cell('multiple'), /^[YN]$/],
    }),
    locator: [{ citation, line }],
  }
  if (!INDICATOR.test(payment_indicator)) return refused(base, 'R03')
  const reason = reasonForAscIndicator(payment_indicator)
  if (noAmount(rate) !== undefined || reason !== 'no_price_stated') {
    const derivation = { method: 'asc-indicator/1', inputs: { payment_indicator } }
    return { ...base, kind: 'absence', reason, flags: [], derivation }
  }
  const amount = scheduleAmount(rate)
  if (amount === undefined) return refused(base, 'R02')
  const derivation = { method: 'verbatim/1', inputs: { rate } }
  return { ...base, kind: 'price', price: { amount, currency: 'USD', per: null }, flags: [], derivation }
}
