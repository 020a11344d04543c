// How a vector is spoilt: one bit, one spelling, one member or one part of a text at a time.

import { fromBase64, toBase64 } from '../../src/proof/bytes.ts'

/** One bit of the bytes that this base64 stands for, turned over. */
export function flipped(base64: string, at = 0): string {
  const bytes = fromBase64(base64)
  if (!bytes) throw new Error('not base64')
  bytes[at] = (bytes[at] as number) ^ 1
  return toBase64(bytes)
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
/** The same 32 (or 68) bytes with one of the unused bits before the padding set: a second spelling. */
export const respelled = (base64: string): string =>
  base64.replace(/(.)=$/, (_, last: string) => `${ALPHABET[ALPHABET.indexOf(last) | 1]}=`)

type Members = { [name: string]: unknown }

/** A copy with members set, each named by its path (`proof.row.index`); undefined removes one. */
export function changed<T extends object>(value: T, members: Members): T {
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

/** A text with one part replaced; throws if it is not there. */
export function replaced(text: string, part: string, by: string): string {
  if (!text.includes(part)) throw new Error('the part to replace is not there')
  return text.replace(part, () => by)
}
