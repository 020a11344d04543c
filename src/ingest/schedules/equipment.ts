import type { Row } from '../../proof/price/row.ts'
import { ROW_MODIFIERS } from '../../tables/row-modifiers.ts'
import { bareNumber, CODE, noAmount } from '../findings.ts'
import { areaOf, MOST_AREAS } from './bidding-areas.ts'
import { quarterly } from './quarter.ts'
import {
  absent,
  type CitedLine,
  indicatorsOf,
  nationalRow,
  type Part,
  type RowBase,
  refused,
  scheduleReader,
  statedPrice,
} from './schedule.ts'
import { type Columns, type LineResult, squashed, type Table } from './table.ts'

const STATES = (
  'AL AR AZ CA CO CT DC DE FL GA IA ID IL IN KS KY LA MA MD ME MI MN MO MS MT NC ND NE NH NJ NM NV NY OH OK OR PA RI SC ' +
  'SD TN TX UT VA VT WA WI WV WY AK HI PR VI'
).split(' ')
/** The marks of a state's columns, and the setting that their amounts are for. */
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

const AREA_FEES = {
  cpt: { titles: ['HCPCS', 'HCPCS CODE'] },
  mod: { titles: ['Mod', 'Modifier'] },
  mod2: { titles: ['Mod2', 'Modifier 2'], optional: true },
  // The schedule itself has none.
  mod3: { titles: ['Mod3', 'Modifier 3'] },
  category: { titles: ['CATG', 'Category'] },
  description: { titles: ['Description', 'Desc', 'Short Description', 'Long Description'], optional: true },
} satisfies Columns

/** Columns of the schedule itself: a damaged schedule must not be taken for this file. And supplies by mail are paid everywhere alike. */
const OTHER_TABLE = /^([A-Z]{2}(N?R)?|JURIS.*|CEILING.*|FLOOR.*|.*MAILORDER.*)$/
/**
 * Where suppliers once bid for contracts, Medicare pays amounts of its own for some of the equipment. CMS has a file of
 * them beside the schedule, with a column for each area.
 */
const biddingAreaFees: Part = {
  what: 'a fee schedule of former bidding areas',
  columns: AREA_FEES,
  beside: {
    isOne: ({ others }: Table) =>
      others.length > 1 && others.length <= MOST_AREAS && !others.some((title) => OTHER_TABLE.test(squashed(title))),
    named: /cba[ _-]?fee/i,
    rule: 'W10',
    row: areaRows,
  },
}

/**
 * Medicare's fees for equipment, prostheses, orthotics and supplies in each state. Parenteral and enteral nutrition is in a
 * file of its own, and so are the former bidding areas.
 */
export const reader = scheduleReader({
  // The text that CMS ships beside it has a line for each state, and amounts that are not paid among those that are.
  what: 'a DMEPOS fee schedule with a column for each state, which CMS has as CSV and xlsx',
  parts: [
    { what: 'a DMEPOS fee schedule', columns: EQUIPMENT },
    { what: 'a fee schedule for parenteral and enteral nutrition', columns: NUTRITION },
    biddingAreaFees,
  ],
  dated: quarterly('DMEPOS'),
  empty: 'the fee schedule has no line that can be read',
  row: equipmentRows,
})

/** The rows of a line: one or two for each state. */
function equipmentRows(given: CitedLine, effective_from: string): LineResult | readonly LineResult[] {
  const { cell, code, number } = given
  const cpt = code('cpt')
  const modifiers = modifiersIn(given, ['mod', 'mod2'])
  if (!CODE.test(cpt)) return cpt === '' && modifiers.all.length === 0 ? undefined : 'R03'
  const row = { ...nationalRow(given, 'medicare_dmepos', effective_from), modifier: modifiers.text }
  const indicators = indicatorsOf({
    // The contractor that is billed, the class of payment, and the limits of the amounts of the contiguous states.
    jurisdiction: [cell('jurisdiction'), /^[A-Z]$/],
    category: [cell('category'), /^[A-Z]{2}$/],
    ceiling: [bareNumber(number('ceiling')), LIMIT],
    floor: [bareNumber(number('floor')), LIMIT],
  })
  const per = perOf(cpt, modifiers.all)
  return STATES.flatMap((state): Row[] => {
    const base: RowBase = { ...row, region: `US-${state}`, indicators }
    // Under no setting, so that it does not stand in the way of the line without a modifier.
    if (!modifiers.areSound) return [refused(base, 'R03')]
    const rates = SETTINGS.map(([mark, setting]) => ({ setting, rate: bareNumber(number(`${state} ${mark}`)) }))
    const [non_rural, rural] = rates.map(({ rate }) => noAmount(rate))
    if (non_rural !== undefined && rural !== undefined)
      return [absent({ ...base, setting: 'non_rural' }, 'no_price_stated', 'dmepos-blank/1', { non_rural, rural })]
    // A code without an amount of its own for rural areas has zero there: the other one holds (CMS, DMEREAD).
    const stated = rates.filter(({ rate }) => noAmount(rate) === undefined)
    return stated.map(({ setting, rate }) => {
      const inSetting: RowBase = { ...base, setting }
      return statedPrice(inSetting, rate, { per }) ?? refused(inSetting, 'R02')
    })
  })
}
const LIMIT = /^(?=.*[1-9])[0-9]{1,9}(\.[0-9]{1,4})?$/

/** The rows of a line of area fees: one for each area that has an amount. In the others the amount of the state holds. */
function areaRows(given: CitedLine, effective_from: string): readonly LineResult[] {
  const { cell, code, others } = given
  const cpt = code('cpt')
  const stated = others()
    .map(([title, number]) => ({ region: areaOf(title), rate: bareNumber(number) }))
    .filter(({ rate }) => noAmount(rate) === undefined)
  // Notes stand below the table.
  if (stated.length === 0) return []
  if (!CODE.test(cpt)) return ['R03']
  const modifiers = modifiersIn(given, ['mod', 'mod2', 'mod3'])
  const row = { ...nationalRow(given, 'medicare_dmepos', effective_from), modifier: modifiers.text }
  const indicators = indicatorsOf({ category: [cell('category'), /^[A-Z]{2}$/] })
  return stated.flatMap(({ region, rate }): Row[] => {
    if (region === undefined) return []
    const base: RowBase = { ...row, region, indicators }
    if (!modifiers.areSound) return [refused(base, 'R03')]
    const inSetting: RowBase = { ...base, setting: 'non_rural' }
    return [statedPrice(inSetting, rate, { per: perOf(cpt, modifiers.all) }) ?? refused(inSetting, 'R02')]
  })
}

/** The modifiers of a line in order, and as a row has them: none where one of them is no modifier. */
function modifiersIn(
  { cell }: CitedLine,
  columns: readonly string[],
): { all: readonly string[]; areSound: boolean; text: string | null } {
  const all = columns
    .map(cell)
    .filter((each) => each !== '')
    .sort()
  const areSound = all.every((each) => /^[A-Z0-9]{2}$/.test(each))
  return { all, areSound, text: areSound ? all.join('-') || null : null }
}

/** Rent is for a month; for a continuous passive motion device for a day (Claims Processing Manual 20, 30.2.1). */
function perOf(cpt: string, modifiers: readonly string[]): 'MONTH' | 'DAY' | null {
  if (!modifiers.some((modifier) => ROW_MODIFIERS.get(modifier)?.per === 'MONTH')) return null
  return cpt === 'E0935' ? 'DAY' : 'MONTH'
}
