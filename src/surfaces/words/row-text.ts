// Parts of sentences that rows, pages of lists and amounts have in common.

import { jsonText } from '../../json-text.ts'
import type { Proof, RowPointer } from '../../proof/envelope.ts'
import { capitals } from '../../proof/lookup/question.ts'
import { isBiddingArea } from '../../proof/lookup/region.ts'
import type { Prolonged } from '../../proof/price/prolonged.ts'
import type { PricedRow } from '../../proof/price/row.ts'
import { own } from '../../proof/shape.ts'
import { mainPointer, periodOf, releaseOf, type ShownBody } from '../../proof/shown.ts'
import { BOTH_SIDES } from '../../tables/modifiers.ts'
import { PAYER_ENTRIES } from '../../tables/payers.ts'
import { BASIS_WORDS, type Component, wordsOf } from './schedules.ts'

/** A row as short answers and whole ones have it. */
export type ShownRow = Omit<PricedRow, 'derivation' | 'indicators' | 'locator'> &
  DataClass &
  Marked & { effective_to?: string }

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
  data_class?: string | null | undefined
}
/** A list whose proof, if it has one, has the releases of its rows. */
export interface ProvedList {
  proof?: Partial<Proof>
}
export const isSample = ({ data_class }: DataClass): boolean => data_class === 'sample'

/** A note for readers of invented prices, and for no others. */
export function sampleNote(rows: readonly DataClass[], proof: ProvedList['proof']): string[] {
  const each = [...rows.filter((row) => row.data_class), ...(proof?.releases ?? []).map(({ release }) => release)]
  if (!each.some(isSample)) return []
  return [each.every(isSample) ? 'Sample data, not real prices.' : 'Some of it is sample data, not real prices.']
}

/** The part of a service that the row is for, where its schedule has a row for each. */
export const componentOf = ({ basis, modifier }: Pick<PricedRow, 'basis' | 'modifier'>): Component | undefined =>
  own(wordsOf(basis).components ?? {}, modifier ?? '')

/** The place, setting, class and part of a row: without these an amount is easily taken for another. */
/** The name of a payer, as the table has it. An unknown one has an id of its own, and its name is not served. */
export function payerText(payer: string): string {
  const [id = '', kind = ''] = payer.split('/')
  const name = PAYER_ENTRIES.find((entry) => entry.payer === id)?.name ?? `payer ${id}`
  return `${name}, ${kind === 'unstated' ? 'kind of plan not stated' : `plans of kind ${kind.replaceAll('_', ' ')}`}`
}

/** The amount in a sentence: "Aetna’s own rate at this hospital" of a payer's. */
export const basisText = ({ basis, payer }: Pick<PricedRow, 'basis'> & { payer?: string | null }): string => {
  const { is } = BASIS_WORDS[basis]
  return payer ? is.replace('the payer', payerText(payer).split(',')[0] as string) : is
}

export function whereOf(
  row: Pick<PricedRow, 'region' | 'npi' | 'setting' | 'class' | 'basis' | 'modifier'> & { payer?: string | null },
): string {
  const { region, npi, setting, class: billedAs } = row
  const component = componentOf(row)
  return [
    npi === null ? `${isBiddingArea(region) ? 'former bidding area ' : ''}${region}` : `hospital ${npi}`,
    ...(row.payer ? [payerText(row.payer)] : []),
    ...(setting === null ? [] : [setting.replaceAll('_', '-')]),
    ...(billedAs === null ? [] : [`${billedAs} charge`]),
    ...(component ? [component.is] : []),
  ].join(', ')
}

export const FACTOR = 'A factor is multiplied by base units and time: it is not a price.'

/** What to do with a rate, which is no price: a factor of anesthesia, or a payer's rate by the day or by what is charged. */
export function rateNote({ price: { per } }: Pick<PricedRow, 'price'>): string {
  if (per === 'DAY') return 'It is the rate for a day: multiply it by the days. It is not the price of a stay.'
  if (per === '100 USD')
    return 'It is a share: so many dollars of each 100 dollars that the hospital charges. It is not a price.'
  return FACTOR
}

/** The name of the code in a sentence. The row of an anesthesia factor has a code of its own, which nobody asked for. */
export const pricedCode = ({ basis, code, modifier }: Pick<PricedRow, 'basis' | 'code' | 'modifier'>): string =>
  basis === 'medicare_anesthesia' ? 'every anesthesia code' : modifier === null ? code : `${code}-${modifier}`

