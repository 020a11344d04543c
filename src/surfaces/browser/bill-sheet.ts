// A bill with its reference prices, as a sheet to print and send. Plain data: the server and the browser each show it
// in their own way. All amounts are exact.

import { type LineAmount, type Summary, summaryOf } from '../../proof/lookup/bill.ts'
import { CONDITIONS, conditionOf } from '../../proof/lookup/condition.ts'
import { tenThousandths } from '../../proof/price/money.ts'
import { citedLines } from '../../proof/price/row-of-release.ts'
import { letterOf } from './bill-letter.ts'
import { type BillEntry, type BillFault, COLUMNS, type Column } from './bill-lines.ts'
import {
  amountOf,
  BASES,
  type ColumnAnswer,
  type ColumnAnswers,
  type ComparedBill,
  dollars,
  editionOf,
  permalink,
  type Reference,
  reasonOf,
  referencesIn,
  TITLES,
  titleOf,
  uncounted,
} from './bill-reference.ts'

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

/** How often an amount goes into what was billed, to one decimal, half up. */
export function ratio(billed: string | null, amount: string | undefined): string | undefined {
  if (billed === null || amount === undefined || tenThousandths(amount) === 0n) return undefined
  const tenths = (tenThousandths(billed) * 20n + tenThousandths(amount)) / (tenThousandths(amount) * 2n)
  return `${tenths / 10n}.${tenths % 10n}\u00d7`
}
const single = (amounts: LineAmount): string | undefined => ('amount' in amounts ? amounts.amount : undefined)

export function billSheet(bill: ComparedBill): BillSheet {
  const { entries, faults, answers } = bill
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
        caption: 'Each line with its units. The small number is billed \u00f7 price.',
        head: ['Code', 'Units', 'Billed', ...columns.map((column) => TITLES[column])],
        rows: lines,
      },
      totalsOf(columns, references),
      sourcesOf(references),
    ].filter(({ rows }) => rows.length > 0),
    lists: [
      bundledIn(entries, columns, answers),
      conditionsIn(entries, columns, answers),
      withoutPrice(entries, columns, answers),
      unread(faults),
    ].filter(({ items }) => items.length > 0),
    letter: letterOf(bill),
  }
}

/** The bill for programs: the lines that were read, those that were not, and the answers with their proofs. */
export const billJson = ({ entries, faults, answers }: ComparedBill): string =>
  JSON.stringify({ lines: entries, unread: faults, answers })

type Result = ColumnAnswer['results'][number]

function cellOf(entry: BillEntry, result: Result | undefined, references: readonly Reference[], column: Column): Cell {
  const reference = references.find((each) => each.entry === entry && each.column === column)
  if (!reference) return { text: shortReason(result), isNumber: true }
  const { extended } = reference
  if (!extended) return { text: uncounted(reference), isNumber: true, href: permalink(reference) }
  return {
    text: amountOf(extended),
    note: ratio(entry.billed, single(extended)),
    href: permalink(reference),
    isNumber: true,
  }
}

const shortReason = (result: Result | undefined): string =>
  /bundled|packaged/.exec(result?.problem?.code ?? '')?.[0] ?? '\u2013'

const summaryIn = (column: Column, references: readonly Reference[]): Summary =>
  summaryOf(
    references
      .filter((each) => each.column === column)
      .map(({ entry: { billed }, row: { basis }, extended }) => ({ basis, extended, billed })),
  )

/** Totals for each basis, never across them: a doctor's fee and a hospital's charge do not add up to a price. */
const totalsOf = (columns: readonly Column[], references: readonly Reference[]): Table => ({
  name: 'bill-totals',
  caption: 'Totals of the lines that have such a price',
  head: ['Price', 'Lines', 'Comes to', 'Billed for these lines', 'Billed \u00f7 price'],
  rows: columns.flatMap((column) =>
    summaryIn(column, references).totals.map(({ basis, lines, low, high, billed }) => [
      { text: `${titleOf(column, basis)}: ${BASES[basis] ?? basis}` },
      { text: String(lines), isNumber: true },
      { text: amountOf(low === high ? { amount: low } : { low, high }), isNumber: true },
      { text: billed === null ? 'not stated' : dollars(billed), isNumber: true },
      { text: (low === high && ratio(billed, low)) || '', isNumber: true },
    ]),
  ),
})

