// Checks bills, insurers' statements and estimates. Each file is read on this machine; codes, units, days and amounts are all that is sent.

import { readdirSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { ask, OutgoingFault } from '../outgoing/outgoing.ts'
import {
  type BillRequest,
  MOST_LINES,
  NOTES,
  type Paper,
  PLACES,
  REASONS,
  REFUSALS,
  readStatement,
  type Statement,
} from '../statement/statement.ts'
import { isAddress } from './answer-source.ts'
import { type Command, DONE, JSON_OPTION, REFUSED, show, table, UsageFault } from './command.ts'

const OPTIONS = {
  url: { type: 'string' },
  region: { type: 'string' },
  npi: { type: 'string' },
  kind: { type: 'string' },
  payer: { type: 'string' },
  day: { type: 'string' },
  'dry-run': { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  csv: { type: 'boolean', default: false },
} as const

const MOST_FILES = 1_000
/** Papers that are checked at the same time. */
const AT_ONCE = 4
const MOST_WAITS = 5
const MAX_MS = 60_000
const MOST_BYTES = 8 * 1024 ** 2
const OK = 200
const TOO_MANY = 429

export const bill: Command = {
  usage:
    'bill FILE|FOLDER... [--url URL] [--region R] [--npi N] [--kind KIND] [--payer PAYER] [--day DAY] [--dry-run] [--json | --csv]',
  summary: 'Reads bills on this machine, sends codes and amounts alone, and prints what is wrong with them',
  options: [
    [
      'FILE|FOLDER',
      'FHIR, X12, CSV, a workbook, or text that was copied from a page or PDF; the files of a folder are all read',
    ],
    ['--url URL', 'the address of the service; ATR_BASE_URL in the environment if left out'],
    ['--region R', 'the place of the service: a ZIP code, a state or a Medicare locality'],
    ['--npi N', 'the hospital, for its own prices'],
    ['--kind KIND', 'whose bill it is: hospital, professional, surgery_center or equipment'],
    ['--payer PAYER', 'the insurer and the kind of plan, such as aetna/commercial'],
    ['--day DAY', 'the day of lines that state none, such as 2026-05-14'],
    ['--dry-run', 'prints what would be sent, and sends nothing'],
    JSON_OPTION,
    ['--csv', 'prints a table with a row for each paper'],
  ],
  examples: [
    ['bill statement.csv --region 30322 --url https://registry.example', 'checks one bill by the rules of its day'],
    ['bill papers --dry-run', 'shows what would be sent of each file of a folder'],
  ],
  async run(args) {
    const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true })
    if (positionals.length === 0) throw new UsageFault('say which bill to check: a file or a folder')
    if (values.json && values.csv) throw new UsageFault('give --json or --csv, not both')
    const url = values.url ?? process.env['ATR_BASE_URL'] ?? ''
    if (!values['dry-run'] && (!isAddress(url) || !URL.canParse(url)))
      throw new UsageFault('name the service with --url or ATR_BASE_URL, or give --dry-run to send nothing')
    const { region, npi, kind, payer, day } = values
    const stated = Object.fromEntries(
      Object.entries({ region, npi, kind, payer, day }).filter(([, value]) => value !== undefined),
    )
    const papers = (await inTurn(filesIn(positionals), (file) => papersOf(file, stated))).flat()
    const check = values['dry-run'] ? undefined : (request: BillRequest) => checked(url, request)
    const results = await inTurn(papers, (paper) => resultOf(paper, check))
    if (values.csv) console.log(csvOf(results))
    else show(values.json, { papers: results.map(jsonOf), summary: summaryOf(results) }, textOf(results))
    return results.every(({ refused }) => refused === undefined) ? DONE : REFUSED
  },
}