/** Doubts about an amount, by its flags: without them a doubtful price would be believed. */
const DOUBTS: { readonly [flag: string]: string } = {
  far_from_medicare: 'It is far from what Medicare pays for the same: look at the line of the file before you use it.',
  rate_outside_range:
    'A rate lies outside the lowest or highest that the file states beside it: look at the line of the file before you use it.',
  partial: 'The file states more amounts for the same, which cannot be read.',
  see_publisher_page:
    'The list refers to a page of its publisher for current amounts and their days: look there before you use it.',
  unit_unparsed: 'The list states its unit in a form that is not read here: look there what one unit of the amount is.',
  by_charge_code:
    'The amounts are those of the hospital\u2019s own charge codes under this revenue code or group: the file says which is which.',
  also_by_day: 'The file also states rates of this payer for a day.',
  also_percentage: 'The file also states rates of this payer as a share of what is charged.',
  also_formula: 'The file also states rates of this payer as a formula, which is not computed.',
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

/** Says of modifiers that the other lines of the bill decide what they change. */
export const leftToBill = (modifiers: readonly string[]): string =>
  `This is without modifier ${modifiers.join(', ')}: with it Medicare may pay half or less, by the other procedures of that day.`

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

/** Where a row is from: the release, the address of its proof, and the last day on which it holds. */
export interface Source {
  release_id: string
  href: string
  until: string
  data_class: string | undefined
}

/** The source of a row: a short answer states it, and a whole one has it in the proof of its body. */
export function sourceOf(shown: object, body: object = shown): Source | undefined {
  const { proof, effective_to, data_class } = shown as {
    proof?: { href?: string; release_id?: string }
    effective_to?: string
    data_class?: string
  }
  if (proof?.href !== undefined)
    return proof.release_id === undefined
      ? undefined
      : { release_id: proof.release_id, href: proof.href, until: effective_to ?? '', data_class }
  const pointer = shown === body ? mainPointer(body as ShownBody) : (proof as unknown as RowPointer | undefined)
  const release = releaseOf(body as ShownBody, pointer)
  if (!release || !pointer) return undefined
  return {
    release_id: release.release_id,
    href: `/rows/${release.release_id}/${pointer.index}`,
    until: periodOf(body as ShownBody, release)?.to ?? release.effective_to,
    data_class: release.data_class,
  }
}

/** Words for the rows of a refusal, for readers who see its text alone. */
export const refusalNotes = (members: object | undefined): string[] => [
  ...prolongedNote((members && 'row' in members ? members.row : {}) as Marked),
  ...lastKnownNote(members),
]

/** The price until its edition ended. A modifier that adjusts it is not in the amount. */
function lastKnownNote(members: object | undefined): string[] {
  // The texts of rows and proofs are read only for the few refusals that have such a price.
  if (!members || !('last_known' in members)) return []
  const body = JSON.parse(jsonText(members)) as { last_known: ShownRow }
  const row = body.last_known
  const source = sourceOf(row, body)
  // The source names the list of Medicare.
  const where = row.npi === null ? whereOf(row) : `${row.basis}, ${whereOf(row)}`
  return [
    `For ${pricedCode(row)} (${where}) it was ${priceOf(row.price)} until ${source?.until} (${source?.release_id}).`,
    ...(row.kind === 'rate' ? [rateNote(row)] : []),
    ...prolongedNote(row),
    ...(source && isSample(source) ? ['Sample data, not a real price.'] : []),
  ]
}

/** A row as it is shown: of an edition that the operator prolonged, with the last day of the publisher's own period. */
export interface Marked {
  prolonged?: Prolonged
}
export const prolongedNote = ({ prolonged }: Marked): string[] =>
  prolonged
    ? [`The publisher\u2019s own period ended on ${prolonged.publisher_until}; the operator prolonged the edition.`]
    : []

/** The mark in a list: the days, and whether it is about all of it. */
export function prolongedNotes(rows: readonly Marked[]): string[] {
  const days = [...new Set(rows.flatMap(({ prolonged }) => prolonged?.publisher_until ?? []))].sort()
  if (days.length === 0) return []
  const what = rows.every(({ prolonged }) => prolonged) ? 'It' : 'Some of it'
  return [
    `${what} is of editions that the operator prolonged: the publisher\u2019s own period ended on ${days.join(', ')}.`,
  ]
}
