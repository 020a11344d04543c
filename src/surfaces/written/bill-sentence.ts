import type { Basis, PricedRow } from '../../proof/price/row.ts'
import { isDay, isObject, type Members } from '../../proof/shape.ts'
import { isOfState } from './equipment-words.ts'
import {
  type Amounts,
  BASIS_WORDS,
  type Classed,
  counted,
  dollars,
  doubtsOf,
  moneyOf,
  priceOf,
  type Released,
  sampleNote,
  sidesNote,
  unchangedBy,
  whereOf,
} from './sentence-words.ts'

interface Line {
  status: number
  /** Short answers have no indicators. */
  row?: Classed & Omit<PricedRow, 'derivation' | 'indicators' | 'locator'> & Partial<Pick<PricedRow, 'indicators'>>
  modifiers_ignored?: string[]
  adjustment?: { modifier: string; amount: string }
  problem?: { code: string; detail: string }
  units?: number
  billed?: string
  extended?: Amounts | null
}
interface Bill extends Released {
  as_of: string
  results: Line[]
  summary: {
    lines: number
    priced: number
    totals: { basis: Basis; lines: number; low: string; high: string; billed: string | null }[]
  }
}

/** Of a longer bill only the sums are told: each line costs an agent as much as a lookup. */
const MOST_TOLD = 12

export function ofBill({ results, summary, releases, as_of }: Bill, { asked }: { asked: Members }): string {
  const sums = summary.totals.map(({ basis, lines, low, high, billed }) => {
    const against = billed === null ? '' : `, billed ${dollars(billed)}`
    return `${moneyOf({ low, high })} is ${BASIS_WORDS[basis]} of ${counted(lines, 'line')}${against}`
  })
  // Medicare's prices are for the unit that the code is billed in.
  const inOwnUnits = numbersOf(results, ({ row }) => Boolean(row?.npi && row.price.per))
  const inSeveral = numbersOf(results, ({ row }) => row?.flags.includes('mixed_units') === true)
  return [
    `${summary.priced} of ${counted(summary.lines, 'line')} ${summary.priced === 1 || summary.lines === 1 ? 'has' : 'have'} a price${sums.length > 0 ? ': ' : ''}${sums.join('; ')}.`,
    ...(results.length > MOST_TOLD
      ? []
      : results.flatMap((line, at) => toldLine(line, at + 1, lineAsked(asked, at).modifier))),
    ...sampleNote(
      results.flatMap(({ row }) => row ?? []),
      releases,
    ),
    ...(inOwnUnits
      ? [`The hospital states the price of line ${inOwnUnits} for a unit of its own: compare \`per\` with the bill.`]
      : []),
    ...(inSeveral
      ? [`The hospital states the amounts of line ${inSeveral} for different units: its file says which is for which.`]
      : []),
    ...reasons(
      results,
      404,
      ({ code }) => code,
      (lines, why) => `No price for line ${lines}: ${why}, see the problem there.`,
    ),
    ...reasons(
      results,
      400,
      ({ detail }) => detail,
      (lines, why) => `Line ${lines} was not understood, and may have a price: ${why}.`,
    ),
    daysOf(asked, as_of),
    ...sumNotes(results),
    ...bothSidesNotes(results, asked),
    ...(results.some(({ row }) => row)
      ? ['These are references, not what a patient owes. Each line that has a price names its source.']
      : []),
  ].join(' ')
}

/** What Medicare pays for a whole bill may be less than the sum of its lines, and is paid to several. */
function sumNotes(results: readonly Line[]): string[] {
  const rows = results.flatMap(({ row, units = 1 }) => (row ? [{ ...row, units }] : []))
  const of = (basis: string) => rows.filter((row) => row.basis.startsWith(basis))
  const [doctor, hospital, center] = [of('medicare_pfs'), of('medicare_opps'), of('medicare_asc')]
  const isSeveral = (lines: typeof rows): boolean => lines.length > 1 || lines.some(({ units }) => units > 1)
  const rented = of('medicare_dmepos').filter(({ price, units }) => price.per === 'MONTH' && units > 3)
  const ofState = of('medicare_dmepos').filter(isOfState)
  // What is said of units above is not said again.
  const doubts = (flags: readonly string[]): string[] =>
    doubtsOf({ flags: flags.filter((flag) => flag !== 'mixed_units') })
  const doubtful = numbersOf(results, ({ row }) => row !== undefined && doubts(row.flags).length > 0)
  return [
    ...(doctor.some(({ setting }) => setting === 'facility')
      ? ['Facility fees of the physician schedule are the doctor’s part; the hospital is paid separately.']
      : []),
    ...(isSeveral(doctor)
      ? ['Of several procedures or units on one day Medicare pays some at a lower rate, which is not in the sum.']
      : []),
    ...(hospital.length > 0
      ? [
          'Outpatient rates are the hospital’s part, before Medicare adjusts them to the wages of the place; for many visits it pays one amount for all services, so that not all lines add up.',
        ]
      : []),
    ...(center.length > 0
      ? ['Surgery center rates are the center’s part, before Medicare adjusts them to the wages of the place.']
      : []),
    // 42 CFR 416.172.
    ...(isSeveral(center)
      ? [
          'Of several procedures on one day a center is paid the highest in full, and half of most others, which is not in the sum.',
        ]
      : []),
    ...(ofState.length > 0
      ? [
          'Equipment may have another amount in rural areas and former bidding areas: a lookup of the line alone says which applies.',
        ]
      : []),
    ...(rented.length > 0 ? ['Capped rentals cost less from the fourth month on, which is not in the sum.'] : []),
    ...(doubtful ? [`Look at the source of line ${doubtful} before you use it: \`flags\` says why.`] : []),
  ]
}

