import { unreadable } from './unreadable.ts'

/** A piece of an XML text. Names come without their namespace prefix. */
export type Token =
  | { kind: 'open'; name: string; attributes: string; empty: boolean }
  | { kind: 'close'; name: string }
  | { kind: 'text'; text: string }

const MAX_DEPTH = 32
const MAX_TAG = 4 * 1024
const MAX_TEXT = 1024 * 1024

/**
 * Reads the XML of a spreadsheet. The text is hostile: a document type is refused, so the only entities are the five
 * of the standard and numbered characters, and the nesting is limited.
 */
export function* xmlTokens(xml: string): Generator<Token> {
  const open: string[] = []
  let at = 0
  let ended = false
  while (at < xml.length) {
    const tag = xml.indexOf('<', at)
    const end = tag < 0 ? xml.length : tag
    if (end - at > MAX_TEXT) throw unreadable('a cell of the workbook is too long')
    if (end > at && open.length > 0) yield { kind: 'text', text: unescaped(xml.slice(at, end)) }
    else if (end > at && !BLANK.test(xml.slice(at, end))) throw malformed()
    if (tag < 0) break
    const mark = xml[tag + 1]
    if (mark === '?') at = after(xml, '?>', tag)
    else if (mark !== '!') {
      const token = tagAt(xml, tag)
      at = token.end
      if (ended) throw malformed() // a second root: other readers stop at the first
      if (token.kind === 'close') {
        if (open.pop() !== token.name) throw malformed()
      } else if (!token.empty && open.push(token.name) > MAX_DEPTH)
        throw unreadable('the workbook is nested too deeply')
      ended = open.length === 0
      yield token
    } else if (xml.startsWith('<!--', tag)) at = after(xml, '-->', tag)
    else if (xml.startsWith('<![CDATA[', tag)) {
      at = after(xml, ']]>', tag)
      if (open.length === 0) throw malformed()
      yield { kind: 'text', text: xml.slice(tag + 9, at - 3) }
    } else throw unreadable('the workbook declares a document type, which is refused')
  }
  if (open.length > 0) throw malformed()
}

/** The only characters allowed outside the root: white space, and a byte order mark in front. */
const BLANK = /^\ufeff?[ \t\r\n]*$/
const NAME = /^(?:[A-Za-z_][\w.-]*:)?([A-Za-z_][\w.-]*)$/

function tagAt(xml: string, start: number): Exclude<Token, { kind: 'text' }> & { end: number } {
  const close = closingBracket(xml, start)
  const closing = xml[start + 1] === '/'
  const empty = !closing && xml[close - 1] === '/'
  const inner = xml.slice(start + (closing ? 2 : 1), empty ? close - 1 : close)
  const space = inner.search(/\s/)
  const name = localName(space < 0 ? inner : inner.slice(0, space))
  const end = close + 1
  if (closing) return { kind: 'close', name, end }
  return { kind: 'open', name, attributes: space < 0 ? '' : inner.slice(space), empty, end }
}

function localName(name: string): string {
  if (name === 'c' || name === 'v') return name // nearly all tags of a worksheet
  const [, local] = NAME.exec(name) ?? []
  if (!local) throw malformed()
  return local
}

/** The end of a tag. A bracket inside a quoted attribute does not end it. */
function closingBracket(xml: string, start: number): number {
  const limit = Math.min(xml.length, start + MAX_TAG)
  let quote = 0
  for (let at = start + 1; at < limit; at++) {
    const code = xml.charCodeAt(at)
    if (quote !== 0) quote = code === quote ? 0 : quote
    else if (code === DOUBLE || code === SINGLE) quote = code
    else if (code === BRACKET) return at
  }
  throw malformed()
}
const [DOUBLE, SINGLE, BRACKET] = [0x22, 0x27, 0x3e]

/** The value of an attribute, by its name without prefix. A repeated attribute is refused: readers differ in which they use. */
export function attribute(attributes: string, name: string): string | undefined {
  if (attributes.includes("'")) return anyAttribute(attributes, name)
  const mark = `${name}="`
  let value: string | undefined
  for (let at = attributes.indexOf(mark); at >= 0; at = attributes.indexOf(mark, at + 1)) {
    // A value between double quotes has none, so a match after a space or a prefix is a name and not part of a value.
    const before = attributes[at - 1]
    if (before === undefined || (before > ' ' && before !== ':')) continue
    if (value !== undefined) throw malformed()
    const from = at + mark.length
    value = unescaped(attributes.slice(from, attributes.indexOf('"', from)))
  }
  return value
}

/** Reads one attribute after the other, and each character once, because the text is hostile. */
function anyAttribute(attributes: string, name: string): string | undefined {
  let value: string | undefined
  for (let at = pastBlanks(attributes, 0); at < attributes.length; at = pastBlanks(attributes, at)) {
    const equals = attributes.indexOf('=', at)
    if (equals < 0) throw malformed()
    const from = pastBlanks(attributes, equals + 1)
    const quote = attributes[from]
    const end = quote === '"' || quote === "'" ? attributes.indexOf(quote, from + 1) : -1
    if (end < 0) throw malformed()
    if (localName(attributes.slice(at, equals).trimEnd()) === name) {
      if (value !== undefined) throw malformed()
      value = unescaped(attributes.slice(from + 1, end))
    }
    at = end + 1
  }
  return value
}

function pastBlanks(text: string, from: number): number {
  let at = from
  while (at < text.length && text.charCodeAt(at) <= 0x20) at++
  return at
}

const NAMED: { [name: string]: string } = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function unescaped(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(/&(?:#x([0-9a-f]{1,6})|#([0-9]{1,7})|(\w{1,8}));|&/gi, (_, hex, decimal, name) => {
    if (name !== undefined) return NAMED[name] ?? refuseEntity()
    if (hex === undefined && decimal === undefined) throw malformed()
    const point = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
    if (point === 0 || point > 0x10ffff) throw malformed()
    return String.fromCodePoint(point)
  })
}

function refuseEntity(): never {
  throw unreadable('the workbook uses an entity, which is refused')
}

function after(xml: string, mark: string, from: number): number {
  const at = xml.indexOf(mark, from)
  if (at < 0) throw malformed()
  return at + mark.length
}

const malformed = () => unreadable('the workbook is damaged: a part of it is not well-formed XML')
