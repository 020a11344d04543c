// The parameters of a lookup as programs and language models send them, read into the one form that lookups take. An answer
// to a question that was read so must show the question: a verifier is given it too.

import { jsonIn } from '../../proof/canonical-json.ts'
import { isNpi } from '../../proof/lookup/npi.ts'
import { PAYER } from '../../proof/lookup/question.ts'
import { parseRegion } from '../../proof/lookup/region.ts'
import { isPlaceOfService, isRevenueCode } from '../../proof/lookup/side.ts'
import { BASES, keyMembers, SETTINGS } from '../../proof/price/row.ts'
import { isDay, isObject, type Members, own } from '../../proof/shape.ts'
import { PAYER_ENTRIES, PLAN_KINDS } from '../../tables/payers.ts'
import { BILL_KINDS } from '../../tables/sides.ts'
import { readRegions } from './places.ts'
import { allModifiers, readAmount, readCode, readDay, readModifiers } from './values.ts'

const MOST_CHARACTERS = 100
const MODIFIERS = /^[A-Z0-9]{2}(-[A-Z0-9]{2}){0,3}$/

/** Places of service that mean one setting. A hospital means several: its own payment, or the doctor’s fee in it. */
const SETTING_WORDS: readonly [setting: string, words: RegExp][] = [
  ['non_facility', /^(((doctor|physician)s?_)?office(_visits?)?|(patients?_)?home)$/],
  ['asc', /^((ambulatory_)?surg(ery|ical)_cent(er|re)|ambulatory_surg(ery|ical)_cent(er|re)_asc)$/],
]