/** The files of the arguments; of a folder its own, not those of folders in it. */
function filesIn(paths: readonly string[]): string[] {
  const files = paths.flatMap((path) => {
    const found = statSync(path, { throwIfNoEntry: false })
    if (!found) throw new UsageFault('one of the files does not exist')
    if (!found.isDirectory()) return [path]
    return readdirSync(path, { withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
      .map(({ name }) => join(path, name))
      .sort()
  })
  if (files.length > MOST_FILES) throw new UsageFault(`at most ${MOST_FILES} files at once`)
  return files
}

interface ReadPaper {
  file: string
  /** Counted from 1 in its file. */
  number: number
  paper?: Paper
  request?: BillRequest
  unread: readonly string[]
  refused?: string
}

async function papersOf(file: string, stated: Partial<BillRequest>): Promise<ReadPaper[]> {
  const name = basename(file)
  const statement = await readStatement(Bun.file(file))
  if (!statement.ok) return [{ file: name, number: 1, unread: [], refused: REFUSALS[statement.why] }]
  const papers = statement.papers.map((paper, i): ReadPaper => {
    const request = { ...paper.request, ...stated }
    const refused = notSendable(request)
    return { file: name, number: i + 1, paper, request, unread: unreadOf(statement, i), ...(refused && { refused }) }
  })
  return papers.length > 0
    ? papers
    : [{ file: name, number: 1, unread: unreadOf(statement, 0), refused: 'No paper of it is a bill.' }]
}

/** The lines and papers that were left out, those of whole papers with the first. */
const unreadOf = ({ format, unread, papers }: Statement & { ok: true }, i: number): string[] =>
  unread
    .filter(({ paper = 1, at }) => (at === undefined || papers.length < 2 ? i === 0 : paper === i + 1))
    .map(({ paper, at, why }) =>
      at === undefined ? `paper ${paper ?? 1}: ${REASONS[why]}` : `${PLACES[format]} ${at}: ${REASONS[why]}`,
    )

/** Why a request cannot be sent as it is. */
function notSendable({ lines, day }: BillRequest): string | undefined {
  if (lines.length === 0) return 'No line of it could be read.'
  if (lines.length > MOST_LINES) return `It has ${lines.length} lines; a check takes ${MOST_LINES}.`
  return day === undefined && lines.some((line) => line.day === undefined)
    ? 'A line has no day: say it with --day.'
    : undefined
}

/** The part of an answer that is printed. */
interface Check {
  findings: { rule: string; certainty: string; lines: number[]; amount_at_issue?: string; says: string; ask: string }[]
  skipped: { rule: string; chart: string; day: string }[]
  sums: { billed?: string; at_issue: string; medicare?: { listed: string; by_rules: string } }
}

interface Result extends ReadPaper {
  check?: Check
}

async function resultOf(read: ReadPaper, send?: (request: BillRequest) => Promise<Check | string>): Promise<Result> {
  if (!send || read.refused !== undefined || !read.request) return read
  const answer = await send(read.request)
  return typeof answer === 'string' ? { ...read, refused: answer } : { ...read, check: answer }
}

/** The check of a request, or the sentence of its refusal. Where the service is asked too often, it says how long to wait. */
async function checked(url: string, request: BillRequest): Promise<Check | string> {
  for (let waits = 0; ; waits++) {
    const { status, headers, bytes } = await ask(`${url.replace(/\/$/, '')}/bill/check`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ ...request, proof: 'ref' }),
      timeoutMs: MAX_MS,
      mostBytes: MOST_BYTES,
      loopback: true,
    }).catch((error: unknown) => {
      throw error instanceof OutgoingFault ? new UsageFault(error.message) : error
    })
    if (status === TOO_MANY && waits < MOST_WAITS) {
      await Bun.sleep(Math.min(Number(headers.get('retry-after') ?? '1'), 60) * 1_000)
      continue
    }
    const text = new TextDecoder().decode(bytes)
    const body = JSON.parse(text.startsWith('{') ? text : '{}') as Check & { detail?: string }
    return status === OK ? body : `The service refused it: ${body.detail ?? status}`
  }
}

