import type { Basis } from '../../proof/price/row.ts'
import { BAD, BAD_FIELD, dollarsOf, isNothing } from './amounts.ts'

/**
 * Places in the list of numbers that one line states for one payer and plan: 0 where it states nothing, `BAD` where it cannot be
 * read. A formula and the lack of any rate are 1 where they are there. `RATE_MARKS` is a sum of marks, one for each method, and
 * `RATE_UNIT` the unit of the amounts (drug-unit.ts).
 */
export const [DOLLARS, BY_DAY, PERCENT, FORMULA, NOTHING] = [0, 1, 2, 3, 4] as const
export const [MEDIAN, TENTH, NINETIETH, ESTIMATE] = [5, 6, 7, 8] as const
/** The number of the places above, which may each have a row or a part of one. */
export const STATED_RATES = 9
export const [RATE_MARKS, RATE_UNIT] = [9, 10] as const
export type PayerRates = number[]
export const noRates = (): PayerRates => new Array<number>(RATE_UNIT + 1).fill(0)
/** Marks beside those of the methods: see `RESTORED` and `OWN_CODE`. */
export const [RATE_RESTORED, RATE_OWN_CODE] = [32, 64] as const

/** What payers have paid, which is history and no price: each on a basis of its own. */
export const ALLOWED: readonly (readonly [place: number, basis: Basis])[] = [
  [MEDIAN, 'hospital_allowed_median'],
  [TENTH, 'hospital_allowed_10th'],
  [NINETIETH, 'hospital_allowed_90th'],
  [ESTIMATE, 'hospital_allowed_estimate'],
]

/** The template's words for how a rate was agreed, by their marks. */
export const METHOD_NAMES = ['fee_schedule', 'case_rate', 'percent_of_charges', 'per_diem', 'other'] as const
const METHOD_WORDS: ReadonlyMap<string, number> = new Map([
  ['feeschedule', 1],
  ['caserate', 2],
  ['percentoftotalbilledcharges', 4],
  ['percentoftotalbilledcharge', 4],
  ['perdiem', 8],
  ['other', 16],
])
const PER_DIEM = 8
const methodOf = (text: string): number => {
  const known = METHODS_READ.get(text)
  if (known !== undefined) return known
  const method = METHOD_WORDS.get(text.toLowerCase().replace(/[^a-z]/g, '')) ?? 0
  if (METHODS_READ.size < 1_000) METHODS_READ.set(text, method)
  return method
}
const METHODS_READ = new Map<string, number>()

/** A payer's rate as the cells of a file have it. An amount is one in dollars, as `dollarsOf` reads it. */
export interface StatedRate {
  dollars: number
  percentage: string
  formula: string
  methodology: string
  median: number
  tenth: number
  ninetieth: number
  estimate: number
  count: string
}

/** Percentages are those of 100, with decimals: a factor of more than ten times is a price in the wrong column. */
const MOST_PERCENT = 1_000

function percentOf(text: string): number {
  const stated = text.replace(/%$/, '').trim()
  if (stated === '' || isNothing(stated)) return 0
  if (!/^[0-9]{1,4}(\.[0-9]{0,20})?$/.test(stated)) return BAD
  const percent = dollarsOf(stated)
  return percent > MOST_PERCENT ? BAD : percent
}

/** Reads what a line states for one payer and plan into `into`. */
export function readRates(stated: StatedRate, unit: number, into: PayerRates): void {
  into.fill(0)
  into[RATE_UNIT] = unit
  const { dollars, percentage, formula, methodology, count } = stated
  const method = methodology === '' ? 0 : methodOf(methodology)
  into[RATE_MARKS] = method
  into[method === PER_DIEM ? BY_DAY : DOLLARS] = dollars
  into[PERCENT] = percentage === '' ? 0 : percentOf(percentage)
  // With a count of none there is nothing that was paid: such amounts are of other items.
  if (count !== '0') {
    into[MEDIAN] = stated.median
    into[TENTH] = stated.tenth
    into[NINETIETH] = stated.ninetieth
  }
  into[ESTIMATE] = stated.estimate
  if (formula !== '' && !isNothing(formula)) into[FORMULA] = 1
  if (dollars === 0 && into[PERCENT] === 0 && into[FORMULA] === 0) into[NOTHING] = 1
}

/** Drops the amounts of a line whose modifier or setting cannot be read; that there are some still counts. */
export function disownRates(rates: PayerRates): void {
  rates[FORMULA] = 0
  rates[NOTHING] = 0
  for (let place = 0; place < STATED_RATES; place++) if (rates[place] !== 0) rates[place] = BAD_FIELD
}
