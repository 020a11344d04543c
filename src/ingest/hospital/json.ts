import { type JsonHandler, JsonReader } from '../../files/json-stream.ts'
import { unreadable } from '../../files/unreadable.ts'
import type { Findings } from '../../registry/release/rules.ts'
import { note } from '../../registry/release/rules.ts'
import * as kinds from './charges.ts'
import {
  type ChargeSink,
  classOf,
  dollarsOf,
  type HospitalHead,
  type HospitalReader,
  isProcedureType,
  isProfessionalRevenue,
  LineAmounts,
  LineCodes,
  modifierOf,
  settingOf,
  variantOf,
} from './charges.ts'
import { npisIn } from './owner.ts'

const LIST = 'standard_charge_information'
const MEMBERS = new Set(['last_updated_on', 'type_2_npi'])
const STATED = [
  [kinds.GROSS, 'gross_charge'],
  [kinds.CASH, 'discounted_cash'],
  [kinds.LOWEST, 'minimum'],
  [kinds.HIGHEST, 'maximum'],
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
    note(this.rejects, kinds.MALFORMED, ordinal)
  }

  item(value: unknown, ordinal: number): void {
    const { code_information, standard_charges } = fields(value)
    this.#codes.begin()
    let professional = false
    for (const named of list(code_information).map(fields)) {
      const type = text(named['type'])
      if (type === 'RC') professional ||= isProfessionalRevenue(text(named['code']))
      if (isProcedureType(type)) this.#codes.add(text(named['code']))
    }
    const charges = list(standard_charges)
    const none = this.#codes.settle()
    if (none) {
      this.lines++
      note(this.rejects, none, ordinal)
      return
    }
    // An item without charges states no amount, and that is said of its code.
    for (const charge of charges.length > 0 ? charges : [NO_CHARGE]) this.#charge(fields(charge), ordinal, professional)
  }

  #charge(charge: Fields, ordinal: number, professional: boolean): void {
    this.lines++
    const setting = settingOf(text(charge['setting']))
    const modifiers = list(charge['modifier_code'] ?? charge['modifiers'])
    const modifier = modifiers.length === 0 ? '' : modifierOf(modifiers.map(text).join('|'))
    const billing = classOf(text(charge['billing_class'])) || (professional ? 'professional' : '')
    const rule = this.#readAmounts(charge)
    const sound = setting !== undefined && modifier !== undefined
    if (!sound) this.#amounts.disown()
    const broken = sound ? rule : kinds.UNREADABLE_FIELD
    if (broken) note(this.rejects, broken, ordinal)
    const variant = variantOf(modifier ?? '', setting ?? '', billing)
    for (const code of this.#codes.found) this.sink(code, variant, ordinal, this.#amounts.dollars, false)
  }

  #readAmounts(charge: Fields): ReturnType<LineAmounts['settle']> {
    const amounts = this.#amounts
    amounts.begin()
    for (const [at, name] of STATED) amounts.state(at, dollarsIn(charge[name]))
    const noLowest = isBlank(charge['minimum'])
    const noHighest = isBlank(charge['maximum'])
    if (noLowest || noHighest)
      for (const payer of list(charge['payers_information']))
        amounts.rate(dollarsIn(fields(payer)['standard_charge_dollar']), noLowest, noHighest)
    return amounts.settle()
  }
}

const NO_CHARGE = { setting: 'both' }
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : isBlank(value) ? [] : [value])
const fields = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {})
const text = (value: unknown): string =>
  typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : ''
const isBlank = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '')

/** A number is the shortest decimal that names it: what a spreadsheet wrote as 67.260000000000005 is 67.26. */
const dollarsIn = (value: unknown): number => (isBlank(value) ? 0 : dollarsOf(text(value)))
