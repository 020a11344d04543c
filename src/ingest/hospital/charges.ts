import { amountOf } from '../../proof/price/derivation.ts'
import type { Basis, BillingClass, Row, Setting } from '../../proof/price/row.ts'
import type { Findings } from '../../registry/release/rules.ts'
import { isPlaceholder } from '../findings.ts'
import { codeNumber } from './code-number.ts'

/**
 * The amounts that one line or item states for one key, in dollars, 0 where it states none, `BAD` where it states
 * what cannot be read, and `NONE` where nothing else stands on the line. The last two are the least and the greatest of its rates in dollars: they stand in for a lowest
 * and a highest that it does not state. A double names every amount of fifteen digits, so none is changed by it.
 */
export const [GROSS, CASH, LOWEST, HIGHEST, LEAST_RATE, GREATEST_RATE] = [0, 1, 2, 3, 4, 5] as const
export const STATED: readonly Basis[] = [
  'hospital_gross',
  'hospital_cash',
  'hospital_negotiated_low',
  'hospital_negotiated_high',
]
export type Amounts = number[]
export const noAmounts = (): Amounts => [0, 0, 0, 0, 0, 0]

/** What is not an amount. */
export const BAD = -1
/** What stands in a line whose modifier or setting cannot be read: an amount, and nobody can say of what. */
export const BAD_FIELD = -2

/** What a line without any amount in dollars has, in place of the lowest: a percentage, a formula, or nothing. */
export const NONE = -3

/** An amount in dollars, or `BAD`. A number with more digits than a double has was written from one: it is that double. */
export function dollarsOf(text: string): number {
  const stated = text.trim()
  if (isPlaceholder(stated) || !/^[0-9]+(\.[0-9]*)?$/.test(stated)) return BAD
  const value = Number(stated)
  return amountOf(String(value)) === undefined ? BAD : value
}

const UNITS = 10_000

/**
 * How amounts are compared: by what a row states, in hundredths of a cent. Four decimals are stated as they are, and
 * more are rounded to the cent.
 */
export function unitsOf(dollars: number): number {
  const units = Math.round(dollars * UNITS)
  return units / UNITS === dollars ? units : Math.round(Number(amountOf(String(dollars))) * UNITS)
}

/** The amounts of one line while it is read. */
export class LineAmounts {
  readonly dollars: Amounts = noAmounts()
  #bad = false

  begin(): void {
    this.dollars.fill(0)
    this.#bad = false
  }

  state(at: number, dollars: number): void {
    if (dollars === BAD) this.#bad = true
    this.dollars[at] = dollars
  }

  /** A negotiated rate, where the line does not state the lowest, or the highest, of them itself. */
  rate(dollars: number, noLowest: boolean, noHighest: boolean): void {
    const { dollars: amounts } = this
    if (dollars === BAD) {
      this.#bad = true
      if (noLowest) amounts[LOWEST] = BAD
      if (noHighest) amounts[HIGHEST] = BAD
    } else if (dollars > 0) {
      const [least, greatest] = [amounts[LEAST_RATE] as number, amounts[GREATEST_RATE] as number]
      if (noLowest && (least === 0 || unitsOf(dollars) < unitsOf(least))) amounts[LEAST_RATE] = dollars
      if (noHighest && (greatest === 0 || unitsOf(dollars) > unitsOf(greatest))) amounts[GREATEST_RATE] = dollars
    }
  }

  /** Of a line whose modifier or setting cannot be read, no amount counts, but on which basis one stands does. */
  disown(): void {
    const { dollars } = this
    if (dollars[LEAST_RATE] !== 0) dollars[LOWEST] = BAD_FIELD
    if (dollars[GREATEST_RATE] !== 0) dollars[HIGHEST] = BAD_FIELD
    for (let at = 0; at < dollars.length; at++) if (dollars[at] !== 0) dollars[at] = at < LEAST_RATE ? BAD_FIELD : 0
  }

