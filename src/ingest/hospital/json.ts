import { type JsonHandler, JsonReader } from '../../files/json-stream.ts'
import { unreadable } from '../../files/unreadable.ts'
import type { Findings } from '../../registry/release/rules.ts'
import { note } from '../../registry/release/rules.ts'
import { CASH, dollarsOf, GROSS, HIGHEST, LineAmounts, LOWEST, OWN_CODE, RESTORED } from './amounts.ts'
import { boundCodes, boundItem } from './bounds.ts'
import {
  type ChargeSink,
  type HospitalHead,
  type HospitalReader,
  MALFORMED,
  OTHER_PAYER,
  RULE_FOR,
  UNREADABLE_FIELD,
} from './charges.ts'
import { drugUnit } from './drug-unit.ts'
import { codesOfBrokenItem, isRevenueType, LineCodes } from './line-codes.ts'
import { npisIn } from './owner.ts'
import { disownRates, noRates, RATE_MARKS, RATE_OWN_CODE, RATE_RESTORED, readRates } from './payer-rates.ts'
import type { PayerBook } from './payers.ts'
import {
  classOf,
  isProfessionalRevenue,
  LOST,
  modifiersOf,
  NO_MODIFIERS,
  settingOf,
  TORN,
  variantOf,
} from './variant.ts'

const LIST = 'standard_charge_information'
/** Version 3 has an attestation, and version 2 an affirmation. */
const MEMBERS = new Set(['last_updated_on', 'type_2_npi', 'version', 'attestation', 'affirmation'])
const STATED = [
  [GROSS, 'gross_charge'],
  [CASH, 'discounted_cash'],
  [LOWEST, 'minimum'],
  [HIGHEST, 'maximum'],
] as const

const RATE = 'standard_charge_dollar'
/** All that a payer may state. */
const RATES = [RATE, 'standard_charge_percentage', 'standard_charge_algorithm'] as const
/** The template's own name since version 3, and those that hospitals had before or have beside it. */
const MODIFIERS = ['modifier_code', 'modifiers', 'modifier', 'modifier_codes'] as const

/** Other names that hospitals have for members of items and charges. */
const SYNONYMS: ReadonlyMap<string, string> = new Map([
  ['standard_charge', 'standard_charges'],
  ['gross_charges', 'gross_charge'],
  ['min', 'minimum'],
  ['max', 'maximum'],
  ['payer_information', 'payers_information'],
])
const OF_ITEMS = new Set(['description', 'code_information', 'standard_charges', 'drug_information'])
const OF_CHARGES = new Set<string>([
  'setting',
  'billing_class',
  'payers_information',
  'additional_generic_notes',
  ...STATED.map(([, name]) => name),
  ...MODIFIERS,
])
/** Names like those of amounts, and names of members that are skipped: estimates, percentages, notes. */
const LIKE_AMOUNTS = /charge|cash|price|dollar|amount|rate|negotiated|(^|_)(min|max)/
const NO_AMOUNTS = /estimat|median|percent|algorithm|(^|_)count|note|method|class|code|number|date|unit/

type Fields = { readonly [name: string]: unknown }

/** The JSON of the CMS template, versions 2.0 to 3.0. Its lines are the items of the list, counted from 1. */
export class HospitalJson implements HospitalReader, JsonHandler {
  readonly #reader = new JsonReader(LIST, MEMBERS, this)
  readonly #codes = new LineCodes()
  readonly #amounts = new LineAmounts()
  readonly #rates = noRates()
  /** Whether any item was of the template. */
  #isOfTemplate = false
  /** Whether any charge states an amount, and how many have one under a name that is not known. */
  #hasAmounts = false
  #unknown = 0
  lines = 0

