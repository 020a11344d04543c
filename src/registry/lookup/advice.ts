// The hints of refusals: what to ask next so that the question is answered, and what must not be shown in place of an answer.

import { PROBLEMS, type ProblemCode } from '../../problem.ts'
import type { Decision } from '../../proof/lookup/decision.ts'
import { isDecidedBy, isNeutral } from '../../proof/lookup/modifiers.ts'
import type { ParsedQuestion } from '../../proof/lookup/question.ts'
import { parseRegion } from '../../proof/lookup/region.ts'
import { PLACE_CHART } from '../../proof/price/charts.ts'
import type { Basis, Row } from '../../proof/price/row.ts'
import { BOTH_SIDES, COLUMN_MODIFIERS, FACTOR_MODIFIERS } from '../../tables/modifiers.ts'
import { type Advice, ROW_MODIFIERS } from '../../tables/row-modifiers.ts'
import { hintFor, type RefusalDetails, unlessDamaged, whyNotAdjusted } from './beside.ts'
import { find, type LookupResult } from './find.ts'
import { familyOf } from './other-codes.ts'
import type { Proofs } from './proofs.ts'

const UNSTATED =
  'Do not compute an amount with the modifier. If you show the amount without it, say so: with it Medicare may pay another one.'
const NOT_DIVIDED =
  'The fee is not divided into care before, operation and care after, so no part of it is paid alone. Do not show the amount without the modifier for this line.'
/** By the indicators of the physician schedule. */
const NOBODY =
  'Medicare pays no assistant or second surgeon for this service. The amount without the modifier is for the one who performs it: do not show it for this line.'
/** The neighbours of a ZIP code do not tell on which side of a border an address lies. */
const DIVIDED =
  'Ask with the locality or the state of the address. The member `about.choices` has those of the ZIP codes around this one; the address may be in none of them, across a state border.'
/** The day of a service cannot be another one, so no other day is named. */
const NO_PLACES =
  'The table of ZIP codes has no edition for this day: ask with the state of the address, such as `CA`, or its Medicare locality, such as `US-CA-05`. Never use a price of another period.'
/** Ambulances and vaccines, for two, have lists of their own. */
const NOT_HERE =
  'None of Medicare\u2019s lists that are held here has a price for the code on this day: the one that pays it may not be held. Do not invent a price.'
const RURAL_ALONE =
  'CMS states an amount for rural areas alone, and does not list this ZIP code as rural: there is none here. Do not use the rural one.'
const NOWHERE = 'Whichever place you choose, there is no price as asked.'
const THEN_A_PLACE = 'Take a region from `about.choices`.'
const WITH_ONE = 'Take a modifier from `about.available.modifiers`, and say beside the amount which one you took.'

/** Whether a row with the modifier is for one part of a diagnostic service, the professional or the technical one. */
const isPart = (modifier: string): boolean => ROW_MODIFIERS.get(modifier)?.part !== undefined
const BOTH_PARTS = '26 and TC are the two parts of the service, and together the whole: ask without a modifier.'
/** Codes without such parts, by the indicator `pc_tc` of the physician schedule. */
const WITHOUT_PARTS: { readonly [indicator: string]: string } = {
  2: 'The code is for the professional part alone, and 26 and TC are not used with it: ask without the modifier, and say which part it is.',
  3: 'The code is for the technical part alone, and 26 and TC are not used with it: ask without the modifier, and say which part it is.',
  4: '26 and TC are not used with this code: its parts have codes of their own. Ask with the code of the part; the amount of this one without a modifier is for both.',
}

const NOT_SHOWN = 'Do not show it as what is paid for this line.'
/** The words on an amount without a modifier: a caution at the end of a sentence of the hint, a meaning in place of the hint. */
const LEFT_OUT: Readonly<Record<Advice, { caution: string } | { meaning: string }>> = {
  by_report: {
    caution: `with it the Medicare contractor sets the amount by the report of the provider, with 22 most often more, and no schedule states it. ${NOT_SHOWN}`,
  },
  paid_less: {
    caution: `with it Medicare most often pays less, and no schedule states how much: the amount without it is more than that. ${NOT_SHOWN}`,
  },
  not_paid: {
    meaning:
      'With GX, GY and GZ the provider says that Medicare will not pay, and with EY that no doctor ordered it. The amount without the modifier is what it pays for others: do not show it as paid for this line.',
  },
  wrong_surgery: {
    meaning:
      'PA, PB and PC mark the wrong surgery, or one on the wrong part or patient: Medicare never pays it. Do not show an amount as paid for this line.',
  },
}
/** A factor of other price lists most often makes an amount smaller on those that it is not for, too. */
const adviceOf = (modifier: string): Advice | undefined =>
  ROW_MODIFIERS.get(modifier)?.advice ??
  (FACTOR_MODIFIERS.get(modifier)?.otherwise === 'by_report' ? 'paid_less' : undefined)
