import { type Entry, PROBLEMS, type ProblemCode, withFullStop } from '../../problem.ts'
import { CONDITIONS, conditionOf } from '../../proof/lookup/condition.ts'
import { priceText, regionText, settingText } from '../site/words.ts'
import type { Hospital } from '../words/hospitals.ts'
import { stateName } from '../words/places.ts'
import { basisText, componentOf, doubtsOf, prolongedNote, unchangedBy } from '../words/row-text.ts'
import { type AmountContext, BASIS_WORDS, holdsInRural, notesOf, wordsOf } from '../words/schedules.ts'
import type { PriceAnswer, PriceFacts, Refusal, ShortRow } from './price-facts.ts'
import type { Alternative, PriceQuestion } from './price-question.ts'

/** Why there is no price, for a patient, where the entry of the problem is written for programs. */
const MEANINGS: { readonly [code in ProblemCode]?: string } = {
  not_on_schedule:
    'None of the published lists that were searched has this code for this place and day. That is not a price of zero: the code may be new, retired, misspelled, or on a list that is not loaded here.',
  no_edition_for_day:
    'The price list that would answer is not loaded for that day. A price of another period is not shown in its place, because prices change from one edition to the next.',
  modifier_not_priced:
    'The price list has this code, but no amount for it with this modifier. Ask the provider what the modifier stands for on this bill.',
  modifier_not_allowed:
    'The price list has no amount of its own for this code with this modifier. Look it up without the modifier; what is paid with it may differ.',
  unknown_provider:
    'No hospital file that is loaded here names this hospital. Hospitals must publish their prices: look for the file on the website of the hospital.',
  unknown_zip: 'The table of ZIP codes that Medicare publishes does not have this ZIP code. Try the state instead.',
  region_ambiguous:
    'Medicare divides this place into several areas. Type the ZIP code of the place, with all nine digits where five are not enough, or choose an area. If the address is across a state border, give its state.',
  region_not_covered: 'The price list has this code, but not for this place.',
  invalid_cpt:
    'A code has five characters: five digits, four digits and a letter, or a letter and four digits. A modifier may follow, as in 71046-26. One code at a time: a range has no price. The number of a drug package (NDC) is not such a code; on a bill the code stands beside it.',
  invalid_region:
    'A place is a ZIP code such as 94102, a state such as CA or California, an address that ends with one of them, a Medicare area such as US-CA-05, or nothing for the whole country. A city alone is not enough.',
  invalid_npi:
    'A hospital is asked for by its National Provider Identifier, ten digits of which the last checks the others, or by a name that the operator of this site has given it.',
}

/** Advice for the fields of the form, by the name of the parameter that was refused. */
const FIELDS: { readonly [name: string]: string } = {
  cpt: 'Write a code of five characters, such as 99213.',
  as_of: 'There is no such day. Write it as 2026-11-16 or 11/16/2026, or leave it out for today.',
  modifier: 'A modifier has two characters, such as 26. Write up to four, as in 71046-26-59.',
  setting:
    'A setting is non_facility (an office or a home), facility (the doctor’s fee in a hospital), outpatient (what the hospital itself is paid) or asc (a surgery center); inpatient prices are a hospital’s own. Leave it out if you are not sure.',
  basis: 'This kind of price is not one that can be asked for here. Leave it out.',
}

export interface RefusalWords {
  title: string
  meaning: string
  /** The part that did not fit; undefined if the title says it already. */
  detail: string | undefined
}

const ONLY_WITH_MODIFIERS: Omit<RefusalWords, 'detail'> = {
  title: 'The code has prices with modifiers only',
  meaning:
    'The price list has this code only with a modifier, which says for example whether equipment is rented or bought. Look it up with the modifier that stands on the bill.',
}