  constructor(
    readonly sink: ChargeSink,
    readonly rejects: Findings,
    readonly payers: PayerBook,
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
    if (this.#reader.items > 0 && !this.#isOfTemplate)
      throw unreadable(
        `no item of ${LIST} has code_information, as items have since version 2.0 of the CMS template. Ask the hospital for its current file`,
      )
    if (this.#unknown > 0 && !this.#hasAmounts)
      throw unreadable(
        'no charge has an amount under a name of the CMS template, such as gross_charge and discounted_cash. Ask the hospital for its current file',
      )
    const { members } = this.#reader
    const { confirm_attestation } = fields(members.get('attestation'))
    const { confirm_affirmation } = fields(members.get('affirmation'))
    return {
      last_updated_on: text(members.get('last_updated_on')),
      npis: list(members.get('type_2_npi')).flatMap((npi) => npisIn(text(npi))),
      version: text(members.get('version')),
      attested: text(confirm_attestation ?? confirm_affirmation),
      unknown: this.#unknown,
    }
  }

  /** Takes an item that is not JSON: nobody can say what it states for the codes in it. */
  malformed(ordinal: number, text: string): void {
    const { found, restored } = codesOfBrokenItem(text, ordinal)
    this.#isOfTemplate = true
    this.lines++
    note(this.rejects, found.length > 0 ? UNREADABLE_FIELD : MALFORMED, ordinal)
    this.#amounts.tear()
    this.#send(found, restored, TORN, ordinal)
  }

  item(value: unknown, ordinal: number): void {
    const { code_information, standard_charges, drug_information } = membersOf(value, OF_ITEMS)
    if (code_information !== undefined) this.#isOfTemplate = true
    boundItem(list(code_information).length, list(standard_charges).length, ordinal)
    this.#codes.begin()
    let professional = false
    for (const each of list(code_information)) {
      const { code, type: stated } = named(each, 'code')
      const type = text(stated)
      if (isRevenueType(type)) professional ||= isProfessionalRevenue(text(code))
      this.#codes.addTyped(type, text(code))
    }
    const charges = list(standard_charges)
    const none = this.#codes.settle()
    boundCodes(this.#codes.found.length, ordinal)
    if (none) {
      this.lines++
      note(this.rejects, none, ordinal)
      return
    }
    const { unit, type } = named(list(drug_information)[0], 'unit')
    const measure = drugUnit(text(unit), text(type))
    // An item without charges states no amount, and that is said of its code.
    for (const charge of charges.length > 0 ? charges : [NO_CHARGE])
      this.#charge(membersOf(charge, OF_CHARGES), ordinal, professional, measure)
  }

  #charge(charge: Fields, ordinal: number, ofDoctor: boolean, unit: number): void {
    this.lines++
    const setting = settingOf(text(charge['setting']))
    const listed = MODIFIERS.flatMap((name) => list(charge[name]))
    const { modifier, professional } = listed.length === 0 ? NO_MODIFIERS : modifiersOf(listed.map(modifierText))
    const billing = classOf(text(charge['billing_class'])) || (ofDoctor || professional ? 'professional' : '')
    const settled = this.#readAmounts(charge, unit)
    const sound = setting !== undefined && modifier !== undefined
    if (!sound) this.#amounts.disown()
    const broken = sound ? settled && RULE_FOR[settled] : UNREADABLE_FIELD
    if (broken) note(this.rejects, broken, ordinal)
    const variant = variantOf(modifier ?? LOST, setting ?? LOST, billing)
    this.#send(this.#codes.found, this.#codes.restored, variant, ordinal)
    for (const payer of list(charge['payers_information'])) this.#sendRates(payer, variant, ordinal, unit, !sound)
  }

  /** Sends what a charge states for one payer and plan. */
  #sendRates(value: unknown, variant: string, ordinal: number, unit: number, isLost: boolean): void {
    const payer = named(value, 'payer_name')
    const [name, plan] = [text(payer['payer_name']), text(payer['plan_name'])]
    if (name === '' && plan === '') return
    const rates = this.#rates
    const stated = {
      dollars: dollarsIn(payer[RATE]),
      percentage: text(payer['standard_charge_percentage']),
      formula: text(payer['standard_charge_algorithm']),
      methodology: text(payer['methodology']),
      median: dollarsIn(payer['median_amount']),
      tenth: dollarsIn(payer['10th_percentile']),
      ninetieth: dollarsIn(payer['90th_percentile']),
      estimate: dollarsIn(payer['estimated_amount']),
      count: text(payer['count']),
    }
    readRates(stated, unit, rates)
    this.payers.rates++
    if (isLost) disownRates(rates)
    const number = this.payers.numberOf(name, plan)
    if (this.payers.isUnknown(number)) note(this.rejects, OTHER_PAYER, ordinal)
    const { found, restored, isOfGroup } = this.#codes
    const marks = (rates[RATE_MARKS] as number) | (isOfGroup ? RATE_OWN_CODE : 0)
    for (const code of found) {
      rates[RATE_MARKS] = restored.includes(code) ? marks | RATE_RESTORED : marks
      this.sink.rates(code, variant, ordinal, number, rates)
    }
  }

  #send(codes: readonly number[], restored: readonly number[], variant: string, ordinal: number): void {
    for (const code of codes) {
      this.#amounts.mark(RESTORED, restored.includes(code))
      this.sink.charge(code, variant, ordinal, this.#amounts.dollars, false)
    }
  }

  #readAmounts(charge: Fields, unit: number): ReturnType<LineAmounts['settle']> {
    const amounts = this.#amounts
    amounts.begin(unit)
    amounts.mark(OWN_CODE, this.#codes.isOfGroup)
    for (const [at, name] of STATED) amounts.state(at, dollarsIn(charge[name]))
    this.#countUnknown(charge, OF_CHARGES)
    for (const payer of list(charge['payers_information'])) {
      const stated = fields(payer)[RATE] ?? this.#rateUnderOtherName(payer)
      // Nearly all rates are such, and need not be read further.
      if (typeof stated === 'number' && amounts.isBetween(stated)) continue
      const rate = dollarsIn(stated)
      if (!amounts.covers(rate)) amounts.rate(rate)
    }
    this.#hasAmounts ||= !amounts.isEmpty
    return amounts.settle()
  }

  #rateUnderOtherName(payer: unknown): unknown {
    const found = named(payer, 'payer_name')
    if (!RATES.some((name) => name in found)) this.#countUnknown(found, NO_NAMES)
    return found[RATE]
  }

