// Parts of sentences that rows, pages of lists and amounts have in common.

import { capitals } from '../../proof/lookup/question.ts'
import { isBiddingArea } from '../../proof/lookup/region.ts'
import type { PricedRow } from '../../proof/price/row.ts'
import { own } from '../../proof/shape.ts'
import { BOTH_SIDES } from '../../tables/modifiers.ts'
import { type Component, wordsOf } from './schedules.ts'

/** A row as short answers and whole ones have it. */
export type ShownRow = Omit<PricedRow, 'derivation' | 'indicators' | 'locator'> & DataClass & { effective_to?: string }

export type Amounts = { amount: string } | { low: string; high: string }
export type StatedPrice = Amounts & { per?: string | null }
export const dollars = (amount: string): string => `$${amount}`
export const moneyOf = (price: Amounts): string => {
  if ('amount' in price) return dollars(price.amount)
  return price.low === price.high ? dollars(price.low) : `${dollars(price.low)} to ${dollars(price.high)}`
}
export const priceOf = ({ per, ...price }: StatedPrice): string => `${moneyOf(price)}${per ? ` per ${per}` : ''}`
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

/** The position of a page in its list. */
export interface Page {
  total: number
  offset: number
  next_offset: number | null
}
export const nextOf = ({ next_offset }: Page): string =>
  next_offset === null ? '' : ` For more, call again with offset ${next_offset}.`

/** Short answers have the class of the data in each row, answers with proofs in the manifests of the releases they show. */
export interface DataClass {
  data_class?: string | null
  proof?: unknown
}
export interface ReleaseList {
  releases?: { release: { data_class: string } }[]
}
const classOf = ({ data_class, proof }: DataClass): string | null | undefined =>
  data_class ?? proofIn(proof).release?.data_class
export const isSample = (each: DataClass): boolean => classOf(each) === 'sample'

/** A note for readers of invented prices, and for no others. */
export function sampleNote(rows: readonly DataClass[], releases: ReleaseList['releases'] = []): string[] {
  const each = [...rows.filter((row) => classOf(row)), ...releases.map(({ release }) => release)]
  if (!each.some(isSample)) return []
  return [each.every(isSample) ? 'Sample data, not real prices.' : 'Some of it is sample data, not real prices.']
}

/** The part of a service that the row is for, where its schedule has a row for each. */
export const componentOf = ({ basis, modifier }: Pick<PricedRow, 'basis' | 'modifier'>): Component | undefined =>
  own(wordsOf(basis).components ?? {}, modifier ?? '')

/** The place, setting, class and part of a row: without these an amount is easily taken for another. */
export function whereOf(row: Pick<PricedRow, 'region' | 'npi' | 'setting' | 'class' | 'basis' | 'modifier'>): string {
  const { region, npi, setting, class: billedAs } = row
  const component = componentOf(row)
  return [
    npi === null ? `${isBiddingArea(region) ? 'former bidding area ' : ''}${region}` : `hospital ${npi}`,
    ...(setting === null ? [] : [setting.replaceAll('_', '-')]),
    ...(billedAs === null ? [] : [`${billedAs} charge`]),
    ...(component ? [component.is] : []),
  ].join(', ')
}

export const FACTOR = 'A factor is multiplied by base units and time: it is not a price.'

/** The name of the code in a sentence. The row of a factor has a code of its own, which nobody asked for. */
export const pricedCode = ({ kind, cpt, modifier }: Pick<PricedRow, 'kind' | 'cpt' | 'modifier'>): string =>
  kind === 'rate' ? 'every anesthesia code' : modifier === null ? cpt : `${cpt}-${modifier}`

/** Doubts about an amount, by its flags: without them a doubtful price would be believed. */
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
export const doubtsOf = (flags: readonly string[]): string[] => flags.flatMap((flag) => own(DOUBTS, flag) ?? [])

/** Both sides in one line are billed as LT and RT, or as 50: an answer for 50 is not expected by a reader who sent LT and RT. */
export const sidesNote = (asked: unknown, adjusting: string | undefined): string[] => {
  const modifiers = typeof asked === 'string' ? capitals(asked).split('-') : []
  const { modifiers: sides, count_as } = BOTH_SIDES
  return adjusting === count_as && sides.every((side) => modifiers.includes(side))
    ? [`${sides.join(' and ')} together count as ${count_as}`]
    : []
}

/** Says of modifiers that they were read. Medicare pays the same with them; a hospital may not, and its file has no price with them. */
export function unchangedBy(
  { npi }: Pick<PricedRow, 'npi'>,
  modifiers: readonly string[],
  word: 'Modifier' | 'modifier',
  what = 'it',
): string {
  const [names, isOne] = [modifiers.join(', '), modifiers.length === 1]
  if (npi === null)
    return isOne ? `${word} ${names} does not change ${what}` : `${word}s ${names} do not change ${what}`
  const begin = word === 'Modifier' ? 'The' : 'the'
  return `${begin} hospital’s file has no price with ${isOne ? 'modifier' : 'modifiers'} ${names} as asked: this is the one without`
}

interface ProofMembers {
  href?: string
  release_id?: string
  release?: { release_id?: string; effective_to?: string; data_class?: string }
  in_force?: { period?: { to?: string } }
  row?: { index?: number }
}
const proofIn = (proof: unknown): ProofMembers => (proof ?? {}) as ProofMembers

/** The release of a row and the address of its proof, from a pointer to the proof or from the proof itself. */
export function sourceOf(proof: unknown): { release_id: string; href: string } | undefined {
  const { href, release_id, release, row } = proofIn(proof)
  if (href !== undefined && release_id !== undefined) return { release_id, href }
  const id = release?.release_id
  return id === undefined || row?.index === undefined ? undefined : { release_id: id, href: `/rows/${id}/${row.index}` }
}

/** The last day on which the price holds: a short answer states it, a whole proof has it in the period of its edition. */
export function lastDayOf({ effective_to, proof }: Pick<ShownRow, 'effective_to' | 'proof'>): string | undefined {
  const { in_force, release } = proofIn(proof)
  return effective_to ?? in_force?.period?.to ?? release?.effective_to
}

/** The price until its edition ended, for readers who see the text of a refusal alone. A modifier that adjusts it is not in the amount. */
export function lastKnownNote(members: object | undefined): string[] {
  const { last_known: row } = (members ?? {}) as { last_known?: ShownRow }
  if (!row) return []
  // The source names the list of Medicare.
  const where = row.npi === null ? whereOf(row) : `${row.basis}, ${whereOf(row)}`
  return [
    `For ${pricedCode(row)} (${where}) it was ${priceOf(row.price)} until ${lastDayOf(row)} (${sourceOf(row.proof)?.release_id}).`,
    ...(row.kind === 'rate' ? [FACTOR] : []),
    ...(isSample(row) ? ['Sample data, not a real price.'] : []),
  ]
}
