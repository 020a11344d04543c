// The sentence about a bill: its sums, its lines where they are few, and what is not in the sums.

import type { Basis, PricedRow } from '../../proof/price/row.ts'
import { isDay, isObject, type Members } from '../../proof/shape.ts'
import { BOTH_SIDES } from '../../tables/modifiers.ts'
import {
  type Amounts,
  counted,
  dollars,
  doubtsOf,
  moneyOf,
  type ProvedList,
  priceOf,
  prolongedNotes,
  type ShownRow,
  sampleNote,
  sidesNote,
  unchangedBy,
  whereOf,
} from './row-text.ts'
import { BASIS_WORDS, notesOf, SCHEDULES } from './schedules.ts'

interface BillLine {
  status: number
  /** Short answers have no indicators. */
  row?: ShownRow & Partial<Pick<PricedRow, 'indicators'>>
  modifiers_ignored?: string[]
  adjustment?: { modifier: string; amount: string }
  problem?: { code: string; detail: string }
  units?: number
  billed?: string
  extended?: Amounts | null
}
interface BillAnswer extends ProvedList {
  as_of: string
  results: BillLine[]
  summary: {
    lines: number
    priced: number
    totals: { basis: Basis; lines: number; low: string; high: string; billed: string | null }[]
  }
}

/** A longer bill has only its sums in the sentence: each line costs an agent as much as a lookup. */
const MOST_LINES = 12

export function billSentence({ results, summary, proof, as_of }: BillAnswer, { question }: { question: Members }) {
  const asked = linesIn(question)
  const rows = results.flatMap(({ row }) => row ?? [])
  const sums = summary.totals.map(({ basis, lines, low, high, billed }) => {
    const against = billed === null ? '' : `, billed ${dollars(billed)}`
    return `${moneyOf({ low, high })} is ${BASIS_WORDS[basis].is} of ${counted(lines, 'line')}${against}`
  })
  // Medicare's prices are for the unit that the code is billed in.
  const inOwnUnits = numbersOf(results, ({ row }) => Boolean(row?.npi && row.price.per))
  const inSeveral = numbersOf(results, ({ row }) => row?.flags.includes('mixed_units') === true)
  return [
    `${summary.priced} of ${counted(summary.lines, 'line')} ${summary.priced === 1 || summary.lines === 1 ? 'has' : 'have'} a price${sums.length > 0 ? ': ' : ''}${sums.join('; ')}.`,
    ...(results.length > MOST_LINES ? [] : results.flatMap((line, at) => lineText(line, at + 1, asked[at]))),
    ...sampleNote(rows, proof),
    ...prolongedNotes(rows),
    ...(inOwnUnits
      ? [`The hospital states the price of line ${inOwnUnits} for a unit of its own: compare \`per\` with the bill.`]
      : []),
    ...(inSeveral
      ? [`The hospital states the amounts of line ${inSeveral} for different units: its file says which is for which.`]
      : []),
    ...reasons(results, 404, 'code').map(
      ({ lines, reason }) => `No price for line ${lines}: ${reason}, see the problem there.`,
    ),
    ...reasons(results, 400, 'detail').map(
      ({ lines, reason }) => `Line ${lines} was not understood, and may have a price: ${reason}.`,
    ),
    daysText(question, as_of),
    ...sumNotes(results),
    ...bothSidesNotes(results, asked),
    ...(rows.length > 0
      ? ['These are references, not what a patient owes. Each line that has a price names its source.']
      : []),
  ].join(' ')
}

/** A line as it was asked about: a row and its adjustment do not repeat the modifiers. */
type LineQuestion = { modifier?: unknown; as_of?: unknown } | undefined
const linesIn = ({ lines }: Members): LineQuestion[] =>
  (Array.isArray(lines) ? lines : []).map((line) => (isObject(line) ? line : undefined))

const numbersOf = (results: readonly BillLine[], isOne: (line: BillLine) => boolean): string =>
  results.flatMap((line, index) => (isOne(line) ? [index + 1] : [])).join(', ')

/** The lines that were refused, together where the reason is the same. */
function reasons(results: readonly BillLine[], status: number, name: 'code' | 'detail') {
  const reasonOf = (line: BillLine): string | undefined => (line.status === status ? line.problem?.[name] : undefined)
  const found = new Set(results.flatMap((line) => reasonOf(line) ?? []))
  return [...found].map((reason) => ({ reason, lines: numbersOf(results, (line) => reasonOf(line) === reason) }))
}

