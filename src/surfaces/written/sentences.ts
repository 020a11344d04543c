// One sentence or two for each kind of answer, complete enough that a person may act on them: many clients show a model
// nothing else. They are made of numbers, codes, names of releases and our own words.

import { PLACE_CHART } from '../../proof/price/charts.ts'
import type { Basis, PricedRow } from '../../proof/price/row.ts'
import type { Members } from '../../proof/shape.ts'
import { SHORT_ANSWER } from '../../proof/whole/open-points.ts'
import { ofBill } from './bill-sentence.ts'
import { ofCoverage } from './coverage-sentence.ts'
import {
  appliesAt,
  biddingNote,
  isOfState,
  ruralAlone,
  ruralNote,
  type ShownPlace,
  settingNote,
} from './equipment-words.ts'
import {
  BASIS_WORDS,
  type Classed,
  codeTold,
  componentOf,
  counted,
  dollars,
  doubtsOf,
  isSample,
  lastDayOf,
  moneyOf,
  neededFor,
  nextOf,
  type Page,
  packagedNote,
  paymentNotes,
  placeOf,
  priceOf,
  RATES,
  type Reasons,
  type Released,
  type Stated,
  sampleNote,
  sidesNote,
  unchangedBy,
  whereOf,
} from './sentence-words.ts'

export interface About {
  baseUrl: string
  /** The day that was asked about. */
  day: string
  /** The question, as it was understood. */
  asked: Members
  /** Where the ZIP code lies, if that is known and the answer does not show it. */
  place?: ShownPlace | undefined
  /** The rest of the answer, where it is short. */
  untold?: Untold | undefined
}
export type Sentence = (answer: never, about: About) => string

const MEDICARE = 'It includes any part that a Medicare patient pays. It is a reference, not what a patient owes.'
const HOSPITAL = 'It is what the hospital published, not a quote.'
const RATE = 'It is multiplied by base units and time: it is not the price of a service.'
const caveat = ({ basis, kind }: Pick<PricedRow, 'basis' | 'kind'>): string =>
  kind === 'rate' ? RATE : basis.startsWith('hospital_') ? HOSPITAL : MEDICARE

/** A visit is paid in two parts, and so are many services: one of them is easily taken for the whole. */
function partOf(row: Pick<PricedRow, 'basis' | 'setting' | 'modifier' | 'price'> & Untold): string[] {
  const { basis, setting } = row
  const notes = paymentNotes(row)
  if (/_(opps|asc)$/.test(basis))
    return ['It is what the hospital or center is paid; doctors are paid separately.', ...notes]
  const component = componentOf(row)
  return [
    ...notes,
    ...(component ? [component.lacks] : []),
    ...(/_pfs/.test(basis) && setting === 'facility'
      ? ['It is the doctor’s part; the hospital or center is paid separately.']
      : []),
  ]
}

type PointedRow = Omit<PricedRow, 'derivation' | 'indicators' | 'locator'> & Classed & { effective_to?: string }
/** What a whole answer has, and a short one does not. */
export interface Untold {
  indicators?: PricedRow['indicators'] | undefined
  because?: Reasons | undefined
}
interface Told extends Untold {
  modifiers_ignored?: string[]
  adjustment?: { modifier: string; amount: string }
  sources_lost?: { state: 'changed' | 'gone' }[]
  place?: ShownPlace
}
const LOST = {
  changed:
    'At the publisher the cited file is another one now: it was checked when it was loaded, and cannot be got there again.',
  gone: 'The cited file is gone from the publisher: it was checked when it was loaded, and cannot be got there again.',
}
type Price = PointedRow & Told & { proof: unknown }

