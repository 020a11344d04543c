// One sentence or two for each kind of answer, complete enough that a person may act on them: many clients show a model
// nothing else. They are made of numbers, codes, names of releases and our own words.

import type { Proof } from '../../proof/envelope.ts'
import { PLACE_CHART } from '../../proof/price/charts.ts'
import type { Basis, PricedRow } from '../../proof/price/row.ts'
import type { Members } from '../../proof/shape.ts'
import { SHORT_ANSWER } from '../../proof/whole/open-points.ts'
import { billSentence } from './bill.ts'
import { checkSentence } from './checked-bill.ts'
import { coverageSentence } from './coverage.ts'
import { editText, type StatedEdit } from './edits.ts'
import {
  basisText,
  componentOf,
  counted,
  type DataClass,
  dollars,
  doubtsOf,
  isSample,
  leftToBill,
  type Marked,
  moneyOf,
  nextOf,
  type Page,
  type ProvedList,
  pricedCode,
  priceOf,
  prolongedNote,
  prolongedNotes,
  rateNote,
  type ShownRow,
  type StatedPrice,
  sampleNote,
  sidesNote,
  sourceOf,
  unchangedBy,
  whereOf,
} from './row-text.ts'
import { type AmountContext, BASIS_WORDS, FEE_AT_ZIP, notesOf, wordsOf, type ZipPlace } from './schedules.ts'

export interface SentenceContext {
  baseUrl: string
  /** The day that was asked about. */
  day: string
  /** The question, as it was understood. */
  question: Members
  /** The place of the ZIP code, if it is known and the answer does not show it. */
  place?: ZipPlace | undefined
  /** The rest of the answer, where it is short. */
  evidence?: Evidence | undefined
}
export type Sentence = (answer: never, context: SentenceContext) => string

/** Members of a whole answer that a short one does not have. */
export interface Evidence {
  indicators?: AmountContext['row']['indicators']
  proof?: Partial<Proof> | undefined
}

const LOST_SOURCE = {
  changed:
    'At the publisher the cited file is another one now: it was checked when it was loaded, and cannot be got there again.',
  gone: 'The cited file is gone from the publisher: it was checked when it was loaded, and cannot be got there again.',
}

/** What another side of the bill is paid. */
type BesidePrice = Pick<PricedRow, 'basis' | 'setting' | 'modifier'> & { amount: string }

/** Names the others who bill for the same service, so that one amount is not taken for the whole. */
function besideNote(beside: readonly BesidePrice[] = []): string[] {
  const paid = beside.map(({ basis, setting, modifier, amount }) => {
    const where = [basis, setting, modifier].filter(Boolean).join(', ')
    return `${BASIS_WORDS[basis].whose.toLowerCase()} ${dollars(amount)} (${where})`
  })
  return paid.length > 0 ? [`In a hospital or center: ${paid.join(', ')}.`] : []
}

interface PriceAnswer extends ShownRow, Evidence {
  modifiers_ignored?: string[]
  left_to_bill?: string[]
  adjustment?: { modifier: string; amount: string }
  listed_with?: string
  beside?: BesidePrice[]
  about?: { beside?: BesidePrice[]; sources_lost?: { state: keyof typeof LOST_SOURCE }[] }
  place?: ZipPlace
}

