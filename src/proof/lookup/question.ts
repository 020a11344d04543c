// A question as it is asked, and as it is understood.

import { isText } from '../canonical-json.ts'
import { chartsFor } from '../price/charts.ts'
import { type Basis, keyMembers, type Setting } from '../price/row.ts'
import { isDay, isObject } from '../shape.ts'
import { isNpi } from './npi.ts'
import { parseRegion, type Region } from './region.ts'

/** The parameters of a lookup, as texts. What is left out, or empty, has its default. */
export interface Question {
  cpt: string
  /** The date of service. A verifier needs it: what is in force differs from day to day. */
  as_of: string
  region?: string | undefined
  npi?: string | undefined
  modifier?: string | undefined
  setting?: string | undefined
  basis?: string | undefined
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
}

export type QuestionFault = 'cpt' | 'as_of' | 'region' | 'npi' | 'modifier' | 'setting' | 'basis'

/** Texts of these names and nothing else: who asks for more than is understood must not take the answer for one to it. */
export const hasOnlyTexts = (value: unknown, names: readonly string[]): boolean =>
  isObject(value) &&
  Object.entries(value).every(([name, text]) => names.includes(name) && (text === undefined || isText(text)))

const PARTS = ['cpt', 'as_of', 'region', 'npi', 'modifier', 'setting', 'basis']

/** The code in capitals, without spaces around it; several in it are one. Other blanks are no part of how people write one. */
export const codeOf = (text: string): string => capitals((text.match(/[^ ]+/g) ?? []).join(' '))

/** The letters a to z in capitals, and no other: what other letters become differs between languages. */
export const capitals = (text: string): string => text.replace(/[a-z]/g, (letter) => letter.toUpperCase())

/** The question as it is understood, or the name of the parameter that has no meaning. */
export function parseQuestion(question: Question): ParsedQuestion | QuestionFault {
  const given = (name: keyof Question): string | undefined => question[name] || undefined
  const cpt = codeOf(question.cpt ?? '')
  if (!keyMembers.cpt(cpt)) return 'cpt'
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
  // Without a hospital, some settings are on no schedule at all.
  if (npi === null && !chartsFor(basis as Basis | undefined, setting as Setting | undefined).length) return 'setting'
  return {
    cpt,
    day: question.as_of,
    region,
    npi,
    modifiers: [...new Set(modifier?.split('-') ?? [])].sort(),
    setting: setting as Setting | undefined,
    basis: basis as Basis | undefined,
  }
}

/** The question that a verifier was given, as it is understood; undefined if it has no meaning. */
export function understood(question: unknown, parts: readonly string[] = PARTS): ParsedQuestion | undefined {
  const parsed = hasOnlyTexts(question, parts) ? parseQuestion(question as Question) : undefined
  return isText(parsed) ? undefined : parsed
}

/** A basis is a hospital's or a schedule's, and only one of them was asked. */
const isBasisFor = (npi: string | null, basis: string): boolean =>
  keyMembers.basis(basis) && basis.startsWith('hospital_') === (npi !== null)
