// The parameters of a lookup as programs and language models send them, in the one form that lookups take. Whoever reads
// them so must show the question that came of it: a verifier is given the question too.

import { jsonIn } from '../../proof/canonical-json.ts'
import { isNpi } from '../../proof/lookup/npi.ts'
import { parseRegion } from '../../proof/lookup/region.ts'
import { BASES, SETTINGS } from '../../proof/price/row.ts'
import { isDay, isObject, type Members, own } from '../../proof/shape.ts'
import { writtenPlaces } from './place.ts'
import { allModifiers, writtenAmount, writtenCode, writtenDay, writtenModifiers } from './written.ts'

const MOST_CHARACTERS = 100
const CODE = /^([0-9]{4}[0-9A-Z]|[A-Z][0-9]{4})$/
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
export function writtenSetting(text: string): string | undefined {
  const plain = folded(text)
  return SETTINGS.find((each) => each === plain) ?? SETTING_WORDS.find(([, words]) => words.test(plain))?.[0]
}

/** What a text surely means, for each parameter. Undefined: it goes on as it is, and the lookup says what to send. */
const READERS: Readonly<Record<string, (text: string, today?: string) => string | number | undefined>> = {
  region: (text) => (parseRegion(text) ? text : only(writtenPlaces(text))),
  npi: (text) => only([text.replace(/^npi\b:?/i, '').replaceAll(/[\s-]+/g, '')].filter(isNpi)),
  as_of: (text, today) => only([writtenDay(text.trim(), today)].filter(isDay)),
  modifier: (text) =>
    only(
      [writtenModifiers(text.replace(/^ *mod(ifier)?s?:? +/i, '')).replaceAll(/^-|-$/g, '')].filter((each) =>
        MODIFIERS.test(each),
      ),
    ),
  setting: writtenSetting,
  basis: (text) => BASES.find((each) => [each, each.replace(/^(medicare|hospital)_/, '')].includes(folded(text))),
  units: (text) => (/^[0-9]{1,6}$/.test(text.trim()) ? Number(text) : undefined),
  billed: (text) => writtenAmount(text.trim()),
}

/** The parameters that may be written in more forms than one. */
export const AS_WRITTEN: readonly string[] = ['cpt', ...Object.keys(READERS)]

const isNothing = (value: unknown): boolean => value === null || (Array.isArray(value) && value.length === 0)

/** The parameters in the form that lookups take, as far as it is sure what they mean. Those that say nothing are left out. */
export function writtenLookup(sent: Members, today?: string, hasModifier = true): Members {
  const given = Object.entries(sent).filter(([, value]) => !isNothing(value))
  const read = Object.fromEntries(given.map(([name, value]) => [name, readAs(name, value, today)]))
  const { cpt, modifier } = writtenCode(textOf(sent['cpt']) ?? '') ?? { cpt: '', modifier: '' }
  if (!CODE.test(cpt)) return read
  if (modifier === '') return { ...read, cpt }
  const all = allModifiers(modifier, textOf(read['modifier'] ?? '') ?? '?')
  return hasModifier && MODIFIERS.test(all) ? { ...read, cpt, modifier: all } : read
}

function readAs(name: string, value: unknown, today: string | undefined): unknown {
  const text = name === 'modifier' && Array.isArray(value) ? listOf(value) : textOf(value)
  return text === undefined || text === '' ? value : (own(READERS, name)?.(text, today) ?? value)
}

/** A text or a number as text. Other values are hostile: they may have no text at all. */
function textOf(value: unknown): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined
  const text = String(value)
  return text.length > MOST_CHARACTERS ? undefined : text
}

function listOf(values: readonly unknown[]): string | undefined {
  const texts = values.map(textOf)
  return texts.includes(undefined) ? undefined : texts.join(' ')
}

/** What may be said once for all lines of a bill. */
export const SHARED: readonly string[] = ['region', 'npi', 'as_of', 'setting', 'basis']

/** The same for what takes one lookup, or lines of them. `names` are those that it takes. */
export function writtenInput(sent: Members, names: readonly string[], today: string): Members {
  const { lines: given, ...others } = sent
  if (given === undefined || !names.includes('lines')) return writtenLookup(sent, today, names.includes('modifier'))
  const lines = listIn(given)
  const isShared = ([name]: [string, unknown]): boolean => SHARED.includes(name)
  const shared = Object.fromEntries(Object.entries(others).filter(isShared))
  const rest = Object.fromEntries(Object.entries(others).filter((each) => !isShared(each)))
  // Where lines are no list, that is what is wrong, and not what was said once for all of them.
  if (!lines) return { ...rest, lines: given }
  return { ...rest, lines: lines.map((line) => writtenLine(line, shared, today)) }
}

/** A list, also as JSON in a text, as some programs send what is no text; and one line that is not in a list. */
function listIn(lines: unknown): readonly unknown[] | undefined {
  const value = typeof lines === 'string' && /^\s*[[{]/.test(lines) ? jsonIn(lines) : lines
  if (isObject(value)) return [value]
  return Array.isArray(value) ? value : undefined
}

/** A line that is only a code asks about that code. */
function writtenLine(line: unknown, shared: Members, today: string): unknown {
  const asked = typeof line === 'string' ? { cpt: line } : line
  if (!isObject(asked)) return line
  const given = Object.entries(asked).filter(([, value]) => !isNothing(value) && value !== '')
  return writtenLookup({ ...shared, ...Object.fromEntries(given) }, today)
}

/**
 * The question that was answered, for whoever verifies the answer; undefined if it is about no code. A line that was refused
 * is null: it is not repeated.
 */
export function answeredQuestion(asked: Members, answer: unknown): Members | undefined {
  const { cpt, lines } = asked
  const results = isObject(answer) && Array.isArray(answer['results']) ? answer['results'] : []
  if (Array.isArray(lines))
    return { ...asked, lines: lines.map((line, at) => (results[at]?.status === 400 ? null : line)) }
  return cpt === undefined ? undefined : asked
}

/** What was read in another form than it was sent, in words; undefined if nothing was. */
export function readingOf(sent: Members, read: Members): string | undefined {
  const lines = (members: Members): unknown[] => (Array.isArray(members['lines']) ? members['lines'] : [])
  const told = lines(read).flatMap((line, at) => {
    const sentLine = lines(sent)[at]
    const change = isObject(line) ? changesIn(isObject(sentLine) ? sentLine : {}, line) : ''
    return change === '' ? [] : [`line ${at + 1} as ${change}`]
  })
  const all = [changesIn(sent, read), ...told].filter((each) => each !== '')
  return all.length === 0 ? undefined : `Read ${told.length > 0 ? '' : 'as '}${all.join('; ')}.`
}

const plainly = (value: unknown): string | undefined => textOf(value)?.trim().toUpperCase()
/** What was not understood is refused later, and not told here: what is told has a closed form. */
function isRead(name: string, value: unknown): boolean {
  const text = textOf(value)
  return text !== undefined && (name === 'cpt' ? CODE.test(text) : own(READERS, name)?.(text) !== undefined)
}
const changesIn = (sent: Members, read: Members): string =>
  Object.entries(read)
    .filter(([name, value]) => isRead(name, value))
    .filter(([name, value]) => value !== sent[name] && plainly(value) !== plainly(sent[name]))
    .map(([name, value]) => `${name}=${textOf(value)}`)
    .join(', ')
