// RFC 8785 canonical JSON, and a reader that refuses what two readers could understand differently:
// duplicate members, lone surrogates, trailing text, numbers out of range, deep nesting.

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

/** A text that is not the JSON we take, or a value that has no such text. The message never repeats it: it is hostile input. */
export class JsonError extends Error {
  constructor() {
    super('not acceptable JSON')
  }
}

/** RFC 8785. Throws on what JSON cannot hold, where JSON.stringify would drop or change it. */
export function canonical(value: unknown): string {
  if (typeof value === 'string') return quoted(value)
  // ECMAScript's number text is the one RFC 8785 3.2.2.3 asks for; it prints -0 as 0.
  if (value === null || typeof value === 'boolean' || Number.isFinite(value)) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${Array.from(value, canonical).join()}]`
  if (!isPlain(value)) throw new JsonError()
  let members = ''
  // Array#sort on strings compares UTF-16 code units, as RFC 8785 3.2.3 requires.
  for (const name of Object.keys(value).sort())
    members += `${members === '' ? '' : ','}${quoted(name)}:${canonical(value[name])}`
  return `{${members}}`
}

function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false
  const prototype = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype
}

/** Printable ASCII without quotes and backslashes, which is nearly all there is, stands for itself. */
const ITSELF = /^[ !#-[\]-~]*$/

function quoted(text: string): string {
  if (ITSELF.test(text)) return `"${text}"`
  if (!text.isWellFormed()) throw new JsonError()
  return JSON.stringify(text)
}

const [QUOTE, COLON, BACKSLASH] = [0x22, 0x3a, 0x5c]

/** How many members a JSON text has: colons that stand in no string. */
function membersIn(text: string): number {
  let members = 0
  let isInString = false
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === QUOTE) isInString = !isInString
    else if (unit === BACKSLASH) at++
    else if (unit === COLON && !isInString) members++
  }
  return members
}

/**
 * Parses strictly. The platform reads the text; then what it lets pass is refused. Of members with the same name it keeps
 * one, so there are fewer of them in the value than in the text.
 */
export function parseJson(text: string, maxDepth = 32): Json {
  let members = 0
  const isTaken = (value: Json, depth: number): boolean => {
    if (depth > maxDepth) return false
    if (typeof value === 'string') return value.isWellFormed()
    // Beyond this every double is a whole number, and stands for several.
    if (typeof value === 'number') return Math.abs(value) <= Number.MAX_SAFE_INTEGER
    if (typeof value !== 'object' || value === null) return true
    const isNext = (each: Json): boolean => isTaken(each, depth + 1)
    if (Array.isArray(value)) return value.every(isNext)
    const names = Object.keys(value)
    members += names.length
    return names.join().isWellFormed() && Object.values(value).every(isNext)
  }
  let value: Json
  try {
    value = JSON.parse(text)
  } catch {
    throw new JsonError()
  }
  if (!isTaken(value, 1) || membersIn(text) !== members) throw new JsonError()
  return value
}