/** The amount of one line, and of one unit where there are several. */
function lineText(line: BillLine, number: number, asked: LineQuestion): string[] {
  const { row, modifiers_ignored: ignored, adjustment, units = 1, billed, extended } = line
  if (!row) return []
  const one = adjustment ? moneyOf(adjustment) : priceOf(row.price)
  const beside = [
    billed === undefined ? '' : `, billed ${dollars(billed)}`,
    ...sidesNote(asked?.modifier, adjustment?.modifier).map((note) => `; ${note}`),
    ignored ? `; ${unchangedBy(row, ignored, 'modifier')}` : '',
  ].join('')
  if (row.kind === 'rate')
    return [`Line ${number}: ${one} is ${row.npi === null ? 'a factor' : 'a rate'}, not a price${beside}.`]
  const whole = extended && units > 1 ? ` x ${units} = ${moneyOf(extended)}` : ''
  // A row of its own for one modifier can be adjusted by another.
  const code = [row.code, row.modifier, adjustment?.modifier].filter(Boolean).join('-')
  return [`Line ${number}: ${code} (${whereOf(row)}) ${one}${whole}${beside}.`]
}

/** The day that the lines are for, those that name none or all of them. */
function daysText({ lines }: Members, today: string): string {
  const named = (Array.isArray(lines) ? lines : []).map((line) => (isObject(line) && line['as_of']) || undefined)
  const [day, ...others] = new Set(named)
  if (others.length === 0) return `All lines are for ${typeof day === 'string' && isDay(day) ? day : today}.`
  return named.includes(undefined)
    ? `Lines without a day of their own are for ${today}.`
    : 'Each line is for the day that it names.'
}

/** Notes on the sums: Medicare may pay less for a whole bill than the sum of its lines, and pays it to several. */
function sumNotes(results: readonly BillLine[]): string[] {
  const rows = results.flatMap(({ row, units = 1 }) => (row ? [{ ...row, units }] : []))
  // There is a sentence about the units of a hospital already.
  const doubtful = numbersOf(
    results,
    ({ row }) => doubtsOf((row?.flags ?? []).filter((flag) => flag !== 'mixed_units')).length > 0,
  )
  return [
    ...SCHEDULES.flatMap(({ bases, sum }) => {
      const own = rows.filter(({ basis }) => basis in bases)
      return own.length > 0 ? notesOf(sum, own) : []
    }),
    ...(doubtful ? [`Look at the source of line ${doubtful} before you use it: \`flags\` says why.`] : []),
  ]
}

const [ONE_SIDE = '', OTHER_SIDE = ''] = BOTH_SIDES.modifiers

/**
 * Both sides of one service in two lines, or in two units of one line: the sum has each of them in full. Medicare pays one and
 * a half times one side where the bilateral indicator is 1 (Claims Processing Manual, chapter 12, section 40.7).
 */
function bothSidesNotes(results: readonly BillLine[], asked: readonly LineQuestion[]): string[] {
  const lines = results.flatMap(({ row, units = 1, adjustment }, at) => {
    if (!row?.basis.startsWith('medicare_pfs') || adjustment) return []
    const { modifier = '', as_of: day } = asked[at] ?? {}
    const modifiers = String(modifier).split('-')
    return [{ cpt: row.code, bilateral: row.indicators?.['bilateral'], units, number: at + 1, modifiers, day }]
  })
  const pairsOf = (indicator: string | undefined): string =>
    lines
      .flatMap((left) => {
        if (!left.modifiers.includes(ONE_SIDE) || left.bilateral !== indicator) return []
        const right = lines.find(
          ({ cpt, day, modifiers }) => cpt === left.cpt && day === left.day && modifiers.includes(OTHER_SIDE),
        )
        return right && right !== left ? [`${left.number} and ${right.number}`] : []
      })
      .join(', ')
  const [sure, open] = [pairsOf('1'), pairsOf(undefined)]
  const twice = lines.filter(({ units, bilateral }) => units === 2 && bilateral === '1').map(({ number }) => number)
  return [
    ...(sure ? [`Lines ${sure} are two sides of one service${PAID_TOGETHER}`] : []),
    ...(open ? [`Lines ${open} are two sides of one service${MAY_BE_PAID_TOGETHER}`] : []),
    ...(twice.length > 0 ? [`The two units of line ${twice.join(', ')} may be two sides${PAID_TOGETHER}`] : []),
  ]
}
const PAID_TOGETHER =
  ': Medicare pays both together one and a half times one, which is less than the sum. Modifier 50 has that amount.'
/** A short answer does not show the indicator. */
const MAY_BE_PAID_TOGETHER =
  ': of many codes Medicare pays both together one and a half times one, which is less than the sum. Ask about one of them with modifier 50 in place of LT and RT: it has that amount, or says why there is none.'
