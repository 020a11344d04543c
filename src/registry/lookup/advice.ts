import { PROBLEMS, type ProblemCode } from '../../problem.ts'
import type { Decision } from '../../proof/lookup/lookup.ts'
import { isDecidedBy, isNeutral } from '../../proof/lookup/modifiers.ts'
import type { ParsedQuestion } from '../../proof/lookup/question.ts'
import { parseRegion } from '../../proof/lookup/region.ts'
import { PLACE_CHART } from '../../proof/price/charts.ts'
import type { Basis, Row } from '../../proof/price/row.ts'
import { type Available, hintFor, type RefusalDetails, unlessDamaged, whyNotAdjusted } from './beside.ts'
import { find, type LookupResult } from './find.ts'
import type { Proofs } from './proofs.ts'

// What to ask after a refusal, so that the next question is answered; and what must not be asked in its place.

const UNSTATED =
  'Do not compute an amount with the modifier. If you show the amount without it, say so: with it Medicare may pay another one.'
/** The neighbours of a ZIP code do not tell on which side of a border an address lies. */
const DIVIDED =
  'Ask with the locality or the state of the address. The member `choices` has those of the ZIP codes around this one; the address may be in none of them, across a state border.'

/** Who asks about the day of a service has no other day to ask for. */
const NO_PLACES =
  'The table of ZIP codes has no edition for this day: ask with the state of the address, such as `CA`, or its Medicare locality, such as `US-CA-05`. Never use a price of another period.'

/** Ambulances and vaccines, for two, have lists of their own. */
const NOT_HERE =
  'None of Medicare\u2019s lists that are held here has a price for the code on this day: the one that pays it may not be held. Do not invent a price.'
const RURAL_ALONE =
  'CMS states an amount for rural areas alone, and does not list this ZIP code as rural: there is none here. Do not use the rural one.'
/** By the indicators of the physician schedule. */
const NOBODY =
  'Medicare pays no assistant or second surgeon for this service. The amount without the modifier is for the one who performs it: do not show it for this line.'

const NOWHERE = 'Whichever place you choose, there is no price as asked.'
const THEN_A_PLACE = 'Take a region from `choices`.'
const WITH_ONE = 'Take a modifier from `available.modifiers`, and say beside the amount which one you took.'

/** Refusals that name the next call themselves. */
const HAS_OWN_WAY = ['region_ambiguous', 'unknown_provider']

/** The hint of a refusal, undefined for the usual one. It names lists that price the code on that day, which the question does not reach. */
export function adviceAfter(
  proofs: Proofs,
  { question, decision }: LookupResult,
  code: ProblemCode,
  told: RefusalDetails,
  there: RefusedThere | undefined,
) {
  if (decision.outcome === 'modifier_not_allowed') return modifierAdvice(decision)
  if (decision.outcome === 'region_ambiguous' && 'zip' in question.region) return { hint: DIVIDED }
  if (isRuralAlone(proofs, question, decision.outcome)) return { hint: RURAL_ALONE }
  if (there) return atAnyPlace(proofs, question, told, there)
  const hasOwnWay = HAS_OWN_WAY.includes(decision.outcome)
  const otherList = hasOwnWay ? undefined : underAnotherBasis(proofs, question, told.available)
  const isModifierMissing = decision.outcome === 'modifier_not_priced' && question.modifiers.length > 0
  // There it has a price as it was asked, so none of its modifiers is to be left out.
  if (otherList !== undefined && isModifierMissing) return { hint: otherList }
  const lead =
    inOtherSetting(proofs, question, decision) ?? otherList ?? (hasOwnWay ? undefined : ofMedicare(proofs, question))
  if (decision.outcome === 'not_on_schedule' && told.available.bases.length === 0)
    return { hint: lead ?? unlisted(question) }
  const isPlaceMissing = decision.outcome === 'no_edition' && decision.charts.includes(PLACE_CHART)
  const usual =
    isPlaceMissing && told.available.regions.some((region) => region !== 'national')
      ? NO_PLACES
      : isModifierMissing
        ? withoutModifier(proofs, question, told.available)
        : hintFor(told.charts).hint
  const isElsewhere = decision.outcome === 'absent' && decision.row.reason === 'paid_elsewhere'
  if (lead === undefined && isElsewhere && !isListedElsewhere(proofs, question, told.available))
    return { hint: NOT_HERE }
  const hint = lead === undefined ? usual : `${lead} ${usual ?? PROBLEMS[code].hint}`
  return hint === undefined ? {} : { hint }
}

