import { answerValue, type Call, type Gate, type Operation, perform, refusalOf, type Visit } from '../../operation.ts'
import { Problem } from '../../problem.ts'
import { STATUS } from '../../status.ts'
import { billCsv } from '../browser/bill-csv.ts'
import { type BillEntry, columnsFor, parseBill, questionsOf } from '../browser/bill-lines.ts'
import type { ColumnAnswers } from '../browser/bill-reference.ts'
import { billJson, billSheet } from '../browser/bill-sheet.ts'
import { isWorthwhile, preferredEncoding } from '../http/compression.ts'
import type { Mount } from '../http/mount.ts'
import { negotiate } from '../http/negotiation.ts'
import { readBody } from '../http/request.ts'
import { asResponse, forCaller, good, quotaHeaders, refusal } from '../http/response.ts'
import { type Frame, PAGE_HEADERS } from '../site/frame.ts'
import { type Hospital, oneHospital } from '../words/hospitals.ts'
import { type BillForm, EMPTY_FORM } from './bill-form.ts'
import { billHtml } from './bill-html.tsx'
import { billMarkdown } from './bill-markdown.ts'

export interface BillParts {
  frame: Frame
  operations: () => readonly Operation[]
  gate: Gate
  baseUrl: () => string
  today: () => string
  hospitals: () => Promise<readonly Hospital[]>
}

/** A hundred lines, each character of which takes up to three bytes in a form. */
const MOST_BYTES = 96 * 1024

const FORMS = [
  { name: 'html', type: 'text/html; charset=utf-8' },
  { name: 'markdown', type: 'text/markdown; charset=utf-8' },
  { name: 'json', type: 'application/json' },
  { name: 'csv', type: 'text/csv; charset=utf-8' },
] as const

/** Answers a bill: see `billEndpoint`. */
export async function answerBill(
  parts: BillParts,
  request: Request,
  { call, requestId }: Parameters<Mount['handle']>[1],
): Promise<Response> {
  const encoding = preferredEncoding(request.headers.get('accept-encoding') ?? '')
  const hospitals = await parts.hospitals()
  let form = EMPTY_FORM
  let as = negotiate(FORMS, request.headers.get('accept')) ?? FORMS[0]
  const send = async (text: string, visit: Visit, status = 200): Promise<Response> => {
    const bytes = Buffer.from(text)
    const headers = { ...PAGE_HEADERS, ...quotaHeaders(visit.quota), vary: 'Accept' }
    const coding = isWorthwhile(bytes.length, 'document') ? encoding : undefined
    return asResponse(await good({ bytes, type: as.type, cache: 'no-store', headers, encoding: coding, status }))
  }
  let isCounted = false
  try {
    const sent = await readForm(request)
    form = sent
    as = FORMS.find(({ name }) => name === sent.as) ?? as
    const npi = npiOf(sent, hospitals)
    const { entries, faults } = linesOf(sent, parts.today())
    isCounted = true
    const { answers, visit } = await answersTo(parts, call, entries, npi)
    const bill = { entries, faults, answers, origin: parts.baseUrl() }
    const texts = {
      html: () => billHtml(parts.frame, form, hospitals, { sheet: billSheet(bill) }),
      markdown: () => billMarkdown(billSheet(bill)),
      json: () => billJson(bill),
      csv: () => billCsv(bill),
    }
    return await send(await texts[as.name](), visit)
  } catch (error) {
    // A form that cannot be read is not free.
    const visit = isCounted ? {} : await parts.gate.enter(call, 'public', 'reference')
    const problem = visit.refusal ?? refusalOf(error)
    if (!problem) throw error
    if (as.name !== 'html')
      return asResponse(forCaller(refusal(problem, { baseUrl: parts.baseUrl(), requestId }), visit, 'public'))
    const page = await billHtml(parts.frame, form, hospitals, { refused: problem })
    const response = await send(page, visit, STATUS[problem.entry.kind])
    const { retryAfterSeconds } = problem.extra
    if (retryAfterSeconds !== undefined) response.headers.set('retry-after', String(retryAfterSeconds))
    return response
  }
}

async function readForm(request: Request): Promise<BillForm & { as: string }> {
  const type = (request.headers.get('content-type') ?? '').toLowerCase().replaceAll(' ', '')
  if (!/^application\/x-www-form-urlencoded(;charset="?utf-8"?)?$/.test(type))
    throw new Problem('unsupported_media_type', 'the body must be a form: application/x-www-form-urlencoded')
  const sent = new URLSearchParams(new TextDecoder().decode(await readBody(request, MOST_BYTES)))
  const of = (name: string): string => (sent.get(name) ?? '').trim()
  return { lines: sent.get('lines') ?? '', place: of('place'), day: of('day'), npi: of('npi'), as: of('as') }
}

function npiOf({ npi }: BillForm, hospitals: readonly Hospital[]): string {
  const hospital = oneHospital(npi, hospitals)
  if ('refused' in hospital) throw new Problem('invalid_npi', hospital.refused)
  return hospital.npi
}

function linesOf({ lines, place, day }: BillForm, today: string) {
  const bill = parseBill(lines, { place, day: day || today })
  if ('refused' in bill) throw new Problem('invalid_request', bill.refused)
  return bill
}

/** A line counts as one request of the quota for its first column, and as half of one for each other, which takes half the time. */
const costOf = (lines: number, columns: number): number => Math.ceil((lines * (1 + columns)) / 2)

async function answersTo(
  { operations, gate }: BillParts,
  call: Call,
  entries: readonly BillEntry[],
  npi: string,
): Promise<{ answers: ColumnAnswers; visit: Visit }> {
  const batch = operations().find(({ name }) => name === 'lookup_references')
  if (!batch) throw new Error('there is no operation that answers batches')
  const answers: Record<string, unknown> = {}
  let visit: Visit | undefined
  const columns = entries.length === 0 ? [] : columnsFor(npi)
  for (const column of columns) {
    const lines = questionsOf(entries, column, npi)
    // All columns are counted with the first, before anything is looked up.
    const counted = visit
    const door: Gate = counted ? { ...gate, enter: () => counted } : gate
    const asked = { ...batch, cost: () => costOf(lines.length, columns.length) }
    const outcome = await perform(asked, call, door, async () => ({ lines }))
    if (!outcome.ok) throw outcome.problem
    visit ??= outcome.visit
    answers[column] = answerValue(outcome.output)
  }
  visit ??= await gate.enter(call, 'public', 'reference')
  if (visit.refusal) throw visit.refusal
  return { answers: answers as ColumnAnswers, visit }
}
