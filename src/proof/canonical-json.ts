// RFC 8785 canonical JSON, and a reader that refuses what two readers could understand differently:
// duplicate members, lone surrogates, trailing text, numbers out of range, deep nesting.

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

/** Why a text is not the JSON we take. The message never repeats the text: it is hostile input. */
export class JsonError extends Error {
  constructor(
    readonly reason: 'syntax' | 'duplicate_member' | 'too_deep' | 'bad_string' | 'bad_number' | 'trailing_data',
  ) {
    super(`not acceptable JSON: ${reason}`)
  }
}

/** RFC 8785. Throws on what JSON cannot hold, where JSON.stringify would drop or change it. */
export function canonical(value: unknown): string {
  if (value === null || typeof value === 'boolean') return String(value)
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new JsonError('bad_number')
    return JSON.stringify(value) // ECMAScript's number text is the one RFC 8785 3.2.2.3 asks for; it prints -0 as 0
  }
  if (typeof value === 'string') return quoted(value)
  if (Array.isArray(value)) return `[${Array.from(value, canonical).join(',')}]`
  if (typeof value === 'object' && isPlain(value)) {
    // Array#sort on strings compares UTF-16 code units, as RFC 8785 3.2.3 requires.
    const members = Object.keys(value).sort()
    return `{${members.map((key) => `${quoted(key)}:${canonical((value as Record<string, unknown>)[key])}`).join(',')}}`
  }
  throw new JsonError('syntax')
}

function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype
}

/** Printable ASCII without quotes and backslashes, which is nearly all there is, stands for itself. */
const ITSELF = /^[ !#-[\]-~]*$/

function quoted(text: string): string {
  if (ITSELF.test(text)) return `"${text}"`
  if (!text.isWellFormed()) throw new JsonError('bad_string')
  return JSON.stringify(text)
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const PLAIN = /[^"\\\u0000-\u001f]*/y
const SPACE = /[ \t\n\r]*/y
const ESCAPES: Record<string, string> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
}

/** Parses strictly. Objects have no prototype, so a member called `__proto__` is only a member. */
export function parseJson(text: string, maxDepth = 32): Json {
  let at = 0

  const take = (pattern: RegExp): string => {
    pattern.lastIndex = at
    const found = pattern.exec(text)?.[0] ?? ''
    at += found.length
    return found
  }
  const expect = (symbol: string): void => {
    if (!text.startsWith(symbol, at)) throw new JsonError('syntax')
    at += symbol.length
  }
  const peek = (): string => {
    if (text.charCodeAt(at) <= 0x20) take(SPACE)
    return text[at] ?? ''
  }

  function string(): string {
    expect('"')
    const plain = text.slice(at, text.indexOf('"', at))
    if (ITSELF.test(plain) && text[at + plain.length] === '"') {
      at += plain.length + 1
      return plain
    }
    let read = ''
    for (;;) {
      read += take(PLAIN)
      const symbol = text[at++]
      if (symbol === '"') break
      if (symbol !== '\\') throw new JsonError('syntax')
      const mark = text[at++] ?? ''
      if (mark === 'u') {
        const hex = text.slice(at, at + 4)
        if (!/^[0-9a-fA-F]{4}$/.test(hex)) throw new JsonError('syntax')
        read += String.fromCharCode(Number.parseInt(hex, 16))
        at += 4
      } else {
        const meant = ESCAPES[mark]
        if (meant === undefined) throw new JsonError('syntax')
        read += meant
      }
    }
    if (!read.isWellFormed()) throw new JsonError('bad_string')
    return read
  }

  function number(): number {
    const read = take(NUMBER)
    if (read === '') throw new JsonError('syntax')
    const value = Number(read)
    // Beyond this every double is a whole number, and stands for several.
    if (Math.abs(value) > Number.MAX_SAFE_INTEGER) throw new JsonError('bad_number')
    return value
  }

  function value(depth: number): Json {
    if (depth > maxDepth) throw new JsonError('too_deep')
    switch (peek()) {
      case '{':
        return object(depth)
      case '[':
        return array(depth)
      case '"':
        return string()
      case 't':
        expect('true')
        return true
      case 'f':
        expect('false')
        return false
      case 'n':
        expect('null')
        return null
      default:
        return number()
    }
  }

  function object(depth: number): Json {
    const members: { [key: string]: Json } = Object.create(null)
    list('}', () => {
      peek()
      const key = string()
      if (key in members) throw new JsonError('duplicate_member')
      peek()
      expect(':')
      members[key] = value(depth + 1)
    })
    return members
  }

  function array(depth: number): Json {
    const items: Json[] = []
    list(']', () => items.push(value(depth + 1)))
    return items
  }

  /** From behind the opening bracket, which was seen, to behind the closing one. */
  function list(end: string, item: () => void): void {
    at++
    for (let first = true; peek() !== end; first = false) {
      if (!first) expect(',')
      item()
    }
    at++
  }

  const whole = value(1)
  if (peek() !== '') throw new JsonError('trailing_data')
  return whole
}
