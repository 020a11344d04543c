// The bill in the browser. Files and pasted text are read here and leave the page as codes and amounts: what stands in the field of the
// lines is what is sent, in one request. The answer is shown only if its proof holds. Nothing is kept.

import { readStatement } from '../../statement/statement.ts'
import { type Hospital, oneHospital } from '../words/hospitals.ts'
import { type BillCheck, verifyCheck } from './bill-check.ts'
import { type BillFields, billIn, requestWith, tableText } from './bill-request.ts'
import { billSheet, type Cell, classOf, type ShownFinding, type Table } from './bill-sheet.ts'
import { button, element, find } from './element.ts'
import { trustOf } from './pin.ts'
import { ageLimits, MOST_HOURS } from './steps.ts'

const form = find<HTMLFormElement>('#bill')
const sheet = find('#sheet')
const status = find('#bill-status')
const preview = find('#bill-preview')
const lines = find<HTMLTextAreaElement>('#lines')
const files = find<HTMLInputElement>('#files')
const submit = find<HTMLButtonElement>('#bill button[type=submit]')
const field = (name: string): HTMLInputElement => form.elements.namedItem(name) as HTMLInputElement
const value = (name: string): string => field(name).value.trim()

/** The lines as they were shown before they are sent. */
let shown: string | undefined

function tell(state: 'good' | 'bad' | 'waiting' | 'read', sentence: string): void {
  status.textContent = sentence
  status.dataset['state'] = state
}

/** Reads files or text, and puts what was read in the place of the text. */
async function take(sources: readonly (Blob | string)[]): Promise<void> {
  sheet.replaceChildren()
  preview.replaceChildren()
  shown = undefined
  const bill = billIn(await Promise.all(sources.map((source) => readStatement(source))))
  if ('refused' in bill) return tell('bad', bill.refused)
  const { request, sentences } = bill
  lines.value = tableText(request)
  shown = lines.value
  if (request.kind !== undefined) field('kind').value = request.kind
  if (request.npi !== undefined) field('npi').value = request.npi
  if (request.day !== undefined) field('day').value = request.day
  if (request.totals?.estimate !== undefined) field('estimate').value = request.totals.estimate
  field('type').value = request.type_of_bill ?? field('type').value
  preview.replaceChildren(...(sentences.length > 0 ? [listOf(sentences)] : []))
  submit.textContent = 'Check these lines'
  tell(
    'read',
    `${request.lines.length} lines were read in this browser; nothing was sent yet. What stands in the field now is all that will be sent: look at it, correct it, and check it.`,
  )
}

files.onchange = async () => {
  await take([...(files.files ?? [])])
  files.value = ''
}
form.ondragover = (event) => event.preventDefault()
form.ondrop = (event) => {
  event.preventDefault()
  void take([...(event.dataTransfer?.files ?? [])])
}
lines.oninput = () => {
  submit.textContent = lines.value === shown ? 'Check these lines' : 'Read'
}

const listOf = (items: readonly string[]): HTMLElement =>
  element('ul', {}, ...items.map((item) => element('li', {}, item)))

/** The hospitals that the page offers. */
const listed = (): Hospital[] =>
  [...document.querySelectorAll<HTMLOptionElement>('#hospitals option')].map(({ value: name, dataset }) => ({
    npi: dataset['npi'] ?? '',
    name,
  }))