function cautionOf(modifier: string): string | undefined {
  const advice = adviceOf(modifier)
  const said = advice && LEFT_OUT[advice]
  return said && 'caution' in said ? said.caution : undefined
}
/** Returns the first meaning in the order above, if there are several modifiers. */
function meaningOf(asked: readonly string[]): string | undefined {
  const found = Object.entries(LEFT_OUT).flatMap(([advice, said]) =>
    'meaning' in said && asked.some((each) => adviceOf(each) === advice) ? [said.meaning] : [],
  )
  return found[0]
}

/** A refusal of a lookup, as its hint depends on it. */
interface Refusal {
  proofs: Proofs
  question: ParsedQuestion
  decision: Decision
  code: ProblemCode
  told: RefusalDetails
}

/** The decision on the question with other parts; undefined where the answer cannot be shown. */
const decisionWith = ({ proofs, question }: Pick<Refusal, 'proofs' | 'question'>, other: Partial<ParsedQuestion>) =>
  unlessDamaged(() => find(proofs, { ...question, ...other }))?.decision
const isPricedWith = (refusal: Pick<Refusal, 'proofs' | 'question'>, other: Partial<ParsedQuestion>): boolean =>
  decisionWith(refusal, { setting: undefined, ...other })?.outcome === 'price'

/** The hint of a refusal, undefined for the usual one. It names lists that price the code on that day, which the question does not reach. */
export function adviceAfter(
  proofs: Proofs,
  { question, decision }: LookupResult,
  code: ProblemCode,
  told: RefusalDetails,
  there: RefusedThere | undefined,
): { hint?: string } {
  const refusal: Refusal = { proofs, question, decision, code, told }
  if (decision.outcome === 'modifier_not_allowed') return modifierAdvice(decision)
  if (decision.outcome === 'region_ambiguous' && 'zip' in question.region) return { hint: DIVIDED }
  if (isRuralAlone(refusal)) return { hint: RURAL_ALONE }
  if (there) return { hint: atAnyPlace(refusal, there) }
  const hint = hintOf(refusal)
  return hint === undefined ? {} : { hint }
}

function hintOf(refusal: Refusal): string | undefined {
  const { question, decision, code, told } = refusal
  // These refusals name the next call themselves.
  if (/^(region_ambiguous|unknown_provider|payer_ambiguous|payer_not_listed)$/.test(decision.outcome)) return undefined
  const otherList = underAnotherBasis(refusal)
  // There it has a price as it was asked, so none of its modifiers is to be left out.
  if (otherList !== undefined && isModifierMissing(refusal)) return otherList
  const lead = inOtherSetting(refusal) ?? otherList ?? onOtherSide(refusal) ?? atMedicare(refusal)
  if (decision.outcome === 'not_on_schedule' && told.available.bases.length === 0) return lead ?? unlisted(question)
  const isElsewhere = decision.outcome === 'absent' && decision.row.reason === 'paid_elsewhere'
  if (lead === undefined && isElsewhere && !isListedElsewhere(refusal)) return NOT_HERE
  const usual = usualHint(refusal)
  return lead === undefined ? usual : `${lead} ${usual ?? PROBLEMS[code].hint}`
}

const isModifierMissing = ({ question, decision }: Refusal): boolean =>
  decision.outcome === 'modifier_not_priced' && question.modifiers.length > 0

function usualHint(refusal: Refusal): string | undefined {
  const { decision, told } = refusal
  const isPlaceMissing = decision.outcome === 'no_edition' && decision.charts.includes(PLACE_CHART)
  if (isPlaceMissing && told.available.regions.some((region) => region !== 'national')) return NO_PLACES
  return isModifierMissing(refusal) ? withoutModifier(refusal) : hintFor(told.charts).hint
}

/** A service that is not performed in one setting has its price in the other, on the same list. */
function inOtherSetting(refusal: Pick<Refusal, 'proofs' | 'question' | 'decision'>): string | undefined {
  const { decision, question } = refusal
  if (decision.outcome !== 'absent' || decision.row.reason !== 'not_applicable_in_setting') return undefined
  const other = question.setting === 'facility' ? 'non_facility' : 'facility'
  // A bill that says where the service was performed leaves no other setting.
  if (question.side || !/facility$/.test(question.setting ?? '') || !isPricedWith(refusal, { setting: other }))
    return undefined
  return `In the other setting there is a price on this day: ask with setting=${other}, and say which setting it is.`
}

/** The hint where no list has the code, so that there is nothing else to ask for. */
export const unlisted = ({ npi, cpt }: Pick<ParsedQuestion, 'npi' | 'cpt'>): string =>
  `${familyOf(cpt) ? `${familyOf(cpt)}. ` : ''}${npi === null ? 'No price list that is held here has' : 'The file of this hospital does not have'} this code on this day. Check it for a typing error, such as the letter O for a zero. Do not invent a price.`

