import type { Stamp } from '../../operation.ts'
import type { ProblemCode } from '../../problem.ts'
import type { Proof, RowPointer, ShownRow } from '../../proof/envelope.ts'
import type { Adjustment } from '../../proof/lookup/modifiers.ts'
import type { Prolonged } from '../../proof/price/prolonged.ts'
import type { Manifest } from '../../proof/price/release.ts'
import type { PlaceRow, Price, PricedRow, Row } from '../../proof/price/row.ts'
import { mainPointer, periodOf, releaseOf } from '../../proof/shown.ts'
import type { Ask, Reply } from '../site/ask.ts'
import type { Frame } from '../site/frame.ts'
import type { Hospital } from '../words/hospitals.ts'
import type { Marked } from '../words/row-text.ts'
import {
  type Alternative,
  alternativesTo,
  type Fields,
  type PriceQuestion,
  pricePath,
  questionIn,
  readFields,
  referencePath,
} from './price-question.ts'

export interface PriceParts {
  frame: Frame
  ask: Ask
  baseUrl: () => string
  today: () => string
  stamp: Stamp
  hospitals: () => Promise<readonly Hospital[]>
}

/** `/reference` with a price. */
export type PriceAnswer = PricedRow & {
  row: RowPointer
  proof: Proof
  prolonged?: Prolonged
  place?: ShownRow<PlaceRow>
  modifiers_ignored?: string[]
  adjustment?: Adjustment
}

/** `/reference` without one. */
export interface Refusal {
  status: number
  code: ProblemCode
  title: string
  detail: string
  errors?: { name?: string; message: string }[]
  row?: ShownRow<Row> & Marked
  last_known?: ShownRow<PricedRow> & Marked
  proof?: Proof
  charts?: { chart: string; held: { from: string; to: string }[] }[]
  about?: {
    choices?: { region: string }[]
    available?: { modifiers: string[]; settings: string[]; bases: string[]; regions: string[] }
  }
}

type ShortBase = Omit<PricedRow, 'derivation' | 'indicators' | 'locator' | 'kind' | 'price'> & {
  effective_to: string
  prolonged?: Prolonged
  proof: { release_id: string; href: string }
}
export type ShortPrice = ShortBase & { kind: 'price' | 'rate'; price: Price }
export type ShortRow = ShortPrice | (ShortBase & { kind: 'absence'; reason: string })

export interface Edition {
  release_id: string
  edition: string
  effective_from: string
  effective_to: string
  price: Price | undefined
}

export interface LocalPrice {
  region: string
  amount: string
}

/** The content of a page about one question, before it is HTML, markdown or JSON. */
export interface PriceFacts {
  base: string
  /** Undefined where a part of the question has no meaning. */
  question: PriceQuestion | undefined
  reference: Reply
  price: PriceAnswer | undefined
  refusal: Refusal | undefined
  sheet: readonly ShortRow[]
  notHeld: readonly string[]
  history: readonly Edition[]
  localities: readonly LocalPrice[]
  /** Questions that may have been meant, where the one that was sent has no meaning. */
  alternatives: readonly Alternative[]
  /** The hospital that was asked about, if it is known here. */
  hospital: Hospital | undefined
}

/** The edition of a row that an answer of ours shows, and the days on which it is in force. */
export function editionIn(
  body: PriceAnswer | Refusal,
  row: ShownRow | undefined = undefined,
): { release: Manifest; from: string; to: string } {
  const release = releaseOf(body, row?.proof ?? mainPointer(body))
  if (!release) throw new Error('the answer has no release for its row')
  const { from, to } = periodOf(body, release) ?? { from: release.effective_from, to: release.effective_to }
  return { release, from, to }
}

const MOST_EDITIONS = 24
const LINES_AT_ONCE = 100

export async function priceFacts(parts: PriceParts, sent: Fields): Promise<PriceFacts> {
  const hospitals = await parts.hospitals()
  const fields = readFields(sent, hospitals)
  const question = questionIn(fields, parts.today())
  const asked = question ?? Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''))
  const reference = await parts.ask('lookup_reference', { ...asked })
  const price = reference.problem ? undefined : (reference.body as PriceAnswer)
  const refusal = reference.problem
    ? ({ ...(reference.body as Refusal), status: reference.status } as Refusal)
    : undefined
  const alternatives = question ? [] : alternativesTo(sent, hospitals, parts.today())
  const hospital = question?.npi === undefined ? undefined : hospitals.find(({ npi }) => npi === question.npi)
  const facts = { base: parts.baseUrl(), question, reference, price, refusal, alternatives, hospital }
  if (!question) return { ...facts, sheet: [], notHeld: [], history: [], localities: [] }
  const [sheet, history, localities] = await Promise.all([
    sheetOf(parts, question),
    historyOf(parts, question, price),
    price ? localitiesOf(parts, question, price) : [],
  ])
  return { ...facts, ...sheet, history, localities }
}