function ofPrice(answer: Price, about: About): string {
  const { baseUrl, day } = about
  const where = answer.place ?? about.place
  const { price, basis, modifiers_ignored: ignored, adjustment, effective_from } = answer
  const code = codeTold(answer)
  const amount = adjustment ? moneyOf(adjustment) : priceOf(price)
  const adjusted = [
    ...sidesNote(about.asked['modifier'], adjustment?.modifier).map((note) => `${note}.`),
    ...(adjustment ? [`Without modifier ${adjustment.modifier} it is ${priceOf(price)}.`] : []),
    ...neededFor(adjustment?.modifier, answer.indicators ?? about.untold?.indicators),
    ...(ignored ? [`${unchangedBy(answer, ignored, 'Modifier')}.`] : []),
  ]
  const what = `${amount} is ${BASIS_WORDS[basis]} for ${adjustment ? `${code}-${adjustment.modifier}` : code}`
  const place = placeOf(answer.proof)
  const lastDay = lastDayOf(answer)
  const until = lastDay === undefined ? '' : ` to ${lastDay}`
  return [
    `${what} (${whereOf(answer)}) on ${day}.`,
    ...(isSample(answer) ? ['Sample data, not a real price.'] : []),
    ...adjusted,
    ...settingNote(where, about.asked['setting']),
    ...ruralAlone(answer, where, about.asked),
    ...(isOfState(answer) ? [...ruralNote(where, about.asked), ...biddingNote(where)] : []),
    ...partOf({ ...answer, indicators: answer.indicators ?? about.untold?.indicators }),
    ...packagedNote(about.asked, answer.because ?? about.untold?.because),
    ...doubtsOf(answer),
    caveat(answer),
    ...(place ? [`Source: ${place.release_id}, in force from ${effective_from}${until}: ${baseUrl}${place.href}`] : []),
    ...(answer.sources_lost ?? []).slice(0, 1).map(({ state }) => LOST[state]),
  ].join(' ')
}

interface Sheet extends Released {
  data: (PointedRow | (Classed & { kind: 'absence'; basis: Basis }))[]
  not_held: string[]
  as_of: string
  place?: ShownPlace
}
const SHOWN = 6
function ofSheet(sheet: Sheet, about: About): string {
  const { data, not_held, as_of, releases } = sheet
  const stated = data.filter((row) => 'price' in row)
  const [prices, factors] = [stated.filter(({ kind }) => kind !== 'rate'), stated.filter(({ kind }) => kind === 'rate')]
  const isSome = prices.length > 0 || factors.length === 0
  return [
    ...(isSome ? [listed(prices, 'price', as_of)] : []),
    ...(factors.length > 0 ? [listed(factors, 'factor', as_of), RATES] : []),
    ...(stated.length === 0 && not_held.length === 0 && !about.asked['region']
      ? ['There may be some for a state or a ZIP code as region.']
      : []),
    ...(prices.some(({ setting }) => /rural/.test(setting ?? '')) ? appliesAt(sheet.place ?? about.place) : []),
    ...sampleNote(data, releases),
    ...(data.length > stated.length
      ? [
          `${counted(data.length - stated.length, 'row')} ${data.length - stated.length === 1 ? 'states' : 'state'} that there is no price.`,
        ]
      : []),
    ...(not_held.length > 0 ? [`No edition for that day of: ${not_held.join(', ')}.`] : []),
    'Medicare amounts are references, not what a patient owes.',
  ].join(' ')
}

/** The first of them, and how many there are. */
function listed(rows: readonly PointedRow[], noun: string, day: string): string {
  const shown = rows.slice(0, SHOWN).map((row) => {
    const part = componentOf(row)
    const modifier = part ? `${row.modifier} for the ${part.is}` : row.modifier
    const parts = [row.basis, row.setting, modifier, row.region].filter(Boolean)
    return `${priceOf(row.price)} (${parts.join(', ')})`
  })
  const rest = rows.length > SHOWN ? `; ${rows.length - SHOWN} more` : ''
  return `${counted(rows.length, noun)} for this place in force on ${day}${shown.length > 0 ? ': ' : ''}${shown.join(', ')}${rest}.`
}

interface HistoryLine {
  row?: { price?: Stated }
  problem?: { code: string; detail: string }
  adjustment?: { amount: string }
}
interface History {
  data: (Classed & { release_id: string; effective_from: string; answer: HistoryLine })[]
  page: Page
}
function ofHistory({ data, page }: History): string {
  const priced = data.flatMap(({ release_id, effective_from, answer: { row, adjustment } }) =>
    row?.price
      ? [`${adjustment ? moneyOf(adjustment) : priceOf(row.price)} from ${effective_from} (${release_id})`]
      : [],
  )
  const said = `${counted(page.total, 'edition')} asked, newest first; ${priced.length} on this page ${priced.length === 1 ? 'states' : 'state'} a price${priced.length > 0 ? ': ' : ''}${priced.slice(0, SHOWN).join('; ')}.`
  const unplaced = data.filter(({ answer: { problem } }) => problem?.detail.includes(PLACE_CHART))
  const lost = unplaced.map(({ release_id }) => release_id).slice(0, SHOWN)
  const places =
    lost.length > 0
      ? [
          `For ${lost.join(', ')} it is not known where the ZIP code lies, as no table of ZIP codes is held for the first day: ask with the state or the Medicare locality.`,
        ]
      : []
  return [said, ...places, ...sampleNote(data)].join(' ') + nextOf(page)
}

