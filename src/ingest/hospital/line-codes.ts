import { drugCode, outpatientGroup, revenueCode, severityCode, stayCode } from '../../proof/price/code.ts'
import { codeIn } from '../findings.ts'
import { isNothing } from './amounts.ts'
import { boundCodes } from './bounds.ts'
import { NOT_CPT, OTHER_CODE } from './charges.ts'
import { amongAll, codeNumber, numberOfCode } from './code-number.ts'

/**
 * Numbers of other kinds that hospitals type as CPT or HCPCS codes: those of stays, revenue and outpatient groups have
 * three or four digits, those of chargemasters and drugs six or more. What looks like a code with a modifier, or a letter
 * for a digit, is none of them: it is a code typed wrongly.
 */
const OTHER_NUMBER = /^([0-9]{3,4}|(?=.*[0-9])[0-9A-Z-]{6,30})$/
const CODE_AND_MODIFIER = /^([0-9]{4}[0-9A-Z]|[A-Z][0-9]{4})([^0-9A-Z]+[0-9A-Z]{2}|[A-Z][0-9A-Z]|[0-9][A-Z])$/
/** A word of the hospital's own, such as `INTRLIP` and `ACET#3`: a code has four digits, and none has three letters in a row. */
const OWN_WORD = /^(?=.*[A-Z]{3})(?!(.*[0-9]){4})[0-9A-Z#&+._-]{4,15}$/
const isOtherNumber = (text: string): boolean =>
  (OTHER_NUMBER.test(text) && !CODE_AND_MODIFIER.test(text)) || OWN_WORD.test(text)

/** `108U` is 0108U: codes with these last letters have four digits, and a spreadsheet drops their leading zeros. */
const WITHOUT_ZEROS = /^[1-9][0-9]{0,2}[TUFM]$/
const CODE_LENGTH = 5
/** `074176` and `0J3486`: some chargemasters have six places for a code. It may also be a number of another kind. */
const WITH_ZERO = /^0([0-9]{4}[0-9A-Z]|[A-Z][0-9]{4})$/
/** More than a line may have (bounds.ts). */
const MOST_IN_A_CELL = 100

/** Spreadsheets write `="99213"`, `'99213` and `99213.0` where a code was typed. */
const asTyped = (text: string): string => text.replace(/^=?["']|["']$/g, '').replace(/^([0-9]{5})\.0{1,4}$/, '$1')

/**
 * The codes of one line while it is read. Those of CPT and HCPCS go by their shape: hospitals type one as the other. A number of
 * another kind that happens to have the shape is told apart by its type. Revenue codes and outpatient groups say where a line
 * belongs, so they are its codes only where it has no other.
 */
export class LineCodes {
  readonly found: number[] = []
  /** The codes of `found` that had lost their leading zeros, or had one more. */
  readonly restored: number[] = []
  readonly #withZero: string[] = []
  /** Revenue codes and outpatient groups. */
  readonly #groups: number[] = []
  #chargemaster = ''
  #own = false
  #misshapen = false
  #other = false

  begin(): void {
    this.found.length = 0
    if (this.restored.length > 0) this.restored.length = 0
    if (this.#withZero.length > 0) this.#withZero.length = 0
    if (this.#groups.length > 0) this.#groups.length = 0
    this.#chargemaster = ''
    this.#own = false
    this.#misshapen = false
    this.#other = false
  }

  add(text: string): void {
    if (text === '' || isNothing(text)) return
    const upper = asTyped(codeIn(text.toUpperCase()))
    const whole = WITHOUT_ZEROS.test(upper) ? upper.padStart(CODE_LENGTH, '0') : upper
    const code = codeNumber(whole)
    if (code !== undefined) this.#addRestored(code, whole !== upper)
    else if (WITH_ZERO.test(upper)) this.#withZero.push(upper)
    else if (isOtherNumber(upper)) this.#other = true
    else if (!this.#addSeveral(upper)) this.#misshapen = true
  }

  /** Takes a code by its type, of any kind that is held. */
  addTyped(type: string, text: string): void {
    if (isProcedureType(type)) this.add(text)
    else if (isChargemasterType(type)) this.addChargemaster(text)
    else if (isLocalType(type)) this.#own ||= text !== ''
    else this.#addOther(type, text)
  }

  #addOther(type: string, text: string): void {
    const kind = kindOfType(type)
    if (!kind || text === '' || isNothing(text)) return
    const code = kind.read(withoutRecord(codeIn(text)))
    if (code === undefined) this.#other = true
    else if (kind.isGroup) this.#groups.push(numberOfCode(code))
    else this.#addFound(numberOfCode(code))
  }

  /** Takes the hospital's own number of the line. A text with a zero in front is a code only if it is not this number. */
  addChargemaster(text: string): void {
    this.#chargemaster = text.toUpperCase()
    this.#own ||= text !== ''
  }

  #addRestored(code: number, isRestored: boolean): void {
    if (isRestored && !this.found.includes(amongAll(code))) this.restored.push(amongAll(code))
    this.addNumber(code)
  }

  /** `36415|36416`: the template has a column for each code, and pipes between the values of a cell elsewhere. */
  #addSeveral(text: string): boolean {
    const codes = text.split(/[|,;/\s]+/, MOST_IN_A_CELL).map(codeNumber)
    if (codes.includes(undefined)) return false
    for (const code of codes) this.addNumber(code as number)
    return true
  }

  /** Takes the number of a procedure's code. */
  addNumber(code: number): void {
    this.#addFound(amongAll(code))
  }

  #addFound(code: number): void {
    if (!this.found.includes(code)) this.found.push(code)
  }

  /** Whether the line is for a charge of the hospital's own, and has no code but that of a group. */
  isOfGroup = false

  /** Ends the line. Returns the rule that says why it has no code, if so. */
  settle(): string | undefined {
    for (const text of this.#withZero)
      if (this.#chargemaster === '' || this.#chargemaster === text) this.#other = true
      else this.#addRestored(codeNumber(text.slice(1)) as number, true)
    this.isOfGroup = this.found.length === 0 && this.#own && !this.#misshapen
    if (this.found.length === 0 && !this.#misshapen) for (const group of this.#groups) this.#addFound(group)
    if (this.found.length > 0) return undefined
    return this.#misshapen ? 'R03' : this.#other ? OTHER_CODE : NOT_CPT
  }
}

/** `CPT`, `HCPCS`, `HCPC`, `CPT4`, `CPT/HCPCS`: whatever begins so. CDT codes are those of HCPCS that begin with D. */
export const isProcedureType = (type: string): boolean =>
  PROCEDURE_TYPES.has(type) || (!OTHER_TYPES.has(type) && /^(CPT|HCPC|CDT)/i.test(type))
const PROCEDURE_TYPES = new Set(['CPT', 'HCPCS'])
const OTHER_TYPES = new Set(['', 'RC', 'CDM', 'NDC', 'LOCAL', 'MS-DRG', 'APR-DRG', 'APC', 'EAPG', 'DRG'])

/** One of the template's words for other numbers. */
export const isOtherType = (type: string): boolean => type !== '' && OTHER_TYPES.has(type)

export const isChargemasterType = (type: string): boolean => type === 'CDM' || type === 'cdm' || type === 'Cdm'

/** `RC`, or a word for it: `REV`, `Revenue Code`. */
export const isRevenueType = (type: string): boolean =>
  type === 'RC' || (!PROCEDURE_TYPES.has(type) && /^(RC$|REV)/i.test(type))

const isLocalType = (type: string): boolean => /^local$/i.test(type)

/** `0781-1943-39 [193249]`: some programs write their record number behind. */
const withoutRecord = (text: string): string => text.replace(/ ?\[[0-9]{1,12}\]$/, '')

/** A kind of code beside those of procedures: its types, and how its numbers are read. */
interface OtherKind {
  isType: (type: string) => boolean
  read: (text: string) => string | undefined
  /** It says where a line belongs, and not what it is for. */
  isGroup: boolean
}
const OTHER_KINDS: readonly OtherKind[] = [
  { isType: (type) => isRevenueType(type), read: revenueCode, isGroup: true },
  { isType: (type) => /^APC$/i.test(type), read: outpatientGroup, isGroup: true },
  { isType: (type) => /^NDC$/i.test(type), read: drugCode, isGroup: false },
  { isType: (type) => /^MS[ -]?DRG$/i.test(type), read: stayCode, isGroup: false },
  { isType: (type) => /^APR[ -]?DRG$/i.test(type), read: severityCode, isGroup: false },
]
const KINDS_OF_TYPES = new Map<string, OtherKind | undefined>()
function kindOfType(type: string): OtherKind | undefined {
  if (KINDS_OF_TYPES.has(type)) return KINDS_OF_TYPES.get(type)
  const kind = OTHER_KINDS.find(({ isType }) => isType(type))
  if (KINDS_OF_TYPES.size < MOST_IN_A_CELL) KINDS_OF_TYPES.set(type, kind)
  return kind
}

/**
 * The codes in a line whose cells cannot be told apart: each of the right shape beside its type, on the side where the
 * file has types. Nothing more can be said of such a line.
 */
export function codesBesideTypes(line: string, typeFirst: boolean): LineCodes {
  const codes = new LineCodes()
  for (const [, code = ''] of line.matchAll(typeFirst ? TYPE_CODE : CODE_TYPE)) codes.add(code)
  return codes
}

/** The codes in an item that is not JSON: each of the right shape beside its type. */
export function codesOfBrokenItem(text: string, ordinal: number): LineCodes {
  const codes = new LineCodes()
  for (const [, first, last] of text.matchAll(MEMBERS)) {
    codes.add(first ?? last ?? '')
    boundCodes(codes.found.length, ordinal)
  }
  return codes
}

const CODE = '([0-9]{4}[0-9A-Z]|[A-Z][0-9]{4}|[1-9][0-9]{0,2}[TUFM])'
const TYPE = '(?:CPT|HCPCS?|CDT)'
const COMMA = '\\s{0,9}"{0,2}\\s{0,9},\\s{0,9}"{0,2}\\s{0,9}'
const CODE_TYPE = new RegExp(`(?<![0-9A-Z.-])${CODE}${COMMA}${TYPE}`, 'gi')
const TYPE_CODE = new RegExp(`(?<![0-9A-Z.-])${TYPE}[0-9]{0,1}${COMMA}${CODE}(?![0-9A-Z.-])`, 'gi')
const GAP = '\\s{0,9}'
const NEXT_MEMBER = `${GAP},\\s{0,99}`
const CODE_MEMBER = `"code"${GAP}:${GAP}"{0,1}${GAP}([0-9A-Z]{2,5})(?![0-9A-Z])`
const TYPE_MEMBER = `"type"${GAP}:${GAP}"${GAP}${TYPE}`
const MEMBERS = new RegExp(
  `${CODE_MEMBER}"{0,1}${NEXT_MEMBER}${TYPE_MEMBER}|${TYPE_MEMBER}[^"]{0,20}"${NEXT_MEMBER}${CODE_MEMBER}`,
  'gi',
)
