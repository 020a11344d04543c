import type { TableLine } from './csv.ts'
import { unreadable } from './unreadable.ts'
import { attribute, type Token, xmlTokens } from './xml.ts'
import { type Archive, openArchiveBytes } from './zip.ts'

const MAX_PART = 64 * 1024 * 1024
const MAX_ROWS = 1_048_576
const MAX_COLUMNS = 512
const MAX_SHEETS = 50

export interface Sheet {
  name: string
  /** The rows that are not empty, with their number in the sheet. Cells are as stored; formulas are not evaluated. */
  rows: Iterable<TableLine>
}

/** Reads a worksheet of an Office Open XML workbook (ECMA-376) by its index among the visible worksheets. */
export function readSheet(bytes: Uint8Array, at = 0): Sheet {
  const archive = openArchiveBytes(bytes)
  const sheet = visibleIn(archive)[at]
  const targets = sheet ? targetsOf(part(archive, 'xl/_rels/workbook.xml.rels')) : []
  const target = targets.find(({ id }) => id === sheet?.id)
  if (!sheet || !target) throw unreadable('the workbook does not have the worksheet that is needed')
  const shared = targets.find(({ type }) => type.endsWith('/sharedStrings'))
  const strings = shared ? sharedStrings(part(archive, shared.path)) : []
  return { name: sheet.name, rows: rowsOf(part(archive, target.path), strings) }
}

/** How many worksheets are visible. */
export function sheetCount(bytes: Uint8Array): number {
  const { length } = visibleIn(openArchiveBytes(bytes))
  if (length > MAX_SHEETS) throw unreadable('the workbook has too many worksheets')
  return length
}

const visibleIn = (archive: Archive): { name: string; id: string }[] =>
  sheetsOf(part(archive, 'xl/workbook.xml')).filter(({ hidden }) => !hidden)

/**
 * A number as the workbook shows it. The file has all digits of a binary fraction, as in 67.260000000000005, and a
 * spreadsheet shows at most fifteen, 67.26. Text that is not a number is returned unchanged.
 */
export function shownNumber(text: string): string {
  if (!/^-?[0-9]{1,20}(\.[0-9]{1,20})?(E[+-]?[0-9]{1,3})?$/i.test(text)) return text
  const shown = Number(Number(text).toPrecision(15))
  const plain = String(shown)
  return plain.includes('e') ? shown.toFixed(12).replace(/(?:\.0+|(?<=[1-9])0+)$/, '') : plain
}

function part(archive: Archive, path: string): string {
  const member = archive.members.find((each) => each.path === path)
  if (!member) throw unreadable('the file is an archive, but not a workbook')
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(member.unpack(MAX_PART))
  } catch (error) {
    if (error instanceof TypeError) throw unreadable('the workbook is not written in UTF-8')
    throw error
  }
}

const openTags = function* (xml: string, name: string): Generator<string> {
  for (const token of xmlTokens(xml)) if (token.kind === 'open' && token.name === name) yield token.attributes
}

const sheetsOf = (workbook: string): { name: string; id: string; hidden: boolean }[] =>
  Array.from(openTags(workbook, 'sheet'), (tag) => ({
    name: attribute(tag, 'name') ?? '',
    id: attribute(tag, 'id') ?? '',
    hidden: (attribute(tag, 'state') ?? 'visible') !== 'visible',
  }))

/** The targets of a workbook. They are relative to `xl/`, or begin at the root of the archive. */
const targetsOf = (rels: string): { id: string; type: string; path: string }[] =>
  Array.from(openTags(rels, 'Relationship'), (tag) => {
    const target = attribute(tag, 'Target') ?? ''
    return {
      id: attribute(tag, 'Id') ?? '',
      type: attribute(tag, 'Type') ?? '',
      path: target.startsWith('/') ? target.slice(1) : `xl/${target}`,
    }
  })

function sharedStrings(xml: string): string[] {
  const strings: string[] = []
  let text: string | undefined
  let inside = ''
  let phonetic = false
  for (const token of xmlTokens(xml)) {
    if (token.kind === 'text') {
      if (text !== undefined && inside === 't' && !phonetic) text += token.text
      continue
    }
    const { name } = token
    const opens = token.kind === 'open' && !token.empty
    if (name === 'si') {
      if (opens) text = ''
      else strings.push(text ?? '')
      if (!opens) text = undefined
    } else if (name === 'rPh') phonetic = opens // a reading aid, not part of the text
    inside = opens ? name : ''
  }
  return strings
}

/** The byte 0x1A at the end of text files, from which some CMS workbooks were made. A row with only that byte is empty. */
const END_OF_TEXT = '_x001A_'

interface Cell {
  column: number
  type: string
  value: string
}

function* rowsOf(xml: string, strings: readonly string[]): Generator<TableLine> {
  let row: TableLine | undefined
  let cell: Cell | undefined
  let line = 0
  let inside = ''
  for (const token of xmlTokens(xml)) {
    if (token.kind === 'text') {
      if (cell && (inside === 'v' || inside === 't')) cell.value += token.text
      continue
    }
    const { name } = token
    const opens = token.kind === 'open'
    if (name === 'row' && opens) {
      line = rowNumber(attribute(token.attributes, 'r'), line)
      row = token.empty ? undefined : { line, cells: [] }
    } else if (name === 'row') {
      if (row?.cells.some((text) => text !== '' && text !== END_OF_TEXT)) yield row
      row = undefined
    } else if (name === 'c' && row) {
      if (token.kind === 'open') cell = cellOf(token, row)
      if (cell && (!opens || token.empty)) {
        put(row, cell, strings)
        cell = undefined
      }
    }
    inside = opens && !token.empty ? name : ''
  }
}

function rowNumber(stated: string | undefined, before: number): number {
  const line = stated === undefined ? before + 1 : Number(stated)
  if (!Number.isInteger(line) || line <= before || line > MAX_ROWS)
    throw unreadable('the rows of the worksheet are out of order')
  return line
}

function cellOf({ attributes }: Token & { kind: 'open' }, row: TableLine): Cell {
  const [, letters] = /^([A-Z]{1,3})[0-9]+$/.exec(attribute(attributes, 'r') ?? '') ?? []
  const column = letters === undefined ? row.cells.length : columnNumber(letters)
  if (column < row.cells.length) throw unreadable('the cells of the worksheet are out of order', row.line)
  if (column >= MAX_COLUMNS) throw unreadable('the worksheet has too many columns', row.line)
  return { column, type: attribute(attributes, 't') ?? 'n', value: '' }
}

const columnNumber = (letters: string): number =>
  [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1

function put(row: TableLine, { column, type, value }: Cell, strings: readonly string[]): void {
  const text = type === 's' && value !== '' ? strings[/^[0-9]{1,9}$/.test(value) ? Number(value) : -1] : value
  if (text === undefined) throw unreadable('a cell of the worksheet refers to a text that does not exist', row.line)
  while (row.cells.length < column) row.cells.push('')
  row.cells.push(text)
}
