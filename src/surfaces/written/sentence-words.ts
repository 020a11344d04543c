// The words that sentences about prices are made of.

import { capitals } from '../../proof/lookup/question.ts'
import { isBiddingArea } from '../../proof/lookup/region.ts'
import type { Basis, PricedRow } from '../../proof/price/row.ts'
import { type Members, own } from '../../proof/shape.ts'

export const BASIS_WORDS: { [basis in Basis]: string } = {
  medicare_pfs: 'the Medicare physician fee schedule amount',
  medicare_pfs_qpp: 'the Medicare physician fee schedule amount for qualifying participants',
  medicare_clfs: 'the Medicare laboratory fee',
  medicare_opps: 'the Medicare hospital outpatient rate',
  medicare_asc: 'the Medicare surgery center rate',
  medicare_asp: 'the Medicare drug payment limit',
  medicare_dmepos: 'the Medicare equipment fee',
  medicare_anesthesia: 'the Medicare anesthesia factor',
  hospital_cash: 'the cash price that the hospital lists',
  hospital_gross: 'the gross charge that the hospital lists',
  hospital_negotiated_low: 'the lowest negotiated charge that the hospital lists',
  hospital_negotiated_high: 'the highest negotiated charge that the hospital lists',
}

export const RATES = 'A factor is multiplied by base units and time: it is not a price.'

export type Amounts = { amount: string } | { low: string; high: string }
export type Stated = Amounts & { per?: string | null }
export const dollars = (amount: string): string => `$${amount}`
export const moneyOf = (price: Amounts): string => {
  if ('amount' in price) return dollars(price.amount)
  return price.low === price.high ? dollars(price.low) : `${dollars(price.low)} to ${dollars(price.high)}`
}
export const priceOf = ({ per, ...price }: Stated): string => `${moneyOf(price)}${per ? ` per ${per}` : ''}`
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

/** Where a page stands in its list. */
export interface Page {
  total: number
  offset: number
  next_offset: number | null
}
export const nextOf = ({ next_offset }: Page): string =>
  next_offset === null ? '' : ` For more, call again with offset ${next_offset}.`

/** Short answers have the class of the data in each row, answers with proofs in the manifests of the releases they show. */
export interface Classed {
  data_class?: string | null
  proof?: unknown
}
export interface Released {
  releases?: { release: { data_class: string } }[]
}
const classOf = ({ data_class, proof }: Classed): string | null | undefined =>
  data_class ?? (proof as { release?: { data_class?: string } } | undefined)?.release?.data_class
export const isSample = (each: Classed): boolean => classOf(each) === 'sample'

/** What a reader of invented prices must be told, and nobody else. */
export function sampleNote(rows: readonly Classed[], releases: Released['releases'] = []): string[] {
  const each = [...rows.filter((row) => classOf(row)), ...releases.map(({ release }) => release)]
  if (!each.some(isSample)) return []
  return [each.every(isSample) ? 'Sample data, not real prices.' : 'Some of it is sample data, not real prices.']
}

/**
 * The physician schedules have a row of its own for each of the two parts of a diagnostic service.
 * Source: Medicare Claims Processing Manual, chapter 23, addendum (MPFSDB record layout, PC/TC INDICATOR 1 and 6).
 */
const COMPONENTS: { readonly [modifier: string]: { is: string; lacks: string } } = {
  26: { is: 'professional part', lacks: 'The technical part of the service, such as the equipment, is not in it.' },
  TC: { is: 'technical part', lacks: 'The professional part of the service, such as the report, is not in it.' },
}
export const componentOf = ({ basis, modifier }: Pick<PricedRow, 'basis' | 'modifier'>) =>
  /_pfs/.test(basis) ? own(COMPONENTS, modifier ?? '') : undefined

type Whereabouts = Pick<PricedRow, 'region' | 'npi' | 'setting' | 'class' | 'basis' | 'modifier'>
/** Where, in which setting, by whom, and which part of it: without these an amount is easily taken for another. */
export function whereOf(row: Whereabouts): string {
  const { region, npi, setting, class: of } = row
  const part = componentOf(row)
  return [
    npi === null ? `${isBiddingArea(region) ? 'former bidding area ' : ''}${region}` : `hospital ${npi}`,
    ...(setting === null ? [] : [setting.replaceAll('_', '-')]),
    ...(of === null ? [] : [`${of} charge`]),
    ...(part ? [part.is] : []),
  ].join(', ')
}