/** The source of each amount: the edition, its files and their lines. */
function sourcesOf(references: readonly Reference[]): Table {
  const files = new Map<string, { cells: Cell[]; lines: Map<number, Set<string>> }>()
  for (const { row, release } of references)
    for (const { file, sha256, line } of citedLines(row, release)) {
      const key = `${release.release_id} ${sha256}`
      const source = files.get(key) ?? {
        cells: [
          { text: editionOf(release) },
          { text: `${release.effective_from} to ${release.effective_to}`, isWhole: true },
          { text: `${file} ${sha256.slice(0, 16)}\u2026` },
        ],
        lines: new Map(),
      }
      files.set(key, source)
      source.lines.set(line, (source.lines.get(line) ?? new Set()).add(row.code))
    }
  return {
    name: 'bill-sources',
    caption: 'Sources',
    head: ['Edition', 'In force', 'File and SHA-256', 'Codes: line'],
    rows: [...files.values()].map(({ cells, lines }) => [
      ...cells,
      { text: [...lines].map(([line, codes]) => `${[...codes].join(', ')}:\u00a0${line}`).join('; ') },
    ]),
  }
}

const BUNDLED = /^absent_(bundled|conditionally_packaged)$/

const isBundled = (result: Result | undefined): boolean => BUNDLED.test(result?.problem?.code ?? '')

function bundledIn(entries: readonly BillEntry[], columns: readonly Column[], answers: ColumnAnswers) {
  const items = entries.flatMap(({ at, code }, i) =>
    columns
      .map((column) => ({ title: TITLES[column], result: answers[column]?.results[i] }))
      .filter(({ result }) => isBundled(result))
      .map(
        ({ title, result }) =>
          `Line ${at}, ${code} (${title}): ${reasonOf(result?.problem?.code)}. Medicare pays nothing more for it on its own, so ask which service it belongs to.`,
      ),
  )
  return { title: 'What is bundled, and why that matters', items }
}

/** Amounts that a modifier has changed, where Medicare pays them only under a condition. */
function conditionsIn(entries: readonly BillEntry[], columns: readonly Column[], answers: ColumnAnswers) {
  const items = columns.flatMap((column) =>
    entries.flatMap(({ at, code }, i) => {
      const { row, adjustment } = answers[column]?.results[i] ?? {}
      const condition = row && adjustment && conditionOf(row, adjustment)
      return condition
        ? [`Line ${at}, ${code}-${adjustment.modifier} (${TITLES[column]}): ${CONDITIONS[condition]}`]
        : []
    }),
  )
  return { title: 'What is paid under a condition', items }
}

/** The reason for every other missing price, in each column. Lines with the same reason are named together. */
function withoutPrice(entries: readonly BillEntry[], columns: readonly Column[], answers: ColumnAnswers) {
  const items = columns.flatMap((column) => {
    const lines = new Map<string, string[]>()
    for (const [i, { at, code }] of entries.entries()) {
      const result = answers[column]?.results[i]
      if (result?.row || isBundled(result)) continue
      const reason = reasonOf(result?.problem?.code)
      lines.set(reason, [...(lines.get(reason) ?? []), `line ${at} (${code})`])
    }
    return [...lines].map(([reason, named]) => `${TITLES[column]}, ${named.join(', ')}: ${reason}.`)
  })
  return { title: 'Where there is no price, and why', items }
}

const unread = (faults: readonly BillFault[]) => ({
  title: 'Lines that could not be read',
  items: faults.map(({ at, what }) => `Line ${at}: ${what}.`),
})
