import { reasonForAscIndicator } from '../../proof/price/derivation.ts'
import { bareNumber, CODE, noAmount } from '../findings.ts'
import { quarterly } from './quarter.ts'
import {
  absent,
  type CitedLine,
  indicatorsOf,
  nationalRow,
  type RowBase,
  refused,
  scheduleReader,
  statedPrice,
} from './schedule.ts'
import type { LineResult } from './table.ts'

const BB = {
  cpt: { titles: ['HCPCS Code'] },
  indicator: { titles: ['Payment Indicator'] },
  rate: { titles: ['Payment Rate'] },
} as const
const AA = { ...BB, multiple: { titles: ['Subject to Multiple Procedure Discounting'] } } as const

/**
 * Medicare's national unadjusted rates for ambulatory surgical centers, or why there is none: Addendum AA has the
 * surgical procedures, Addendum BB the services furnished with them.
 */
export const reader = scheduleReader({
  what: 'an ASC Addendum AA or BB',
  parts: [
    { what: 'an ASC Addendum AA', columns: AA },
    { what: 'an ASC Addendum BB', columns: BB },
  ],
  dated: quarterly('ASC'),
  empty: 'the addendum has no line that can be read',
  row: surgeryCenterRow,
})

const INDICATOR = /^[A-Z][0-9]$/

/** A row, the rule that refuses it, or nothing for a blank line or a footnote. */
function surgeryCenterRow(given: CitedLine, effective_from: string): LineResult {
  const { cell, code, number } = given
  // A mark that refers to a footnote stands in a column of its own, or behind the code.
  const cpt = code('cpt').replace(/ ?\*{1,3}$/, '')
  const printed = cell('indicator')
  const rate = bareNumber(number('rate'))
  if (!CODE.test(cpt)) return printed === '' && rate === '' ? undefined : 'R03'
  // One line of April 2026 has k5.
  const payment_indicator = printed.toUpperCase()
  const base: RowBase = {
    ...nationalRow(given, 'medicare_asc', effective_from),
    code: cpt,
    setting: 'asc',
    indicators: indicatorsOf({
      payment_indicator: [payment_indicator, INDICATOR],
      multiple_procedure: [cell('multiple'), /^[YN]$/],
    }),
  }
  if (!INDICATOR.test(payment_indicator)) return refused(base, 'R03')
  const reason = reasonForAscIndicator(payment_indicator)
  if (noAmount(rate) !== undefined || reason !== 'no_price_stated')
    return absent(base, reason, 'asc-indicator/1', { payment_indicator })
  return statedPrice(base, rate) ?? refused(base, 'R02')
}
