import { answerValue, type Call, type Gate, type Operation, perform, refusalOf, type Visit } from '../../operation.ts'
import { Problem } from '../../problem.ts'
import { isNpi } from '../../proof/lookup/npi.ts'
import { STATUS } from '../../status.ts'
import { billCsv } from '../browser/bill-csv.ts'
import { type BillEntry, columnsFor, parseBill, questionsOf } from '../browser/bill-lines.ts'
import type { ColumnAnswers } from '../browser/bill-reference.ts'
import { billSheet } from '../browser/bill-sheet.ts'
import { isWorthwhile, preferredEncoding } from '../http/compression.ts'
import type { Mount } from '../http/mount.ts'
import { negotiate } from '../http/negotiation.ts'
import { readBody } from '../http/request.ts'
import { good, quotaHeaders, refusal } from '../http/response.ts'
import { PAGE_HEADERS } from '../site/layout.tsx'
import { type BillForm, billHtml, EMPTY_FORM } from './bill-page.tsx'

export interface BillParts {
  operations: () => readonly Operation[]
  gate: Gate
  baseUrl: () => string
  today: () => string
}

/** A hundred lines, each character of which takes up to three bytes in a form. */
const MOST_BYTES = 96 * 1024

const FORMS = {
  html: { type: 'text/html; charset=utf-8' },
  json: { type: 'application/json' },
  csv: { type: 'text/csv; charset=utf-8' },
}
type FormName = keyof typeof FORMS

/** A bill is sent as a form, with or without a script, and answered as a page, as JSON or as CSV. Nothing of it is kept. */
export const billEndpoint = (parts: BillParts): Mount => ({
  name: 'compare_bill',
  path: '/bill',
  async handle(request, { call, requestId }) {
    const encoding = preferredEncoding(request.headers.get('accept-encoding') ?? '')
    let form = EMPTY_FORM
    let as: FormName =
      negotiate([FORMS.html, FORMS.json], request.headers.get('accept')) === FORMS.json ? 'json' : 'html'
    const send = async (text: string, visit: Visit, status = 200): Promise<Response> => {
      const bytes = Buffer.from(text)
      const headers = { ...PAGE_HEADERS, ...quotaHeaders(visit.quota), vary: 'Accept' }
      const coding = isWorthwhile(bytes.length, 'document') ? encoding : undefined
      const { type } = FORMS[as]
      return (await good({ bytes, type, cache: 'no-store', headers, encoding: coding, status })).response
    }
    let isCounted = false
    try {
      const sent = await readForm(request)
      form = sent
      if (sent.as === 'csv' || sent.as === 'json') as = sent.as
      const { entries, faults } = linesOf(sent, parts.today())
      isCounted = true
      const { answers, visit } = await answersTo(parts, call, entries, sent.npi)
      if (as === 'json') return await send(JSON.stringify(answers), visit)
      const bill = { entries, faults, answers, origin: parts.baseUrl() }
      return await send(as === 'csv' ? billCsv(bill) : await billHtml(form, { sheet: billSheet(bill) }), visit)
    } catch (error) {
      // A form that cannot be read is not free.
      const visit = isCounted ? {} : await parts.gate.enter(call, 'public', 'reference')
      const problem = visit.refusal ?? refusalOf(error)
      if (!problem) throw error
      if (as !== 'html') return refusal(problem, { baseUrl: parts.baseUrl(), requestId })
      const response = await send(await billHtml(form, { refused: problem.detail }), visit, STATUS[problem.entry.kind])
      const { retryAfterSeconds } = problem.extra
      if (retryAfterSeconds !== undefined) response.headers.set('retry-after', String(retryAfterSeconds))
      return response
    }
  },
})

async function readForm(request: Request): Promise<BillForm & { as: string }> {
  const type = (request.headers.get('content-type') ?? '').toLowerCase().replaceAll(' ', '')
  if (!/^application\/x-www-form-urlencoded(;charset="?utf-8"?)?$/.test(type))
    throw new Problem('unsupported_media_type', 'the body must be a form: application/x-www-form-urlencoded')
  const sent = new URLSearchParams(new TextDecoder().decode(await readBody(request, MOST_BYTES)))
  const of = (name: string): string => (sent.get(name) ?? '').trim()
  return { lines: sent.get('lines') ?? '', place: of('place'), day: of('day'), npi: of('npi'), as: of('as') }
}

function linesOf({ lines, place, day, npi }: BillForm, today: string) {
  if (npi !== '' && !isNpi(npi))
    throw new Problem('invalid_npi', 'The NPI is not valid: it has ten digits, the last of which checks the others.')
  const bill = parseBill(lines, { place, day: day || today })
  if ('refused' in bill) throw new Problem('invalid_request', bill.refused)
  return bill
}

/** A line counts as one request of the quota, whatever is looked up for it. */
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
  for (const column of entries.length === 0 ? [] : columnsFor(npi)) {
    const lines = questionsOf(entries, column, npi)
    const asked = visit ? { ...batch, cost: () => 1 } : batch
    const outcome = await perform(asked, call, gate, async () => ({ lines }))
    if (!outcome.ok) throw outcome.problem
    visit ??= outcome.visit
    answers[column] = answerValue(outcome.output)
  }
  visit ??= await gate.enter(call, 'public', 'reference')
  if (visit.refusal) throw visit.refusal
  return { answers: answers as ColumnAnswers, visit }
}