function priceSentence(answer: PriceAnswer, { baseUrl, day, question, ...context }: SentenceContext): string {
  const { price, basis, modifiers_ignored: ignored, left_to_bill: left, adjustment, effective_from } = answer
  const { listed_with: listedWith } = answer
  const indicators = answer.indicators ?? context.evidence?.indicators
  const words = wordsOf(basis)
  const amount: AmountContext = {
    row: { ...answer, indicators },
    question,
    place: answer.place ?? context.place,
    proof: answer.proof?.releases ? answer.proof : context.evidence?.proof,
    on: 'sentence',
  }
  const between = answer.kind === 'rate' ? ' with modifier ' : '-'
  const code = adjustment ? `${pricedCode(answer)}${between}${adjustment.modifier}` : pricedCode(answer)
  const source = sourceOf(answer)
  return [
    `${BASIS_WORDS[basis].whose}: ${adjustment ? moneyOf(adjustment) : priceOf(price)} is ${basisText(answer)} for ${code} (${whereOf(answer)}) on ${day}.`,
    ...(source && isSample(source) ? ['Sample data, not a real price.'] : []),
    ...sidesNote(question['modifier'], adjustment?.modifier).map((note) => `${note}.`),
    ...(adjustment
      ? [
          `Without modifier ${adjustment.modifier} it is ${priceOf(price)}.`,
          ...notesOf(words.adjusted, { modifier: adjustment.modifier, indicators }),
        ]
      : []),
    ...(left ? [leftToBill(left)] : []),
    ...(ignored ? [`${unchangedBy(answer, ignored, 'Modifier')}.`] : []),
    ...(listedWith ? [`The hospital lists it with ${listedWith}, which any line of this code has.`] : []),
    ...(answer.kind === 'rate' && answer.npi !== null ? [rateNote(answer)] : []),
    ...notesOf(words.place, amount),
    ...notesOf(words.payment, amount),
    ...doubtsOf(answer.flags),
    ...besideNote(answer.beside ?? answer.about?.beside),
    words.caveat,
    ...(source
      ? [`Source: ${source.release_id}, in force from ${effective_from} to ${source.until}: ${baseUrl}${source.href}`]
      : []),
    ...prolongedNote(answer),
    ...(answer.about?.sources_lost ?? []).slice(0, 1).map(({ state }) => LOST_SOURCE[state]),
  ].join(' ')
}

interface SheetAnswer extends ProvedList {
  data: (ShownRow | (DataClass & Marked & { kind: 'absence'; basis: Basis }))[]
  not_held?: string[]
  as_of: string
  place?: ZipPlace
}
const MOST_SHOWN = 6
function sheetSentence(sheet: SheetAnswer, { question, ...context }: SentenceContext): string {
  const { data, not_held = [], as_of, proof, place = context.place } = sheet
  const priced = data.filter((row) => 'price' in row)
  const prices = priced.filter(({ kind }) => kind !== 'rate')
  const factors = priced.filter(({ kind }) => kind === 'rate')
  const absences = data.length - priced.length
  return [
    ...(prices.length > 0 || factors.length === 0 ? [listOf(prices, 'price', as_of)] : []),
    ...(factors.length > 0 ? [listOf(factors, 'factor', as_of), ...new Set(factors.map(rateNote))] : []),
    ...(data.length === absences && not_held.length === 0 && !question['region']
      ? ['There may be some for a state or a ZIP code as region.']
      : []),
    ...(place && prices.some(({ setting }) => /rural/.test(setting ?? '')) ? notesOf(FEE_AT_ZIP, place) : []),
    ...sampleNote(data, proof),
    ...prolongedNotes(data),
    ...(absences > 0
      ? [`${counted(absences, 'row')} ${absences === 1 ? 'states' : 'state'} that there is no price.`]
      : []),
    ...(not_held.length > 0 ? [`No edition for that day of: ${not_held.join(', ')}.`] : []),
    'Medicare amounts are references, not what a patient owes.',
  ].join(' ')
}

interface ComparisonAnswer {
  hospitals: { hospital: { npi: string }; price: ShownRow; adjustment?: { amount: string } }[]
  without?: unknown[]
  as_of: string
}
/** Names of hospitals are in the data: a sentence for agents has none. */
function comparisonSentence({ hospitals, without = [], as_of }: ComparisonAnswer): string {
  const shown = hospitals.slice(0, MOST_SHOWN).map(({ hospital: { npi }, price, adjustment }) => {
    const amount = adjustment ? moneyOf(adjustment) : priceOf(price.price)
    return `${amount} (${price.basis}, NPI ${npi})`
  })
  const rest = hospitals.length > MOST_SHOWN ? `; ${hospitals.length - MOST_SHOWN} more` : ''
  const found = counted(hospitals.length, 'hospital')
  return [
    `${found} near this place ${hospitals.length === 1 ? 'states' : 'state'} a price on ${as_of}, the lowest first${shown.length > 0 ? ': ' : ''}${shown.join(', ')}${rest}.`,
    ...(without.length > 0
      ? [`${counted(without.length, 'hospital')} of the list ${without.length === 1 ? 'states' : 'state'} none.`]
      : []),
    'These are what hospitals published, not quotes; doctors may bill separately.',
  ].join(' ')
}

