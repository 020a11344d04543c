import { answerValue, type Call, type Gate, type Operation, perform, refusalOf, type Visit } from '../../operation.ts'
import { Problem } from '../../problem.ts'
import { type BillRequest, readStatement } from '../../statement/statement.ts'
import { STATUS } from '../../status.ts'
import type { BillCheck } from '../browser/bill-check.ts'
import { billIn, requestWith } from '../browser/bill-request.ts'
import { billSheet } from '../browser/bill-sheet.ts'
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

/** Two hundred lines, each character of which takes up to three bytes in a form. */
const MOST_BYTES = 96 * 1024

const FORMS = [
  { name: 'html', type: 'text/html; charset=utf-8' },
  { name: 'markdown', type: 'text/markdown; charset=utf-8' },
] as const

/** Answers a bill that was sent as a form: see `billEndpoint`. */
export async function answerBill(
  parts: BillParts,
  request: Request,
  { call, requestId }: Parameters<Mount['handle']>[1],
): Promise<Response> {
  const encoding = preferredEncoding(request.headers.get('accept-encoding') ?? '')
  const hospitals = await parts.hospitals()
  let form = EMPTY_FORM
  const as = negotiate(FORMS, request.headers.get('accept')) ?? FORMS[0]
  const send = async (text: string, visit: Visit, status = 200): Promise<Response> => {
    const bytes = Buffer.from(text)
    const headers = { ...PAGE_HEADERS, ...quotaHeaders(visit.quota), vary: 'Accept' }
    const coding = isWorthwhile(bytes.length, 'document') ? encoding : undefined
    return asResponse(await good({ bytes, type: as.type, cache: 'no-store', headers, encoding: coding, status }))
  }
  let isCounted = false
  try {
    form = await readForm(request)
    const { npi } = hospitalOf(form, hospitals)
    const { bill, sentences } = await requestOf({ ...form, npi })
    isCounted = true
    const { check, visit } = await checkOf(parts, call, bill)
    const hospital = hospitals.find((each) => each.npi === bill.npi)?.name
    const sheet = billSheet({
      request: bill,
      check,
      sentences,
      hospital,
      origin: parts.baseUrl(),
      today: parts.today(),
    })
    return await send(
      as.name === 'html' ? await billHtml(parts.frame, form, hospitals, { sheet }) : billMarkdown(sheet),
      visit,
    )
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

async function readForm(request: Request): Promise<BillForm> {
  const type = (request.headers.get('content-type') ?? '').toLowerCase().replaceAll(' ', '')
  if (!/^application\/x-www-form-urlencoded(;charset="?utf-8"?)?$/.test(type))
    throw new Problem('unsupported_media_type', 'the body must be a form: application/x-www-form-urlencoded')
  const sent = new URLSearchParams(new TextDecoder().decode(await readBody(request, MOST_BYTES)))
  const names = Object.keys(EMPTY_FORM) as (keyof BillForm)[]
  return Object.fromEntries(
    names.map((name) => [name, name === 'lines' ? (sent.get(name) ?? '') : (sent.get(name) ?? '').trim()]),
  ) as unknown as BillForm
}

function hospitalOf({ npi }: BillForm, hospitals: readonly Hospital[]): { npi: string } {
  const hospital = oneHospital(npi, hospitals)
  if ('refused' in hospital) throw new Problem('invalid_npi', hospital.refused)
  return hospital
}

/** The request that the form means. Text of it is dropped here as it is in the browser. */
async function requestOf({ lines, ...fields }: BillForm): Promise<{ bill: BillRequest; sentences: string[] }> {
  const read = billIn([await readStatement(lines)])
  if ('refused' in read) throw new Problem('invalid_request', read.refused)
  const bill = requestWith(read.request, fields)
  if ('refused' in bill) throw new Problem('invalid_request', bill.refused)
  return { bill, sentences: read.sentences }
}

async function checkOf(
  { operations, gate }: BillParts,
  call: Call,
  bill: BillRequest,
): Promise<{ check: BillCheck; visit: Visit }> {
  const operation = operations().find(({ name }) => name === 'check_bill')
  if (!operation) throw new Error('there is no operation that checks bills')
  const outcome = await perform(operation, call, gate, async () => ({ ...bill }))
  if (!outcome.ok) throw outcome.problem
  return { check: answerValue(outcome.output) as BillCheck, visit: outcome.visit }
}