const folded = (text: string): string =>
  text
    .trim()
    .toLowerCase()
    .replaceAll(/['’]/g, '')
    .replaceAll(/[^a-z]+/g, '_')
    .replaceAll(/^_|_$/g, '')
const only = <Value>(values: readonly Value[]): Value | undefined => (values.length === 1 ? values[0] : undefined)

/** `Office`, `non-facility`, `ASC`: the setting that surely is meant. */
export function readSetting(text: string): string | undefined {
  const word = folded(text)
  return SETTINGS.find((each) => each === word) ?? SETTING_WORDS.find(([, words]) => words.test(word))?.[0]
}

/** `Aetna`, `aetna commercial`: the payer of the table with that name, and its kind of plan if one is named. */
export function readPayer(text: string): string | undefined {
  const plain = text.trim().toLowerCase()
  if (PAYER.test(plain) && plain.includes('/')) return plain
  const [kind] = PLAN_KINDS.filter((each) => each !== 'other' && plain.endsWith(` ${each.replaceAll('_', ' ')}`))
  const name = kind ? plain.slice(0, -kind.length).trim() : plain
  const entry = PAYER_ENTRIES.find(
    (each) => each.payer === name || each.name.toLowerCase() === name || each.words.includes(name),
  )
  if (entry) return kind ? `${entry.payer}/${kind}` : entry.payer
  return PAYER.test(plain) ? plain : undefined
}

/** The place of service of the home of the patient. */
const HOME = '12'

/** Words for whose bill it is. */
const KIND_WORDS: readonly [kind: string, words: RegExp][] = [
  [
    'hospital',
    /^((outpatient_)?(hospital|facility)(_outpatient)?(_(bill|charge|fee|price|cost|side|part|payment)s?)?|er|emergency_(room|department)|institutional|ub_?)$/,
  ],
  [
    'professional',
    /^((doctor|physician|practitioner|clinician|professional)s?(_(bill|charge|fee|side|part)s?)?|office|cms_?)$/,
  ],
  ['surgery_center', /^(asc|(ambulatory_)?surg(ery|ical)_cent(er|re))$/],
  ['equipment', /^(dme|dmepos|supplier|medical_equipment|(durable_)?medical_equipment)$/],
]

/** `Hospital`, `ER`, `physician`, `DME`: whose bill it is. */
export function readKind(text: string): string | undefined {
  const word = folded(text)
  return BILL_KINDS.find((each) => each === word) ?? KIND_WORDS.find(([, words]) => words.test(word))?.[0]
}

/** How each parameter is read. Undefined: the text is not surely understood, and the lookup says what to send. */
const READERS: Readonly<Record<string, (text: string, today?: string) => string | number | undefined>> = {
  region: (text) => (parseRegion(text) ? text : only(readRegions(text))),
  npi: (text) => only([text.replace(/^npi\b:?/i, '').replaceAll(/[\s-]+/g, '')].filter(isNpi)),
  as_of: (text, today) => only([readDay(text.trim(), today)].filter(isDay)),
  modifier: (text) =>
    only(
      [readModifiers(text.replace(/^ *mod(ifier)?s?:? +/i, '')).replaceAll(/^-|-$/g, '')].filter((each) =>
        MODIFIERS.test(each),
      ),
    ),
  setting: readSetting,
  basis: (text) => BASES.find((each) => [each, each.replace(/^(medicare|hospital)_/, '')].includes(folded(text))),
  payer: readPayer,
  kind: readKind,
  revenue_code: (text) => only([text.trim().replace(/^(rev(enue)?( code)?|rc)[ :.-]*/i, '')].filter(isRevenueCode)),
  place_of_service: (text) => {
    const digits = text.trim().replace(/^(pos|place of service)[ :.-]*/i, '')
    return only([/^home$/i.test(digits) ? HOME : digits.padStart(2, '0')].filter(isPlaceOfService))
  },
  units: (text) => (/^[0-9]{1,6}$/.test(text.trim()) ? Number(text) : undefined),
  billed: (text) => readAmount(text.trim()),
}

/** The parameters that may be sent in more forms than one. */
export const READ_NAMES: readonly string[] = ['cpt', ...Object.keys(READERS)]

const isEmpty = (value: unknown): boolean => value === null || (Array.isArray(value) && value.length === 0)

/** Reads the parameters of one lookup, as far as it is sure what they mean. Those that say nothing are left out. */
export function readLookup(sent: Members, today?: string, hasModifier = true): Members {
  const given = Object.entries(sent).filter(([, value]) => !isEmpty(value))
  const read = Object.fromEntries(given.map(([name, value]) => [name, readValue(name, value, today)]))
  const { cpt, modifier } = readCode(textOf(sent['cpt']) ?? '') ?? { cpt: '', modifier: '' }
  if (!keyMembers.code(cpt)) return read
  if (modifier === '') return { ...read, cpt }
  const all = allModifiers(modifier, textOf(read['modifier'] ?? '') ?? '?')
  return hasModifier && MODIFIERS.test(all) ? { ...read, cpt, modifier: all } : read
}

function readValue(name: string, value: unknown, today: string | undefined): unknown {
  const text = name === 'modifier' && Array.isArray(value) ? joinedText(value) : textOf(value)
  return text === undefined || text === '' ? value : (own(READERS, name)?.(text, today) ?? value)
}

/** A text or a number as text. Other values are hostile: they may have no text at all. */
function textOf(value: unknown): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined
  const text = String(value)
  return text.length > MOST_CHARACTERS ? undefined : text
}

function joinedText(values: readonly unknown[]): string | undefined {
  const texts = values.map(textOf)
  return texts.includes(undefined) ? undefined : texts.join(' ')
}

/** The parameters that may be sent once for all lines of a bill. */
export const SHARED_NAMES: readonly string[] = [
  'region',
  'npi',
  'as_of',
  'setting',
  'basis',
  'payer',
  'kind',
  'place_of_service',
]

/** Reads the input of an operation that takes one lookup, or lines of them. `names` are those of its parameters. */
export function readInput(sent: Members, names: readonly string[], today: string): Members {
  const { lines: given, ...others } = sent
  if (given === undefined || !names.includes('lines')) return readLookup(sent, today, names.includes('modifier'))
  const lines = listIn(given)
  const isShared = ([name]: [string, unknown]): boolean => SHARED_NAMES.includes(name)
  const shared = Object.fromEntries(Object.entries(others).filter(isShared))
  const rest = Object.fromEntries(Object.entries(others).filter((each) => !isShared(each)))
  // Lines that are no list are refused, and not the parameters beside them.
  if (!lines) return { ...rest, lines: given }
  return { ...rest, lines: lines.map((line) => readLine(line, shared, today)) }
}

/** A list, also as JSON in a text, as some programs send it; and one line that is not in a list. */
function listIn(lines: unknown): readonly unknown[] | undefined {
  const value = typeof lines === 'string' && /^\s*[[{]/.test(lines) ? jsonIn(lines) : lines
  if (isObject(value)) return [value]
  return Array.isArray(value) ? value : undefined
}

/** A line may be a code alone. */
function readLine(sent: unknown, shared: Members, today: string): unknown {
  const line = typeof sent === 'string' ? { cpt: sent } : sent
  if (!isObject(line)) return sent
  const given = Object.entries(line).filter(([, value]) => !isEmpty(value) && value !== '')
  return readLookup({ ...shared, ...Object.fromEntries(given) }, today)
}

/**
 * The question that was answered, which a verifier of the answer needs; undefined if it is about no code. A line that was
 * refused is null: it is not repeated.
 */
export function answeredQuestion(question: Members, answer: unknown): Members | undefined {
  const { cpt, lines } = question
  const results = isObject(answer) && Array.isArray(answer['results']) ? answer['results'] : []
  if (Array.isArray(lines))
    return { ...question, lines: lines.map((line, at) => (results[at]?.status === 400 ? null : line)) }
  return cpt === undefined ? undefined : question
}

/** Says what was read in another form than it was sent; undefined if nothing was. */
export function readingNote(sent: Members, read: Members): string | undefined {
  const linesOf = (members: Members): unknown[] => (Array.isArray(members['lines']) ? members['lines'] : [])
  const ofLines = linesOf(read).flatMap((line, at) => {
    const sentLine = linesOf(sent)[at]
    const change = isObject(line) ? changesIn(isObject(sentLine) ? sentLine : {}, line) : ''
    return change === '' ? [] : [`line ${at + 1} as ${change}`]
  })
  const all = [changesIn(sent, read), ...ofLines].filter((each) => each !== '')
  return all.length === 0 ? undefined : `Read ${ofLines.length > 0 ? '' : 'as '}${all.join('; ')}.`
}

const comparable = (value: unknown): string | undefined => textOf(value)?.trim().toUpperCase()
/** Whether the value was understood. A value that was not is refused later, and not repeated here: the note has a closed form. */
function isRead(name: string, value: unknown): boolean {
  const text = textOf(value)
  return text !== undefined && (name === 'cpt' ? keyMembers.code(text) : own(READERS, name)?.(text) !== undefined)
}
const changesIn = (sent: Members, read: Members): string =>
  Object.entries(read)
    .filter(([name, value]) => isRead(name, value))
    .filter(([name, value]) => value !== sent[name] && comparable(value) !== comparable(sent[name]))
    .map(([name, value]) => `${name}=${textOf(value)}`)
    .join(', ')
