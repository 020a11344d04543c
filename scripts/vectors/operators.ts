// Operators: ways to change a value or a text. Each set of them has names, which become part of the names of vectors.

import { concat, fromBase64, toBase64 } from '../../src/proof/bytes.ts'

export type Operators<Value> = Readonly<Record<string, (value: Value) => Value>>

/** Each operator on one value: what comes of it, by `<what> <name of the operator>`. */
export const each = <Value, Made>(
  what: string,
  operators: Operators<Value>,
  value: Value,
  into: (changed: Value) => Made,
): Record<string, Made> =>
  Object.fromEntries(Object.entries(operators).map(([name, change]) => [`${what} ${name}`, into(change(value))]))

/** A text with one part replaced. A part that is not there would leave a vector that tests nothing. */
export function replaced(text: string, part: string, by: string): string {
  if (!text.includes(part)) throw new Error(`not in the text: ${part}`)
  return text.replace(part, () => by)
}

const bytesOf = (base64: string): Uint8Array => Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))

/** One bit of the bytes that a base64 text stands for, turned over. */
export const flipped = (base64: string, at = 0): string => toBase64(bitOf(bytesOf(base64), at))
export const bitOf = (bytes: Uint8Array, at: number): Uint8Array => bytes.with(at, (bytes[at] as number) ^ 1)

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
/** Sets an unused bit before the padding: the bytes stay the same. */
export const respelled = (base64: string): string =>
  base64.replace(/(.)(=+)$/, (_, last: string, padding: string) => ALPHABET[ALPHABET.indexOf(last) | 1] + padding)

/** Spellings of base64 that careless decoders take for the same bytes. The text must have padding. */
export const SPELLINGS: Operators<string> = {
  'with padding bits set': respelled,
  'without padding': (text) => text.replace(/=+$/, ''),
  'with more padding': (text) => `${text}====`,
  'with a space in it': (text) => `${text.slice(0, 20)} ${text.slice(20)}`,
  'in the url alphabet': (text) => `-${text.slice(1)}`,
}

/** Other spellings of a size that some readers of numbers take. */
export const SIZES: Operators<string> = {
  'with a leading zero': (size) => `0${size}`,
  'with a sign': (size) => `+${size}`,
  'below zero': (size) => `-${size}`,
  'that is not whole': (size) => `${size}.0`,
  'with an exponent': (size) => `${size}e0`,
  'in other digits': () => '\u0667',
  'past exact integers': () => '9007199254740992',
  'of nothing': () => '',
}

export type Members = { [name: string]: unknown }

/** A copy with members set, each named by its path (`proof.log.index`); undefined removes one. */
export function changed<Value extends object>(value: Value, members: Members): Value {
  const copy = structuredClone(value)
  for (const [path, member] of Object.entries(members)) {
    const names = path.split('.')
    const last = names.pop() as string
    const parent = names.reduce<Members>((at, name) => at[name] as Members, copy as Members)
    if (member === undefined) delete parent[last]
    else parent[last] = member
  }
  if (JSON.stringify(copy) === JSON.stringify(value)) throw new Error('this change changes nothing')
  return copy
}

/** Members to be set, as a table writes them: `w=0.49`, a path and its value as JSON; `unit=`, left out; `&` joins several. */
export const membersIn = (text: string): Members =>
  Object.fromEntries(
    (text === '' ? [] : text.split('&')).map((each) => {
      const [path = '', value = ''] = each.split(/=(.*)/)
      return [path, value === '' ? undefined : JSON.parse(value)]
    }),
  )

/** A signature line with what follows its key id changed. */
export function resigned(line: string, change: (bytes: Uint8Array) => Uint8Array): string {
  const [dash, name, encoded = ''] = line.trimEnd().split(' ')
  const bytes = fromBase64(encoded) as Uint8Array
  return `${dash} ${name} ${toBase64(concat(bytes.slice(0, 4), change(bytes.slice(4))))}\n`
}