  /** The rule that the line breaks. Where there is no amount, read or not, that is what the line says. */
  settle(): string | undefined {
    if (this.#bad) return 'R02'
    if (this.dollars.some((dollars) => dollars !== 0)) return undefined
    this.dollars[LOWEST] = NONE
    return NO_AMOUNT
  }
}

/**
 * Takes the amounts of one line, before it returns. `variant` is `modifier|setting|class`, empty where null. What is `again`
 * only says once more, on a later line, what was said last: a tally has no use for it.
 */
export type ChargeSink = (
  code: number,
  variant: string,
  line: number,
  amounts: Readonly<Amounts>,
  again: boolean,
) => void

/** What a file says of itself, as it says it. Names, addresses and the attestation are never read. */
export interface HospitalHead {
  last_updated_on: string
  npis: string[]
}

/** A reader of one format. Nothing of the head is sure before the end: JSON may say it last. */
export interface HospitalReader {
  /** How many lines, or charges of an item, have been read. */
  readonly lines: number
  push(chunk: Uint8Array): void
  end(): HospitalHead
}

/** Not errors of the file, only lines that are no hospital's price of a procedure: they are counted by themselves. */
export const NOT_CPT = 'not_cpt'
export const OTHER_CODE = 'R03_other_code'
export const NO_AMOUNT = 'no_amount'
export const MALFORMED = 'malformed'
/** The code can be read, and its modifier or setting cannot. */
export const UNREADABLE_FIELD = 'R03_field'
const OUT_OF_SCOPE = [NOT_CPT, OTHER_CODE]

/** Says of each rule how many lines it judged: those that are out of scope count neither for the file nor against it. */
export function noteLines(rejects: Findings, lines: number): void {
  const outside = OUT_OF_SCOPE.reduce((sum, rule) => sum + (rejects.get(rule)?.count ?? 0), 0)
  for (const [rule, finding] of rejects) finding.evaluated = OUT_OF_SCOPE.includes(rule) ? lines : lines - outside
}

/**
 * Numbers of other kinds that hospitals type as CPT or HCPCS codes: those of stays, revenue and outpatient groups have
 * three or four digits, those of chargemasters and drugs six or more. What looks like a code with a modifier, a letter
 * for a digit or a lost zero is none of them: it is a code typed wrongly.
 */
const OTHER_NUMBER = /^([0-9]{3,4}|(?=.*[0-9])[0-9A-Z-]{6,30})$/
const CODE_AND_MODIFIER = /^([0-9]{4}[0-9A-Z]|[A-Z][0-9]{4})([^0-9A-Z]+[0-9A-Z]{2}|[A-Z][0-9A-Z]|[0-9][A-Z])$/
const isOtherNumber = (text: string): boolean => OTHER_NUMBER.test(text) && !CODE_AND_MODIFIER.test(text)

/**
 * The CPT and HCPCS codes of one line while it is read, by their shape: hospitals type one as the other. A revenue,
 * DRG or chargemaster number that happens to have the shape is told apart by its type.
 */
export class LineCodes {
  readonly found: number[] = []
  #misshapen = false
  #other = false

  begin(): void {
    this.found.length = 0
    this.#misshapen = false
    this.#other = false
  }

  add(text: string): void {
    if (text === '') return
    const code = codeNumber(text)
    if (code !== undefined) this.addNumber(code)
    else if (isOtherNumber(text.toUpperCase())) this.#other = true
    else this.#misshapen = true
  }

  addNumber(code: number): void {
    if (!this.found.includes(code)) this.found.push(code)
  }

  /** The rule by which there is none, if there is none. */
  settle(): string | undefined {
    if (this.found.length > 0) return undefined
    return this.#misshapen ? 'R03' : this.#other ? OTHER_CODE : NOT_CPT
  }
}

/** `CPT`, `HCPCS`, `CPT4`, `CPT/HCPCS`: whatever begins so. CDT codes are those of HCPCS that begin with D. */
export const isProcedureType = (type: string): boolean =>
  PROCEDURE_TYPES.has(type) || (!OTHER_TYPES.has(type) && /^(CPT|HCPCS|CDT)/i.test(type))
const PROCEDURE_TYPES = new Set(['CPT', 'HCPCS'])
const OTHER_TYPES = new Set(['', 'RC', 'CDM', 'NDC', 'LOCAL', 'MS-DRG', 'APR-DRG', 'APC', 'EAPG', 'DRG'])

const SETTINGS = new Map<string, Setting | ''>([
  ['outpatient', 'outpatient'],
  ['inpatient', 'inpatient'],
  ['both', ''],
])
export const settingOf = (text: string): Setting | '' | undefined =>
  SETTINGS.get(text) ?? SETTINGS.get(text.toLowerCase())

/** The file's billing class; empty where it says both or nothing that is known. */
export function classOf(text: string): BillingClass | '' {
  const said = text.toLowerCase()
  return said === 'professional' || said === 'facility' ? said : ''
}

/** Revenue codes 096x to 098x are professional fees. */
export const isProfessionalRevenue = (code: string): boolean => /^0?9[678][0-9]$/.test(code)

/** `modifier|setting|class`: always the same text for the same three, so that no map has to hash it again. */
export function variantOf(modifier: string, setting: Setting | '', billing: BillingClass | ''): string {
  const ending = `${setting}|${billing}`
  const variants = VARIANTS.get(ending) ?? new Map<string, string>()
  VARIANTS.set(ending, variants)
  const known = variants.get(modifier)
  if (known !== undefined) return known
  const variant = `${modifier}|${ending}`
  if (variants.size === REMEMBERED) variants.clear()
  variants.set(modifier, variant)
  return variant
}
const REMEMBERED = 1_000
const VARIANTS = new Map<string, Map<string, string>>()

/** The parts of a variant, as a row has them. */
export function partsOf(variant: string): Pick<Row, 'modifier' | 'setting' | 'class'> {
  const [modifier = '', setting = '', billing = ''] = variant.split('|')
  return {
    modifier: modifier || null,
    setting: (setting || null) as Setting | null,
    class: (billing || null) as BillingClass | null,
  }
}

/**
 * Empty for none, undefined for what is not a list of one to four modifiers of two characters. The template has pipes
 * between them; hospitals also have commas, blanks and dashes.
 */
export function modifierOf(text: string): string | undefined {
  const codes = [...new Set(text.toUpperCase().split(/[|,;/\s-]+/))].filter((code) => code !== '')
  return codes.length <= 4 && codes.every((code) => /^[A-Z0-9]{2}$/.test(code)) ? codes.sort().join('-') : undefined
}