/**
 * Both sides of one service in two lines, or in two units of one line: the sum has each of them in full. Medicare pays one and
 * a half times one side where the bilateral indicator is 1 (Claims Processing Manual, chapter 12, section 40.7).
 */
function bothSidesNotes(results: readonly Line[], asked: Members): string[] {
  const lines = results.flatMap(({ row, units = 1, adjustment }, at) => {
    if (!row?.basis.startsWith('medicare_pfs') || adjustment) return []
    const { modifier = '', as_of: day } = lineAsked(asked, at)
    const modifiers = String(modifier).split('-')
    return [{ cpt: row.cpt, bilateral: row.indicators?.['bilateral'], units, number: at + 1, modifiers, day }]
  })
  const pairsOf = (indicator: string | undefined): string =>
    lines
      .flatMap((left) => {
        if (!left.modifiers.includes('LT') || left.bilateral !== indicator) return []
        const right = lines.find(
          ({ cpt, day, modifiers }) => cpt === left.cpt && day === left.day && modifiers.includes('RT'),
        )
        return right && right !== left ? [`${left.number} and ${right.number}`] : []
      })
      .join(', ')
  const [sure, open] = [pairsOf('1'), pairsOf(undefined)]
  const twice = lines.filter(({ units, bilateral }) => units === 2 && bilateral === '1').map(({ number }) => number)
  return [
    ...(sure ? [`Lines ${sure} are two sides of one service${SIDES}`] : []),
    ...(open ? [`Lines ${open} are two sides of one service${SIDES_OPEN}`] : []),
    ...(twice.length > 0 ? [`The two units of line ${twice.join(', ')} may be two sides${SIDES}`] : []),
  ]
}
const SIDES =
  ': Medicare pays both together one and a half times one, which is less than the sum. Modifier 50 has that amount.'
/** A short answer does not show the indicator. */
const SIDES_OPEN =
  ': of many codes Medicare pays both together one and a half times one, which is less than the sum. Ask about one of them with modifier 50 in place of LT and RT: it has that amount, or says why there is none.'

/** For which day lines are that name none, or all of them. */
function daysOf({ lines }: Members, today: string): string {
  const named = (Array.isArray(lines) ? lines : []).map((line) => (isObject(line) && line['as_of']) || undefined)
  const [day, ...others] = new Set(named)
  if (others.length === 0) return `All lines are for ${typeof day === 'string' && isDay(day) ? day : today}.`
  return named.includes(undefined)
    ? `Lines without a day of their own are for ${today}.`
    : 'Each line is for the day that it names.'
}

/** As it was asked about: a row and its adjustment do not repeat it. */
function lineAsked({ lines }: Members, at: number): { modifier?: unknown; as_of?: unknown } {
  const line = Array.isArray(lines) ? lines[at] : undefined
  return isObject(line) ? line : {}
}

const numbersOf = (results: readonly Line[], isOne: (line: Line) => boolean): string =>
  results.flatMap((line, index) => (isOne(line) ? [index + 1] : [])).join(', ')

/** What one line comes to, with the amount for one unit where there are several. */
function toldLine(line: Line, number: number, written: unknown): string[] {
  const { row, modifiers_ignored: ignored, adjustment, units = 1, billed, extended } = line
  if (!row) return []
  const one = adjustment ? moneyOf(adjustment) : priceOf(row.price)
  const beside = [
    billed === undefined ? '' : `, billed ${dollars(billed)}`,
    ...sidesNote(written, adjustment?.modifier).map((note) => `; ${note}`),
    ignored ? `; ${unchangedBy(row, ignored, 'modifier')}` : '',
  ].join('')
  if (row.kind === 'rate') return [`Line ${number}: ${one} is a factor, not a price${beside}.`]
  const whole = extended && units > 1 ? ` x ${units} = ${moneyOf(extended)}` : ''
  // A row of its own for one modifier can be adjusted by another.
  const code = [row.cpt, row.modifier, adjustment?.modifier].filter(Boolean).join('-')
  return [`Line ${number}: ${code} (${whereOf(row)}) ${one}${whole}${beside}.`]
}

/** The lines that were refused, together where the reason is the same. */
function reasons(
  results: readonly Line[],
  status: number,
  reasonOf: (problem: NonNullable<Line['problem']>) => string,
  told: (lines: string, reason: string) => string,
): string[] {
  const found = new Set(
    results.flatMap(({ status: each, problem }) => (each === status && problem ? reasonOf(problem) : [])),
  )
  return [...found].map((reason) =>
    told(
      numbersOf(
        results,
        ({ status: each, problem }) => each === status && problem !== undefined && reasonOf(problem) === reason,
      ),
      reason,
    ),
  )
}