/** The hint where it is open which place is meant, and there is no price as asked at any of them. */
function atAnyPlace(refusal: Refusal, { region, refused }: RefusedThere): string {
  if (refused.outcome === 'modifier_not_allowed')
    return modifierAdvice(refused).hint ?? PROBLEMS.modifier_not_allowed.hint
  const question = { ...refusal.question, region }
  if (refused.outcome === 'absent') {
    const other = inOtherSetting({ ...refusal, question, decision: refused })
    return [NOWHERE, ...(other === undefined ? ['Do not invent a price.'] : [other, THEN_A_PLACE])].join(' ')
  }
  const how = question.modifiers.length === 0 ? WITH_ONE : (withoutModifier({ ...refusal, question }) ?? WITH_ONE)
  return [NOWHERE, how, THEN_A_PLACE].join(' ')
}

/** Both sides may cost what one does; an assistant who is not paid is paid nothing. */
function modifierAdvice({ row, modifier }: { row: Row; modifier: string }): { hint?: string } {
  if (COLUMN_MODIFIERS.has(modifier)) return { hint: NOT_DIVIDED }
  if (!isDecidedBy(row, modifier)) return { hint: UNSTATED }
  return modifier === BOTH_SIDES.count_as ? {} : { hint: NOBODY }
}

/** Whether the amount of rural areas is the only one that the question comes to, and was not given. */
function isRuralAlone(refusal: Refusal): boolean {
  const { question, decision } = refusal
  const { setting, npi, region } = question
  if (!/^(modifier_not_priced|not_on_schedule)$/.test(decision.outcome)) return false
  if (setting || npi !== null || !('zip' in region)) return false
  const rural = decisionWith(refusal, { setting: 'rural' })
  return rural?.outcome === 'price' && rural.row.setting === 'rural'
}

/** Whether a list has prices for the code, though not for the question as it stands: for other places, or with modifiers. */
const isListedElsewhere = (refusal: Refusal): boolean =>
  (refusal.told.available.bases as Basis[]).some((basis) => {
    const found = decisionWith(refusal, { setting: undefined, basis })
    return found === undefined || !/^(absent|not_on_schedule)$/.test(found.outcome)
  })

/** The hint for a code that has no price with its modifiers: ask with some of them, without any, or with others. */
function withoutModifier(refusal: Refusal): string | undefined {
  const { question, told } = refusal
  const { modifiers } = question
  const decided = (kept: string[]) => decisionWith(refusal, { modifiers: kept })
  // A state with several localities has a price too: it is still to be said which one is meant.
  const isPriced = (kept: string[]): boolean => /^(price|region_ambiguous)$/.test(decided(kept)?.outcome ?? '')
  const others =
    modifiers.length < 2 ? [] : modifiers.map((left) => ({ left, kept: modifiers.filter((each) => each !== left) }))
  const priced = others.filter(({ kept }) => isPriced(kept))
  if (priced.length > 1) {
    const asked = question.npi === null ? modifiers.filter((each) => !isNeutral(each)) : modifiers
    if (asked.every(isPart) && isPriced([])) return BOTH_PARTS
    const which = priced.map(({ kept }) => `modifier=${kept.join('-')}`).join(' or ')
    return `Only together there is no price: ask with ${which}, as it stands on the claim, and say beside the amount what is left out.`
  }
  const [most] = priced
  if (most) return leavingOut(most, question, () => decided(most.kept))
  const bare = decided([])
  if (bare?.outcome === 'modifier_not_priced')
    return 'Without a modifier it has no price either: ask with one that it has (`about.available.modifiers`), and say beside the amount which one you took.'
  if (!isPriced([])) return undefined
  const isOfPart = modifiers.some(isPart)
  const own = (isOfPart ? partOf(bare) : undefined) ?? meaningOf(modifiers)
  if (own !== undefined) return own
  const [caution] = question.npi === null ? modifiers.flatMap((each) => cautionOf(each) ?? []) : []
  if (caution !== undefined) return `Ask without the modifier, and say so beside the amount: ${caution}`
  const other = told.available.modifiers.length === 0 ? '' : ', or with one that it has (`about.available.modifiers`)'
  return `Ask without the modifier${other}, and say so beside the amount.`
}

/** The hint where there is a price without one of several modifiers. What Medicare pays with one says nothing of a hospital. */
function leavingOut(
  { left, kept }: { left: string; kept: readonly string[] },
  { npi }: ParsedQuestion,
  decided: () => Decision | undefined,
): string {
  const part = isPart(left) ? partOf(decided()) : undefined
  if (part !== undefined) return part
  const meaning = npi === null ? meaningOf([left]) : undefined
  const caution = npi === null ? cautionOf(left) : undefined
  if (meaning !== undefined)
    return `Ask with modifier=${kept.join('-')}: it is ${left} with which there is no price, and is left out. ${meaning}`
  return `Ask with modifier=${kept.join('-')}: it is ${left} with which there is no price. Say beside the amount that it is left out${caution ? `: ${caution}` : '.'}`
}