interface FoundAnswer {
  data: { npi: string; has_prices: boolean }[]
  total: number
  as_of: string
}
function foundSentence({ data, total, as_of }: FoundAnswer): string {
  if (total === 0) return `No hospital of the list fits on ${as_of}: try fewer words, or a place alone.`
  const npis = data
    .slice(0, MOST_SHOWN)
    .map(({ npi, has_prices }) => `NPI ${npi}${has_prices ? '' : ' (no price list held)'}`)
  return `${counted(total, 'hospital')} of the list ${total === 1 ? 'fits' : 'fit'}: ${npis.join(', ')}${total > npis.length ? ' and more' : ''}. Their names are in \`data\`. Ask lookup_price with npi.`
}

/** The first rows of a list, and how many there are. */
function listOf(rows: readonly ShownRow[], noun: string, day: string): string {
  const shown = rows.slice(0, MOST_SHOWN).map((row) => {
    const component = componentOf(row)
    const modifier = component ? `${row.modifier} for the ${component.is}` : row.modifier
    const parts = [row.basis, row.setting, modifier, row.region].filter(Boolean)
    return `${priceOf(row.price)} (${parts.join(', ')})`
  })
  const rest = rows.length > MOST_SHOWN ? `; ${rows.length - MOST_SHOWN} more` : ''
  return `${counted(rows.length, noun)} for this place in force on ${day}${shown.length > 0 ? ': ' : ''}${shown.join(', ')}${rest}.`
}

interface HistoryAnswer {
  data: (DataClass & {
    release_id: string
    effective_from: string
    answer: {
      row?: Marked & { price?: StatedPrice } & Partial<StatedEdit>
      problem?: { detail: string }
      adjustment?: { amount: string }
    }
  })[]
  page: Page
}
function historySentence({ data, page }: HistoryAnswer): string {
  const ofEdits = data.flatMap(({ release_id, effective_from, answer: { row } }) => {
    const said = row?.kind === undefined || row.price ? undefined : editText({ ...row, kind: row.kind })
    return said === undefined ? [] : [`${said} from ${effective_from} (${release_id})`]
  })
  if (ofEdits.length > 0)
    return `${counted(page.total, 'edition')}, newest first: ${ofEdits.slice(0, MOST_SHOWN).join('; ')}.${nextOf(page)}`
  const priced = data.flatMap(({ release_id, effective_from, answer: { row, adjustment } }) =>
    row?.price
      ? [`${adjustment ? moneyOf(adjustment) : priceOf(row.price)} from ${effective_from} (${release_id})`]
      : [],
  )
  const unplaced = data
    .filter(({ answer: { problem } }) => problem?.detail.includes(PLACE_CHART))
    .map(({ release_id }) => release_id)
  return [
    `${counted(page.total, 'edition')} asked, newest first; ${priced.length} on this page ${priced.length === 1 ? 'states' : 'state'} a price${priced.length > 0 ? ': ' : ''}${priced.slice(0, MOST_SHOWN).join('; ')}.`,
    ...(unplaced.length > 0
      ? [
          `For ${unplaced.slice(0, MOST_SHOWN).join(', ')} it is not known where the ZIP code lies, as no table of ZIP codes is held for the first day: ask with the state or the Medicare locality.`,
        ]
      : []),
    ...sampleNote(data, undefined),
    ...prolongedNotes(data.flatMap(({ answer: { row } }) => row ?? [])),
  ]
    .join(' ')
    .concat(nextOf(page))
}

interface FiguresAnswer extends DataClass {
  w: number | null
  r: number | null
  p: number | null
  savings: { total: string | null }
  as_of: string | null
  release_id: string | null
}
const inventedCases = (data_class: DataClass['data_class']): string =>
  data_class === 'sample' ? 'Sample data, not real disputes. ' : ''
