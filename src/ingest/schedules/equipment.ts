import type { Row } from '../../proof/price/row.ts'
import { bareNumber, CODE, noAmount, scheduleAmount } from '../findings.ts'
import { biddingAreaFees } from './bidding-areas.ts'
import { quarterlyEdition } from './quarter.ts'
import { perOf } from './rent.ts'
import type { Columns, LineResult } from './table.ts'
import { type CitedLine, indicatorsOf, type RowBase, refused, tablesSchedule } from './tables.ts'

const STATES = (
  'AL AR AZ CA CO CT DC DE FL GA IA ID IL IN KS KY LA MA MD ME MI MN MO MS MT NC ND NE NH NJ NM NV NY OH OK OR PA RI SC ' +
  'SD TN TX UT VA VT WA WI WV WY AK HI PR VI'
).split(' ')
/** How the columns of a state are marked, and the setting that their amounts are for. */
const SETTINGS = [
  ['NR', 'non_rural'],
  ['R', 'rural'],
] as const

const NUTRITION = {
  cpt: { titles: ['HCPCS'] },
  mod: { titles: ['Mod'] },
  mod2: { titles: ['Mod2'] },
  ...Object.fromEntries(
    STATES.flatMap((state) => SETTINGS.map(([mark]) => [`${state} ${mark}`, { titles: [`${state} (${mark})`] }])),
  ),
} satisfies Columns
const EQUIPMENT = {
  ...NUTRITION,
  jurisdiction: { titles: ['JURIS'] },
  category: { titles: ['CATG'] },
  ceiling: { titles: ['Ceiling'] },
  floor: { titles: ['Floor'] },
} satisfies Columns

/**
 * What Medicare pays for equipment, prostheses, orthotics and supplies in each state; parenteral and enteral nutrition
 * is in a file of its own, and so are the former bidding areas.
 */
export const equipment = tablesSchedule({
  // The text that CMS ships beside it has a line for each state, and amounts that are not paid among those that are.
  what: 'a DMEPOS fee schedule with a column for each state, which CMS has as CSV and xlsx',
  parts: [
    { what: 'a DMEPOS fee schedule', columns: EQUIPMENT },
    { what: 'a fee schedule for parenteral and enteral nutrition', columns: NUTRITION },
    biddingAreaFees,
  ],
  dated: (titles, options, archive) => quarterlyEdition('DMEPOS', titles, options, archive),
  empty: 'the fee schedule has no line that can be read',
  row: equipmentRows,
})

/** The rows of a line: one or two for each state. */
function equipmentRows(given: CitedLine, effective_from: string): LineResult | readonly LineResult[] {
  const { citation, line, cell, code, number } = given
  const cpt = code('cpt')
  const modifiers = [cell('mod'), cell('mod2')].filter((each) => each !== '').sort()
  if (!CODE.test(cpt)) return cpt === '' && modifiers.length === 0 ? undefined : 'R03'
  const isRight = modifiers.every((each) => /^[A-Z0-9]{2}$/.test(each))
  const indicators = markedIn(given)
  return STATES.flatMap((state): Row[] => {
    const inSetting = (setting: (typeof SETTINGS)[number][1] | null): RowBase => ({
      cpt,
      modifier: isRight && modifiers.length > 0 ? modifiers.join('-') : null,
      region: `US-${state}`,
      npi: null,
      basis: 'medicare_dmepos',
      setting,
      class: null,
      effective_from,
      indicators,
      locator: [{ citation, line }],
    })
    // Under no setting, so that it does not stand in the way of the line without a modifier.
    if (!isRight) return [refused(inSetting(null), 'R03')]
    const rateOf = (mark: 'NR' | 'R'): string => bareNumber(number(`${state} ${mark}`))
    const [non_rural, rural] = [noAmount(rateOf('NR')), noAmount(rateOf('R'))]
    if (non_rural !== undefined && rural !== undefined) {
      const derivation = { method: 'dmepos-blank/1', inputs: { non_rural, rural } }
      return [{ ...inSetting('non_rural'), kind: 'absence', reason: 'no_price_stated', flags: [], derivation }]
    }
    return SETTINGS.flatMap(([mark, setting]): Row[] => {
      const rate = rateOf(mark)
      // A code without an amount of its own for rural areas has zero there: the other one holds (CMS, DMEREAD).
      if (noAmount(rate) !== undefined) return []
      const amount = scheduleAmount(rate)
      if (amount === undefined) return [refused(inSetting(setting), 'R02')]
      const price = { amount, currency: 'USD', per: perOf(cpt, modifiers) } as const
      const derivation = { method: 'verbatim/1', inputs: { rate } }
      return [{ ...inSetting(setting), kind: 'price', price, flags: [], derivation }]
    })
  })
}

/** Who is billed, the class of payment, and between what the amounts of the contiguous states are kept. */
const markedIn = ({ cell, number }: CitedLine): Row['indicators'] =>
  indicatorsOf({
    jurisdiction: [cell('jurisdiction'), /^[A-Z]$/],
    category: [cell('category'), /^[A-Z]{2}$/],
    ceiling: [bareNumber(number('ceiling')), LIMIT],
    floor: [bareNumber(number('floor')), LIMIT],
  })
const LIMIT = /^(?=.*[1-9])[0-9]{1,9}(\.[0-9]{1,4})?$/
