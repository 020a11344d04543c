import { isBiddingArea } from '../../proof/lookup/region.ts'
import { stateName } from '../words/places.ts'

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