export function refusalWords(
  { code, detail, errors = [] }: Refusal,
  question: PriceQuestion | undefined,
): RefusalWords {
  const { title, meaning }: Entry = PROBLEMS[code]
  if (code === 'modifier_not_priced' && question?.modifier === undefined)
    return { ...ONLY_WITH_MODIFIERS, detail: sentence(detail) }
  const fields = errors.map(({ message }) => sentence(message))
  const said = fields.length > 0 ? fields.join(' ') : sentence(detail)
  const inWordsOfPatients = MEANINGS[code] ?? FIELDS[errors[0]?.name ?? '']
  // The detail of these is for programs: it names parameters and members.
  const isForPrograms = inWordsOfPatients !== undefined && (fields.length > 0 || code === 'region_ambiguous')
  return {
    title,
    meaning: inWordsOfPatients ?? meaning ?? said,
    detail: isForPrograms || said === sentence(title) ? undefined : said,
  }
}

const sentence = (text: string): string => withFullStop(`${text.slice(0, 1).toUpperCase()}${text.slice(1)}`)

/** Why a price list states that there is no price, in a table. */
export const absenceTitle = (reason: string): string => PROBLEMS[`absent_${reason}` as ProblemCode]?.title ?? reason

/** Says where the rows of a sheet hold: a list for the whole country has no row for the place that was asked. */
export function scopeText(rows: readonly Pick<ShortRow, 'npi' | 'region'>[]): string {
  const own = rows.filter(({ npi }) => npi === null)
  return [
    ...(own.length < rows.length ? ['at this hospital'] : []),
    ...(own.some(({ region }) => region !== 'national') ? ['at this place'] : []),
    ...(own.some(({ region }) => region === 'national') ? ['for the whole country'] : []),
  ].join(' and ')
}

/** The question that another row of the sheet answers. */
export const questionFor = (
  { cpt, region, as_of }: PriceQuestion,
  { basis, setting, modifier, npi, ...row }: ShortRow,
): PriceQuestion => ({
  cpt,
  as_of,
  region: npi === null && row.region !== 'national' ? row.region : region,
  basis,
  ...(setting === null ? {} : { setting }),
  ...(modifier === null ? {} : { modifier }),
  ...(npi === null ? {} : { npi }),
})

/** The lists that have a price where the question gets none, perhaps with other modifiers, each with the question that it answers. */
export function otherLists({
  question,
  refusal,
  sheet,
}: Pick<PriceFacts, 'question' | 'refusal' | 'sheet'>): Alternative[] {
  if (!question || !refusal || hasSeveral(refusal)) return []
  const others = sheet.filter((row) => row.kind === 'price' && row.basis !== question.basis)
  const isSame = ({ modifier }: ShortRow): boolean => (modifier ?? undefined) === question.modifier
  return Object.values(Object.groupBy(others, ({ basis }) => basis)).flatMap((rows) => {
    const [least] = rows.toSorted((one, other) => (one.modifier?.length ?? 0) - (other.modifier?.length ?? 0))
    const row = rows.find(isSame) ?? least
    if (!row) return []
    const modifier = isSame(row) ? '' : row.modifier === null ? ', without modifier' : `, with modifier ${row.modifier}`
    const asked = questionFor(question, row)
    // Which of the fees for equipment applies follows from the place.
    const { region, setting: _, ...plain } = asked
    const isByPlace = row.setting === 'rural' || row.setting === 'non_rural'
    return {
      label: `${BASIS_WORDS[row.basis].short}${modifier}`,
      question: isByPlace ? { ...plain, region: question.region } : asked,
    }
  })
}
export const OTHER_LISTS = 'There is another price for this code on this day'

/** A code with its modifiers, as on a bill. */
export const codeText = ({ cpt, modifier }: { cpt: string; modifier?: string | null | undefined }): string =>
  modifier ? `${cpt}-${modifier}` : cpt

/** Whether there are several prices, one for each area that may be meant: then the refusal is no absence. */
export const hasSeveral = (refusal: Refusal | undefined): boolean => refusal?.code === 'region_ambiguous'

export function refusalTitle({
  question,
  refusal,
  alternatives,
}: Pick<PriceFacts, 'question' | 'refusal' | 'alternatives'>): string {
  if (!question) return alternatives.length > 0 ? 'Which one is meant?' : 'This question cannot be asked'
  return `${hasSeveral(refusal) ? 'Several places' : 'No price'} for code ${codeText(question)}`
}

