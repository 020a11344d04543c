// RFC 8785 canonical JSON, and a reader that refuses texts that two readers could understand differently: duplicate
// members, lone surrogates, trailing text, numbers out of range, deep nesting.

import { Failure } from './fault.ts'

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

/** The message does not repeat the text, which is hostile input. */
export class JsonError extends Failure {
  override readonly message = 'json_malformed'
}
function refuse(): never {
  throw new JsonError()
}

export const isText = (value: unknown): value is string => typeof value === 'string'
/** An object or an array. */
export const isCompound = (value: unknown): value is object => typeof value === 'object' && value !== null

/** Throws on a value that JSON cannot hold, where JSON.stringify would drop or change it. */
export function canonical(value: unknown): string {
  // ECMAScript's texts of numbers and strings are those that RFC 8785 3.2.2 asks for: only the order of members may differ.
  if (isInOrder(value)) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${Array.from(value, (each) => canonical(each)).join()}]`
  const members = value as Record<string, unknown>
  // Array#sort on strings compares UTF-16 code units, as RFC 8785 3.2.3 requires.
  const names = Object.keys(members).sort()
  return `{${names.map((name) => `${canonical(name)}:${canonical(members[name])}`).join()}}`
}

/** Whether all members in a value are in the order of their names. Refuses a value that JSON cannot hold. */
function isInOrder(value: unknown): boolean {
  if (isText(value)) return value.isWellFormed() || refuse()
  if (value === null || typeof value === 'boolean' || Number.isFinite(value)) return true
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) if (!isInOrder(value[i])) return false
    return true
  }
  if (!isPlainObject(value)) refuse()
  let before = ''
  for (const name of Object.keys(value)) {
    if (!name.isWellFormed()) refuse()
    if (name < before || !isInOrder(value[name])) return false
    before = name
  }
  return true
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (!isCompound(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/**
 * Counts the colons outside strings. Escapes are removed first: one pattern for both fails on a hostile string with
 * millions of escapes.
 */
const membersIn = (text: string): number =>
  text
    .replace(/\\./g, '')
    .replace(/"[^"]*"/g, '')
    .split(':').length - 1

/** The platform reads the text, and keeps one of several members with one name: the value has fewer than the text. */
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