/** Status indicators J1, J2 and Q1 to Q4 of the outpatient schedule. */
const PACKAGED =
  'For many visits Medicare pays a hospital one amount for all services: it may include others on the bill, or be included in one of them.'
const OF_CODE = 'It is for one unit of the code: its description says how much that is.'
/** Drugs, biologicals and skin substitutes, by their indicators. */
const OF_UNIT = /^(G|K|S[123]|K2)$/
/** What is adjusted to the place: 42 CFR 419.43 and 416.172, and the list that the final rules of the outpatient schedule give. */
const OF_PLACE = { medicare_opps: /^(J[12]|P|Q[1-4]|[RSTUV])$/, medicare_asc: /^([ADGPRZ][0-9]|J8)$/ }
/** 42 CFR 414.229; the category CR of the schedule. */
const RENT =
  'If it is a capped rental, and not oxygen, a ventilator or an inexpensive item, it is the fee of the first three months; then three quarters of it are paid (two fifths for a power wheelchair), up to the 13th.'
const CAPPED =
  'It is a capped rental: the fee of the first three months; then three quarters of it are paid (two fifths for a power wheelchair), up to the 13th.'
const WAGES = 'It is the rate of the whole country, of which Medicare adjusts a part to the wages of the place.'
/** How Medicare pays an amount, where it is easily taken for more than it is. */
export function paymentNotes(row: Pick<PricedRow, 'basis' | 'modifier' | 'price'> & { indicators?: unknown }) {
  const { basis } = row
  if (basis === 'medicare_dmepos') return rentNotes(row)
  if (basis !== 'medicare_opps' && basis !== 'medicare_asc') return []
  const { status_indicator, payment_indicator } = (row.indicators ?? {}) as { [name: string]: string | undefined }
  const indicator = (basis === 'medicare_opps' ? status_indicator : payment_indicator) ?? ''
  return [
    ...(basis === 'medicare_opps' ? [PACKAGED] : []),
    ...(OF_UNIT.test(indicator) ? [OF_CODE] : []),
    ...(OF_PLACE[basis].test(indicator) ? [WAGES] : []),
  ]
}
/** Short answers do not say of which category an item is. */
function rentNotes({ modifier, price, indicators }: Parameters<typeof paymentNotes>[0]): string[] {
  if (price.per !== 'MONTH' || !modifier?.split('-').includes('RR')) return []
  const { category } = (indicators ?? {}) as { category?: string }
  if (category === undefined) return [RENT]
  return category === 'CR' ? [CAPPED] : []
}

/** What is doubtful about an amount, by its flags: told as a plain price it would be believed. */
const DOUBTS: { readonly [flag: string]: string } = {
  far_from_medicare: 'It is far from what Medicare pays for the same: look at the line of the file before you use it.',
  rate_outside_range:
    'A rate lies outside the lowest or highest that the file states beside it: look at the line of the file before you use it.',
  partial: 'The file states more amounts for the same, which cannot be read.',
  see_publisher_page:
    'The list refers to a page of its publisher for current amounts and their days: look there before you use it.',
  unit_unparsed: 'The list states its unit in a form that is not read here: look there what one unit of the amount is.',
  mixed_units: 'The amounts are for different units: the file says which is for which.',
}
export const doubtsOf = ({ flags }: Pick<PricedRow, 'flags'>): string[] =>
  flags.flatMap((flag) => own(DOUBTS, flag) ?? [])

/** Both sides in one line are billed as LT and RT, or as 50: who wrote the one would miss it beside the other. */
export const sidesNote = (written: unknown, adjusting: string | undefined): string[] => {
  const modifiers = typeof written === 'string' ? capitals(written).split('-') : []
  return adjusting === '50' && ['LT', 'RT'].every((side) => modifiers.includes(side))
    ? ['LT and RT together count as 50']
    : []
}

