// Reads a text for the values that a lookup takes, by a pattern for each kind, in any order. There is no grammar of English:
// the answer lists the other words as not understood. Nothing is guessed: a text is refused where something in it is open.

import { isDay, type Members } from '../../proof/shape.ts'
import { OTHER_WORDS } from '../../tables/other-codes.ts'
import { readLookup, readSetting } from '../words/input.ts'
import { endsWithState, readRegions, regionsNamed } from '../words/places.ts'

/** Why a text is not looked up. */
export const REFUSALS = {
  words: 'a number, a state or a word that changes the question was not understood, so nothing was looked up',
  place: 'the place was not understood, or can be one of several: a city needs its state or its ZIP code',
  setting: 'the place of service can mean several settings: say facility, non-facility, outpatient or surgery center',
  several: 'the text has more than one place, day, hospital, setting, kind of price or list of modifiers',
  no_code: 'the text has no code of five characters, such as 99213; services are not known by their names',
  several_codes: 'the text has several codes, or a ZIP code without "in" before it',
  bill: 'it is not clear what the amounts or units in the text belong to',
  not_held: 'the text asks for prices that are not held here',
} as const
export type Refusal = keyof typeof REFUSALS

export interface TextReading {
  /** The parameters of a lookup, or lines of a bill; or why the text is neither. */
  result: { input: Members } | { refusal: Refusal; says?: string }
  understood: Members[]
  /** The other words, in small letters. */
  notUnderstood: string[]
}

/** The length is looked at before any pattern runs over a text. */
export const MOST_CHARACTERS = 2_000

/** Words that change a question in a way that is not read: they deny, compare, or mean another day, payer, amount or setting. */
const CHANGES = new Set(
  (
    'not no without except excluding between until since before after vs versus history last next previous ago yesterday ' +
    'tomorrow january february april june july august september october november december bilateral both assistant ' +
    'hospital emergency clinic in near zip npi modifier modifiers mod mods'
  ).split(' '),
)
/** Two letters in capitals that are neither a modifier nor a state. */
const SHORT_WORDS = new Set('am an as at be by do go he if in is it me my no of oh on or so to up us we'.split(' '))

/** Takes the place of what was read: words on its two sides are not neighbours. */
const READ = ' | '
const MONTH = '(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\\.?'
const DATE = '[0-9]{1,2}(?:st|nd|rd|th)?'
const DAY = [
  '[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{1,2}[/-][0-9]{1,2}[/-](?:20)?[0-9]{2}',
  `${MONTH} ${DATE},? 20[0-9]{2}`,
  `${DATE}(?:[ -]| of )${MONTH}(?:[ -]|, )(?:20)?[0-9]{2}`,
  // Without a year it is the last such day.
  `${MONTH} ${DATE}(?!,? ?[0-9])|${DATE}(?:[ -]| of )${MONTH}(?![a-z0-9])`,
].join('|')
const OFFICE = "(?:(?:doctor|physician)'?s? )?office(?: visits?)?"
const SURGERY = '(?:ambulatory )?surg(?:ery|ical) cent(?:er|re)|asc'
/** Words at which a place ends. A full stop may be a part of it: St. Louis. */
const STOP =
  'with|for|and|or|vs|versus|code|cpt|hcpcs|modifiers?|mods?|at|on|is|was|in|near|setting|basis|please|today|billed|charged|x'

/** The name of words that are left out, and told. */
const ASIDE = 'aside'

