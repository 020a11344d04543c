// The first visible sheet of an Office Open XML workbook (ECMA-376) as rows of cells. Formulas are not run: a cell is what was stored.

import { Refused, type Statement } from './bill.ts'
import { type Row, readRows } from './table.ts'

const MOST_UNPACKED = 30 * 1024 * 1024
const MOST_MEMBERS = 2_000
const MOST_COLUMNS = 200

export const isWorkbook = (bytes: Uint8Array): boolean =>
  bytes[0] === 0x50 && bytes[1] === 0x4b && bytes[2] === 0x03 && bytes[3] === 0x04

interface Member {
  name: string
  method: number
  offset: number
  packed: number
}

export async function readWorkbook(bytes: Uint8Array): Promise<Statement> {
  const members = membersOf(bytes)
  const left = { bytes: MOST_UNPACKED }
  const part = async (name: string): Promise<string | undefined> => {
    const member = members.find((each) => each.name === name)
    return member && new TextDecoder().decode(await unpacked(bytes, member, left))
  }
  const book = await part('xl/workbook.xml')
  const links = await part('xl/_rels/workbook.xml.rels')
  if (book === undefined || links === undefined) throw new Refused('workbook')
  const targets = new Map(tagsIn(links, 'Relationship').map((tag) => [attribute(tag, 'Id'), attribute(tag, 'Target')]))
  const sheets = tagsIn(book, 'sheet').filter((tag) => ['', 'visible'].includes(attribute(tag, 'state')))
  const shared = sharedTexts((await part('xl/sharedStrings.xml')) ?? '')
  // The first sheet with a table decides: a workbook often begins with a page of explanations.
  let refusal = new Refused('workbook')
  for (const sheet of sheets.slice(0, 20)) {
    const target = targets.get(attribute(sheet, 'r:id')) ?? ''
    const xml = await part(target.startsWith('/') ? target.slice(1) : `xl/${target}`)
    if (xml === undefined) continue
    try {
      return readRows('workbook', rowsOf(xml, shared))
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      refusal = error
    }
  }
  throw refusal
}

/** The members that the directory at the end of the file names (PKWARE APPNOTE 4.3). */
function membersOf(bytes: Uint8Array): Member[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let end = bytes.length - 22
  while (end >= 0 && end > bytes.length - 66_000 && view.getUint32(end, true) !== 0x06054b50) end--
  if (end < 0 || view.getUint32(end, true) !== 0x06054b50) throw new Refused('workbook')
  const count = view.getUint16(end + 10, true)
  let at = view.getUint32(end + 16, true)
  if (count > MOST_MEMBERS) throw new Refused('workbook')
  const members: Member[] = []
  for (let i = 0; i < count; i++) {
    if (at + 46 > bytes.length || view.getUint32(at, true) !== 0x02014b50) throw new Refused('workbook')
    const length = view.getUint16(at + 28, true)
    members.push({
      name: new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + length)),
      method: view.getUint16(at + 10, true),
      packed: view.getUint32(at + 20, true),
      offset: view.getUint32(at + 42, true),
    })
    at += 46 + length + view.getUint16(at + 30, true) + view.getUint16(at + 32, true)
  }
  return members
}

/** Unpacks no more than is left of the bound, whatever sizes the archive states. */
async function unpacked(
  bytes: Uint8Array,
  { method, offset, packed }: Member,
  left: { bytes: number },
): Promise<Uint8Array> {
  if (offset + 30 > bytes.length) throw new Refused('workbook')
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const start = offset + 30 + view.getUint16(offset + 26, true) + view.getUint16(offset + 28, true)
  const content = bytes.slice(start, start + packed)
  if ((method !== 0 && method !== 8) || content.length !== packed) throw new Refused('workbook')
  const source = new Blob([content]).stream()
  const reader = (method === 8 ? source.pipeThrough(new DecompressionStream('deflate-raw')) : source).getReader()
  const chunks: Uint8Array[] = []
  for (;;) {
    const { done, value } = await reader.read().catch(() => {
      throw new Refused('workbook')
    })
    if (done) break
    left.bytes -= value.length
    if (left.bytes < 0) {
      await reader.cancel().catch(() => undefined)
      throw new Refused('workbook_large')
    }
    chunks.push(value)
  }
  const whole = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.length
  }
  return whole
}

