import { type PayerCharge, payerCharge, type RawPayer } from './payer-charge.ts'
import type { StatedAmount } from './stated-amount.ts'

export type Setting = 'outpatient' | 'inpatient' | null
export type Class = 'facility' | 'professional' | null

/** A statement of one line of a CSV, or of one charge of a JSON item. */
export interface Charge {
  line: number
  /** Read from a line whose quotes are wrong. */
  isGuess: boolean
  /** Its modifier or its setting cannot be told: its amounts may be of any key that has its other parts. */
  isAdrift: boolean
  /** The codes of the line: of procedures, stays and drugs, or else of its groups. The same amounts are stated for each. */
  codes: string[]
  /** The codes are those of groups alone, and the line has a number of the hospital's own. */
  isOfGroup: boolean
  /** Codes whose zeros were put back. */
  restored: string[]
  /** Sorted and joined as in keys; empty for none. */
  modifier: string
  settings: Setting[]
  class: Class
  /** `10 ML`, or nothing: what the amounts are for. */
  unit: string
  gross: StatedAmount
  cash: StatedAmount
  min: StatedAmount
  max: StatedAmount
  rates: StatedAmount[]
  /** What it states for each payer and plan. */
  payers: PayerCharge[]
}

/** A code as it is typed, and its declared type. */
export interface TypedCode {
  code: string
  type: string
}

const CODE = /^([0-9]{4}[0-9A-Z]|[A-Z][0-9]{4})$/

/** The procedure code, if it is one: by its type and shape. Zeros that a spreadsheet took are put back. */
export function procedureCode({ code, type }: TypedCode): string | undefined {
  const text = unwrapped(code).toUpperCase()
  const isDental = /^\s*CDT/i.test(type) && text.startsWith('D') // they are HCPCS codes too
  if (!isDental && !/^\s*(CPT|HCPC)/i.test(type)) return undefined
  const whole = /^[0-9]{1,3}[TUFM]$/.test(text) ? text.padStart(5, '0') : text
  return CODE.test(whole) ? whole : undefined
}