const EVERYWHERE = 'in rural areas and outside them'
/** The setting of a row in a table. An amount outside rural areas holds in them too where they have none of their own. */
export function settingIn(sheet: readonly ShortRow[], row: ShortRow): string {
  const isRuralOf = (other: ShortRow): boolean =>
    other.setting === 'rural' && KEYS.every((part) => other[part] === row[part])
  const isStateFee = row.setting === 'non_rural' && row.region.startsWith('US-')
  const isInBoth = isStateFee && row.kind !== 'absence' && !sheet.some(isRuralOf)
  return isInBoth ? EVERYWHERE : settingText(row.setting)
}
const KEYS = ['basis', 'modifier', 'region', 'npi'] as const

/** Says what the amount is: '… is the Medicare laboratory fee for code 80053, for the whole country'. */
export function statement(answer: PriceAnswer, question: PriceQuestion): string {
  const { setting, region, npi, place } = answer
  const is = basisText(answer)
  const isInBoth = setting === 'non_rural' && region.startsWith('US-') && holdsInRural(place, question.setting)
  const inSetting = setting === null ? '' : ` ${isInBoth ? EVERYWHERE : settingText(setting)}`
  const of = `for code ${codeText(question)}${inSetting}`
  if (npi !== null) return `is ${is.replace('the hospital', `the hospital with NPI ${npi}`)} ${of}.`
  return `is ${is} ${of}, for ${regionText(region)}${place ? `, where ZIP code ${place.zip} lies` : ''}.`
}

/** The hospital that was asked about, by the name that the operator gives it: no file and no proof has one. */
export const namedText = ({ name }: Hospital): string =>
  `${name}: so named by the operator of this site, not in the file of the hospital.`

/** The amount to put large: after the modifiers that change it by a rule. */
export const shownAmount = ({ price, adjustment }: PriceAnswer): string =>
  adjustment ? priceText({ amount: adjustment.amount, per: price.per }) : priceText(price)

/** Says what changes the amount, what does not, and where another one may apply. */
export function sentencesBeside(answer: PriceAnswer, question: PriceQuestion): string[] {
  const { basis, price, modifiers_ignored: ignored, adjustment, place } = answer
  const words = wordsOf(basis)
  const amount: AmountContext = { row: answer, question, place, on: 'page' }
  const condition = adjustment && conditionOf(answer, adjustment)
  const component = componentOf(answer)
  return [
    ...(component ? [`It is for the ${component.is} of the service alone. ${component.lacks}`] : []),
    ...(ignored ? [`${unchangedBy(answer, ignored, 'Modifier', 'the amount')}.`] : []),
    ...(adjustment
      ? [
          `Without modifier ${adjustment.modifier} it is ${priceText(price)}; the modifier multiplies it by ${adjustment.factor} (rule ${adjustment.rule}).`,
        ]
      : []),
    ...(condition ? [CONDITIONS[condition]] : []),
    ...notesOf(words.payment, amount),
    ...doubtsOf(answer.flags),
    ...notesOf(words.place, amount),
    ...prolongedNote(answer),
  ]
}

/** The steps of the check, in the page also without a script. */
export const CHECK_STEPS = [
  [
    'row',
    'The row',
    'The row is hashed. With its path it must give the root of the release, and its amount must follow from its inputs by the stated rule.',
  ],
  [
    'release',
    'The release',
    'The release, which names its source files by their SHA-256 hashes, is in the log that a key you keep has signed.',
  ],
  [
    'in_force',
    'In force on that day',
    'The timeline proves that this release, and no other, is in force on the day asked for.',
  ],
  [
    'answer',
    'The answer to this question',
    'The public rule of the lookup is run again on what is proved: this row must be what it chooses.',
  ],
  ['fresh', 'Fresh', 'The newest entry of the log is not old.'],
] as const

/** A place to choose, with the name of its state. The names of localities in files are not repeated. */
export function choiceText(region: string): string {
  const [state, area] = [stateName(region.slice(0, 'US-XX'.length)), region.slice('US-XX-'.length)]
  if (state === undefined) return region
  return `${region}, ${area === '' ? state : `Medicare area ${area} of ${state}`}`
}