const percent = (value: number | null): string => (value === null ? 'withheld' : `${Math.round(value * 1000) / 10} %`)
function figuresSentence({ w, r, p, savings, as_of, release_id, data_class }: FiguresAnswer): string {
  if (release_id === null) return 'No figures were released yet.'
  const saved = savings.total === null ? 'withheld' : dollars(savings.total)
  return `${inventedCases(data_class)}Disputes with 500 dollars or more recovered: ${percent(w)} of closed cases (w). Ongoing treatment: ${percent(r)} (r). Settled without certified mail: ${percent(p)} (p). Savings in total: ${saved}. Release ${release_id}, as of ${as_of}. Aggregates under a disclosure rule; each value has its standard error.`
}

interface ChangesAnswer extends DataClass {
  data: { metric: string; old: unknown; new: unknown; released_at: string }[]
  page: Page
}
function changesSentence({ data: [first], page, data_class }: ChangesAnswer): string {
  const word = (value: unknown): string => (['string', 'number'].includes(typeof value) ? String(value) : 'no value')
  const newest = first
    ? ` The first on this page: ${first.metric} from ${word(first.old)} to ${word(first.new)}, released ${first.released_at}.`
    : ''
  return `${inventedCases(data_class)}${counted(page.total, 'change')} of published figures.${newest}${nextOf(page)}`
}

interface RowsAnswer extends ProvedList {
  data: Marked[]
  page: Page & { has_more: boolean }
  as_of: string
}
const rowsSentence = ({ data, page, as_of, proof }: RowsAnswer): string =>
  [
    `${counted(page.total, 'row')} in force on ${as_of}; this page has ${data.length}.`,
    ...sampleNote([], proof),
    ...prolongedNotes(data),
    ...(page.has_more ? ['For more, call again with after = page.next_after.'] : []),
  ].join(' ')

interface ProviderAnswer extends DataClass {
  npi: string
  case_band: string
  suppressed: boolean
  as_of: string | null
}
const providerSentence = ({ npi, case_band, suppressed, as_of, data_class }: ProviderAnswer): string =>
  `${inventedCases(data_class)}Provider ${npi}: ${case_band} cases in the last eight quarters${as_of === null ? '' : `, as of ${as_of}`}. ${suppressed ? 'Values of small groups are withheld; that says nothing about the provider.' : 'Rates are coarse and have noise.'}`

interface ReportAnswer {
  status: string
  status_reasons: unknown[]
  summary: { rows_served: number; charts: Record<string, number> }
}
function reportSentence({ status, status_reasons, summary }: ReportAnswer): string {
  const charts = Object.entries(summary.charts).flatMap(([word, count]) => (count > 0 ? [`${count} ${word}`] : []))
  return `Integrity: ${status}${status_reasons.length > 0 ? `, for ${counted(status_reasons.length, 'reason')}` : ''}. Charts: ${charts.join(', ') || 'none'}. ${counted(summary.rows_served, 'row')} served.`
}

interface Verification {
  verified: boolean
  reason: string | null
  detail: string
  rows: number
  log_size: number | null
}
function verificationSentence({ verified, reason, detail, rows, log_size }: Verification): string {
  const what = rows > 0 ? `${counted(rows, 'row')} proved in the registry log` : 'proved in the signed log'
  if (verified)
    return `Verified: ${what} at ${log_size ?? 0} ${log_size === 1 ? 'entry' : 'entries'}, by the keys that this service uses. ${detail} To rely on nobody, verify it yourself with keys that you pinned: \`atr verify\`.`
  return detail === SHORT_ANSWER
    ? `Not checked: ${detail}`
    : `Not verified: ${reason}. ${detail} Do not use this answer; ask again with include = "proof".`
}

/** By the name of the operation that gave the answer. */
export const SENTENCES: { readonly [operation: string]: Sentence } = {
  lookup_reference: priceSentence,
  lookup_references: billSentence,
  check_bill: checkSentence,
  get_reference_sheet: sheetSentence,
  compare_hospitals: comparisonSentence,
  find_hospital: foundSentence,
  get_reference_history: historySentence,
  get_coverage: coverageSentence,
  verify_answer: verificationSentence,
  get_figures: figuresSentence,
  list_figure_changes: changesSentence,
  browse_registry: rowsSentence,
  get_provider_stats: providerSentence,
  get_data_integrity: reportSentence,
}
