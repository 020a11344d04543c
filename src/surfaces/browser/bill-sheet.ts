// A bill with its reference prices, as a sheet to print and send. Plain data: the server and the browser each show it
// in their own way. All amounts are exact.

import type { LineAmount, Summary } from '../../proof/lookup/bill.ts'
import { tenThousandths } from '../../proof/price/money.ts'
import type { Manifest } from '../../proof/price/release.ts'
import type { Row } from '../../proof/price/row.ts'
import { type BillEntry, type BillFault, COLUMNS, type Column } from './bill-lines.ts'

/** The answer to the batch of one column, as far as the sheet uses it: only what a verifier proves. */
export interface ColumnAnswer {
  results: readonly {
    status: number
    row?: Row & { proof: { release: number; index: number } }
    problem?: { code: string; row?: unknown }
    extended?: LineAmount | null
  }[]
  summary: Summary
  releases?: readonly { release: Manifest }[]
}
export type ColumnAnswers = { readonly [column in Column]?: ColumnAnswer }

export interface Cell {
  text: string
  /** How often the amount goes into what was billed. */
  note?: string | undefined
  href?: string
  isNumber?: boolean
  /** Stays on one line. */
  isWhole?: boolean
}
export interface Table {
  name: string
  caption: string
  head: readonly string[]
  rows: readonly (readonly Cell[])[]
}
/** How the cells of a column are set, by their first one. */
export const classOf = (cell: Cell | undefined): string => (cell?.isNumber ? 'number' : cell?.isWhole ? 'whole' : '')

export interface BillSheet {
  summary: string
  tables: readonly Table[]
  lists: readonly { title: string; items: readonly string[] }[]
  letter: string
}

const TITLES: Record<Column, string> = {
  doctor: 'Medicare, doctor',
  outpatient: 'Medicare, hospital',
  cash: 'Hospital, cash',
  gross: 'Hospital, gross',
}

const BASES: { readonly [basis: string]: string } = {
  medicare_pfs: 'physician fee schedule',
  medicare_clfs: 'laboratory fee schedule',
  medicare_asp: 'drug payment limits',
  medicare_dmepos: 'equipment fee schedule',
  medicare_opps: 'outpatient prices',
  hospital_cash: 'cash price',
  hospital_gross: 'gross charge',
}

/** Why a line has no price, in words of a patient. */
const REASONS: { readonly [code: string]: string } = {
  absent_bundled: 'bundled: paid as part of another service',
  absent_conditionally_packaged: 'packaged: paid with another service of the same visit',
  absent_carrier_priced: 'priced by the regional Medicare contractor',
  absent_paid_elsewhere: 'not paid by this schedule; another one may',
  absent_not_covered: 'not covered by Medicare',
  absent_not_valid: 'not a valid code for this schedule',
  absent_inpatient_only: 'paid only for hospital inpatients',
  absent_anesthesia: 'paid by anesthesia units and time',
  absent_not_applicable_in_setting: 'not performed in this setting',
  absent_no_price_stated: 'listed without a price',
  absent_unreadable: 'listed, and the line cannot be read',
  absent_withheld_conflict: 'withheld: the source contradicts itself',
  not_on_schedule: 'not listed',
  no_edition_for_day: 'no edition is held for this day',
  modifier_not_priced: 'no price with this modifier',
  modifier_not_allowed: 'not paid with this modifier',
  region_ambiguous: 'the place has several Medicare areas: give a ZIP code',
  region_not_covered: 'not listed for this place',
  unknown_zip: 'the ZIP code is not known',
  unknown_provider: 'no file of this hospital is held',
}
const reasonOf = (code: string): string => REASONS[code] ?? 'no price'

export const dollars = (amount: string): string => `$${amount.replace(/\B(?=([0-9]{3})+\.)/g, ',')}`
export const amountOf = (amounts: LineAmount): string =>
  'amount' in amounts ? dollars(amounts.amount) : `${dollars(amounts.low)} to ${dollars(amounts.high)}`

