import { type JsonHandler, JsonReader } from '../../files/json-stream.ts'
import { unreadable } from '../../files/unreadable.ts'
import type { Findings } from '../../registry/release/rules.ts'
import { note } from '../../registry/release/rules.ts'
import {
  CASH,
  type ChargeSink,
  centsOf,
  GROSS,
  HIGHEST,
  type HospitalHead,
  type HospitalReader,
  isProcedureType,
  LineAmounts,
  LineCodes,
  LOWEST,
  MALFORMED,
  modifierOf,
  NO_AMOUNT,
  settingOf,
  variantOf,
} from './charges.ts'
import { npisIn } from './owner.ts'

const LIST = 'standard_charge_information'
const MEMBERS = new Set(['last_updated_on', 'type_2_npi'])
const STATED = [
  [GROSS, 'gross_charge'],
  [CASH, 'discounted_cash'],
  [LOWEST, 'minimum'],
  [HIGHEST, 'maximum'],
] as const

type Fields = { readonly [name: string]: unknown }

/** The JSON of the CMS template, versions 2.0 to 3.0. Its lines are the items of the list, counted from 1. */
export class HospitalJson implements HospitalReader, JsonHandler {
  readonly #reader = new JsonReader(LIST, MEMBERS, this)
  readonly #codes = new LineCodes()
  readonly #amounts = new LineAmounts()
  lines = 0

  constructor(
    readonly sink: ChargeSink,
    readonly rejects: Findings,
  ) {}

  push(chunk: Uint8Array): void {
    this.#reader.push(chunk)
  }

  end(): HospitalHead {
    this.#reader.end()
    if (!this.#reader.found)
      throw unreadable(
        `this JSON is not a hospital file in the CMS template: it has no list ${LIST}. Ask the hospital for its current file`,
      )
    const { members } = this.#reader
    return {
      last_updated_on: text(members.get('last_updated_on')),
      npis: list(members.get('type_2_npi')).flatMap((npi) => npisIn(text(npi))),
    }
  }

  malformed(ordinal: number): void {
    this.lines++
    note(this.rejects, MALFORMED, ordinal)
  }

  item(value: unknown, ordinal: number): void {
    const { code_information, standard_charges } = fields(value)
    this.#codes.begin()
    for (const named of list(code_information).map(fields))
      if (isProcedureType(text(named['type']))) this.#codes.add(text(named['code']))
    const charges = list(standard_charges)
    const none = this.#codes.settle() ?? (charges.length === 0 ? NO_AMOUNT : undefined)
    if (none) {
      this.lines++
      note(this.rejects, none, ordinal)
    } else for (const charge of charges) this.#charge(fields(charge), ordinal)
  }

  #charge(charge: Fields, ordinal: number): void {
    this.lines++
    const setting = settingOf(text(charge['setting']))
    const modifiers = list(charge['modifier_code'] ?? charge['modifiers'])
    const modifier = modifiers.length === 0 ? '' : modifierOf(modifiers.map(text).join('|'))
    if (setting === undefined || modifier === undefined) note(this.rejects, 'R03', ordinal)
    else if (this.#readAmounts(charge, ordinal))
      for (const code of this.#codes.found)
        this.sink(code, variantOf(modifier, setting), ordinal, this.#amounts.cents, false)
  }

  #readAmounts(charge: Fields, ordinal: number): boolean {
    const amounts = this.#amounts
    amounts.begin()
    for (const [at, name] of STATED) amounts.state(at, centsIn(charge[name]))
    const noLowest = isBlank(charge['minimum'])
    const noHighest = isBlank(charge['maximum'])
    if (noLowest || noHighest)
      for (const payer of list(charge['payers_information']))
        amounts.rate(centsIn(fields(payer)['standard_charge_dollar']), noLowest, noHighest)
    const { some, rule } = amounts.settle()
    if (rule) note(this.rejects, rule, ordinal)
    return some
  }
}

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : isBlank(value) ? [] : [value])
const fields = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {})
const text = (value: unknown): string =>
  typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : ''
const isBlank = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '')

/** A number is the shortest decimal that names it: what a spreadsheet wrote as 67.260000000000005 is 67.26. */
const centsIn = (value: unknown): number => (isBlank(value) ? 0 : centsOf(text(value)))