/** A service that is not performed in one setting has its price in the other, on the same list. */
function inOtherSetting(proofs: Proofs, question: ParsedQuestion, decision: Decision): string | undefined {
  const { setting } = question
  if (decision.outcome !== 'absent' || decision.row.reason !== 'not_applicable_in_setting') return undefined
  const other = setting === 'facility' ? 'non_facility' : 'facility'
  if (!/facility$/.test(setting ?? '') || !isPricedWith(proofs, question, { setting: other })) return undefined
  return `In the other setting there is a price on this day: ask with setting=${other}, and say which setting it is.`
}

/** Nothing is listed for such a code, so there is nothing else to ask for. */
export const unlisted = ({ npi }: Pick<ParsedQuestion, 'npi'>): string =>
  `${npi === null ? 'No price list that is held here has' : 'The file of this hospital does not have'} this code on this day. Check it for a typing error, such as the letter O for a zero. Do not invent a price.`

/** What to ask where it is still open which place is meant, and the modifiers are refused at all of them. */
function atAnyPlace(
  proofs: Proofs,
  question: ParsedQuestion,
  { available }: RefusalDetails,
  { region, refused }: RefusedThere,
) {
  if (refused.outcome === 'modifier_not_allowed')
    return { hint: modifierAdvice(refused).hint ?? PROBLEMS.modifier_not_allowed.hint }
  if (refused.outcome === 'absent') {
    const other = inOtherSetting(proofs, { ...question, region }, refused)
    return { hint: [NOWHERE, ...(other === undefined ? ['Do not invent a price.'] : [other, THEN_A_PLACE])].join(' ') }
  }
  const how = question.modifiers.length === 0 ? WITH_ONE : withoutModifier(proofs, { ...question, region }, available)
  return { hint: [NOWHERE, how ?? WITH_ONE, THEN_A_PLACE].join(' ') }
}

/** Both sides may cost what one does; an assistant who is not paid is paid nothing. */
function modifierAdvice({ row, modifier }: { row: Row; modifier: string }): { hint?: string } {
  if (!isDecidedBy(row, modifier)) return { hint: UNSTATED }
  return modifier === '50' ? {} : { hint: NOBODY }
}

/** Whether the amount of rural areas is the only one that the question comes to, and was not given. */
function isRuralAlone(proofs: Proofs, question: ParsedQuestion, outcome: string): boolean {
  const { setting, npi, region } = question
  if (!/^(modifier_not_priced|not_on_schedule)$/.test(outcome) || setting || npi !== null || !('zip' in region))
    return false
  const rural = unlessDamaged(() => find(proofs, { ...question, setting: 'rural' }))?.decision
  return rural?.outcome === 'price' && rural.row.setting === 'rural'
}

/** Whether a list has prices for the code, though not for the question as it stands: for other places, or with modifiers. */
const isListedElsewhere = (proofs: Proofs, question: ParsedQuestion, { bases }: Available): boolean =>
  (bases as Basis[]).some((basis) => {
    const found = unlessDamaged(() => find(proofs, { ...question, setting: undefined, basis }))
    return found === undefined || !/^(absent|not_on_schedule)$/.test(found.decision.outcome)
  })