/** The opening tags of one name, without its namespace. */
const tagsIn = (xml: string, name: string): string[] =>
  [...partsOf(xml)].filter((part) => part.name === name && !part.closes).map(({ tag }) => tag)

interface Part {
  name: string
  tag: string
  closes: boolean
  /** The text that follows the tag. */
  text: string
}

/** The tags of a document, each with the text after it. Comments and declarations are passed over; entities beyond the five of XML are left as they are. */
function* partsOf(xml: string): Generator<Part> {
  let at = xml.indexOf('<')
  while (at >= 0) {
    if (xml.startsWith('<!--', at)) {
      const end = xml.indexOf('-->', at)
      if (end < 0) return
      at = xml.indexOf('<', end)
      continue
    }
    const end = xml.indexOf('>', at)
    if (end < 0) return
    const next = xml.indexOf('<', end)
    const tag = xml.slice(at + 1, Math.min(end, at + 5_000))
    const name = tag.replace(/^\//, '').split(/[\s/]/, 1)[0]?.split(':').at(-1) ?? ''
    const text = xml.slice(end + 1, next < 0 ? xml.length : next)
    const isEmpty = tag.endsWith('/')
    yield { name, tag, closes: tag.startsWith('/'), text: isEmpty ? '' : text }
    if (isEmpty) yield { name, tag: `/${name}`, closes: true, text }
    at = next
  }
}

function attribute(tag: string, name: string): string {
  const start = tag.indexOf(` ${name}="`)
  if (start < 0) return ''
  const from = start + name.length + 3
  const end = tag.indexOf('"', from)
  return end < 0 ? '' : plain(tag.slice(from, end))
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&apos;': "'",
  '&amp;': '&',
}
const plain = (text: string): string => text.replace(/&(?:lt|gt|quot|apos|amp);/g, (entity) => ENTITIES[entity] ?? '')

function sharedTexts(xml: string): string[] {
  const texts: string[] = []
  let text = ''
  for (const { name, closes, text: inside } of partsOf(xml)) {
    if (name === 'si' && !closes) text = ''
    else if (name === 'si') texts.push(plain(text))
    else if (name === 't' && !closes) text += inside
  }
  return texts
}

/** The rows of a sheet. Text that a spreadsheet would show as a day is a number of days here: such a cell is read as a day by its style alone, so it is not. */
function* rowsOf(xml: string, shared: readonly string[]): Generator<Row> {
  let cells: string[] = []
  let at = 0
  let type = ''
  for (const { name, tag, closes, text } of partsOf(xml)) {
    if (name === 'row' && !closes) {
      cells = []
      at = Number(attribute(` ${tag}`, 'r')) || at + 1
    } else if (name === 'row') yield { at, cells }
    else if (name === 'c' && !closes) {
      type = attribute(tag, 't')
      const column = columnOf(attribute(tag, 'r')) ?? cells.length
      if (column >= MOST_COLUMNS) throw new Refused('workbook')
      while (cells.length < column) cells.push('')
      cells.push('')
    } else if ((name === 'v' || name === 't') && !closes && cells.length > 0)
      cells[cells.length - 1] +=
        type === 's' ? (shared[Number(text)] ?? '') : type === '' || type === 'n' ? shownNumber(text) : plain(text)
  }
}

function columnOf(reference: string): number | undefined {
  const [, letters] = /^([A-Z]{1,3})[0-9]+$/.exec(reference) ?? []
  return letters === undefined
    ? undefined
    : [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1
}

/** A workbook stores all digits of a binary fraction, as in 67.260000000000005, and shows at most fifteen: 67.26. */
function shownNumber(text: string): string {
  if (!/^-?[0-9]{1,20}\.[0-9]{6,20}$/.test(text)) return text
  const shown = String(Number(Number(text).toPrecision(15)))
  return shown.includes('e') ? text : shown
}
