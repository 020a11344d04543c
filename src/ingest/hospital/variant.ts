import type { BillingClass, Row, Setting } from '../../proof/price/row.ts'
import { isNothing } from './amounts.ts'

/** A part of a variant that cannot be read in the line. */
export const LOST = '?'
/** The file's word for inpatients and outpatients alike: such an amount belongs to the keys of both. */
export const BOTH = 'both'
export type LineSetting = 'outpatient' | 'inpatient' | typeof BOTH

const SETTINGS: readonly string[] = ['outpatient', 'inpatient', BOTH]

/** The setting that a text names; undefined for any other text. */
export function settingOf(text: string): LineSetting | undefined {
  const said = SETTINGS.includes(text) ? text : text.toLowerCase()
  return SETTINGS.includes(said) ? (said as LineSetting) : undefined
}

/** The file's billing class; empty where it says both or nothing that is known. */
export function classOf(text: string): BillingClass | '' {
  const said = text.toLowerCase()
  return said === 'professional' || said === 'facility' ? said : ''
}

/** Revenue codes 096x to 098x are professional fees. */
export const isProfessionalRevenue = (code: string): boolean => /^0?9[678][0-9]$/.test(code)

/** The modifiers of a list. */
export interface Modifiers {
  /** Sorted and joined by dashes; empty for none. Undefined where the list cannot be read. */
  modifier: string | undefined
  /** Whether a revenue code among them is that of a professional fee. */
  professional: boolean
}
export const NO_MODIFIERS: Modifiers = { modifier: '', professional: false }

const REVENUE_CODE = /^([0-9]{3}|0[0-9]{3})$/
/** `90TC` is 90 and TC. Four letters are a word, and of four digits only modifiers of CPT are two: 22 to 99. */
const RUN_TOGETHER = /^((?![A-Z][0-9]{3})(?=.*[0-9])(?=.*[A-Z])[A-Z0-9]{4}|(2[2-9]|[3-9][0-9]){2})$/
const MODIFIER = /^[A-Z0-9]{2}$/
const MOST_MODIFIERS = 4

/**
 * The template has pipes between modifiers; hospitals also have commas, blanks and dashes, revenue codes among them, and
 * scraps of words: `-L | ON`. A single letter beside others is no modifier, and neither are two letters beside one.
 */
export function modifiersOf(texts: readonly string[]): Modifiers {
  const said = texts.filter((text) => !isNothing(text))
  const tokens = said.flatMap((text) => text.toUpperCase().split(/[|,;/\s-]+/)).filter((token) => token !== '')
  if (tokens.length === 0) return NO_MODIFIERS
  const isScraps = tokens.length > 1 && tokens.some((token) => /^[A-Z]$/.test(token))
  const found = new Set<string>()
  let professional = false
  for (const token of tokens) {
    if (REVENUE_CODE.test(token)) professional ||= isProfessionalRevenue(token)
    else if (isNothing(token) || (isScraps && /^[A-Z]{1,2}$/.test(token))) continue
    else if (MODIFIER.test(token)) found.add(token)
    else if (RUN_TOGETHER.test(token)) found.add(token.slice(0, 2)).add(token.slice(2))
    else return { modifier: undefined, professional }
  }
  return { modifier: found.size > MOST_MODIFIERS ? undefined : [...found].sort().join('-'), professional }
}

/** `modifier|setting|class`: always the same text for the same three, so that no map has to hash it again. */
export function variantOf(modifier: string, setting: LineSetting | typeof LOST, billing: string): string {
  const variants = VARIANTS.get(setting)?.get(billing)
  const known = variants?.get(modifier)
  if (known !== undefined) return known
  const variant = `${modifier}|${setting}|${billing}`
  const classes = VARIANTS.get(setting) ?? new Map<string, Map<string, string>>()
  VARIANTS.set(setting, classes)
  if (!variants || variants.size === REMEMBERED) classes.set(billing, new Map())
  classes.get(billing)?.set(modifier, variant)
  return variant
}
const REMEMBERED = 1_000
const VARIANTS = new Map<string, Map<string, Map<string, string>>>()

/** The variant of a line in which only the code can be read. */
export const TORN = variantOf(LOST, LOST, LOST)

/** The parts of a variant, as a row has them: null where empty, or lost. */
export function partsOf(variant: string): Pick<Row, 'modifier' | 'setting' | 'class'> {
  const [modifier, setting, billing] = variant.split('|').map((part) => (part === LOST ? null : part || null))
  return {
    modifier: modifier ?? null,
    setting: (setting ?? null) as Setting | null,
    class: (billing ?? null) as BillingClass | null,
  }
}