interface FiguresAnswer extends Classed {
  w: number | null
  r: number | null
  p: number | null
  savings: { total: string | null }
  as_of: string | null
  release_id: string | null
}
const inventedCases = (data_class: Classed['data_class']): string =>
  data_class === 'sample' ? 'Sample data, not real disputes. ' : ''
const rate = (value: number | null): string => (value === null ? 'withheld' : `${Math.round(value * 1000) / 10} %`)
function ofFigures({ w, r, p, savings, as_of, release_id, data_class }: FiguresAnswer): string {
  if (release_id === null) return 'No figures were released yet.'
  const saved = savings.total === null ? 'withheld' : dollars(savings.total)
  return `${inventedCases(data_class)}Disputes with 500 dollars or more recovered: ${rate(w)} of closed cases (w). Ongoing treatment: ${rate(r)} (r). Settled without certified mail: ${rate(p)} (p). Savings in total: ${saved}. Release ${release_id}, as of ${as_of}. Aggregates under a disclosure rule; each value has its standard error.`
}

interface Changes extends Classed {
  data: { metric: string; old: unknown; new: unknown; released_at: string }[]
  page: Page
}
function ofChanges({ data: [first], page, data_class }: Changes): string {
  const word = (value: unknown): string => (['string', 'number'].includes(typeof value) ? String(value) : 'no value')
  const newest = first
    ? ` The first on this page: ${first.metric} from ${word(first.old)} to ${word(first.new)}, released ${first.released_at}.`
    : ''
  return `${inventedCases(data_class)}${counted(page.total, 'change')} of published figures.${newest}${nextOf(page)}`
}

interface Rows extends Released {
  data: unknown[]
  page: Page & { has_more: boolean }
  as_of: string
}
const ofRows = ({ data, page, as_of, releases }: Rows): string =>
  [
    `${counted(page.total, 'row')} in force on ${as_of}; this page has ${data.length}.`,
    ...sampleNote([], releases),
    ...(page.has_more ? ['For more, call again with after = page.next_after.'] : []),
  ].join(' ')

interface Provider extends Classed {
  npi: string
  case_band: string
  win_rate: unknown
  suppressed: boolean
  as_of: string | null
}
const ofProvider = ({ npi, case_band, suppressed, as_of, data_class }: Provider): string =>
  `${inventedCases(data_class)}Provider ${npi}: ${case_band} cases in the last eight quarters${as_of === null ? '' : `, as of ${as_of}`}. ${suppressed ? 'Values of small groups are withheld; that says nothing about the provider.' : 'Rates are coarse and have noise.'}`

interface Report {
  status: string
  status_reasons: unknown[]
  summary: { rows_served: number; charts: Record<string, number> }
}
function ofReport({ status, status_reasons, summary }: Report): string {
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
function ofVerification({ verified, reason, detail, rows, log_size }: Verification): string {
  const what = rows > 0 ? `${counted(rows, 'row')} proved in the registry log` : 'proved in the signed log'
  if (verified)
    return `Verified: ${what} at ${counted(log_size ?? 0, 'entry').replace(/entrys$/, 'entries')}, by the keys that this service uses. ${detail} To rely on nobody, verify it yourself with keys that you pinned: \`atr verify\`.`
  return detail === SHORT_ANSWER
    ? `Not checked: ${detail}`
    : `Not verified: ${reason}. ${detail} Do not use this answer; ask again with include = "proof".`
}

/** By the name of the operation that gave the answer. */
export const SENTENCES: { readonly [operation: string]: Sentence } = {
  lookup_reference: ofPrice,
  lookup_references: ofBill,
  get_reference_sheet: ofSheet,
  get_reference_history: ofHistory,
  get_coverage: ofCoverage,
  verify_answer: ofVerification,
  get_figures: ofFigures,
  list_figure_changes: ofChanges,
  browse_registry: ofRows,
  get_provider_stats: ofProvider,
  get_data_integrity: ofReport,
}
