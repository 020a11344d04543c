// The text that MyMedicare gave out as "Blue Button": one `Label: value` to a line. Only the labels below are read.

import { type BillTotals, type Kind, MOST_READ, type Statement, type Unread } from './bill.ts'
import type { FoundLine } from './keep.ts'
import { type FoundPaper, paperOf, STAY } from './paper.ts'
import type { Note, Reason } from './reasons.ts'
import { dayOf, printedAmount } from './values.ts'

export const isMedicareText = (text: string): boolean =>
  /^Claim Lines for Claim Number:/m.test(text) && /^Line number:/m.test(text)

const KINDS: Readonly<Record<string, Kind>> = {
  PartB: 'professional',
  Outpatient: 'hospital',
  Inpatient: 'hospital',
  DME: 'equipment',
}

interface OpenLine {
  at: number
  found: FoundLine
  notes: Note[]
  fault?: Reason
}
interface OpenClaim {
  kind: Kind | undefined
  isInpatient: boolean
  day: string | undefined
  totals: BillTotals
  lines: OpenLine[]
}

/** The code before the words that describe it: `98941 - Chiropractic ...`. */
const firstWord = (value: string): string => value.split(' ', 1)[0] ?? ''

export function readMedicareText(text: string): Statement {
  const claims: OpenClaim[] = []
  const unread: Unread[] = []
  let line: OpenLine | undefined
  let lines = 0
  for (const [i, raw] of text.split('\n').entries()) {
    const colon = raw.indexOf(':')
    if (colon < 0 || colon > 60) continue
    const label = raw.slice(0, colon).trim()
    const value = raw.slice(colon + 1, colon + 200).trim()
    if (label === 'Claim Number') {
      claims.push({ kind: undefined, isInpatient: false, day: undefined, totals: {}, lines: [] })
      line = undefined
    }
    const claim = claims.at(-1)
    if (!claim) continue
    if (label === 'Line number') {
      if (++lines > MOST_READ) {
        unread.push({ at: i + 1, why: 'too_many' })
        break
      }
      line = { at: i + 1, found: {}, notes: [] }
      claim.lines.push(line)
    } else if (value !== '') {
      if (line) readOfLine(line, label, value)
      else readOfClaim(claim, label, value)
    }
  }
  const papers = claims.map((claim, i) => paperOf(foundIn(claim), i + 1))
  return {
    ok: true,
    format: 'medicare-text',
    papers: papers.map(({ paper }) => paper),
    unread: [...papers.flatMap(({ unread: left }) => left), ...unread],
  }
}

function readOfClaim(claim: OpenClaim, label: string, value: string): void {
  const amount = printedAmount(value)
  if (label === 'Claim Type') {
    claim.kind = Object.hasOwn(KINDS, value) ? KINDS[value] : undefined
    claim.isInpatient = value === 'Inpatient'
  } else if (label === 'Service Start Date') claim.day = dayOf(value)
  else if (amount === undefined) return
  else if (label === 'Amount Charged') claim.totals.billed = amount
  else if (label === 'Medicare Approved') claim.totals.allowed = amount
  else if (label === 'You May be Billed') claim.totals.patient = amount
}

function readOfLine(line: OpenLine, label: string, value: string): void {
  const { found } = line
  const amount = (): string | undefined => {
    const read = printedAmount(value)
    if (read === undefined) line.fault = 'amount_form'
    return read
  }
  if (label === 'Date of Service From') {
    found.day = dayOf(value)
    if (found.day === undefined) line.fault = 'day_form'
  } else if (label === 'Date of Service To') {
    const last = dayOf(value)
    if (last !== undefined && last !== found.day) line.notes.push('range_of_days')
  } else if (label === 'Procedure Code/Description') found.code = firstWord(value)
  else if (label === 'Revenue Code/Description') found.revenue = firstWord(value)
  else if (/^Modifier [1-4]\/Description$/.test(label)) found.modifiers = [...(found.modifiers ?? []), firstWord(value)]
  else if (label === 'Quantity Billed/Units') found.units = value
  else if (label === 'Submitted Amount/Charges') found.billed = amount()
  else if (label === 'Allowed Amount') found.allowed = amount()
  else if (label === 'Place of Service/Description') found.place = firstWord(value)
}

const foundIn = ({ kind, isInpatient, day, totals, lines }: OpenClaim): FoundPaper => ({
  is: 'insurer',
  kind,
  day,
  totals,
  ...(isInpatient && { typeOfBill: STAY, notes: ['inpatient'] }),
  lines: lines.map(({ at, found, notes, fault }) => ({ at, notes, found: fault ?? found })),
})
