// A question in plain English. It is read by a closed grammar, without guessing: each word is part of something that was
// understood, or one of those that change nothing, or the text is no question.

import type { Members } from '../../proof/shape.ts'
import { readLookup } from '../words/input.ts'
import { endsWithState } from '../words/places.ts'

/** Why a text is no question. */
export const UNREAD = ['words', 'no_code', 'several_codes', 'bill'] as const
export type Unread = (typeof UNREAD)[number]

const MOST_CHARACTERS = 300

/** Words that say that a price is asked for, or a bill compared with one, and no more. */
const IDLE = new RegExp(
  `^(${[
    "what|what's|whats|how|much|is|are|was|does|do|did|would|will|can|could|you|i|we|me|my|it|this|that|a|an|the|of|for|to",
    'please|kindly|hi|hello|thanks|show|give|tell|find|look|up|lookup|get|need|want|know|like|ask|query|quote',
    'price|prices|pricing|fee|fees|rate|rates|cost|costs|charge|charges|amount|amounts|allowed|allowable|allow|allows',
    'pay|pays|paid|payment|reimburse|reimburses|reimbursement|list|listed|lists|reference|schedule|official|current',
    "currently|today|now|medicare|medicare's|cms|code|cpt|hcpcs|procedure|service|with|setting|basis|anesthesia",
    'bill|billed|charged|invoice|dollars|usd|fair|reasonable|too|high|live|had|have|got|and',
    // Not in which setting: the same doctor works in an office and in a hospital.
    "doctor|doctor's|physician|physician's",
  ].join('|')})$`,
)

/** Stands where something was read: words on its two sides are not neighbours. */
const READ = ' | '
const MONTH = '(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\\.?'
const DATE = '[0-9]{1,2}(?:st|nd|rd|th)?'
const DAY = [
  '[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{1,2}[/-][0-9]{1,2}[/-](?:20)?[0-9]{2}',
  `${MONTH} ${DATE},? 20[0-9]{2}`,
  `${DATE}(?:[ -]| of )${MONTH}(?:[ -]|, )(?:20)?[0-9]{2}`,
].join('|')
const HOSPITAL = '(?:the )?(?:(?:hospital|provider|facility) )?(?:with )?(?:the )?(?:npi (?:number )?)?'
const OFFICE = "(?:(?:doctor|physician)'?s? )?office(?: visits?)?"
const SURGERY = '(?:ambulatory )?surg(?:ery|ical) cent(?:er|re)|asc'
/** Where a place ends, beside the end of a sentence. A full stop may be a part of it: St. Louis. */
const STOP =
  'with|for|and|or|vs|versus|code|cpt|hcpcs|modifiers?|mods?|at|on|is|was|in|near|setting|basis|please|today|billed|charged|x'

/** In this order: what is read first is no longer there for the next. */
const PARTS: readonly [name: string, pattern: RegExp][] = [
  ['npi', new RegExp(`(?:\\b(?:at|by|from|for|of) )?${HOSPITAL}(?<![\\w-])([0-9]{10})(?![\\w-])`, 'gi')],
  [
    'as_of',
    new RegExp(
      `(?:\\b(?:on(?: the)?|from|dated|as of|as_of|date of service) )?(?<![\\w/-])(${DAY}|(?<=\\bas[ _]of )today)(?![\\w/-])`,
      'gi',
    ),
  ],
  [
    'modifier',
    /\b(?:with |and )?(?:modifiers?|mods?) ([0-9a-z]{2}(?:(?:,? and |, ?| ?[/&-] ?)[0-9a-z]{2}){0,3})(?![\w-])/gi,
  ],
  [
    'setting',
    new RegExp(
      `\\b(?:(?:in|at|for|during) (?:an? |the |my )?)?((?:non[- ])?rural|non[- ]facility|facility(?! (?:fee|charge|cost|price|payment)s?\\b)|(?:hospital )?outpatient|inpatient|${OFFICE}|${SURGERY})(?: setting| areas?)?(?![\\w-])`,
      'gi',
    ),
  ],
  // Some of these mean several settings: the lookup says which there are.
  ['setting', /\b(facility (?:fee|charge|cost|price|payment)s?)\b/gi],
  ['setting', /\b(?:in|at) (?:an? |the )?(hospital|home|clinic|er|emergency room)(?= |$)/gi],
  ['basis', /\b(cash|gross|(?:medicare|hospital)_[a-z_]+|pfs|opps|clfs|asp|dmepos)(?![\w-])/gi],
  ['region', /\b(?:in |region )?(national|nationwide)\b/gi],
  [
    'region',
    new RegExp(
      `\\b(?:in|near|(?:at )?zip(?: code)?|region|state|locality) (?:or near |the )?(?:state of |zip code |zip )?(.+?)(?= (?:[|$]|(?:${STOP})\\b)|(?:(?<=[0-9])\\.|[?!]) |$)`,
      'gi',
    ),
  ],
]

const STATE_LIKE_WORD = /(?<=[A-Za-z.](?:, ?| ))(?:OR|IN)(?![\w-])/g
const IN_A_PLACE = /\b(?:in|near|at) (?:[^|]* )?[A-Za-z.]+,? ?$/i

/**
 * Oregon and Indiana are also words at which a place ends. In capitals they are states after a comma behind a name, and
 * between a name and a ZIP code in what is already a place. Behind another state a place ends: what follows may be a code.
 */