/** That modifiers were read: Medicare pays the same with them. A hospital may not, and its file has no price with them. */
export function unchangedBy(
  { npi }: Pick<PricedRow, 'npi'>,
  modifiers: readonly string[],
  word: 'Modifier' | 'modifier',
  what = 'it',
): string {
  const [names, isOne] = [modifiers.join(', '), modifiers.length === 1]
  if (npi !== null) {
    const begin = word === 'Modifier' ? 'The' : 'the'
    return `${begin} hospital’s file has no price with ${isOne ? 'modifier' : 'modifiers'} ${names} as asked: this is the one without`
  }
  return isOne ? `${word} ${names} does not change ${what}` : `${word}s ${names} do not change ${what}`
}

/**
 * Of the amount outside rural areas: whether it was given for a rural area. CMS leaves the rural amount empty where the other
 * holds there too.
 */
export const holdsInRural = (place: { rural?: boolean | undefined } | undefined, asked: string | undefined): boolean =>
  asked === 'rural' || (place?.rural === true && asked !== 'non_rural')

interface Proved {
  href?: string
  release_id?: string
  release?: { release_id?: string; effective_to?: string }
  in_force?: { period?: { to?: string } }
  row?: { index?: number }
}
const provedBy = (proof: unknown): Proved => (proof ?? {}) as Proved

/** A pointer to a proof, or the proof itself: both say where the row stands. */
export function placeOf(proof: unknown): { release_id: string; href: string } | undefined {
  const { href, release_id, release, row } = provedBy(proof)
  if (href !== undefined && release_id !== undefined) return { release_id, href }
  const id = release?.release_id
  return id === undefined || row?.index === undefined ? undefined : { release_id: id, href: `/rows/${id}/${row.index}` }
}

/** The last day on which the price holds: a short answer states it, a whole proof has it in the period of its edition. */
export function lastDayOf({ effective_to, proof }: Classed & { effective_to?: string }): string | undefined {
  const { in_force, release } = provedBy(proof)
  return effective_to ?? in_force?.period?.to ?? release?.effective_to
}

/** A factor stands under a code of its own, which nobody asked for. */
export const codeTold = ({ kind, cpt, modifier }: Pick<PricedRow, 'kind' | 'cpt' | 'modifier'>): string =>
  kind === 'rate' ? 'every anesthesia code' : modifier === null ? cpt : `${cpt}-${modifier}`

/** An assistant or a second surgeon: the indicator of the row says whether Medicare asks for more. */
const DOCUMENTS = 'Medicare pays it only with documents of medical necessity.'
const SPECIALTIES = 'Without documents Medicare pays it only if the two surgeons are of different specialties.'
const NEEDED: readonly [modifiers: RegExp, indicator: string, needed: { readonly [value: string]: string }][] = [
  [/^62$/, 'co_surgeon', { 1: DOCUMENTS, 2: SPECIALTIES }],
  [/^(8[012]|AS)$/, 'assistant', { 0: DOCUMENTS }],
]
export function neededFor(modifier: string | undefined, indicators: PricedRow['indicators'] | undefined): string[] {
  const [, name = '', needed] = NEEDED.find(([modifiers]) => modifiers.test(modifier ?? '')) ?? []
  if (!needed) return []
  if (!indicators) return [`For many codes ${DOCUMENTS}`]
  return [own(needed, indicators[name] ?? '') ?? []].flat()
}

/** The rows by which an answer is shown to be the first choice. */
export interface Reasons {
  rows: readonly { row: object }[]
}
const PACKAGED_TEST =
  'The outpatient schedule packages it with other services on the same claim: only where it stands alone is the hospital paid for it separately.'
/** A test that a hospital is paid by the laboratory list only where it stands alone: status Q4, and Q1 to Q3 alike. */
export function packagedNote({ cpt, setting }: Members, because: Reasons | undefined): string[] {
  const isPackaged = ({ row }: { row: object }): boolean => {
    const { basis, cpt: of, reason } = row as { basis?: string; cpt?: string; reason?: string }
    return basis === 'medicare_opps' && of === cpt && reason === 'conditionally_packaged'
  }
  return setting === 'outpatient' && because?.rows.some(isPackaged) ? [PACKAGED_TEST] : []
}
