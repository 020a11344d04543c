import { isBiddingArea } from '../../proof/lookup/region.ts'
import type { Basis } from '../../proof/price/row.ts'
import { stateName } from '../written/place.ts'

// Amounts, days and names as pages write them.

export const grouped = (digits: string): string => digits.replaceAll(/\B(?<!\.\d*)(?=(\d{3})+(?!\d))/g, ',')
export const dollars = (amount: string): string => `$${grouped(amount)}`

export type Amounts = { amount: string } | { low: string; high: string }
export const amountsText = (price: Amounts): string =>
  'amount' in price ? dollars(price.amount) : `${dollars(price.low)} to ${dollars(price.high)}`
export const priceText = ({ per, ...price }: Amounts & { per?: string | null }): string =>
  per ? `${amountsText(price)} per ${per.toLowerCase()}` : amountsText(price)

const MONTHS = 'January February March April May June July August September October November December'.split(' ')

/** '2026-07-01', with or without a time, is '1 July 2026'; other text is returned unchanged. */
export function inWords(day: string): string {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)(?:T|$)/.exec(day) ?? []
  const name = MONTHS[Number(month) - 1]
  return name ? `${Number(date)} ${name} ${year}` : day
}

/** An edition that ends in a far year was given no end by its operator. */
export const periodText = (from: string, to: string): string => `${inWords(from)} to ${inWords(to)}`

/** For a quoted shell command, a markdown link and a header: characters that would end those are encoded too. */
export const inQuery = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (found) => `%${found.charCodeAt(0).toString(16).toUpperCase()}`)

export const queryOf = (values: Readonly<Record<string, string | undefined>>): string =>
  Object.entries(values)
    .flatMap(([name, value]) => (value ? [`${name}=${inQuery(value)}`] : []))
    .join('&')

interface BasisWords {
  /** In a table. */
  short: string
  /** In a sentence: '$95.19 is …'. */
  is: string
}
export const BASIS_WORDS: { readonly [basis in Basis]: BasisWords } = {
  medicare_pfs: { short: 'Medicare, doctor', is: 'the Medicare physician fee schedule amount' },
  medicare_pfs_qpp: {
    short: 'Medicare, doctor (qualifying participant)',
    is: 'the Medicare physician fee schedule amount for qualifying participants',
  },
  medicare_clfs: { short: 'Medicare, laboratory', is: 'the Medicare laboratory fee' },
  medicare_opps: { short: 'Medicare, hospital outpatient', is: 'the Medicare hospital outpatient rate' },
  medicare_asc: { short: 'Medicare, surgery center', is: 'the Medicare surgery center rate' },
  medicare_asp: { short: 'Medicare, drug', is: 'the Medicare drug payment limit' },
  medicare_dmepos: { short: 'Medicare, equipment', is: 'the Medicare equipment fee' },
  medicare_anesthesia: { short: 'Medicare, anesthesia factor', is: 'the Medicare anesthesia factor' },
  hospital_cash: { short: 'Hospital, cash price', is: 'the cash price that the hospital lists' },
  hospital_gross: { short: 'Hospital, gross charge', is: 'the gross charge that the hospital lists' },
  hospital_negotiated_low: {
    short: 'Hospital, lowest negotiated',
    is: 'the lowest negotiated charge that the hospital lists',
  },
  hospital_negotiated_high: {
    short: 'Hospital, highest negotiated',
    is: 'the highest negotiated charge that the hospital lists',
  },
}
export const isHospital = (basis: string): boolean => basis.startsWith('hospital_')

const SETTING_WORDS: { readonly [setting: string]: string } = {
  non_facility: 'in an office',
  facility: 'in a hospital or other facility',
  outpatient: 'for hospital outpatients',
  inpatient: 'for hospital inpatients',
  asc: 'in a surgery center',
  rural: 'in rural areas',
  non_rural: 'outside rural areas',
  super_rural: 'in very rural areas',
}
export const settingText = (setting: string | null): string =>
  setting === null ? 'any setting' : (SETTING_WORDS[setting] ?? setting)

export function regionText(region: string): string {
  if (region === 'national') return 'the whole country'
  if (isBiddingArea(region)) return `the former bidding area ${region}`
  const state = stateName(region)
  return state === undefined ? `Medicare area ${region}` : `${state} (${region})`
}
