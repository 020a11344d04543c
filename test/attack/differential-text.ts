// JSON written in ways that two readers could understand differently.

import type { Dice } from './dice.ts'
import { oneOf } from './lie-world.ts'

/** A way to write one value; `as` is how it would be written otherwise. */
type Spelling = (as: string, dice: Dice) => string

const escaped = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
const nested = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`

const ofNumber: Spelling[] = [
  (as) => `${as}.0`,
  (as) => `${as}e0`,
  (as) => `${as}E+0`,
  (as) => `${as}0e-1`,
  (as) => `0${as}`,
  (as) => `+${as}`,
  (as) => `-${as}`,
  (as) => `${as}.`,
  (as) => `.${as}`,
  (as) => `"${as}"`,
  () => '-0',
  () => '-0.0',
  () => '1e2',
  () => '1e400',
  () => '-1e400',
  () => '1e-400',
  () => '9007199254740991',
  () => '9007199254740992',
  () => '9007199254740991.5',
  () => '9007199254740993e0',
  () => '0x10',
  () => 'NaN',
  () => 'Infinity',
  () => '1_0',
  () => '\u0661',
]
const ofString: Spelling[] = [
  (as, dice) => {
    const at = 1 + dice.below(Math.max(1, as.length - 2))
    const char = as[at] ?? ''
    return /[ -~]/.test(char) && !/["\\]/.test(char) && as[at - 1] !== '\\'
      ? as.slice(0, at) + escaped(char) + as.slice(at + 1)
      : as
  },
  (as) => as.replaceAll('/', '\\/'),
  (as) => `"\\ufeff${as.slice(1)}`,
  (as) => `"\ufeff${as.slice(1)}`,
  (as) => `"\\ud800${as.slice(1)}`,
  (as) => `${as.slice(0, -1)}\\udc00"`,
  (as) => `${as.slice(0, -1)}\\udc00\\ud800"`,
  (as) => `${as.slice(0, -1)}\\ud83d\\ude00"`,
  (as) => `${as.slice(0, -1)}\\ud83d\\u0041"`,
  (as) => `${as.slice(0, -1)}\t"`,
  (as) => `${as.slice(0, -1)}\u007f"`,
  (as) => `${as.slice(0, -1)}\u0085"`,
  (as) => `${as.slice(0, -1)}\u2028"`,
  (as) => `${as.slice(0, -1)}\\u000a"`,
  (as) => `${as.slice(0, -1)}\\x41"`,
  (as) => `${as.slice(0, -1)}\\U0041"`,
  (as) => `${as.slice(0, -1)}\\u00G1"`,
  (as) => `${as.slice(0, -1)}\\'"`,
  (as) => `'${as.slice(1, -1)}'`,
  (as) => `${as.slice(0, -1)}\\`,
]
const ofAny: Spelling[] = [
  (as) => `${as}\u00a0`,
  (as) => `\ufeff${as}`,
  (as) => `\f${as}`,
  (as) => ` \t\r\n${as} \n`,
  (as) => `/**/${as}`,
  (as) => `${as},`,
  (as) => `(${as})`,
  () => '',
  () => 'undefined',
  () => 'True',
  () => 'nul',
  (as) => `[${as}`,
  (_, dice) => nested(1 + dice.below(40)),
]
/** Of an object, as it would be written otherwise. */
const ofObject: Spelling[] = [
  (as) => as.replace(/^\{("(?:[^"\\]|\\.)*"):/, '{$1:null,$1:'),
  (as) => as.replace(/^\{"(.)/, (_, first: string) => `{"${escaped(first)}`),
  (as) => {
    const name = /^\{"([a-z])([a-z_]*)":/.exec(as)
    return name ? `{"${escaped(name[1] as string)}${name[2]}":1,${as.slice(1)}` : as
  },
  (as) => as.replace(/^\{"/, '{"\ufeff'),
  (as) => as.replace(/^\{"/, '{"\\ud800'),
  (as) => as.replace(/^\{/, '{,'),
  (as) => as.replace(/\}$/, ',}'),
  (as) => as.replace(/:/, '='),
  (as) => as.replace(/^\{"([a-z_]+)"/, '{$1'),
  (as) => as.replace(/^\{/, '{"":0,'),
  (as) => as.replace(/^\{/, '{"__proto__":null,'),
  (as) => as.replace(/^\{/, '{"__proto__":{"kind":"price"},'),
  (as, dice) => as.replace(/^\{/, `{"errors":${nested(25 + dice.below(10))},`),
]

function places(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1
  let count = 1
  for (const member of Object.values(value)) count += places(member)
  return count
}

/** The JSON of a value, with one of the values in it spelled strangely. */
export function strangeJson(value: unknown, dice: Dice): string {
  let left = dice.below(places(value))
  const write = (each: unknown): string => {
    const isHere = left-- === 0
    const plain =
      typeof each !== 'object' || each === null
        ? JSON.stringify(each)
        : Array.isArray(each)
          ? `[${each.map(write).join(',')}]`
          : `{${Object.entries(each)
              .map(([name, member]) => `${JSON.stringify(name)}:${write(member)}`)
              .join(',')}}`
    if (!isHere) return plain
    const own =
      typeof each === 'number'
        ? ofNumber
        : typeof each === 'string'
          ? ofString
          : typeof each === 'object' && each !== null && !Array.isArray(each)
            ? ofObject
            : ofAny
    return oneOf(dice, dice.chance(0.75) ? own : ofAny)(plain, dice)
  }
  const text = write(value)
  return (dice.chance(0.05) ? oneOf(dice, ofAny)(text, dice) : text).toWellFormed()
}

const CHARACTERS = [
  ...['\u0000', '\u0001', '\u0009', '\u000b', '\u000c', '\u000d', '\u001f', '\u007f', '\u0080', '\u0085', '\u009f'],
  ...[
    '\u00a0',
    '\u1680',
    '\u180e',
    '\u2028',
    '\u200b',
    '\u3000',
    '\ufeff',
    '\u2014',
    '\u0301',
    ' ',
    '  ',
    '\n',
    '\n\n',
  ],
  ...['#', '+', '=', '-', '0', 'A', '\r\n', '\u{1f600}'],
]

/** A text of lines and words, such as a policy or a note, with something changed. */
export function strangeLines(text: string, dice: Dice): string {
  const lines = text.split('\n')
  const [i, j] = [dice.below(lines.length), dice.below(lines.length)]
  const at = dice.below(text.length + 1)
  const words = (lines[i] as string).split(' ')
  const word = dice.below(words.length)
  return oneOf(dice, [
    () => text.slice(0, at) + oneOf(dice, CHARACTERS) + text.slice(at),
    () => text.slice(0, at) + oneOf(dice, CHARACTERS) + text.slice(at),
    () => text.slice(0, at) + text.slice(at + 1),
    () => text.slice(0, at) + oneOf(dice, [...'+/=AaZz09']) + text.slice(at + 1),
    () => lines.toSpliced(i, 1).join('\n'),
    () => lines.toSpliced(j, 0, lines[i] as string).join('\n'),
    () =>
      lines
        .with(i, lines[j] as string)
        .with(j, lines[i] as string)
        .join('\n'),
    () => lines.with(i, words.toSpliced(word, 1).join(' ')).join('\n'),
    () => lines.with(i, words.toSpliced(word, 0, words[word] as string).join(' ')).join('\n'),
    () => lines.with(i, words.join(oneOf(dice, CHARACTERS))).join('\n'),
    () =>
      lines.with(i, words.with(word, oneOf(dice, ['any', 'all', 'none', '0', '01', '1e0', '2'])).join(' ')).join('\n'),
    () => `${text}${oneOf(dice, CHARACTERS)}`,
    () => `${oneOf(dice, CHARACTERS)}${text}`,
  ])().toWellFormed()
}