form.onsubmit = async (event) => {
  event.preventDefault()
  if (lines.value !== shown) return take([lines.value])
  const hospital = oneHospital(value('npi'), listed())
  if ('refused' in hospital) return tell('bad', hospital.refused)
  const read = billIn([await readStatement(lines.value)])
  if ('refused' in read) return tell('bad', read.refused)
  const fields: BillFields = {
    place: value('place'),
    day: value('day'),
    npi: hospital.npi,
    kind: value('kind'),
    payer: value('payer'),
    type: value('type'),
    estimate: value('estimate'),
  }
  const request = requestWith(read.request, fields)
  if ('refused' in request) return tell('bad', request.refused)
  sheet.replaceChildren()
  tell('waiting', 'Checking.')
  const { pin, sentence } = await trustOf('/log/policy')
  const response = await fetch('/bill/check', {
    method: 'POST',
    body: JSON.stringify(request),
    headers: { 'content-type': 'application/json', accept: 'application/json' },
  }).catch(() => undefined)
  const text = (await response?.text()) ?? ''
  if (!response?.ok) return tell('bad', detailIn(text) ?? 'The site cannot be reached.')
  if (!pin) return tell('bad', sentence)
  const verdict = await verifyCheck(text, pin.policy, request, ageLimits(MOST_HOURS, Date.now()))
  if (!verdict.ok) return tell('bad', `The answer is not shown, because its proof does not hold: ${verdict.reason}.`)
  const known = listed().find(({ npi }) => npi === request.npi)
  const today = new Date().toISOString().slice(0, 10)
  show(
    billSheet({
      request,
      check: JSON.parse(text) as BillCheck,
      sentences: [...preview.querySelectorAll('li')].map((item) => item.textContent ?? ''),
      hospital: known && /[A-Za-z]/.test(known.name ?? '') ? known.name : undefined,
      origin: location.origin,
      today,
    }),
  )
  tell('good', `Checked in this browser: ${verdict.rows.length} rows are proved, and so is each finding. ${sentence}`)
}

function detailIn(text: string): string | undefined {
  try {
    return (JSON.parse(text) as { detail?: string }).detail
  } catch {
    return undefined
  }
}

function cellOf(cell: Cell, head: string | undefined): HTMLElement {
  const { text, href, note } = cell
  const made = element(
    head === undefined ? 'th' : 'td',
    { className: classOf(cell) },
    href === undefined ? text : element('a', { href }, text),
    ...(note === undefined ? [] : [element('small', {}, note)]),
  )
  if (head === undefined) made.scope = 'row'
  else made.dataset['label'] = head
  return made
}

const tableOf = ({ name, caption, head, rows }: Table): HTMLElement => {
  const headings = head.map((text, i) => element('th', { scope: 'col', className: classOf(rows[0]?.[i]) }, text))
  const body = rows.map((cells) =>
    element('tr', {}, ...cells.map((cell, i) => cellOf(cell, i === 0 ? undefined : head[i]))),
  )
  return element(
    'section',
    { className: 'scroll', tabIndex: 0, ariaLabel: caption },
    element(
      'table',
      { id: name, className: 'stacked' },
      element('caption', {}, caption),
      element('thead', {}, element('tr', {}, ...headings)),
      element('tbody', {}, ...body),
    ),
  )
}

const findingOf = ({ title, says, ask, sources }: ShownFinding): HTMLElement =>
  element(
    'li',
    {},
    element('strong', {}, title),
    ' ',
    says,
    ' ',
    ask,
    ...sources.flatMap(({ text, href }) => [' ', element('a', { href }, text)]),
  )

function show(made: ReturnType<typeof billSheet>): void {
  sheet.replaceChildren(
    element(
      'dl',
      { className: 'facts' },
      ...made.facts.flatMap(([name, text]) => [element('dt', {}, name), element('dd', {}, text)]),
    ),
    element('p', {}, made.summary),
    ...(made.findings.length === 0
      ? []
      : [element('h2', {}, 'Findings'), element('ol', { id: 'findings' }, ...made.findings.map(findingOf))]),
    ...made.tables.map(tableOf),
    ...made.lists.flatMap(({ title, items }) => [element('h2', {}, title), listOf(items)]),
    ...(made.letter.length === 0
      ? []
      : [
          element(
            'section',
            { id: 'letter' },
            element('h2', {}, 'A letter'),
            ...made.letter.map((text) => element('p', {}, text)),
          ),
          element(
            'section',
            { id: 'call' },
            element('h2', {}, 'On the telephone'),
            element('ol', {}, ...made.call.map((text) => element('li', {}, text))),
          ),
        ]),
    element(
      'p',
      { className: 'check-tools' },
      button('Print', () => window.print()),
    ),
  )
}