/** As spreadsheets leave a text that looks like a number: `="99213"`, `'99213`, `99213.0`. */
const unwrapped = (cell: string): string =>
  cell
    .replaceAll(/^[^!-~]+|[^!-~]+$/g, '')
    .replace(/^="(.*)"$/, '$1')
    .replace(/^'/, '')
    .replace(/^([0-9]{5})\.0$/, '$1')
    .trim()

const isRestored = (code: string, typed: readonly TypedCode[]): boolean =>
  withoutZeros(typed).some((each, i) => procedureCode(each) === code && unwrapped(typed[i]?.code ?? '').length !== 5)

export function procedureCodes(codes: readonly TypedCode[]): string[] {
  return [...new Set(withoutZeros(codes).flatMap((each) => procedureCode(each) ?? severalIn(each)))]
}

/** A zero before a code is dropped if the chargemaster number is there too, and is another one: `074176` is 74176. */
function withoutZeros(codes: readonly TypedCode[]): TypedCode[] {
  const numbers = codes.filter(({ type }) => /^\s*CDM\s*$/i.test(type)).map(({ code }) => code.trim())
  return codes.map((each) => {
    const text = unwrapped(each.code)
    const isPadded =
      text.length === 6 && text.startsWith('0') && numbers.some((number) => number !== '' && number !== text)
    return isPadded && procedureCode({ ...each, code: text.slice(1) }) ? { ...each, code: text.slice(1) } : each
  })
}

/** Codes that share a cell; none if one of the pieces is no whole code. */
function severalIn({ code, type }: TypedCode): string[] {
  const pieces = unwrapped(code).split(/[|,;/\s]+/)
  const codes = pieces.map((piece) =>
    CODE.test(piece.toUpperCase()) ? procedureCode({ code: piece, type }) : undefined,
  )
  return codes.includes(undefined) ? [] : (codes as string[])
}

/** How the numbers of each other kind of code are written in full. */
const OTHER_KINDS: readonly { type: RegExp; number: RegExp; code: (...parts: string[]) => string; isGroup?: true }[] = [
  { type: /^MS.?DRG$/i, number: /^(\d{3})$/, code: (group) => `DRG-${group}` },
  {
    type: /^APR.?DRG$/i,
    number: /^(\d{3})[.-]?([0-4]?)$/,
    code: (group, level) => `APR-${group}${level ? `.${level}` : ''}`,
  },
  {
    type: /^NDC$/i,
    number: /^(?:(\d{11})|(\d{1,5})-(\d{1,4})-(\d{1,2}))$/,
    code: (whole, labeler = '', product = '', pack = '') =>
      `NDC-${whole || [labeler.padStart(5, '0'), product.padStart(4, '0'), pack.padStart(2, '0')].join('')}`,
  },
  {
    type: /^(RC|REV.*)$/i,
    number: /^(?!0+$)(\d{3,4})$/,
    code: (number) => `RC-${number.padStart(4, '0')}`,
    isGroup: true,
  },
  { type: /^APC$/i, number: /^0?(\d{4})$/, code: (number) => `APC-${number}`, isGroup: true },
]

/** Codes of other kinds than those of procedures; of a group only, or of none. */
function otherCodes(typed: readonly TypedCode[], areGroups: boolean): string[] {
  return typed.flatMap(({ code, type }) => {
    const kind = OTHER_KINDS.find((each) => each.type.test(type.trim()) && (each.isGroup === true) === areGroups)
    const parts = kind?.number.exec(unwrapped(code).replace(/ ?\[\d+\]$/, ''))
    return kind && parts ? [kind.code(...parts.slice(1).map((part) => part ?? ''))] : []
  })
}

/** Something is typed as a procedure that is none, and no number of another kind. */
const isTypedWrongly = (typed: readonly TypedCode[]): boolean =>
  typed.some(
    ({ code, type }) =>
      /^\s*(CPT|HCPC|CDT)/i.test(type) &&
      code.trim() !== '' &&
      !NO_WORD.test(code.trim().toUpperCase()) &&
      !/^(\d{3,4}|(?=.*\d)[\dA-Z-]{6,30}|(?=.*[A-Z]{3})(?!(.*\d){4})[\dA-Z#&+._-]{4,15})$/.test(
        unwrapped(code).toUpperCase(),
      ),
  )

/** Reads the cells for modifiers: modifiers, and in some files revenue codes. */
export interface Modifiers {
  /** Sorted and joined as in keys; empty for none. */
  modifier: string
  revenueCodes: string[]
}

const NO_WORD = /^(#?N\/?A|NONE|NULL|NAN|-+)$/

/** Two characters each, in any of the ways in which hospitals separate them. Undefined if it cannot be told. */
export function modifiersOf(texts: readonly string[]): Modifiers | undefined {
  const cells = texts.map((text) => text.trim().toUpperCase()).filter((text) => text !== '' && !NO_WORD.test(text))
  // Half of a word, and the rest of it: cut out of a sentence.
  if (cells.some((text) => /^-[A-Z] \| [A-Z]{2}$/.test(text))) return { modifier: '', revenueCodes: [] }
  const tokens = cells.flatMap((text) => text.split(/[|,;/\s-]+/)).filter((token) => token !== '')
  const revenueCodes = tokens.filter((token) => /^0?[0-9]{3}$/.test(token))
  const rest = tokens.filter((token) => !revenueCodes.includes(token))
  // Four letters may be a word.
  if (!rest.every((token) => /^[A-Z0-9]{2}$|^(?=.*[0-9])[A-Z0-9]{4}$/.test(token))) return undefined
  const found = [...new Set(rest.flatMap((token) => token.match(/../g) ?? []))].sort()
  return found.length <= 4 ? { modifier: found.join('-'), revenueCodes } : undefined
}

/** Undefined if it cannot be told. */
export function settingsOf(text: string): Setting[] | undefined {
  const word = text.trim().toLowerCase()
  if (word === 'both') return ['outpatient', 'inpatient']
  return word === 'outpatient' || word === 'inpatient' ? [word] : undefined
}

/** By the billing class, else by the revenue codes: 096x to 098x are doctors' charges. */
export function classOf(billing: string, codes: readonly TypedCode[]): Class {
  const word = billing.trim().toLowerCase()
  if (word === 'facility' || word === 'professional') return word
  if (word !== '') return null
  const isDoctors = codes.some(
    ({ code, type }) => /^\s*(RC\s*$|REV)/i.test(type) && /^0?9[678][0-9]$/.test(code.trim()),
  )
  return isDoctors ? 'professional' : null
}

/** `1.0` of `ml` is `1 ML`; a question mark where something stands there that is no unit. */
export function unitOf(amount: string, type: string): string {
  const number = Number(amount.trim())
  const word = type.trim().toUpperCase()
  if ([amount.trim().toUpperCase(), word].every((text) => text === '' || NO_WORD.test(text))) return ''
  return number > 0 && word !== '' ? `${number} ${word}` : '?'
}

/** A line before it is known whom and what it is for. */
export interface RawCharge {
  line: number
  isGuess: boolean
  typed: TypedCode[]
  modifiers: string[]
  setting: string
  billing: string
  unit: string
  amounts: Pick<Charge, 'gross' | 'cash' | 'min' | 'max' | 'rates'>
  payers: RawPayer[]
}

/** Nothing if no code of it is of a kind that is held. Where modifier or setting cannot be told, no amount can be used. */
export function chargeOf({ line, isGuess, typed, modifiers: texts, billing, unit, ...raw }: RawCharge): Charge[] {
  const own = [...new Set([...procedureCodes(typed), ...otherCodes(typed, false)])]
  const codes = own.length > 0 || isTypedWrongly(typed) ? own : [...new Set(otherCodes(typed, true))]
  if (codes.length === 0) return []
  const modifiers = modifiersOf(texts)
  const settings = settingsOf(raw.setting)
  const revenue = (modifiers?.revenueCodes ?? []).map((code) => ({ code, type: 'RC' }))
  const charge = {
    ...{
      line,
      isGuess,
      isAdrift: !modifiers || !settings,
      codes,
      isOfGroup:
        own.length === 0 && typed.some(({ code, type }) => /^(CDM|LOCAL)$/i.test(type.trim()) && code.trim() !== ''),
      restored: codes.filter((code) => isRestored(code, typed)),
    },
    payers: raw.payers.map(payerCharge),
    ...{ unit, class: classOf(billing, [...typed, ...revenue]) },
    ...{ modifier: modifiers?.modifier ?? '', settings: settings ?? [null] },
  }
  if (modifiers && settings) return [{ ...charge, ...raw.amounts }]
  const { gross, cash, min, max, rates } = raw.amounts
  return [
    {
      ...{ ...charge, gross: spoiled(gross), cash: spoiled(cash), min: spoiled(min), max: spoiled(max) },
      rates: rates.map(spoiled),
    },
  ]
}

const spoiled = (stated: StatedAmount): StatedAmount => (stated.kind === 'none' ? stated : { kind: 'unreadable' })
