// The rows of the charts of bill edits: how many units of a code are paid, which codes are not paid together, and which codes need another.

import { ADD_ON_NOTES, LIMIT_RATIONALES, PAIR_RATIONALES } from '../../tables/edits.ts'
import { type Check, closed, count, isDay, listOf, matches, oneOf, orNull } from '../shape.ts'
import { isLocator, type Locator } from './locator.ts'

interface EditBase {
  /** A CPT or HCPCS code, which is the key of the row. */
  code: string
  effective_from: string
  locator: Locator
}

/** The most units of a code that are paid. */
export interface LimitRow extends EditBase {
  kind: 'limit'
  units: number
  /** What is judged: 1, the units of each line; 2 and 3, all units of a day, 2 by policy and 3 by clinical reasons. */
  adjudication: (typeof ADJUDICATIONS)[number]
  /** A number of `limit_rationales` in docs/spec/tables/edits.json. */
  rationale: number
}

/** A code that is not paid beside the code of the row, from its first day in force to its last one. */
export type Pair = [
  with_code: string,
  modifier_indicator: (typeof MODIFIER_INDICATORS)[number],
  from: string,
  to: string | null,
  /** A number of `pair_rationales` in docs/spec/tables/edits.json. */
  rationale: number,
]

/** All pairs of a column-one code. */
export interface EditsRow extends EditBase {
  kind: 'edits'
  edits: Pair[]
}

/** A primary code of an add-on code, or `CCCCC`: those that the contractor names. */
export type Primary = [
  primary: string,
  type: (typeof ADD_ON_TYPES)[number],
  from: string,
  to: string | null,
  /** A number of `add_on_notes` in docs/spec/tables/edits.json. */
  note: number | null,
]

/** The codes of which one must be paid for an add-on code to be paid. */
export interface AddOnRow extends EditBase {
  kind: 'add_on'
  primaries: Primary[]
}
export type EditRow = LimitRow | EditsRow | AddOnRow

export const ADJUDICATIONS = [1, 2, 3] as const
/** 0: no modifier separates the two; 1: one does; 9: the pair never was in force. */
export const MODIFIER_INDICATORS = [0, 1, 9] as const
export const ADD_ON_TYPES = [1, 2, 3] as const
/** In place of a primary code: the contractor names them. */
export const BY_CONTRACTOR = 'CCCCC'

/** So many stand in one row at most: it is hashed and proved as one. */
export const MOST_EDITS = 2_048

const code = matches(/^(\d{4}[0-9A-Z]|[A-Z]\d{4})$/)
const common = { code, effective_from: isDay, locator: isLocator }
const numberOf = (table: { readonly [number: string]: unknown }): Check => {
  const numbers = Object.keys(table).map(Number)
  return (value) => numbers.includes(value as number)
}

const tuple =
  (...checks: readonly Check[]): Check =>
  (value) =>
    Array.isArray(value) && value.length === checks.length && checks.every((check, i) => check(value[i]))

/** By code, then by first day, then by last day, those without one last; then by the two numbers. No two are the same. */
export function compareEdits(a: Pair | Primary, b: Pair | Primary): number {
  const [ofA, ofB] = [a, b].map(([other, kind, from, to, why]) => [other, from, to ?? '~', kind, why ?? -1])
  const at = ofA?.findIndex((part, i) => part !== ofB?.[i]) ?? -1
  return at < 0 ? 0 : (ofA?.[at] as string) < (ofB?.[at] as string) ? -1 : 1
}
const listOfEdits = (each: Check): Check => {
  const isList = listOf(each, MOST_EDITS, 1)
  return (value) =>
    isList(value) && (value as Pair[]).every((edit, i, all) => i === 0 || compareEdits(all[i - 1] as Pair, edit) < 0)
}

const isLimitRow = closed({
  kind: oneOf('limit'),
  ...common,
  units: count,
  adjudication: oneOf(...ADJUDICATIONS),
  rationale: numberOf(LIMIT_RATIONALES),
})
const isEditsRow = closed({
  kind: oneOf('edits'),
  ...common,
  edits: listOfEdits(tuple(code, oneOf(...MODIFIER_INDICATORS), isDay, orNull(isDay), numberOf(PAIR_RATIONALES))),
})
const byContractor = oneOf(BY_CONTRACTOR)
const isAddOnRow = closed({
  kind: oneOf('add_on'),
  ...common,
  primaries: listOfEdits(
    tuple(
      (value) => code(value) || byContractor(value),
      oneOf(...ADD_ON_TYPES),
      isDay,
      orNull(isDay),
      orNull(numberOf(ADD_ON_NOTES)),
    ),
  ),
})

const FORMS = { limit: isLimitRow, edits: isEditsRow, add_on: isAddOnRow }
export type EditKind = keyof typeof FORMS

export const isEditKind = (kind: unknown): kind is EditKind => Object.keys(FORMS).includes(kind as string)

export const isEditRow = ((value: unknown) => {
  const kind = (value as EditRow | null | undefined)?.kind
  return isEditKind(kind) && FORMS[kind](value)
}) as (value: unknown) => value is EditRow
