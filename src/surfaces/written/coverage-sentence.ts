// What there is to ask for, in a sentence: of a price list its codes and places, of a code where it has prices.

import { PLACE_CHART } from '../../proof/price/charts.ts'
import { type Classed, counted, nextOf, type Page, sampleNote } from './sentence-words.ts'

interface Listed {
  total: number
  list: string[]
}
interface Edition {
  kind: 'chart'
  chart: string
  release_id: string
  codes: number
  regions: Listed
  npis: Listed
  code: { cpt: string; rows: number; prices: number; regions: Listed; npis: Listed } | null
}
interface Covered {
  data: (Classed & (Edition | { kind: 'code'; cpt: string }))[]
  as_of: string
  page: Page
}

const MOST_NAMES = 12

const named = ({ total, list }: Listed): string => {
  const more = total - Math.min(list.length, MOST_NAMES)
  return `${list.slice(0, MOST_NAMES).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

/** The only place that a national list or a hospital's file speaks of says nothing. */
const isNational = ({ total, list }: Listed): boolean => total === 1 && list[0] === 'national'

function holdingOf({ chart, codes, regions, npis, code }: Edition): string {
  if (chart === PLACE_CHART) return counted(codes, 'ZIP code')
  if (code) return ofCode(code)
  const where = npis.total > 1 ? ` of ${counted(npis.total, 'hospital')}` : ` in ${counted(regions.total, 'region')}`
  return `${counted(codes, 'code')}${npis.total < 2 && isNational(regions) ? '' : where}`
}

/** Rows may also state that there is no price: they are not counted as prices. */
function ofCode({ cpt, rows, prices, regions, npis }: NonNullable<Edition['code']>): string {
  if (prices === 0) return `no price of ${cpt}`
  const some =
    prices === rows ? `${counted(prices, 'price')} of ${cpt}` : `${rows} rows of ${cpt}, ${prices} of them prices`
  if (npis.total > 0) return `${some}, by NPI: ${named(npis)}`
  return `${some}, ${isNational(regions) ? 'national' : `in ${counted(regions.total, 'region')}: ${named(regions)}`}`
}

export function ofCoverage({ data, as_of, page }: Covered): string {
  if (page.total === 0) return `No edition that is in force on ${as_of} fits the question.`
  const names = data.map((each) => (each.kind === 'chart' ? `${each.release_id} (${holdingOf(each)})` : each.cpt))
  const noun = data[0]?.kind === 'code' ? 'code' : 'edition'
  const rest = names.length > MOST_NAMES ? ' and more' : ''
  const said = `${counted(page.total, noun)} in force on ${as_of}: ${names.slice(0, MOST_NAMES).join('; ')}${rest}.`
  return [said, ...sampleNote(data)].join(' ') + nextOf(page)
}