/** How often an amount goes into what was billed, to one decimal, half up. */
export function ratio(billed: string | null, amount: string | undefined): string | undefined {
  if (billed === null || amount === undefined || tenThousandths(amount) === 0n) return undefined
  const tenths = (tenThousandths(billed) * 20n + tenThousandths(amount)) / (tenThousandths(amount) * 2n)
  return `${tenths / 10n}.${tenths % 10n}\u00d7`
}
const single = (amounts: LineAmount): string | undefined => ('amount' in amounts ? amounts.amount : undefined)

type Priced = Row & { proof: { release: number; index: number } }
interface Reference {
  column: Column
  entry: BillEntry
  row: Priced
  release: Manifest
  extended: LineAmount | null
}

/** The references of all lines and columns that have a price. */
function referencesIn(entries: readonly BillEntry[], answers: ColumnAnswers): Reference[] {
  return COLUMNS.flatMap((column) => {
    const { results = [], releases = [] } = answers[column] ?? {}
    return results.flatMap(({ row, extended = null }, i) => {
      const [entry, release] = [entries[i], row && releases[row.proof.release]?.release]
      return entry && row && release ? [{ column, entry, row, release, extended }] : []
    })
  })
}

export const permalink = ({ release, row }: Pick<Reference, 'release' | 'row'>): string =>
  `/rows/${release.release_id}/${row.proof.index}`

export function billSheet(
  entries: readonly BillEntry[],
  faults: readonly BillFault[],
  answers: ColumnAnswers,
  origin: string,
): BillSheet {
  const columns = COLUMNS.filter((column) => answers[column])
  const references = referencesIn(entries, answers)
  const isPriced = (entry: BillEntry): boolean => references.some((each) => each.entry === entry)
  const lines = entries.map((entry, i) => [
    { text: entry.modifier ? `${entry.code}-${entry.modifier}` : entry.code },
    { text: String(entry.units), isNumber: true },
    { text: entry.billed === null ? '' : dollars(entry.billed), isNumber: true },
    ...columns.map((column) => cellOf(entry, answers[column]?.results[i], references, column)),
  ])
  return {
    summary: `${entries.filter(isPriced).length} of ${entries.length + faults.length} lines have a reference price.`,
    tables: [
      {
        name: 'bill-lines',
        caption: 'Lines, with their units. Small: billed \u00f7 price',
        head: ['Code', 'Units', 'Billed', ...columns.map((column) => TITLES[column])],
        rows: lines,
      },
      totalsOf(columns, answers),
      sourcesOf(references),
    ],
    lists: [
      bundledIn(entries, columns, answers),
      withoutPrice(entries, columns, answers, isPriced),
      unread(faults),
    ].filter(({ items }) => items.length > 0),
    letter: letterOf(references, origin),
  }
}

type Result = ColumnAnswer['results'][number]

function cellOf(entry: BillEntry, result: Result | undefined, references: readonly Reference[], column: Column): Cell {
  const reference = references.find((each) => each.entry === entry && each.column === column)
  if (!reference) return { text: shortReason(result), isNumber: true }
  const { extended } = reference
  if (!extended) return { text: 'a factor', isNumber: true, href: permalink(reference) }
  return {
    text: amountOf(extended),
    note: ratio(entry.billed, single(extended)),
    href: permalink(reference),
    isNumber: true,
  }
}

const shortReason = (result: Result | undefined): string =>
  /bundled|packaged/.exec(result?.problem?.code ?? '')?.[0] ?? '\u2013'

/** Totals for each basis, never across them: a doctor's fee and a hospital's charge do not add up to a price. */
const totalsOf = (columns: readonly Column[], answers: ColumnAnswers): Table => ({
  name: 'bill-totals',
  caption: 'Totals of the lines that have such a price',
  head: ['Price', 'Lines', 'Comes to', 'Billed for these lines', 'Billed \u00f7 price'],
  rows: columns.flatMap((column) =>
    (answers[column]?.summary.totals ?? []).map(({ basis, lines, low, high, billed }) => [
      { text: `${TITLES[column]}: ${BASES[basis] ?? basis}` },
      { text: String(lines), isNumber: true },
      { text: amountOf(low === high ? { amount: low } : { low, high }), isNumber: true },
      { text: billed === null ? 'not stated' : dollars(billed), isNumber: true },
      { text: (low === high && ratio(billed, low)) || '', isNumber: true },
    ]),
  ),
})

