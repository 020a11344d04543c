// One thing in a value is changed for another that a reader might take, or might trip over.

import type { Dice } from './dice.ts'
import { membersOf } from './liar.ts'
import { copyOf, type Members, oneOf } from './lie-world.ts'

const DAYS = [
  '2026-02-29',
  '2024-02-29',
  '1900-02-29',
  '0000-01-01',
  '0000-02-29',
  '9999-12-31',
  '2026-13-01',
  '2026-00-10',
  '2026-04-31',
  '10000-01-01',
  '2026-1-01',
  '2026-07-01',
  '2026-09-30',
  '2026-10-01',
  '2026-12-31',
]
const INSTANTS = [
  '2026-10-02T24:00:00Z',
  '2026-10-02T24:00:00.000Z',
  '2026-10-02T24:00:01Z',
  '2026-10-02T24:00:00.001Z',
  '2026-10-02T23:59:60Z',
  '2026-06-30T23:59:60Z',
  '2026-10-02T00:00:00.5Z',
  '2026-10-02T00:00:00.12345Z',
  '2026-10-02T00:00:00.Z',
  '2026-10-02T00:00Z',
  '2026-10-02T00:00:00z',
  '2026-10-02T00:00:00+00:00',
  '2026-10-02 00:00:00Z',
  '2026-02-30T00:00:00Z',
  '2026-10-02T12:60:00Z',
  '2026-10-02T25:00:00Z',
  '0000-01-01T00:00:00Z',
  '9999-12-31T24:00:00Z',
  '9999-12-31T23:59:59.999Z',
]
const AMOUNTS = [
  '0.00',
  '0.01',
  '0.001',
  '0.0001',
  '0.00001',
  '1.230',
  '1.2300',
  '1.2304',
  '01.00',
  '1e2',
  '.50',
  '5',
  '5.5',
  '999999999999.99',
  '999999999999.9999',
  '1000000000000.00',
  '-1.00',
  '1,000.00',
]
const NUMBERS = [0, 1, -1, 2, 63, 64, 0.5, 1e-7, 255, 256, 2 ** 31, 2 ** 32, 2 ** 53 - 1, 2 ** 53, 1e21, -(2 ** 53)]
const MODIFIERS = ['26', 'TC', '50', '50-62', '26-50', '26-26', '25-26', 'AS', '26-', 'a1', '50-80-AS-62']
const TEXTS = ['', ' ', 'x', '0', 'null', '__proto__', 'constructor', 'toString', 'hasOwnProperty', '\u0000', '|', '~']
/** What a text may have too much at either end, or in the middle. */
const BLANKS = [
  ' ',
  '\n',
  '\r',
  '\t',
  '\u0000',
  '\u007f',
  '\u0080',
  '\u0085',
  '\u009f',
  '\u00a0',
  '\ufeff',
  '\u2028',
  '\u3000',
  '\u0301',
  '\ud83d\ude00',
]
/** Letters and digits that some libraries take for those of ASCII. */
const LOOKALIKES: [RegExp, string][] = [
  [/s/i, '\u017f'],
  [/k/i, '\u212a'],
  [/[0-9]/, '\u0663'],
  [/[0-9]/, '\uff11'],
  [/i/i, '\u0131'],
  [/e/i, 'e\u0301'],
  [/e/i, '\u00e9'],
  [/a/i, '\u00c5'],
  [/a/i, 'A\u030a'],
]
const HASH = /^[A-Za-z0-9+/]{43}=$/
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

const spliced = (text: string, at: number, remove: number, insert: string): string =>
  (text.slice(0, at) + insert + text.slice(at + remove)).toWellFormed()

function otherHash(dice: Dice, hash: string): string {
  const last = ALPHABET.indexOf(hash[42] as string)
  return oneOf(dice, [
    // The same 32 bytes in careless base64, and others.
    `${hash.slice(0, 42)}${ALPHABET[last ^ (1 + dice.below(3))]}=`,
    spliced(hash, dice.below(42), 1, oneOf(dice, [...ALPHABET])),
    hash.slice(0, 43),
    hash.replaceAll('+', '-').replaceAll('/', '_'),
    `${hash}=`,
    `${'A'.repeat(43)}=`,
    '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=',
  ])
}

