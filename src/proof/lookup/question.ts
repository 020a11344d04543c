// A question as texts, and parsed.

import { isText } from '../canonical-json.ts'
import { chartsFor } from '../price/charts.ts'
import { type Basis, isPerPayer, keyMembers, type Setting } from '../price/row.ts'
import { isDay, isObject } from '../shape.ts'
import { isNpi } from './npi.ts'
import { parseRegion, type Region } from './region.ts'

/** The parameters of a lookup, as texts. A parameter that is left out or empty has its default. */
export interface Question {
  cpt: string
  /** The date of service. A verifier needs it: another edition may be in force on another day. */
  as_of: string
  region?: string | undefined
  npi?: string | undefined
  modifier?: string | undefined
  setting?: string | undefined
  basis?: string | undefined
  /** A payer, with or without the kind of plan, whose own rate at a hospital is asked for. */
  payer?: string | undefined
}

export interface ParsedQuestion {
  cpt: string
  day: string
  region: Region
  npi: string | null
  /** Sorted, each once. */
  modifiers: string[]
  setting: Setting | undefined
  basis: Basis | undefined
  /** `aetna/commercial`, or `aetna` for the one kind of plan that it has. */
  payer: string | undefined
}

export type QuestionFault = 'cpt' | 'as_of' | 'region' | 'npi' | 'modifier' | 'setting' | 'basis' | 'payer'

/** No other members: an answer must not pass for one to a question with more. */
export const hasOnlyTexts = (value: unknown, names: readonly string[]): boolean =>
  isObject(value) &&
  Object.entries(value).every(([name, text]) => names.includes(name) && (text === undefined || isText(text)))

const PARTS = ['cpt', 'as_of', 'region', 'npi', 'modifier', 'setting', 'basis', 'payer']
/** A payer, with its kind of plan or without. */
export const PAYER = /^[a-z0-9-]{1,40}(\/[a-z_]{1,20})?$/

/** One space for several inside. Other blanks are kept. */
export const codeOf = (text: string): string => capitals((text.match(/[^ ]+/g) ?? []).join(' '))

/** The capitals of other letters differ between languages. */
export const capitals = (text: string): string => text.replace(/[a-z]/g, (letter) => letter.toUpperCase())

/** The name of a parameter if it has no meaning. */
export function parseQuestion(question: Question): ParsedQuestion | QuestionFault {
  const given = (name: keyof Question): string | undefined => (question[name] === '' ? undefined : question[name])
  const cpt = codeOf(question.cpt ?? '')
  if (!keyMembers.code(cpt)) return 'cpt'
  if (!isDay(question.as_of)) return 'as_of'
  const region = parseRegion(given('region') ?? 'national')
  if (!region) return 'region'
  const npi = given('npi') ?? null
  if (npi !== null && !isNpi(npi)) return 'npi'
  const modifier = capitals(given('modifier') ?? '') || null
  if (!keyMembers.modifier(modifier)) return 'modifier'
  const setting = given('setting')
  if (!keyMembers.setting(setting ?? null)) return 'setting'
  const basis = given('basis')
  if (basis !== undefined && !isBasisFor(npi, basis)) return 'basis'
  const payer = given('payer')
  if (payer !== undefined && (npi === null || !PAYER.test(payer))) return 'payer'
  // Rates of payers are those of one of them.
  if (basis !== undefined && isPerPayer(basis as Basis) !== (payer !== undefined)) return 'payer'
  // Without a hospital, no schedule has some of the settings.
  const side = { basis: basis as Basis | undefined, setting: setting as Setting | undefined }
  const isOnNoSchedule = chartsFor(side).length === 0
  if (npi === null && isOnNoSchedule) return 'setting'
  return {
    cpt,
    day: question.as_of,
    region,
    npi,
    modifiers: [...new Set(modifier?.split('-') ?? [])].sort(),
    ...side,
    payer,
  }
}

export function understood(question: unknown, parts: readonly string[] = PARTS): ParsedQuestion | undefined {
  const parsed = hasOnlyTexts(question, parts) ? parseQuestion(question as Question) : undefined
  return isText(parsed) ? undefined : parsed
}

const isBasisFor = (npi: string | null, basis: string): boolean =>
  keyMembers.basis(basis) && basis.startsWith('hospital_') === (npi !== null)
