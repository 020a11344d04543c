import { digitOf } from '../../files/base36.ts'

// Codes as numbers in the order of their bytes: a file names them millions of times, and what is compared and kept is then no
// text. A CPT or HCPCS code is a number of base 36. Codes of another kind, such as `DRG-470`, stand as a block between those of the
// procedures before and after their prefix.

const BASE = 36
export const CODE_LENGTH = 5
const DIGITS = 10

/** `CODE` of findings.ts, for numbers. */
export function isCode(number: number): boolean {
  const first = Math.floor(number / BASE ** (CODE_LENGTH - 1))
  let middle = Math.floor(number / BASE) % BASE ** (CODE_LENGTH - 2)
  for (; middle > 0; middle = Math.floor(middle / BASE)) if (middle % BASE >= DIGITS) return false
  return first < DIGITS || number % BASE < DIGITS
}

/** The code that a text names in capitals or not; undefined where it is none of CPT and HCPCS. */
export function codeNumber(text: string): number | undefined {
  if (text.length !== CODE_LENGTH) return undefined
  let number = 0
  for (let at = 0; at < CODE_LENGTH; at++) {
    const character = digitOf(text.charCodeAt(at))
    if (character < 0) return undefined
    number = number * BASE + character
  }
  return isCode(number) ? number : undefined
}

const WIDTHS: readonly [prefix: string, digits: number, levels: readonly string[]][] = [
  ['APC-', 4, ['']],
  ['APR-', 3, ['', '.0', '.1', '.2', '.3', '.4']],
  ['DRG-', 3, ['']],
  ['NDC-', 11, ['']],
  ['RC-', 4, ['']],
]
/** A block: where it begins, its prefix, and what its codes end with. */
interface Block {
  from: number
  size: number
  prefix: string
  digits: number
  levels: readonly string[]
}
/** In the order of bytes. A block is behind the last code of a procedure with its first letter, and behind the blocks before it. */
const BLOCKS: Block[] = []
for (const [prefix, digits, levels] of WIDTHS) {
  const before = BLOCKS.reduce((sum, { size }) => sum + size, 0)
  const from = (codeNumber(`${prefix[0]}9999`) as number) + 1 + before
  BLOCKS.push({ from, size: 10 ** digits * levels.length, prefix, digits, levels })
}

/** The number of a code of any kind, in the form that rows have. */
export function numberOfCode(code: string): number {
  const procedure = codeNumber(code)
  if (procedure !== undefined) return amongAll(procedure)
  const block = BLOCKS.find(({ prefix }) => code.startsWith(prefix))
  if (!block) throw new Error('a code of a kind that has no number')
  const { from, prefix, digits, levels } = block
  const end = prefix.length + digits
  return from + Number(code.slice(prefix.length, end)) * levels.length + levels.indexOf(code.slice(end))
}

/** The number of a procedure's code among those of all kinds. */
export function amongAll(procedure: number): number {
  let number = procedure
  for (const { from, size } of BLOCKS) if (number >= from) number += size
  return number
}

export function codeText(number: number): string {
  let before = 0
  for (const { from, size, prefix, digits, levels } of BLOCKS) {
    if (number < from) break
    const at = number - from
    if (at < size)
      return `${prefix}${String(Math.floor(at / levels.length)).padStart(digits, '0')}${levels[at % levels.length]}`
    before += size
  }
  return (number - before).toString(BASE).toUpperCase().padStart(CODE_LENGTH, '0')
}