function isState(word: string, before: string, after: string): boolean {
  const [, name = '', comma] = /^(.*?)(,?) ?$/.exec(before) ?? []
  if (endsWithState(name)) return false
  const isInPlace = IN_A_PLACE.test(before)
  if (comma === '') return isInPlace && /^,? [0-9]{5}(?!\w)/.test(after)
  return word === 'OR' || isInPlace || !/^ +(?:[0-9]{5}|[A-Za-z])/.test(after)
}
/** With a mark they are no words; it is taken away when the place is read. */
const MARKED = /\b(OR|IN)_/g

const SUM = '(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\\.[0-9]{1,2})?'
/** A number of five digits without a sign before it may be a code. */
const BILLED = `\\$ ?(?<dollars>${SUM})|(?<named>${SUM})(?= ?(?:usd|dollars)\\b)|(?<=\\b(?:billed|charged)(?: me| us)? )(?<billed>[0-9]{1,4}(?:\\.[0-9]{2})?)`
/** With these, an amount is not surely what a bill asks, unless it is said that it was billed. */
const CHARGED = /\b(?:billed|charged)(?: me| us)? (?:\$ ?[0-9]|[0-9][0-9,]*(?:\.[0-9]{2})? dollars\b)/i
const PAID = /\b(paid|pays?|payment|allow(s|ed|able)?|reimburse[a-z]*|owed?)\b/i
const UNITS = '(?<units>[0-9]{1,4})(?: units?(?: of)?| ?x)|x ?(?<times>[0-9]{1,4})'
const CODE = '(?<cpt>[0-9]{4}[0-9a-z]|[a-z][0-9]{4})(?<modifiers>(?:-[0-9a-z]{2}){0,4})'
const ITEM = new RegExp(`(?<![\\w$-])(?:${BILLED}|${UNITS}|${CODE})(?![\\w-]|[.,][0-9])`, 'gi')

/** The parameters of a lookup, or lines of a bill; or why the text is neither. What a lookup does not take is refused there. */
export function readText(text: string): Members | Unread {
  const plain = text
    .replaceAll(/[\s|]+/g, ' ')
    .replaceAll('’', "'")
    .replaceAll(/ ?[=:] ?(?=\S)/g, ' ')
    .trim()
    .replace(/[ ?.!]+$/, '')
  if (plain.length > MOST_CHARACTERS) return 'words'
  const shared: Record<string, string> = {}
  let rest = plain.replaceAll(STATE_LIKE_WORD, (word, at: number) =>
    isState(word, plain.slice(0, at), plain.slice(at + word.length)) ? `${word}_` : word,
  )
  for (const [name, pattern] of PARTS) {
    const found = [...rest.matchAll(pattern)]
    if (found.length > 1 || (found.length === 1 && name in shared)) return 'words'
    const [match] = found
    if (!match) continue
    shared[name] = (match[1] ?? '').replaceAll(MARKED, '$1').replace(/[ ,;.]+$/, '')
    rest = rest.replace(match[0], READ)
  }
  const items = [...rest.matchAll(ITEM)].map(({ groups = {} }) => groups)
  const words = rest
    .replaceAll(ITEM, READ)
    .toLowerCase()
    .split(/[\s,;|?.!()"]+/)
  const lines = linesOf(items)
  if (typeof lines === 'string') return lines
  const amounts = lines.filter(({ billed }) => billed !== undefined)
  if (amounts.length > 0 && PAID.test(plain) && !(amounts.length === 1 && CHARGED.test(plain))) return 'bill'
  if (!words.every((word) => word === '' || IDLE.test(word))) return 'words'
  const asked = lines.map((line) => lineOf(line, shared))
  if (asked.includes(undefined)) return 'words'
  const [first, ...others] = asked as [Members, ...Members[]]
  return others.length === 0 && !('billed' in first || 'units' in first) ? first : { lines: asked }
}

type Item = Readonly<Record<string, string | undefined>>
const amountOf = ({ dollars, named, billed }: Item): string | undefined => dollars ?? named ?? billed
const unitsOf = ({ units, times }: Item): string | undefined => units ?? times

/** Codes with what is said about each. Of several, each has its amount, and all on the same side: nothing is matched by guess. */
function linesOf(items: readonly Item[]): Item[] | Unread {
  const codes = items.filter(({ cpt }) => cpt !== undefined)
  const amounts = items.flatMap((item) => amountOf(item) ?? [])
  const units = items.flatMap((item) => unitsOf(item) ?? [])
  const [code] = codes
  if (!code) return 'no_code'
  if (codes.length === 1)
    return amounts.length > 1 || units.length > 1 ? 'bill' : [{ ...code, billed: amounts[0], units: units[0] }]
  if (amounts.length === 0) return 'several_codes'
  const isFirst = items[0]?.['cpt'] !== undefined
  const alternate = items.every(({ cpt }, at) => (cpt !== undefined) === (at % 2 === (isFirst ? 0 : 1)))
  if (units.length > 0 || amounts.length !== codes.length || !alternate) return 'bill'
  return codes.map((each, at) => ({ ...each, billed: amounts[at] }))
}

function lineOf(
  { cpt, modifiers = '', billed, units }: Item,
  shared: Readonly<Record<string, string>>,
): Members | undefined {
  if (modifiers !== '' && 'modifier' in shared) return undefined
  const modifier = modifiers || shared['modifier']?.replaceAll(/ and |&/gi, ' ')
  return readLookup({
    ...shared,
    cpt,
    ...(modifier && { modifier }),
    ...(billed !== undefined && { billed }),
    ...(units !== undefined && { units }),
  })
}
