// A checked bill as a sheet to read, print and send. Plain data: the server and the browser each show it in their own way.

import type { BillRequest } from '../../statement/statement.ts'
import type { BillCheck, BillFinding, Figure, RowPlace } from './bill-check.ts'
import { callOf, dollars, letterOf, strongest } from './bill-letter.ts'
import { PLACE_WORDS, RULE_TITLES } from './bill-words.ts'

export interface Cell {
  text: string
  note?: string | undefined
  href?: string
  isNumber?: boolean
}
export interface Table {
  name: string
  caption: string
  head: readonly string[]
  rows: readonly (readonly Cell[])[]
}
/** How the cells of a column are set, by their first one. */
export const classOf = (cell: Cell | undefined): string => (cell?.isNumber ? 'number' : '')

export interface ShownFinding {
  title: string
  says: string
  ask: string
  sources: readonly { text: string; href: string }[]
}

export interface BillSheet {
  facts: readonly (readonly [name: string, text: string])[]
  summary: string
  findings: readonly ShownFinding[]
  tables: readonly Table[]
  lists: readonly { title: string; items: readonly string[] }[]
  letter: readonly string[]
  call: readonly string[]
}

export interface CheckedBill {
  request: BillRequest
  check: BillCheck
  /** What was not read, and what the paper says about itself. */
  sentences: readonly string[]
  hospital?: string | undefined
  origin: string
  today: string
}

const CERTAIN: Readonly<Record<BillFinding['certainty'], string>> = {
  rule: 'by a published rule',
  unless: 'unless something holds that the bill does not say',
  ask: 'a question',
}

/** An answer is asked for within this time. */
const DAYS_TO_ANSWER = 30
const DAY_MS = 86_400_000

export function billSheet(bill: CheckedBill): BillSheet {
  const { request, check, sentences, hospital, origin, today } = bill
  const days = daysOf(request)
  const releases = check.proof?.releases ?? []
  const facts = {
    findings: check.findings,
    isHospital: check.side.kind === 'hospital',
    isSample: releases.some(({ release }) => release.data_class === 'sample'),
    atIssue: check.sums.at_issue,
    days,
    answerBy: new Date(Date.parse(today) + DAYS_TO_ANSWER * DAY_MS).toISOString().slice(0, 10),
    origin,
  }
  const billed = check.sums.billed ?? request.totals?.billed
  return {
    facts: [
      ['Provider', hospital ?? (request.npi === undefined ? 'not named' : `NPI ${request.npi}`)],
      ['Place', request.region ?? 'the whole country'],
      ['Day', days],
      ['Kind of bill', PLACE_WORDS[check.side.kind] ?? check.side.kind],
      ...(billed === undefined ? [] : [['Billed', dollars(billed)] as const]),
      ...(check.sums.medicare ? [['Medicare, by its rules', dollars(check.sums.medicare.by_rules)] as const] : []),
      ['At issue', dollars(check.sums.at_issue)],
    ],
    summary: summaryOf(check, facts.isSample),
    findings: strongest(check.findings).map((finding) => shownFinding(finding, check)),
    tables: [lineTable(request, check), sumTable(check)],
    lists: [
      { title: 'What was not checked', items: skippedIn(check) },
      { title: 'About the paper', items: sentences },
      { title: 'Where the proof is', items: proofOf(check, origin) },
    ].filter(({ items }) => items.length > 0),
    letter: letterOf(facts),
    call: callOf(facts),
  }
}

function daysOf({ lines, day }: BillRequest): string {
  const days = [...new Set(lines.flatMap((line) => line.day ?? day ?? []))].sort()
  const [first = 'no day', ...others] = days
  return others.length === 0 ? first : `${first} to ${others.at(-1)}`
}

function summaryOf({ findings, sums, lines }: BillCheck, isSample: boolean): string {
  const count =
    findings.length === 0 ? 'Nothing was found' : `${findings.length} finding${findings.length > 1 ? 's' : ''}`
  return [
    `${count} in ${lines.length} line${lines.length === 1 ? '' : 's'}, ${dollars(sums.at_issue)} at issue.`,
    ...(isSample ? ['Sample data: the amounts of this registry are invented.'] : []),
    'This is not a statement of what is owed.',
  ].join(' ')
}

const shownFinding = (finding: BillFinding, check: BillCheck): ShownFinding => {
  const { rule, lines, amount_at_issue: amount, certainty, says, ask, evidence = [] } = finding
  const where = lines.length === 0 ? 'the whole bill' : `line${lines.length > 1 ? 's' : ''} ${lines.join(', ')}`
  const title = `${RULE_TITLES[rule] ?? rule}: ${where}${amount === undefined ? '' : `, ${dollars(amount)}`} (${CERTAIN[certainty]})`
  return { title, says, ask, sources: evidence.flatMap((place) => sourceOf(place, check) ?? []) }
}

