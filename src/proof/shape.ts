// Checks of closed shapes: a member that is not named makes the whole thing invalid.

import { isCompound, isText } from './canonical-json.ts'

export type Check = (value: unknown) => boolean
export type Members = Record<string, unknown>

export const matches =
  (pattern: RegExp): Check =>
  (value) =>
    isText(value) && pattern.test(value)

export const oneOf =
  (...values: readonly unknown[]): Check =>
  (value) =>
    values.includes(value)

export const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value)

export const either =
  (...checks: readonly Check[]): Check =>
  (value) =>
    checks.some((check) => check(value))

export const both =
  (...checks: readonly Check[]): Check =>
  (value) =>
    checks.every((check) => check(value))

export const count: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0

export const listOf =
  (check: Check, most = 64, least = 0): Check =>
  (value) =>
    Array.isArray(value) && value.length <= most && value.length >= least && value.every(check)

export const isObject = (value: unknown): value is Members => isCompound(value) && !Array.isArray(value)

/** An object with exactly the members of `shape`, and any of `optional`. */
export const closed = (shape: Record<string, Check>, optional: Record<string, Check> = {}): Check => {
  const checks = new Map(Object.entries({ ...shape, ...optional }))
  const required = Object.keys(shape).length
  return (value) => {
    if (!isObject(value)) return false
    let found = 0
    for (const name of Object.keys(value)) {
      if (checks.get(name)?.(value[name]) !== true) return false
      if (!Object.hasOwn(optional, name)) found++
    }
    return found === required
  }
}

/** Never a function that every object inherits. */
export const own = <T>(table: { readonly [name: string]: T }, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined

export const mapOf =
  (name: RegExp, text: Check): Check =>
  (value) =>
    isObject(value) && Object.keys(value).every((each) => name.test(each) && text(value[each]))

const DAY = /^(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/

/** The pattern alone takes the 31st of February. */
export const isDay: Check = (value) => {
  const [, year, month, day = ''] = (isText(value) && DAY.exec(value)) || []
  // Date.UTC takes years before 100 for years of the last century; the calendar repeats after 400 years.
  return (
    day !== '' && (day <= '28' || Number(day) <= new Date(Date.UTC(Number(year) + 400, Number(month), 0)).getUTCDate())
  )
}

export const instant: Check = (value) =>
  matches(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/)(value) &&
  Number.isSafeInteger(Date.parse(value as string)) &&
  isDay((value as string).slice(0, 10))

export const words = (text: string): readonly string[] => text.match(/\S+/g) ?? []

export const NPI = /^[12]\d{9}$/
export const digest = matches(/^[0-9a-f]{64}$/)
export const NAME = /^[a-z][a-z0-9_]*$/
export const token = matches(/^[!-~]{1,300}$/)
/** Free text, in printable ASCII, which every language reads alike. */
export const label = matches(/^[ -~]{0,300}$/)
export const hash = matches(/^[A-Za-z0-9+/]{43}=$/)
export const path = listOf(hash, 63)

export const hasOnly = (body: Members, members: readonly string[]): boolean =>
  Object.keys(body).every((member) => members.includes(member))
