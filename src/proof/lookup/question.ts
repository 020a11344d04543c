// A question as texts, and parsed.

import { KIND_ENTRIES } from '../../tables/sides.ts'
import { isText } from '../canonical-json.ts'
import { chartsFor, factsOf, isOfSide } from '../price/charts.ts'
import { type Basis, isPerPayer, keyMembers, type Setting } from '../price/row.ts'
import { isDay, isObject } from '../shape.ts'
import { isNpi } from './npi.ts'
import { parseRegion, type Region } from './region.ts'
import { isBillKind, isPlaceOfService, isRevenueCode, type Side, type SideWords, sideOf, sideWords } from './side.ts'

/** The parameters of a lookup, as texts. A parameter that is left out or empty has its default. */
export interface Question extends SideWords {
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
  /** Whose bill it is, where the question says so. */
  side: Side | undefined
  /** What it says of the bill, to ask the same again. */
  bill: SideWords
}

export type QuestionFault = keyof Question

/** No other members: an answer must not pass for one to a question with more. */
export const hasOnlyTexts = (value: unknown, names: readonly string[]): boolean =>
  isObject(value) &&
  Object.entries(value).every(([name, text]) => names.includes(name) && (text === undefined || isText(text)))

const PARTS = [
  ...['cpt', 'as_of', 'region', 'npi', 'modifier', 'setting', 'basis', 'payer'],
  ...['kind', 'revenue_code', 'place_of_service'],
]
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
  const sideFault = faultOfSide(question)
  if (sideFault) return sideFault
  const parsed: ParsedQuestion = {
    cpt,
    day: question.as_of,
    region,
    npi,
    modifiers: [...new Set(modifier?.split('-') ?? [])].sort(),
    setting: setting as Setting | undefined,
    basis: basis as Basis | undefined,
    payer,
    side: sideOf(question),
    bill: sideWords(question),
  }
  return npi === null ? onSchedules(parsed) : parsed
}

function faultOfSide({ kind, revenue_code, place_of_service }: SideWords): QuestionFault | undefined {
  if (kind && !isBillKind(kind)) return 'kind'
  if (revenue_code && !isRevenueCode(revenue_code)) return 'revenue_code'
  return place_of_service && !isPlaceOfService(place_of_service) ? 'place_of_service' : undefined
}

/** A question to the schedules. Its setting is that of its side, and neither setting nor basis may be of another side. */
function onSchedules(question: ParsedQuestion): ParsedQuestion | QuestionFault {
  const { side, basis } = question
  // The place of service of a professional leaves one rate, which another setting would contradict.
  const isFixed = side?.kind === 'professional' && side.setting !== undefined
  const ofSide = side && (isFixed ? [side.setting] : KIND_ENTRIES[side.kind].settings)
  if (question.setting !== undefined && ofSide && !ofSide.includes(question.setting)) return 'setting'
  const setting = question.setting ?? (isFixed ? side.setting : undefined)
  const asked = { ...question, setting }
  // Without a hospital, no schedule has some of the settings, whatever the code.
  const charts = chartsFor({ basis, setting, side })
  if (charts.length === 0) return 'setting'
  const isPaidBy = (chart: string): boolean => {
    const facts = factsOf(chart)
    return !side || !facts || isOfSide(side.kind, facts)
  }
  return basis !== undefined && !charts.some(isPaidBy) ? 'basis' : asked
}

export function understood(question: unknown, parts: readonly string[] = PARTS): ParsedQuestion | undefined {
  const parsed = hasOnlyTexts(question, parts) ? parseQuestion(question as Question) : undefined
  return isText(parsed) ? undefined : parsed
}

const isBasisFor = (npi: string | null, basis: string): boolean =>
  keyMembers.basis(basis) && basis.startsWith('hospital_') === (npi !== null)