/** What to ask of a code that has no price with its modifiers: with some of them, without any, or with others. */
function withoutModifier(proofs: Proofs, question: ParsedQuestion, { modifiers: its }: Available): string | undefined {
  const { modifiers } = question
  const decided = (kept: string[]) => unlessDamaged(() => find(proofs, { ...question, modifiers: kept }))?.decision
  // Of a state with several localities it is still to be said which one is meant.
  const isPriced = (kept: string[]): boolean => /^(price|region_ambiguous)$/.test(decided(kept)?.outcome ?? '')
  const others =
    modifiers.length < 2 ? [] : modifiers.map((left) => ({ left, kept: modifiers.filter((each) => each !== left) }))
  const priced = others.filter(({ kept }) => isPriced(kept))
  if (priced.length > 1) {
    const asked = question.npi === null ? modifiers.filter((each) => !isNeutral(each)) : modifiers
    if (asked.every((each) => COMPONENT.test(each)) && isPriced([])) return BOTH_PARTS
    const which = priced.map(({ kept }) => `modifier=${kept.join('-')}`).join(' or ')
    return `Only together there is no price: ask with ${which}, as it stands on the claim, and say beside the amount what is left out.`
  }
  const [most] = priced
  const cautionOf = (each: string): string | undefined =>
    question.npi === null ? CAUTIONS.find(([of]) => of.test(each))?.[1] : undefined
  if (most) {
    const caution = cautionOf(most.left)
    const kept = COMPONENT.test(most.left) ? decided(most.kept) : undefined
    const part = kept?.outcome === 'price' ? partOf(kept.row) : undefined
    if (part !== undefined) return part
    const meaning = question.npi === null ? meaningOf([most.left]) : undefined
    if (meaning !== undefined)
      return `Ask with modifier=${most.kept.join('-')}: it is ${most.left} with which there is no price, and is left out. ${meaning}`
    return `Ask with modifier=${most.kept.join('-')}: it is ${most.left} with which there is no price. Say beside the amount that it is left out${caution ? `: ${caution}` : '.'}`
  }
  const bare = decided([])
  if (bare?.outcome === 'modifier_not_priced')
    return 'Without a modifier it has no price either: ask with one that it has (`available.modifiers`), and say beside the amount which one you took.'
  if (!isPriced([])) return undefined
  const part =
    modifiers.some((each) => COMPONENT.test(each)) && bare?.outcome === 'price' ? partOf(bare.row) : undefined
  if (part !== undefined) return part
  const meaning = meaningOf(modifiers)
  if (meaning !== undefined) return meaning
  const [caution] = modifiers.flatMap((each) => cautionOf(each) ?? [])
  if (caution !== undefined) return `Ask without the modifier, and say so beside the amount: ${caution}`
  const other = its.length === 0 ? '' : ', or with one that it has (`available.modifiers`)'
  return `Ask without the modifier${other}, and say so beside the amount.`
}

const COMPONENT = /^(26|TC)$/
const BOTH_PARTS = '26 and TC are the two parts of the service, and together the whole: ask without a modifier.'
/** Medicare Claims Processing Manual, chapter 12, section 50. */
const DIRECTED = /^Q[KXY]$/
/** Section 40 of the same: care before, during and after surgery, by several. */
const GLOBAL_PART = /^5[456]$/
/** Chapter 30, section 50 of the same: services that Medicare excludes, or is expected to deny. */
const UNPAID = /^G[YZ]$/
/** Medicare National Coverage Determinations Manual, sections 140.6 to 140.8. */
const WRONG = /^P[ABC]$/
const NOT_SHOWN = 'Do not show it as what is paid for this line.'
/**
 * With these Medicare pays another amount than without, or, with 74, the same. Chapter 12 of the same, sections 20.4.6 (22, 52,
 * 53, 63), 40.4 (78), 40.6 (51), 40.9 (66) and 50 (AD); chapter 4, section 20.6.4 (73, 74); chapter 5, section 20.1 (CO, CQ);
 * 42 CFR 419.45 (FB, FC) and 419.48 (PN); Social Security Act, sections 1834(p) (CT) and 1848(b)(9) (FX, FY); 83 FR 58818 (PO).
 */
const CAUTIONS: readonly [modifier: RegExp, caution: string][] = [
  [
    /^(22|6[36])$/,
    `with it the Medicare contractor sets the amount by the report of the provider, with 22 most often more, and no schedule states it. ${NOT_SHOWN}`,
  ],
  [
    /^(5[123]|7[38]|AD|C[OQT]|F[BCXY]|PN)$/,
    `with it Medicare most often pays less, and no schedule states how much: the amount without it is more than that. ${NOT_SHOWN}`,
  ],
  [
    /^PO$/,
    'with it Medicare pays less for visits to a clinic (G0463), and the same for most others. Do not show the amount of a visit as what is paid for this line.',
  ],
  [/^74$/, 'with it Medicare pays the hospital or center as without.'],
]
const NEVER_PAID =
  'PA, PB and PC mark the wrong surgery, or one on the wrong part or patient: Medicare never pays it. Do not show an amount as paid for this line.'
const NOT_PAID =
  'With GY and GZ the provider says that Medicare will not pay. The amount without the modifier is what it pays for others: do not show it as paid for this line.'