/** In this order: what is read first is no longer there for the next. Each pattern is bounded in length. */
const VALUES: readonly [name: string, pattern: RegExp][] = [
  [
    'npi',
    /(?:\b(?:at|by|from|for|of) )?(?:the )?(?:(?:hospital|provider|facility),? )?(?:with )?(?:the )?(?:npi (?:number )?)?(?<![\w-])([0-9]{10})(?![\w-])/gi,
  ],
  ['as_of', new RegExp(`(?<![\\w/-])(${DAY}|(?<=\\bas[ _]of )today)(?![\\w/-])`, 'gi')],
  [
    'modifier',
    /\b(?:with |and )?(?:modifiers?|mods?) ([0-9a-z]{2}(?:(?:,? and |, ?| ?[/&-] ?)[0-9a-z]{2}){0,3})(?![\w-])/gi,
  ],
  // Whose bill it is. A hospital that has a name of its own is asked for by its NPI.
  [
    'kind',
    /(?<![\w-]|[A-Z][\w.']{1,20} )(?:(?:[Ii]n|[Aa]t|from|by|[Ff]or) )?(?:[Aa]n? |[Tt]he |[Mm]y )?([Ee][Rr]|[Ee]mergency (?:[Rr]oom|[Dd]epartment)|(?:[Hh]ospital|[Ff]acility) (?:bill|charge|fee|price|cost|side|part|payment)s?|(?:[Dd]octor|[Pp]hysician|[Pp]rofessional)'?s? (?:bill|charge|fee|side|part)s?)(?: visits?)?(?![\w-]| schedule)/g,
  ],
  ['kind', /\b(?:in|at|from|by) (?:an? |the |my )?(hospital)(?= (?:[|$a-z])|,|$| [A-Z]{2}\b)/g],
  // These are told as words that were not understood: no schedule here is asked by them, and they change no price.
  [ASIDE, /\b(?:for )?[0-9]{1,3} ?min(?:ute)?s?\b/gi],
  [
    ASIDE,
    /\b(?:(?:has|have|had|with) )?(?:no|without) (?:health )?insurance\b|\buninsured\b|\bself[- ]pay(?:ing|er)?\b/gi,
  ],
  [
    'setting',
    new RegExp(
      `\\b(?:(?:in|at|for|during) (?:an? |the |my )?)?(?:hospital (?=(?:in|out)patient))?((?:(?:non|super)[-_ ])?rural|non[-_ ]facility|facility(?: (?:fee|charge|cost|price|payment)s?\\b)?|outpatient|inpatient|${OFFICE}|${SURGERY})(?: setting| areas?)?(?![\\w-])`,
      'gi',
    ),
  ],
  ['setting', /\b(?:in|at) (?:an? |the |my )?(clinic)(?= |$)/gi],
  ['place_of_service', /\b(?:in|at) (?:an? |the |my )?(home)(?= |$)/gi],
  ['basis', /\b(cash|gross|(?:medicare|hospital)_[a-z_]{1,20}|pfs|opps|clfs|asp|dmepos)(?![\w-])/gi],
  ['region', /\b(?:in |region )?(national|nationwide)\b/gi],
  [
    'region',
    new RegExp(
      `\\b(?:in|near|(?:at )?zip(?: code)?|region|state|locality) (?:or near |the )?(?:state of |zip code |zip )?(.{1,100}?)(?= (?:[|$]|(?:${STOP})\\b)|(?:(?<=[0-9])\\.|[?!;]) |$)`,
      'gi',
    ),
  ],
]

/**
 * Oregon and Indiana are also words at which a place ends. In capitals they are states after a comma behind a name, and
 * between a name and a ZIP code in what is already a place. Behind another state a place ends: what follows may be a code.
 */
const STATE_LIKE_WORD = /(?<=[A-Za-z.](?:, ?| ))(?:OR|IN)(?![\w-])/g
function isState(word: string, before: string, after: string): boolean {
  const comma = /,? ?$/.exec(before)?.[0] ?? ''
  if (endsWithState(before.slice(0, before.length - comma.length))) return false
  const isInPlace = /\b(?:in|near|at) (?:[^|]* )?[A-Za-z.]+,? ?$/i.test(before)
  if (!comma.startsWith(',')) return isInPlace && /^,? [0-9]{5}(?!\w)/.test(after)
  return word === 'OR' || isInPlace || !/^ +(?:[0-9]{5}|[A-Za-z])/.test(after)
}
/** With a mark they are not words; it is taken away when the place is read. */
const markStates = (text: string): string =>
  text.replaceAll(STATE_LIKE_WORD, (word, at: number) =>
    isState(word, text.slice(Math.max(0, at - 100), at), text.slice(at + word.length, at + 12)) ? `${word}_` : word,
  )

const SUM = '(?:[0-9]{1,3}(?:,[0-9]{3}){1,3}|[0-9]{1,9})(?:\\.[0-9]{1,2})?'
/** A number of five digits without a sign before it may be a code. */
const BILLED = `\\$ ?(?<dollars>${SUM})|(?<named>${SUM})(?= ?(?:usd|dollars)\\b)|(?<=\\b(?:billed|charged)(?: me| us)? )(?<billed>[0-9]{1,4}(?:\\.[0-9]{2})?)`
/** With these, an amount is not surely what a bill asks, unless it is said that it was billed. */
const PAID = /\b(paid|pays?|payment|allow(s|ed|able)?|reimburse[a-z]{0,5}|owed?)\b/i
const CHARGED = /\b(?:billed|charged)(?: me| us)? (?:\$ ?[0-9]|[0-9][0-9,]{0,11}(?:\.[0-9]{2})? dollars\b)/i
const UNITS = '(?<units>[0-9]{1,4})(?: units?(?: of)?| ?x)|x ?(?<times>[0-9]{1,4})'
const CODE =
  '(?<cpt>drg-[0-9]{3}|rc-[0-9]{4}|apc-[0-9]{4}|ndc-[0-9]{11}|[0-9]{4}[0-9a-z]|[a-z][0-9]{4})(?<modifiers>(?:-[0-9a-z]{2}){0,4})'
const ITEM = new RegExp(`(?<![\\w$-])(?:${BILLED}|${UNITS}|${CODE})(?![\\w-]|[.,][0-9])`, 'gi')

/** A code with its modifiers, an amount, or units. */
type Item = { cpt: string; modifier?: string } | { billed: string } | { units: string }
function itemOf({ groups = {} }: RegExpExecArray): Item {
  const { cpt, modifiers, dollars, named, billed = dollars ?? named, units, times = units } = groups
  if (cpt !== undefined) return modifiers ? { cpt, modifier: modifiers } : { cpt }
  return billed === undefined ? { units: times ?? '' } : { billed }
}

/** Takes the marks off the end by a loop: a pattern for them takes a time that grows with the square of their number. */
function withoutEnd(text: string): string {
  let end = text.length
  while (end > 0 && ' ?.!'.includes(text.charAt(end - 1))) end--
  return text.slice(0, end)
}

/** Reads a text. A day without a year is the last such day until `today`. */
export function readText(text: string, today?: string): TextReading {
  const plain = withoutEnd(text.replaceAll('’', "'").replaceAll(/[\s|=:"()<>[\]{}]+/g, ' '))
  let rest = markStates(plain)
  const asides: string[] = []
  const found = VALUES.flatMap(([name, pattern]) => {
    const matches = [...rest.matchAll(pattern)]
    rest = rest.replaceAll(pattern, READ)
    if (name === ASIDE) asides.push(...matches.flatMap(([whole]) => whole.trim().split(' ')))
    if (name === ASIDE) return []
    return matches.map(([, value = '']) => readValue(name, value.replaceAll(/\b(OR|IN)_/g, '$1'), today))
  })
  const items = [...rest.matchAll(ITEM)].map(itemOf)
  const words = rest
    .replaceAll(ITEM, READ)
    .split(/[\s,;|?.!]+/)
    .filter((word) => word !== '')
  const shared = found.filter((value) => typeof value !== 'string')
  return {
    result: resultOf(plain, items, found, words),
    understood: [...items.map((item) => readLookup(item)), ...shared],
    notUnderstood: [...words, ...asides].map((word) => word.toLowerCase()),
  }
}

/** One value in the form that lookups take; or why it is refused. */
function readValue(name: string, text: string, today: string | undefined): Members | Refusal {
  if (name === 'region') {
    const [region, ...others] = readRegions(text.replace(/[ ,;.]{1,9}$/, ''))
    return region === undefined || others.length > 0 ? 'place' : { region }
  }
  if (name === 'setting') {
    const setting = readSetting(text)
    return setting === undefined ? 'setting' : { setting }
  }
  const read = readLookup({ [name]: text.replaceAll(/ and |&/gi, ' ') }, today)
  return name === 'as_of' && text.toLowerCase() !== 'today' && !isDay(read[name]) ? 'words' : read
}

function resultOf(
  plain: string,
  items: readonly Item[],
  found: readonly (Members | Refusal)[],
  words: readonly string[],
): TextReading['result'] {
  const codes = items.filter((item) => 'cpt' in item)
  const amounts = items.filter((item) => 'billed' in item)
  const units = items.filter((item) => 'units' in item)
  const values = found.filter((value) => typeof value !== 'string')
  const refused = found.find((value) => typeof value === 'string')
  const shared = Object.assign({}, ...values) as Members
  const isOfBill = amounts.length === 0 || !PAID.test(plain) || (amounts.length === 1 && CHARGED.test(plain))
  const says = notHeld(words)
  if (says !== undefined) return { refusal: 'not_held', says }
  if (codes.length === 0) return { refusal: 'no_code' }
  if (refused) return { refusal: refused }
  if (Object.keys(shared).length < values.length) return { refusal: 'several' }
  if ('modifier' in shared && codes.some(({ modifier }) => modifier)) return { refusal: 'several' }
  const isNamed = (text: string): boolean => regionsNamed(text).length > 0
  if (words.some((word, at) => isOpen(word) || isNamed(word) || isNamed(`${word} ${words[at + 1]}`)))
    return { refusal: 'words' }
  if (codes.length > 1 && amounts.length === 0) return { refusal: 'several_codes' }
  if (!isOfBill || !isMatched(items, codes.length, amounts.length, units.length)) return { refusal: 'bill' }
  if (codes.length > 1 && 'modifier' in shared) return { refusal: 'bill' }
  const lines = codes.map((code, at) => readLookup({ ...code, ...shared, ...amounts[at], ...units[at] }))
  const isBill = amounts.length + units.length > 0
  return { input: isBill ? { lines } : (lines[0] as Members) }
}

/** Whether each amount and number of units surely belongs to a code: of several codes each has its amount, all on the same side. */
function isMatched(items: readonly Item[], codes: number, amounts: number, units: number): boolean {
  if (codes === 1) return amounts < 2 && units < 2
  const isFirst = 'cpt' in (items[0] ?? {})
  const alternate = items.every((item, at) => 'cpt' in item === (at % 2 === (isFirst ? 0 : 1)))
  return units === 0 && amounts === codes && alternate
}

/** What to say of the first word that asks for prices which are not held. */
const notHeld = (words: readonly string[]): string | undefined =>
  words.flatMap((word) => OTHER_WORDS.find((other) => other.words.includes(word.toLowerCase()))?.says ?? [])[0]

/** Whether a word may be a value, or changes the question. */
const isOpen = (word: string): boolean =>
  /[0-9$]/.test(word) ||
  CHANGES.has(word.toLowerCase()) ||
  (/^[A-Z]{2}$/.test(word) && !SHORT_WORDS.has(word.toLowerCase()))
