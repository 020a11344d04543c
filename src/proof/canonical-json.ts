// RFC 8785 canonical JSON, and a reader that refuses texts that two readers could understand differently: duplicate
// members, lone surrogates, trailing text, numbers out of range, deep nesting.

import { Failure } from './fault.ts'

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

/** The text is not such JSON, or the value has no such text. The message does not repeat it: it is hostile input. */
export class JsonError extends Failure {
  override readonly message = 'json_malformed'
}
function refuse(): never {
  throw new JsonError()
}

export const isText = (value: unknown): value is string => typeof value === 'string'
/** An object or an array. */
export const isCompound = (value: unknown): value is object => typeof value === 'object' && value !== null

/** Writes RFC 8785. Throws on a value that JSON cannot hold, where JSON.stringify would drop or change it. */
export function canonical(value: unknown): string {
  if (isText(value)) return quoted(value)
  // ECMAScript's number text is the one RFC 8785 3.2.2.3 asks for; it prints -0 as 0.
  if (value === null || typeof value === 'boolean' || Number.isFinite(value)) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${Array.from(value, canonical).join()}]`
  if (!isPlainObject(value)) refuse()
  // Array#sort on strings compares UTF-16 code units, as RFC 8785 3.2.3 requires.
  let members = ''
  for (const name of Object.keys(value).sort()) members += `${members && ','}${quoted(name)}:${canonical(value[name])}`
  return `{${members}}`
}

const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  isCompound(value) && [null, Object.prototype].includes(Object.getPrototypeOf(value))

/** Printable ASCII without quotes and backslashes needs no escape. Nearly all texts are such. */
const NEEDS_NO_ESCAPE = /^[ !#-[\]-~]*$/

function quoted(text: string): string {
  if (NEEDS_NO_ESCAPE.test(text)) return `"${text}"`
  if (!text.isWellFormed()) refuse()
  return JSON.stringify(text)
}

/**
 * Counts the members in a JSON text: the colons outside strings. Escapes are removed first. One pattern for both would
 * have to remember every escape of a string, and fails where a hostile one has millions.
 */
const membersIn = (text: string): number =>
  text
    .replace(/\\./g, '')
    .replace(/"[^"]*"/g, '')
    .split(':').length - 1

/**
 * Parses strictly: the platform reads the text, then whatever it is too lenient about is refused. Of members with one
 * name the platform keeps one, so that the value has fewer members than the text.
 */
export function parseJson(text: string, maxDepth = 32): Json {
  let members = 0
  const isAllowed = (value: Json, depth: number): boolean => {
    if (depth > maxDepth) return false
    if (isText(value)) return value.isWellFormed()
    // A double beyond this stands for several whole numbers.
    if (typeof value === 'number') return Math.abs(value) <= Number.MAX_SAFE_INTEGER
    if (!isCompound(value)) return true
    const names = Object.keys(value)
    if (!Array.isArray(value)) members += names.length
    return names.join().isWellFormed() && Object.values(value).every((each) => isAllowed(each, depth + 1))
  }
  let value: Json
  try {
    value = JSON.parse(text)
  } catch {
    refuse()
  }
  if (!isAllowed(value, 1) || membersIn(text) !== members) refuse()
  return value
}

/** Parses strictly; undefined in place of a refusal. */
export function jsonIn(text: string): Json | undefined {
  try {
    return parseJson(text)
  } catch (error) {
    if (error instanceof JsonError) return undefined
    throw error
  }
}