export function otherText(dice: Dice, text: string): string {
  if (HASH.test(text) && dice.chance(0.7)) return otherHash(dice, text)
  if (/^\d{4}-\d\d-\d\d$/.test(text) && dice.chance(0.6)) return oneOf(dice, DAYS)
  if (/^\d{4}-\d\d-\d\dT/.test(text) && dice.chance(0.7)) return oneOf(dice, INSTANTS)
  if (/^\d+\.\d+$/.test(text) && dice.chance(0.6)) return oneOf(dice, AMOUNTS)
  if (/^[A-Z0-9]{2}(-[A-Z0-9]{2})*$/.test(text) && dice.chance(0.5)) return oneOf(dice, MODIFIERS)
  const at = dice.below(text.length + 1)
  const [like, lookalike] = oneOf(dice, LOOKALIKES)
  return oneOf(dice, [
    () => oneOf(dice, TEXTS),
    () => spliced(text, oneOf(dice, [0, text.length, at]), 0, oneOf(dice, BLANKS)),
    () => text.replace(like, lookalike),
    () => text.toLowerCase(),
    () => text.toUpperCase(),
    () => spliced(text, at, 1, ''),
    () => spliced(text, at, 0, text[at] ?? '0'),
    () => text + text,
    () => text.padEnd(oneOf(dice, [40, 41, 60, 64, 65, 80, 81, 120, 121, 300, 301]), 'x'),
    () => text.normalize('NFD'),
  ])()
}

function otherNumber(dice: Dice, number: number): unknown {
  return dice.chance(0.5) ? number + oneOf(dice, [1, -1, 2, -2]) : oneOf<unknown>(dice, [...NUMBERS, String(number)])
}

const OTHERS = [null, true, false, 0, 1, '', 'x', [], {}, [[]], [null], { x: 1 }]
/** Lengths at which lists stop being lists. */
const LENGTHS = [1, 8, 9, 63, 64, 65, 200, 201, 256, 257]

function changeList(dice: Dice, list: unknown[], donors: readonly unknown[]): void {
  const [i, j] = [dice.below(list.length || 1), dice.below(list.length || 1)]
  const what = dice.below(8)
  if (what === 0) list.splice(i, 1)
  else if (what === 1 && list.length > 0) list.splice(j, 0, copyOf(list[i]))
  else if (what === 2 && list.length > 1) [list[i], list[j]] = [list[j], list[i]]
  else if (what === 3) list.reverse()
  else if (what === 4) list.splice(0)
  else if (what === 5) list.splice(i, dice.below(2), oneOf<unknown>(dice, OTHERS))
  else if (what === 6 && list.length > 0) {
    // Nothing is gained by lists that only take long to read.
    const most = JSON.stringify(list[i]).length > 400 ? 9 : 300
    const length = oneOf(
      dice,
      LENGTHS.filter((each) => each <= most),
    )
    while (list.length < length) list.push(copyOf(list[i]))
  } else {
    const found = donors.filter((each) => Array.isArray(each) && each.length > 0) as unknown[][]
    if (found.length > 0) list.splice(i, dice.below(2), copyOf(oneOf(dice, oneOf(dice, found))))
  }
}

const NAMES = ['x', 'proof', 'code', 'seq', '__proto__', 'constructor', 'Row', 'row\u200b', '\ufeffkind', 'checkpoint']

/** The values of these, by the names of their members. */
export const donorsOf = (...values: unknown[]): Map<string, unknown[]> => {
  const found = new Map<string, unknown[]>()
  for (const value of values) membersOf(value, found)
  return found
}

/** Changes one member of an object, or something inside of it. Donors have values that other members have had. */
export function changeMember(dice: Dice, at: Members, donors: ReadonlyMap<string, readonly unknown[]>): void {
  const names = Object.keys(at)
  if (names.length === 0 || dice.chance(0.06)) {
    Object.defineProperty(at, oneOf(dice, NAMES), {
      value: copyOf(oneOf<unknown>(dice, OTHERS)),
      enumerable: true,
      configurable: true,
      writable: true,
    })
    return
  }
  const name = oneOf(dice, names)
  const value = at[name]
  if (dice.chance(0.06)) delete at[name]
  else if (dice.chance(0.08)) at[name] = copyOf(oneOf<unknown>(dice, OTHERS))
  else if (dice.chance(0.25) && donors.has(name)) at[name] = copyOf(oneOf(dice, donors.get(name) as unknown[]))
  else if (typeof value === 'string') at[name] = otherText(dice, value)
  else if (typeof value === 'number') at[name] = otherNumber(dice, value)
  else if (Array.isArray(value)) {
    const inner = value.filter((each) => typeof each === 'object' && each !== null) as Members[]
    if (inner.length > 0 && dice.chance(0.6)) changeMember(dice, oneOf(dice, inner), donors)
    else if (value.length > 0 && dice.chance(0.3)) {
      const i = dice.below(value.length)
      if (typeof value[i] === 'string') value[i] = otherText(dice, value[i])
      else if (typeof value[i] === 'number') value[i] = otherNumber(dice, value[i])
    } else changeList(dice, value, donors.get(name) ?? [])
  } else if (typeof value === 'object' && value !== null) changeMember(dice, value as Members, donors)
  else at[name] = copyOf(oneOf<unknown>(dice, [...OTHERS, ...TEXTS]))
}