function sourceOf({ release, index }: RowPlace, { proof }: BillCheck): { text: string; href: string } | undefined {
  const id = proof?.releases?.[release]?.release.release_id
  return id === undefined ? undefined : { text: id, href: `/rows/${id}/${index}` }
}

const number = (text: string, href?: string, note?: string): Cell => ({
  text,
  isNumber: true,
  ...(href !== undefined && { href }),
  ...(note !== undefined && { note }),
})

function figureCell(figure: Figure | undefined, check: BillCheck): Cell {
  if (!figure) return number('\u2013')
  const { amount, low, high, row } = figure
  const text = amount === undefined ? `${dollars(low ?? '')} to ${dollars(high ?? '')}` : dollars(amount)
  return number(text, sourceOf(row, check)?.href)
}

type Line = BillCheck['lines'][number]

function medicareCell({ medicare }: Line, check: BillCheck): Cell {
  const href = medicare?.row && sourceOf(medicare.row, check)?.href
  if (medicare?.amount !== undefined) return number(dollars(medicare.amount), href)
  const why = medicare?.absent ?? medicare?.none
  return number('\u2013', undefined, why?.replaceAll('_', ' '))
}

/** The range that the hospital has agreed with insurers: its lowest and its highest rate. */
function rangeCell({ hospital_negotiated_low: low, hospital_negotiated_high: high }: Line): Cell {
  const [from, to] = [low?.amount ?? low?.low, high?.amount ?? high?.high]
  return number(from === undefined || to === undefined ? '\u2013' : `${dollars(from)} to ${dollars(to)}`)
}

function lineTable({ lines: sent }: BillRequest, check: BillCheck): Table {
  const columns: [string, (line: Line) => Cell][] = [
    ['Billed', ({ billed }) => number(billed === undefined ? '\u2013' : dollars(billed))],
    ['Medicare, listed', (line) => medicareCell(line, check)],
    ['Medicare, by rules', ({ by_rules }) => number(by_rules ? dollars(by_rules.amount) : '\u2013')],
    ['Hospital, gross', ({ hospital_gross }) => figureCell(hospital_gross, check)],
    ['Hospital, cash', ({ hospital_cash }) => figureCell(hospital_cash, check)],
    ['Negotiated', rangeCell],
    ['Your insurer', ({ payer }) => figureCell(payer, check)],
  ]
  const used = columns.filter(
    ([name, of]) => name === 'Billed' || check.lines.some((line) => of(line).text !== '\u2013'),
  )
  return {
    name: 'bill-lines',
    caption: 'Lines, numbered as on the bill',
    head: ['Line', 'Code', 'Units', ...used.map(([name]) => name)],
    rows: check.lines.map((line) => {
      const { code, modifiers = [], revenue_code } = sent[line.line - 1] ?? {}
      const name = code === undefined ? `revenue ${revenue_code ?? ''}` : [code, ...modifiers].join('-')
      return [{ text: String(line.line) }, { text: name }, number(line.units), ...used.map(([, of]) => of(line))]
    }),
  }
}

function sumTable({ sums }: BillCheck): Table {
  const { billed, medicare, hospital_gross, hospital_cash, payer, at_issue } = sums
  const rows: [string, string | undefined][] = [
    ['Billed', billed],
    ['Medicare, listed prices added up', medicare?.listed],
    ['Medicare, by its rules for this bill', medicare?.by_rules],
    ['Hospital, gross', hospital_gross],
    ['Hospital, cash', hospital_cash],
    ['Your insurer', payer],
    ['At issue, each line once', at_issue],
  ]
  return {
    name: 'bill-sums',
    caption: 'Sums',
    head: ['Of', 'Amount'],
    rows: rows.flatMap(([name, amount]) => (amount === undefined ? [] : [[{ text: name }, number(dollars(amount))]])),
  }
}

const skippedIn = ({ skipped }: BillCheck): string[] =>
  skipped.map(
    ({ rule, chart, day, why, lines }) =>
      `${RULE_TITLES[rule] ?? rule}, line${lines.length > 1 ? 's' : ''} ${lines.join(', ')}: ${why === undefined ? `no edition of ${chart} for ${day} is held` : why.replaceAll('_', ' ')}. This is no pass.`,
  )

function proofOf({ proof, prolonged = [] }: BillCheck, origin: string): string[] {
  const ids = [...new Set((proof?.releases ?? []).map(({ release }) => release.release_id))]
  return [
    ...(ids.length > 0 ? [`The amounts and rules are rows of ${ids.join(', ')}.`] : []),
    ...prolonged.map(
      ({ chart, publisher_until }) =>
        `The publisher\u2019s own period of ${chart} ended on ${publisher_until}; the operator prolonged it.`,
    ),
    `Each amount leads to its row, with file, line and proof, at ${origin}. The log keys are at ${origin}/log/policy.`,
  ]
}