/** Runs a task for each item, some at the same time, and keeps their order. */
async function inTurn<Item, Output>(items: readonly Item[], task: (item: Item) => Promise<Output>): Promise<Output[]> {
  const outputs: Output[] = []
  const waiting = items.entries()
  const work = async (): Promise<void> => {
    for (const [i, item] of waiting) outputs[i] = await task(item)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return outputs
}

const WORDS: Readonly<Record<Paper['is'], string>> = {
  bill: 'bill',
  insurer: "insurer's statement",
  estimate: 'estimate',
}

const billedOf = ({ request, check }: Result): string | undefined => check?.sums.billed ?? request?.totals?.billed

function lineOf(result: Result): string[] {
  const { file, number, paper, request, unread, check, refused } = result
  return [
    `${file}${number > 1 ? ` (${number})` : ''}`,
    paper ? WORDS[paper.is] : '',
    request ? `${request.lines.length} lines` : '',
    unread.length > 0 ? `${unread.length} not read` : '',
    billedOf(result) === undefined ? '' : `billed ${billedOf(result)}`,
    check?.sums.medicare ? `Medicare by rules ${check.sums.medicare.by_rules}` : '',
    check ? `${check.findings.length} findings, at issue ${check.sums.at_issue}` : '',
    refused ?? '',
  ]
}

function summaryOf(results: readonly Result[]) {
  const all = results.flatMap(({ check }) => check ?? [])
  return {
    papers: results.length,
    checked: all.length,
    refused: results.filter(({ refused }) => refused !== undefined).length,
    lines: results.reduce((sum, { request }) => sum + (request?.lines.length ?? 0), 0),
    not_read: results.reduce((sum, { unread }) => sum + unread.length, 0),
    findings: all.reduce((sum, { findings }) => sum + findings.length, 0),
  }
}

/** One line for each paper and a summary; of a single paper everything that was found. */
function textOf(results: readonly Result[]): string {
  const { papers, checked: done, refused, lines, not_read: unread, findings } = summaryOf(results)
  const [only, ...others] = results
  const details = only && others.length === 0 ? detailsOf(only) : []
  const summary = `${papers} papers, ${done} checked, ${refused} refused; ${lines} lines read, ${unread} not read; ${findings} findings`
  return [table(results.map(lineOf)), ...details, summary].join('\n')
}

const detailsOf = ({ paper, request, unread, check }: Result): string[] => [
  ...unread.map((each) => `not read: ${each}`),
  ...(paper?.remarks ?? []).map(({ note }) => NOTES[note]),
  ...(check ? [] : [JSON.stringify(request)]),
  ...(check?.findings ?? []).map(
    ({ amount_at_issue: amount, says, ask, certainty }) =>
      `${certainty}${amount === undefined ? '' : `, ${amount} at issue`}: ${says} ${ask}`,
  ),
  ...(check?.skipped ?? []).map(({ rule, chart, day }) => `not checked: ${rule}, by ${chart} of ${day}`),
]

const jsonOf = ({ file, number, paper, request, unread, check, refused }: Result) => ({
  file,
  paper: number,
  ...(paper && { is: paper.is, remarks: paper.remarks }),
  ...(request && { request }),
  unread,
  ...(check && { check }),
  ...(refused !== undefined && { refused }),
})

const COLUMNS = [
  'file',
  'paper',
  'is',
  'lines',
  'not_read',
  'billed',
  'medicare_by_rules',
  'findings',
  'at_issue',
  'refused',
]

function csvOf(results: readonly Result[]): string {
  const rows = results.map((result) => [
    result.file,
    String(result.number),
    result.paper?.is ?? '',
    String(result.request?.lines.length ?? 0),
    String(result.unread.length),
    billedOf(result) ?? '',
    result.check?.sums.medicare?.by_rules ?? '',
    String(result.check?.findings.length ?? ''),
    result.check?.sums.at_issue ?? '',
    result.refused ?? '',
  ])
  return [COLUMNS, ...rows].map((cells) => cells.map(csvCell).join(',')).join('\n')
}

/** A spreadsheet runs a cell that begins like a formula, so such a cell begins with an apostrophe instead. */
function csvCell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