const OF_GLOBAL =
  'With 54, 55 and 56 Medicare pays a part of the fee for surgery with the care before and after it. The amount without the modifier is the whole: do not show it as that part.'
const HALVES =
  'With QK, QX and QY Medicare pays half to the one who directs anesthesia, and half to the one who is directed. The amount without the modifier is the whole: say so beside it.'
const MEANINGS: readonly [modifier: RegExp, meaning: string][] = [
  [DIRECTED, HALVES],
  [GLOBAL_PART, OF_GLOBAL],
  [UNPAID, NOT_PAID],
  [WRONG, NEVER_PAID],
]
/** What the amount without a modifier must not be shown as. */
const meaningOf = (modifiers: readonly string[]): string | undefined =>
  MEANINGS.find(([of]) => modifiers.some((each) => of.test(each)))?.[1]
/** Codes of which there are no parts with modifiers: by the indicator of the physician schedule. */
const PARTS: { readonly [indicator: string]: string } = {
  2: 'The code is for the professional part alone, and 26 and TC are not used with it: ask without the modifier, and say which part it is.',
  3: 'The code is for the technical part alone, and 26 and TC are not used with it: ask without the modifier, and say which part it is.',
  4: '26 and TC are not used with this code: its parts have codes of their own. Ask with the code of the part; the amount of this one without a modifier is for both.',
}
const partOf = ({ indicators }: Pick<Row, 'indicators'>): string | undefined => PARTS[String(indicators['pc_tc'])]

const isPricedWith = (proofs: Proofs, question: ParsedQuestion, other: Partial<ParsedQuestion>): boolean =>
  unlessDamaged(() => find(proofs, { ...question, setting: undefined, ...other }))?.decision.outcome === 'price'

/** What to ask in place of a question that gets no price, so that it gets one: of another list. */
function underAnotherBasis(proofs: Proofs, question: ParsedQuestion, { bases }: Available): string | undefined {
  const isOther = (basis: Basis): boolean => basis !== question.basis || question.setting !== undefined
  const others = (bases as Basis[]).filter((basis) => isOther(basis) && isPricedWith(proofs, question, { basis }))
  const [other, how] = question.setting === undefined ? ['basis', ''] : ['basis or setting', ' and without setting']
  if (others.length === 0) return undefined
  return `Under another ${other} there is a price on this day: ask the same with ${others.map((basis) => `basis=${basis}`).join(' or ')}${how}, and say which ${other} it is.`
}

/** The same for a hospital: of Medicare. */
function ofMedicare(proofs: Proofs, question: ParsedQuestion): string | undefined {
  if (question.npi === null || !isPricedWith(proofs, question, { npi: null, basis: undefined })) return undefined
  return `Medicare has a price on this day: ask the same without ${['npi', ...(question.basis ? ['basis'] : []), ...(question.setting ? ['setting'] : [])].join(' and ')}, and do not present it as the price of the hospital.`
}

export const has = (words: readonly string[]): string => (words.length === 0 ? 'none' : words.slice(0, 12).join(', '))

/** Places to choose from, in words: those who read the text alone see no list. */
export function toChoose({ choices = [] }: RefusalDetails): string {
  const more = choices.length - 12
  const names = has(choices.map(({ region }) => region))
  return more > 0 ? `${names}, or one of ${more} more` : names
}

/** That there is no price as asked at whichever place is chosen, or a modifier is missing; and the first of these places. */
export interface RefusedThere {
  region: ParsedQuestion['region']
  refused: Extract<Decision, { outcome: 'modifier_not_priced' | 'modifier_not_allowed' | 'absent' }>
}

const isRefusal = (decision: Decision): decision is RefusedThere['refused'] =>
  /^(modifier_not_priced|modifier_not_allowed|absent)$/.test(decision.outcome)

/** What is said of all places must be true of each. */
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
    if (!region) return undefined
    const refused = unlessDamaged(() => find(proofs, { ...question, region }))?.decision
    return refused && isRefusal(refused) ? { region, refused } : undefined
  }
  const [first, ...others] = choices.map(({ region }) => region)
  const there = first === undefined ? undefined : refusedAt(first)
  const isEverywhere = others.every((each) => there && whyOf(refusedAt(each)) === whyOf(there))
  return isEverywhere ? there : undefined
}

/** Whoever chooses a place would hear next that there is no price, or that a modifier is missing: it is said at once. */
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