  /** Counts amounts under names that are not known: a hospital may have its own word for one that is looked for here. */
  #countUnknown(found: Fields, known: ReadonlySet<string>): void {
    for (const name in found)
      if (!known.has(name) && LIKE_AMOUNTS.test(name) && !NO_AMOUNTS.test(name) && dollarsIn(found[name]) > 0)
        this.#unknown++
  }
}

const NO_CHARGE = { setting: 'both' }
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : isBlank(value) ? [] : [value])
const fields = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {})
/** The members of an object that has one of this name; where it has not, it may have it in capitals or with blanks. */
const named = (value: unknown, name: string): Fields => {
  const found = fields(value)
  if (name in found) return found
  return Object.fromEntries(Object.entries(found).map(([other, each]) => [other.trim().toLowerCase(), each]))
}
/** The members of an object under the names of the template, whatever the hospital writes for them. */
function membersOf(value: unknown, known: ReadonlySet<string>): Fields {
  const given = fields(value)
  let isPlain = true
  for (const name in given) isPlain &&= known.has(name)
  if (isPlain) return given
  const found = new Map<string, unknown>()
  for (const [name, each] of Object.entries(given)) {
    const plain = name
      .trim()
      .toLowerCase()
      .replace(/[\s-]+/g, '_')
    const usual = SYNONYMS.get(plain) ?? plain
    if (isBlank(found.get(usual))) found.set(usual, each)
  }
  return Object.fromEntries(found)
}
const NO_NAMES: ReadonlySet<string> = new Set()
const text = (value: unknown): string =>
  typeof value === 'string'
    ? value.trim()
    : typeof value === 'number' || typeof value === 'boolean'
      ? String(value)
      : ''
/** An object in place of a text is not a modifier. */
const modifierText = (value: unknown): string => (typeof value === 'object' && value !== null ? '{}' : text(value))
const isBlank = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '')

/** A number is the shortest decimal that names it: what a spreadsheet wrote as 67.260000000000005 is 67.26. */
const dollarsIn = (value: unknown): number => {
  // Whole cents, and fewer digits than a placeholder has: there is nothing more to find out.
  if (typeof value === 'number' && value > 0 && value < 100_000 && Math.round(value * 100) / 100 === value) return value
  return isBlank(value) ? 0 : dollarsOf(text(value))
}