const partOf = (decision: Decision | undefined): string | undefined =>
  decision?.outcome === 'price' ? WITHOUT_PARTS[String(decision.row.indicators['pc_tc'])] : undefined

/** Names the other lists that have a price. */
function underAnotherBasis(refusal: Refusal): string | undefined {
  const { question, told } = refusal
  // Another list pays another side of the bill, which the question does not ask about.
  if (question.side) return undefined
  const others = (told.available.bases as Basis[]).filter(
    (basis) => (basis !== question.basis || question.setting !== undefined) && isPricedWith(refusal, { basis }),
  )
  const [other, how] = question.setting === undefined ? ['basis', ''] : ['basis or setting', ' and without setting']
  if (others.length === 0) return undefined
  return `Under another ${other} there is a price on this day: ask the same with ${others.map((basis) => `basis=${basis}`).join(' or ')}${how}, and say which ${other} it is.`
}

/** Names another side of the bill, which has a price where the one that was asked about has none. */
function onOtherSide(refusal: Refusal): string | undefined {
  const { side, bill } = refusal.question
  if (!side || !isPricedWith(refusal, { side: undefined, bill: {} })) return undefined
  return `For another side of the bill there is a price on this day: ask the same without ${Object.keys(bill).join(' and ')}, and say whose price it is.`
}

/** Names the price of Medicare, where a hospital was asked about. */
function atMedicare(refusal: Refusal): string | undefined {
  const { question } = refusal
  if (question.npi === null || !isPricedWith(refusal, { npi: null, basis: undefined, payer: undefined }))
    return undefined
  return `Medicare has a price on this day: ask the same without ${['npi', ...(question.basis ? ['basis'] : []), ...(question.setting ? ['setting'] : [])].join(' and ')}, and do not present it as the price of the hospital.`
}

export const has = (words: readonly string[]): string => (words.length === 0 ? 'none' : words.slice(0, 12).join(', '))

/** Places to choose from, in words: readers of the text alone see no list. */
export function toChoose({ choices = [] }: RefusalDetails): string {
  const more = choices.length - 12
  const names = has(choices.map(({ region }) => region))
  return more > 0 ? `${names}, or one of ${more} more` : names
}

/** There is no price as asked at any of the places that may be meant, or a modifier is missing; with the first of these places. */
export interface RefusedThere {
  region: ParsedQuestion['region']
  refused: Extract<Decision, { outcome: 'modifier_not_priced' | 'modifier_not_allowed' | 'absent' }>
}

const isRefusal = (decision: Decision): decision is RefusedThere['refused'] =>
  /^(modifier_not_priced|modifier_not_allowed|absent)$/.test(decision.outcome)

/** The reason, to be compared: a sentence about all places must be true of each. */
const whyOf = (there: RefusedThere | undefined): string | undefined =>
  there?.refused.outcome === 'absent' ? there.refused.row.reason : there?.refused.outcome

/** Each place is looked up, so it is asked for once for a refusal. */
export function refusedThere(
  proofs: Proofs,
  { question, decision }: LookupResult,
  { choices = [] }: RefusalDetails,
): RefusedThere | undefined {
  if (decision.outcome !== 'region_ambiguous' || 'zip' in question.region) return undefined
  const refusedAt = (choice: string): RefusedThere | undefined => {
    const region = parseRegion(choice)
    const refused = region && decisionWith({ proofs, question }, { region })
    return region && refused && isRefusal(refused) ? { region, refused } : undefined
  }
  const [first, ...others] = choices.map(({ region }) => region)
  const there = first === undefined ? undefined : refusedAt(first)
  const isEverywhere = others.every((each) => there && whyOf(refusedAt(each)) === whyOf(there))
  return isEverywhere ? there : undefined
}

/** Says that there is no price at any place, or that a modifier is missing: else it would be found out after one was chosen. */
export function whyRefusedThere(
  question: ParsedQuestion,
  told: RefusalDetails,
  there: RefusedThere | undefined,
): string {
  if (!there) return ''
  const { refused } = there
  if (refused.outcome === 'absent')
    return ` None of them has a price: ${PROBLEMS[`absent_${refused.row.reason}`].title}.`
  if (refused.outcome === 'modifier_not_allowed') return ` ${whyNotAdjusted(refused.row, refused.modifier)}`
  const how = question.modifiers.length === 0 ? 'only with modifiers' : 'not with this modifier'
  return ` The code has prices there, but ${how}. Its modifiers: ${has(told.available.modifiers)}.`
}