/** Everything in force beside the answer. */
async function sheetOf({ ask }: PriceParts, { cpt, region, as_of, npi }: PriceQuestion) {
  const place = npi === undefined ? { region } : { region, npi }
  const { body, problem } = await ask('get_reference_sheet', { cpt, as_of, ...place, proof: 'ref' })
  if (problem) return { sheet: [], notHeld: [] }
  const { data, not_held = [] } = body as { data: ShortRow[]; not_held?: string[] }
  return { sheet: data, notHeld: not_held }
}

/** The answer to a line. Where a modifier changes the amount, the row has the one that it changes. */
interface Line<Stated> {
  row?: Stated
  adjustment?: { amount: string }
}

/** Other editions of the chart that has the price, oldest first. */
async function historyOf(
  { ask }: PriceParts,
  question: PriceQuestion,
  price: PriceAnswer | undefined,
): Promise<Edition[]> {
  if (!price) return []
  const { as_of: _, ...asked } = question
  // By the area itself: where a ZIP code lies is not known for every day on which there was a price.
  const region = price.npi === null ? price.region : asked.region
  const input = { ...asked, region, basis: price.basis, limit: MOST_EDITIONS, proof: 'ref' }
  const { body, problem } = await ask(
    'get_reference_history',
    price.setting ? { ...input, setting: price.setting } : input,
  )
  if (problem) return []
  const { data } = body as { data: (Omit<Edition, 'price'> & { answer: Line<{ price?: Price }> })[] }
  return data
    .map(({ answer: { row, adjustment }, ...edition }) => {
      const stated = row?.price
      return { ...edition, price: stated && adjustment ? { ...stated, amount: adjustment.amount } : stated }
    })
    .reverse()
}

/** Answers to the question for every Medicare area of the chart, lowest first. */
async function localitiesOf({ ask }: PriceParts, question: PriceQuestion, price: PriceAnswer): Promise<LocalPrice[]> {
  const { cpt, as_of } = question
  if (price.npi !== null || 'low' in price.price) return []
  const covered = await ask('get_coverage', { cpt, as_of, chart: editionIn(price).release.chart })
  const { data = [] } = covered.body as { data?: { about: { code?: { regions: { list: string[] } } } }[] }
  const regions = data
    .flatMap(({ about }) => about.code?.regions.list ?? [])
    .filter((region) => /^US-..-../.test(region))
  if (regions.length < 2) return []
  const same = { cpt, as_of, basis: price.basis, ...(price.setting ? { setting: price.setting } : {}) }
  const { modifier } = question
  const lines = regions.map((region) => ({ ...same, ...(modifier ? { modifier } : {}), region }))
  const found: LocalPrice[] = []
  for (let from = 0; from < lines.length; from += LINES_AT_ONCE) {
    const { body } = await ask('lookup_references', { lines: lines.slice(from, from + LINES_AT_ONCE), proof: 'ref' })
    for (const { row, adjustment } of (body as { results: Line<ShortPrice>[] }).results)
      if (row && 'amount' in row.price)
        found.push({ region: row.region, amount: adjustment?.amount ?? row.price.amount })
  }
  return found.sort((a, b) => Number(a.amount) - Number(b.amount) || (a.region < b.region ? -1 : 1))
}

/** The page as JSON: the answers of the operations, in their own form. */
export const priceJson = ({
  base,
  question,
  reference,
  sheet,
  notHeld,
  history,
  localities,
  alternatives,
  hospital,
}: PriceFacts): object => ({
  question: question ?? null,
  address: question ? `${base}${referencePath(question)}` : null,
  reference: reference.body,
  sheet: { data: sheet, not_held: notHeld },
  history,
  localities,
  ...(alternatives.length > 0
    ? { meant: alternatives.map((each) => ({ ...each, href: pricePath(each.question) })) }
    : {}),
  ...(hospital?.name === undefined
    ? {}
    : { hospital: { npi: hospital.npi, name: hospital.name, named_by: 'operator' } }),
})
