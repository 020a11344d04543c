// RFC 8785 canonical JSON, and a reader that refuses what two readers could understand differently:
// duplicate members, lone surrogates, trailing text, numbers out of range, deep nesting.

import { Failure } from './fault.ts'

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

/** A text that is not the JSON we take, or a value that has no such text. The message never repeats it: it is hostile input. */
export class JsonError extends Failure {
  override readonly message = 'json_malformed'
}
function refuse(): never {
  throw new JsonError()
}

export const isText = (value: unknown): value is string => typeof value === 'string'
/** An object or an array. */
export const isCompound = (value: unknown): value is object => typeof value === 'object' && value !== null

/** RFC 8785. Throws on what JSON cannot hold, where JSON.stringify would drop or change it. */
export function canonical(value: unknown): string {
  if (isText(value)) return quoted(value)
  // ECMAScript's number text is the one RFC 8785 3.2.2.3 asks for; it prints -0 as 0.
  if (value === null || typeof value === 'boolean' || Number.isFinite(value)) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${Array.from(value, canonical).join()}]`
  if (!isPlain(value)) refuse()
  // Array#sort on strings compares UTF-16 code units, as RFC 8785 3.2.3 requires.
  const names = Object.keys(value).sort()
  return `{${names.reduce((before, name) => `${before}${before && ','}${quoted(name)}:${canonical(value[name])}`, '')}}`
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  isCompound(value) && [null, Object.prototype].includes(Object.getPrototypeOf(value))

/** Printable ASCII without quotes and backslashes, which is nearly all there is, stands for itself. */
const ITSELF = /^[ !#-[\]-~]*$/

function quoted(text: string): string {
  if (ITSELF.test(text)) return `"${text}"`
  if (!text.isWellFormed()) refuse()
  return JSON.stringify(text)
}

/**
 * How many members a JSON text has: colons that stand in no string. Escapes go first, and stand in strings alone; one
 * pattern for both would have to remember every escape of a string, and fails where a hostile one has millions.
 */
const membersIn = (text: string): number =>
  text
    .replace(/\\./g, '')
    .replace(/"[^"]*"/g, '')
    .split(':').length - 1

/**
 * Parses strictly. The platform reads the text; then what it lets pass is refused. Of members with the same name it keeps
 * one, so there are fewer of them in the value than in the text.
 */
export function parseJson(text: string, maxDepth = 32): Json {
  let members = 0
  const isTaken = (value: Json, depth: number): boolean => {
    if (depth > maxDepth) return false
    if (isText(value)) return value.isWellFormed()
    // Beyond this every double is a whole number, and stands for several.
    if (typeof value === 'number') return Math.abs(value) <= Number.MAX_SAFE_INTEGER
    if (!isCompound(value)) return true
    const names = Object.keys(value)
    if (!Array.isArray(value)) members += names.length
    return names.join().isWellFormed() && Object.values(value).every((each) => isTaken(each, depth + 1))
  }
  let value: Json
  try {
    value = JSON.parse(text)
  } catch {
    refuse()
  }
  if (!isTaken(value, 1) || membersIn(text) !== members) refuse()
  return value
}

/** The same; undefined for what is no such JSON. */
export function jsonIn(text: string): Json | undefined {
  try {
    return parseJson(text)
  } catch (error) {
    if (error instanceof JsonError) return undefined
    throw error
  }
}
