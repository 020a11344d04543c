// From what a person gave, in files or in the fields of the form, to the request of a check. Pure: the page and the service use it.

import {
  type BillLine,
  type BillRequest,
  type BillTotals,
  joined,
  type Kind,
  MOST_LINES,
  NOTES,
  type Paper,
  PLACES,
  REASONS,
  REFUSALS,
  type Statement,
} from '../../statement/statement.ts'
import { readRegions } from '../words/places.ts'
import { readAmount } from '../words/values.ts'

/** The fields of the form beside the lines. Empty texts are fields that were left alone. */
export interface BillFields {
  place: string
  day: string
  npi: string
  kind: string
  payer: string
  type: string
  estimate: string
}

export const KINDS: readonly (readonly [Kind, string])[] = [
  ['hospital', 'Hospital'],
  ['professional', 'Doctor or clinic'],
  ['surgery_center', 'Surgery center'],
  ['equipment', 'Equipment'],
]

/** What was read of the files: one request, and sentences about all that is not in it. */
export interface ReadBill {
  request: BillRequest
  sentences: string[]
}

/** The first bill of all files, with the insurer's statement and the estimate beside it; or the first of those. */
export function billIn(statements: readonly Statement[]): ReadBill | { refused: string } {
  const [refused] = statements.flatMap((each) => (each.ok ? [] : REFUSALS[each.why]))
  const read = statements.flatMap((each) => (each.ok ? [each] : []))
  const papers = read.flatMap((each) => each.papers)
  const withLines = papers.filter(({ request }) => request.lines.length > 0)
  const first = (is: Paper['is']): Paper | undefined => withLines.find((paper) => paper.is === is)
  const bill = first('bill') ?? withLines[0]
  const sentences = [
    ...statements.flatMap((each) => (each.ok ? [] : [REFUSALS[each.why], ...unreadIn(each, 'line')])),
    ...read.flatMap((each) => unreadIn(each, PLACES[each.format])),
  ]
  if (!bill)
    return { refused: [refused ?? REFUSALS.no_lines, ...sentences.filter((each) => each !== refused)].join(' ') }
  const [insurer, estimate] = [first('insurer'), first('estimate') ?? papers.find(({ is }) => is === 'estimate')]
  const others = withLines.filter((paper) => ![bill, insurer, estimate].includes(paper)).length
  return {
    request: joined(bill, insurer === bill ? undefined : insurer, estimate === bill ? undefined : estimate),
    sentences: [
      ...bill.remarks.map(({ note, at }) => (at ? `${NOTES[note]} (${at.join(', ')})` : NOTES[note])),
      ...sentences,
      ...(others > 0 ? [`${others} more papers of the files are not in this check: check each alone.`] : []),
    ],
  }
}

const MOST_SENTENCES = 60

const unreadIn = ({ unread }: Statement, place: string): string[] => {
  const told = unread.filter(({ why }) => why !== 'total_row')
  const sentences = told
    .slice(0, MOST_SENTENCES)
    .map(({ at, why }) =>
      at === undefined ? `A paper is left out: ${REASONS[why]}.` : `${place} ${at} is left out: ${REASONS[why]}.`,
    )
  return told.length > MOST_SENTENCES ? [...sentences, `${told.length - MOST_SENTENCES} more are left out.`] : sentences
}

/** The request with the fields of the form; or the sentence about what to change. */
export function requestWith(request: BillRequest, fields: BillFields): BillRequest | { refused: string } {
  const { place, day, npi, kind, payer, type, estimate } = fields
  const regions = place === '' ? [] : readRegions(place)
  if (place !== '' && regions.length !== 1)
    return { refused: 'The place is not a ZIP code or a state: a city alone is not enough.' }
  const expected = estimate === '' ? undefined : readAmount(estimate)
  if (estimate !== '' && expected === undefined)
    return { refused: 'The estimate is not dollars and cents, such as 1234.50.' }
  const totals: BillTotals = { ...request.totals, ...(expected !== undefined && { estimate: expected }) }
  const [region] = regions
  const whole: BillRequest = {
    ...request,
    ...(kind !== '' && { kind: kind as Kind }),
    ...(region !== undefined && { region }),
    ...(npi !== '' && { npi }),
    ...(payer !== '' && { payer }),
    ...(type !== '' && { type_of_bill: type }),
    ...(day !== '' && { day }),
    ...(Object.keys(totals).length > 0 && { totals }),
  }
  if (whole.lines.length > MOST_LINES)
    return { refused: `The bill has more than ${MOST_LINES} lines: check it in parts, whole days together.` }
  if (whole.day === undefined && whole.lines.some((line) => line.day === undefined))
    return { refused: 'A line has no day: say the day of service in its field.' }
  return whole
}

const COLUMNS: readonly (readonly [string, (line: BillLine) => string | undefined])[] = [
  ['Revenue code', ({ revenue_code }) => revenue_code],
  ['Code', ({ code }) => code],
  ['Modifiers', ({ modifiers }) => modifiers?.join(' ')],
  ['Place of service', ({ place_of_service }) => place_of_service],
  ['Units', ({ units }) => units],
  ['Billed', ({ billed }) => billed],
  ['Allowed', ({ allowed }) => allowed],
  ['Patient responsibility', ({ patient }) => patient],
  ['Day', ({ day }) => day],
]
const ALWAYS = ['Code', 'Billed']

/** The lines of a request as a table to look at and to correct. Reading it again gives the same lines and totals. */
export function tableText({ lines, totals = {} }: BillRequest): string {
  const columns = COLUMNS.filter(([name, of]) => ALWAYS.includes(name) || lines.some((line) => of(line) !== undefined))
  const sums: Readonly<Record<string, string | undefined>> = {
    Billed: totals.billed,
    Allowed: totals.allowed,
    'Patient responsibility': totals.patient,
  }
  const total = ['Total', ...columns.map(([name]) => sums[name] ?? '')]
  const rows = lines.map((line, i) => [String(i + 1), ...columns.map(([, of]) => of(line) ?? '')])
  const hasTotal = total.some((cell, i) => i > 0 && cell !== '')
  return [['Line', ...columns.map(([name]) => name)], ...rows, ...(hasTotal ? [total] : [])]
    .map((cells) => cells.join('\t'))
    .join('\n')
}