/** Where each amount stands: the edition, its files, and the lines in them. */
function sourcesOf(references: readonly Reference[]): Table {
  const releases = [...new Map(references.map(({ release }) => [release.release_id, release])).values()]
  return {
    name: 'bill-sources',
    caption: 'Sources',
    head: ['Edition', 'In force', 'File and SHA-256', 'Lines'],
    rows: releases.map((release) => {
      const own = references.filter((each) => each.release.release_id === release.release_id)
      const [file] = release.citations
      const cited = own.map(({ row }) => `${row.cpt}: ${row.locator.map(({ line }) => line).join(' and ')}`)
      return [
        {
          text: release.data_class === 'sample' ? `${release.release_id} (sample data)` : release.release_id,
          isWhole: true,
        },
        { text: `${release.effective_from} to ${release.effective_to}`, isWhole: true },
        { text: `${file?.file} ${file?.sha256.slice(0, 16)}\u2026` },
        { text: [...new Set(cited)].join('; ') },
      ]
    }),
  }
}

const BUNDLED = /^absent_(bundled|conditionally_packaged)$/

function bundledIn(entries: readonly BillEntry[], columns: readonly Column[], answers: ColumnAnswers) {
  const items = entries.flatMap((entry, i) => {
    const found = columns.find((column) => BUNDLED.test(answers[column]?.results[i]?.problem?.code ?? ''))
    if (!found) return []
    const reason = reasonOf(answers[found]?.results[i]?.problem?.code ?? '')
    return [
      `Line ${entry.at}, ${entry.code} (${TITLES[found]}): ${reason}. Medicare pays nothing more for it on its own, so ask which service it belongs to.`,
    ]
  })
  return { title: 'What is bundled, and why that matters', items }
}

function withoutPrice(
  entries: readonly BillEntry[],
  columns: readonly Column[],
  answers: ColumnAnswers,
  isPriced: (entry: BillEntry) => boolean,
) {
  const items = entries.flatMap((entry, i) => {
    if (isPriced(entry)) return []
    const why = columns.map(
      (column) => `${TITLES[column]}: ${reasonOf(answers[column]?.results[i]?.problem?.code ?? '')}`,
    )
    return [`Line ${entry.at}, ${entry.code}. ${why.join('. ')}.`]
  })
  return { title: 'Lines without a price, and why', items }
}

const unread = (faults: readonly BillFault[]) => ({
  title: 'Lines that could not be read',
  items: faults.map(({ at, what }) => `Line ${at}: ${what}.`),
})

/** One reference for each line, the first there is. It states what is published, and nothing else. */
function letterOf(references: readonly Reference[], origin: string): string {
  const first = references.filter((each, i) => references.findIndex(({ entry }) => entry === each.entry) === i)
  if (first.length === 0) return ''
  const sentences = first.map((each) => {
    const { entry, row, release, extended } = each
    const billed = entry.billed === null ? '' : `, billed at ${dollars(entry.billed)}`
    const amount = extended ? amountOf(extended) : 'a factor'
    const numbers = row.locator.map(({ line }) => line)
    const lines = `${numbers.length === 1 ? 'line' : 'lines'} ${numbers.join(' and ')}`
    const what = `Code ${entry.code}${entry.modifier && ` with modifier ${entry.modifier}`}, ${entry.units === 1 ? '1 unit' : `${entry.units} units`}, ${entry.day}${billed}`
    return `${what}: ${amount} (${BASES[row.basis] ?? row.basis}, edition ${release.edition}, ${lines}, ${origin}${permalink(each)}).`
  })
  return `The following published reference prices apply to the lines of this bill. ${sentences.join(' ')} Each amount is what the named edition states for the place and the day of the line, and can be checked at its address. This is not a statement of what is owed.`
}

/** A spreadsheet runs a cell that begins like a formula, so such a cell begins with an apostrophe instead. */
function csvCell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

export const billCsv = ({ tables: [lines] }: BillSheet): string =>
  [lines?.head ?? [], ...(lines?.rows ?? []).map((cells) => cells.map(({ text }) => text.replace(/^\$/, '')))]
    .map((cells) => `${cells.map(csvCell).join(',')}\r\n`)
    .join('')
