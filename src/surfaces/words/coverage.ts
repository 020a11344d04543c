// The sentence about what there is to ask for: of a price list its codes and places, of a code where it has prices.

import { kindOfRows } from '../../proof/price/charts.ts'
import type { RowKind } from '../../tables/charts.ts'
import { counted, type DataClass, nextOf, type Page, sampleNote } from './row-text.ts'

interface CutList {
  total: number
  list: string[]
}
interface EditionEntry {
  kind: 'chart'
  chart: string
  release_id: string
  about: {
    codes: number
    regions: CutList
    npis: CutList
    code?: { cpt: string; rows: number; prices: number; regions: CutList; npis: CutList }
  }
}
interface CoverageAnswer {
  data: (DataClass & (EditionEntry | { kind: 'code'; cpt: string }))[]
  as_of: string
  page: Page
}

const MOST_NAMES = 12

const namesOf = ({ total, list }: CutList): string => {
  const more = total - Math.min(list.length, MOST_NAMES)
  return `${list.slice(0, MOST_NAMES).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

/** Whether the whole country is the only place: a national list and a hospital's file have no other, so it says nothing. */
const isNational = ({ total, list }: CutList): boolean => total === 1 && list[0] === 'national'

function contentOf({ chart, about: { codes, regions, npis, code } }: EditionEntry): string {
  const kind = kindOfRows(chart)
  if (kind) return code ? OF_A_CODE[kind] : OF_OTHERS[kind](codes)
  if (code) return pricesOf(code)
  const where = npis.total > 1 ? ` of ${counted(npis.total, 'hospital')}` : ` in ${counted(regions.total, 'region')}`
  return `${counted(codes, 'code')}${npis.total < 2 && isNational(regions) ? '' : where}`
}

/** The content of a chart that states no prices. */
const OF_OTHERS: Readonly<Record<RowKind, (codes: number) => string>> = {
  place: (codes) => counted(codes, 'ZIP code'),
  hospital: (codes) => `hospitals in ${counted(codes, 'ZIP code')}`,
  limit: (codes) => `limits of units of ${counted(codes, 'code')}`,
  edits: (codes) => `pairs of ${counted(codes, 'column-one code')}`,
  add_on: (codes) => counted(codes, 'add-on code'),
}
const OF_A_CODE: Readonly<Record<RowKind, string>> = {
  place: 'a ZIP code',
  hospital: 'a ZIP code',
  limit: 'a limit of its units',
  edits: 'codes that are not paid beside it',
  add_on: 'its primary codes',
}

/** Rows may also state that there is no price: they are not counted as prices. */
function pricesOf({ cpt, rows, prices, regions, npis }: NonNullable<EditionEntry['about']['code']>): string {
  if (prices === 0) return `no price of ${cpt}`
  const some =
    prices === rows ? `${counted(prices, 'price')} of ${cpt}` : `${rows} rows of ${cpt}, ${prices} of them prices`
  if (npis.total > 0) return `${some}, by NPI: ${namesOf(npis)}`
  return `${some}, ${isNational(regions) ? 'national' : `in ${counted(regions.total, 'region')}: ${namesOf(regions)}`}`
}

export function coverageSentence({ data, as_of, page }: CoverageAnswer): string {
  if (page.total === 0) return `No edition that is in force on ${as_of} fits the question.`
  const names = data.map((each) => (each.kind === 'chart' ? `${each.release_id} (${contentOf(each)})` : each.cpt))
  const noun = data[0]?.kind === 'code' ? 'code' : 'edition'
  const rest = names.length > MOST_NAMES ? ' and more' : ''
  const list = `${counted(page.total, noun)} in force on ${as_of}: ${names.slice(0, MOST_NAMES).join('; ')}${rest}.`
  return [list, ...sampleNote(data, undefined)].join(' ') + nextOf(page)
}
