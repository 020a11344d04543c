import { unreadable } from '../../files/unreadable.ts'
import { toHex, utf8 } from '../../proof/bytes.ts'
import { capitals } from '../../proof/lookup/question.ts'
import type { Row } from '../../proof/price/row.ts'
import { sha256 } from '../../proof/sha256.ts'
import { bareNumber, CODE, noAmount, scheduleAmount } from '../findings.ts'
import type { Source } from '../source.ts'
import { perOf } from './rent.ts'
import { type Columns, isReadBy, type LineResult, readTable, squashed, type Table } from './table.ts'
import { type CitedLine, indicatorsOf, type Part, type RowBase, refused } from './tables.ts'

// Where suppliers once bid for contracts, Medicare pays amounts of its own for some of the equipment. CMS has a file of these
// amounts, with a column for each area, and a list of the ZIP codes of each area. Both come with the equipment schedule.

const FEES = {
  cpt: { titles: ['HCPCS', 'HCPCS CODE'] },
  mod: { titles: ['Mod', 'Modifier'] },
  mod2: { titles: ['Mod2', 'Modifier 2'], optional: true },
  // The schedule itself has none.
  mod3: { titles: ['Mod3', 'Modifier 3'] },
  category: { titles: ['CATG', 'Category'] },
  description: { titles: ['Description', 'Desc', 'Short Description', 'Long Description'], optional: true },
} satisfies Columns

/** Columns of the schedule itself, of which a damaged one must not be taken for this; and supplies by mail are paid everywhere alike. */
const OTHER_TABLE = /^([A-Z]{2}(N?R)?|JURIS.*|CEILING.*|FLOOR.*|.*MAILORDER.*)$/
/** There were about 130. */
const MOST_AREAS = 400

/** What Medicare pays in former bidding areas, beside the equipment schedule. */
export const biddingAreaFees: Part = {
  what: 'a fee schedule of former bidding areas',
  columns: FEES,
  beside: {
    isOne: ({ others }: Table) =>
      others.length > 1 && others.length <= MOST_AREAS && !others.some((title) => OTHER_TABLE.test(squashed(title))),
    named: /cba[ _-]?fee/i,
    rule: 'W10',
    row: areaRows,
  },
}

/**
 * What an area is called in rows. Its name is someone else's text, and is not repeated: whoever has the list finds the area by
 * the digest of the letters and digits of its short name, in capitals.
 */
function areaOf(name: string): string | undefined {
  const letters = capitals(name).replaceAll(/[^A-Z0-9]/g, '')
  if (letters === '') return undefined
  const known = areas.get(letters)
  if (known !== undefined) return known
  const made = `CBA-${capitals(toHex(sha256(utf8(letters))).slice(0, 8))}`
  if (areas.size < MOST_AREAS) areas.set(letters, made)
  return made
}
const areas = new Map<string, string>()

/** The rows of a line: one for each area that has an amount. In the others the amount of the state holds. */
function areaRows(given: CitedLine, effective_from: string): readonly LineResult[] {
  const { citation, line, cell, code, others } = given
  const cpt = code('cpt')
  const stated = others()
    .map(([title, number]) => ({ region: areaOf(title), rate: bareNumber(number) }))
    .filter(({ rate }) => noAmount(rate) === undefined)
  // Notes stand below the table.
  if (stated.length === 0) return []
  if (!CODE.test(cpt)) return ['R03']
  const modifiers = ['mod', 'mod2', 'mod3'].map(cell).filter((each) => each !== '')
  const isRight = modifiers.every((each) => /^[A-Z0-9]{2}$/.test(each))
  return stated.flatMap(({ region, rate }): Row[] => {
    if (region === undefined) return []
    const base: RowBase = {
      cpt,
      modifier: isRight ? modifiers.sort().join('-') || null : null,
      region,
      npi: null,
      basis: 'medicare_dmepos',
      // Under no setting, so that it does not stand in the way of the line without a modifier.
      setting: isRight ? 'non_rural' : null,
      class: null,
      effective_from,
      indicators: indicatorsOf({ category: [cell('category'), /^[A-Z]{2}$/] }),
      locator: [{ citation, line }],
    }
    const amount = scheduleAmount(rate)
    if (!isRight || amount === undefined) return [refused(base, isRight ? 'R02' : 'R03')]
    const price = { amount, currency: 'USD', per: perOf(cpt, modifiers) } as const
    return [{ ...base, kind: 'price', price, flags: [], derivation: { method: 'verbatim/1', inputs: { rate } } }]
  })
}

const ZIPS = {
  state: { titles: ['CBA State', 'State'] },
  zip: { titles: ['CBA ZIP Code', 'CBA ZIP'] },
  area: { titles: ['CBA Name Short', 'CBA Short Name'] },
  quarter: { titles: ['Year/Qtr', 'Year Quarter'], optional: true },
} satisfies Columns

/** As CMS has called it: `Former CBA ZIP Code File- JAN2026.csv`. Under any name it is known by its header. */
export const isBiddingAreaList = (source: Source): boolean =>
  /cba[ _-]?zip/i.test(source.name ?? source.file) ||
  /\bCBA ZIP\b/i.test(source.text.slice(0, 4_000)) ||
  (source.kind === 'xlsx' && isReadBy((each) => readTable(each, ZIPS, WHAT), source))

const WHAT = 'a list of ZIP codes of former bidding areas'

/** Of each ZIP code in such an area: which it is, and the line that says so. No area where two are listed: either may be meant. */
export type BiddingAreas = ReadonlyMap<string, { area: string | undefined; line: number }>

/** `year` is that of the ZIP codes beside it. CMS's lists of a January have been those of the autumn. */
export function biddingAreasIn(source: Source, year = ''): BiddingAreas {
  const zips = new Map<string, { area: string | undefined; line: number }>()
  for (const { line, cell } of readTable(source, ZIPS, WHAT).lines) {
    if (cell('zip') === '') continue
    const zip = cell('zip').padStart(5, '0')
    const area = areaOf(cell('area'))
    if (!/^[A-Z]{2} [0-9]{5}$/.test(`${cell('state')} ${zip}`) || area === undefined)
      throw unreadable(`this is not ${WHAT}`, line)
    const [, stated = year] = /^(20[0-9]{2})[0-9]{1,2}$/.exec(cell('quarter')) ?? []
    if (year !== '' && Math.abs(Number(stated) - Number(year)) > 1)
      throw unreadable(
        'the list of bidding areas is of another year than the ZIP5 file: give those of one quarter',
        line,
      )
    const known = zips.get(zip)
    zips.set(zip, known ? { ...known, area: known.area === area ? area : undefined } : { area, line })
  }
  if (zips.size === 0) throw unreadable('the list of ZIP codes of former bidding areas is empty')
  return zips
}
