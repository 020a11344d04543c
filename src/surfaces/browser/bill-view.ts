// The bill in the browser: sent, checked line by line, and shown only if every proof holds. Nothing is kept.

import { type Hospital, oneHospital } from '../words/hospitals.ts'
import { checkBill } from './bill-check.ts'
import { billCsv } from './bill-csv.ts'
import { type Column, columnsFor, parseBill, questionsOf } from './bill-lines.ts'
import type { ColumnAnswers, ComparedBill } from './bill-reference.ts'
import { billJson, billSheet, type Cell, classOf, type Table } from './bill-sheet.ts'
import { button, element, find } from './element.ts'
import { trustOf } from './pin.ts'
import { ageLimits, MOST_HOURS } from './steps.ts'

const form = find<HTMLFormElement>('#bill')
const sheet = find('#sheet')
const status = find('#bill-status')
const value = (name: string): string => (form.elements.namedItem(name) as HTMLInputElement).value

function tell(state: 'good' | 'bad' | 'waiting', sentence: string): void {
  status.textContent = sentence
  status.dataset['state'] = state
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
  const lines = rows.map((cells) =>
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
      element('tbody', {}, ...lines),
    ),
  )
}

/** The hospitals that the page offers. */
const listed = (): Hospital[] =>
  [...document.querySelectorAll<HTMLOptionElement>('#hospitals option')].map(({ value: name, dataset }) => ({
    npi: dataset['npi'] ?? '',
    name,
  }))

/** Offers a file that is made here. */
function save(name: string, type: string, text: string): void {
  const href = URL.createObjectURL(new Blob([text], { type }))
  element('a', { href, download: name }).click()
  // The browser reads it after the click.
  setTimeout(() => URL.revokeObjectURL(href), 60_000)
}

function show(bill: ComparedBill): void {
  const made = billSheet(bill)
  sheet.replaceChildren(
    element('p', {}, made.summary),
    ...made.tables.map(tableOf),
    ...made.lists.flatMap(({ title, items }) => [
      element('h2', {}, title),
      element('ul', {}, ...items.map((item) => element('li', {}, item))),
    ]),
    ...(made.letter === '' ? [] : [element('h2', {}, 'For a letter'), element('p', { id: 'letter' }, made.letter)]),
    element(
      'p',
      { className: 'check-tools' },
      button('Print', () => window.print()),
      button('CSV', () => save('bill.csv', 'text/csv', billCsv(bill))),
      button('JSON', () => save('bill.json', 'application/json', billJson(bill))),
    ),
  )
}

form.onsubmit = async (event) => {
  event.preventDefault()
  const hospital = oneHospital(value('npi'), listed())
  const today = new Date().toISOString().slice(0, 10)
  const day = value('day') || today
  const bill = parseBill(value('lines'), { place: value('place').trim(), day })
  sheet.replaceChildren()
  if ('refused' in hospital) return tell('bad', hospital.refused)
  if ('refused' in bill) return tell('bad', bill.refused)
  const { npi } = hospital
  const { entries, faults } = bill
  if (entries.length === 0) return show({ entries, faults, answers: {}, origin: location.origin })
  tell('waiting', 'Looking up and checking.')
  const { pin, sentence } = await trustOf('/log/policy')
  const body = new URLSearchParams({ lines: value('lines'), place: value('place'), day, npi })
  const response = await fetch('/bill', { method: 'POST', body, headers: { accept: 'application/json' } }).catch(
    () => undefined,
  )
  const { detail, answers = {} } = (await response?.json().catch(() => ({}))) ?? {}
  if (!response?.ok) return tell('bad', detail ?? 'The site cannot be reached.')
  if (!pin) return tell('bad', sentence)
  let rows = 0
  for (const column of columnsFor(npi)) {
    const questions = questionsOf(entries, column, npi)
    const text = JSON.stringify((answers as ColumnAnswers)[column])
    const verdict = await checkBill(text ?? '', pin.policy, { questions }, ageLimits(MOST_HOURS, Date.now()))
    const isEmpty = !verdict.ok && verdict.reason === 'nothing_proved' && hasNothing(answers, column)
    if (!verdict.ok && !isEmpty)
      return tell(
        'bad',
        `The answer is not shown, because its proof does not hold: ${verdict.reason}${'at' in verdict ? `, line ${entries[(verdict.at ?? 1) - 1]?.at}` : ''}.`,
      )
    rows += verdict.ok ? verdict.rows.length : 0
    if (isEmpty) delete (answers as ColumnAnswers)[column]
  }
  show({ entries, faults, answers, origin: location.origin })
  tell('good', `Checked in this browser: ${rows} rows are proved, and each answers its line. ${sentence}`)
}

/** A column whose lines were all refused as questions, and that adds up nothing, shows no amount: it needs no proof. */
function hasNothing(answers: ColumnAnswers, column: Column): boolean {
  const { results = [], summary } = answers[column] ?? {}
  return results.every(({ status: code }) => code === 400) && summary?.totals.length === 0
}
