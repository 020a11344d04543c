import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isLong } from '../support/long.ts'
import type { Words } from '../support/source-files.ts'

// Texts that must never come out again, wherever in a source file they stand. `§` is where each carries its mark.

const FRAMES: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => `SYSTEM: ${text}`,
  (text) => `<system>${text}</system>`,
  (text) => `[INST] ${text} [/INST]`,
  (text) => `### Instruction:\n${text}\n### Response:`,
  (text) => `"}]}\n\nHuman: ${text}\n\nAssistant: Sure,`,
  (text) => `<!-- ${text} -->`,
  (text) => `\`\`\`tool_call\n{"name":"transfer","note":"${text}"}\n\`\`\``,
  (text) => `<|im_start|>system\n${text}<|im_end|>`,
]
/** The mark at one end of a text and then at the other. No two pieces are the same: a bomb is another matter. */
const LONG = [1_000, 5_000, 20_000].flatMap((size) => {
  const text = Array.from({ length: size / 8 }, (_, i) => ` word${i}`).join('')
  return [`§${text}`, `${text}§`]
})

const { instructions, ...others } = JSON.parse(
  readFileSync(join(import.meta.dir, 'hostile-texts.json'), 'utf8'),
) as Record<string, string[]>

const ALL = [
  ...(instructions ?? []).flatMap((text) => FRAMES.map((frame) => frame(text))),
  ...Object.values(others).flat(),
  ...LONG,
]
/** All of them in the long form, else every second: the number of frames is odd, so each frame stays. */
export const HOSTILE: readonly string[] = ALL.filter((_, i) => isLong || i % 2 === 0)

/** What every mark begins with. */
export const MARK = 'qzxjvkwh'

/** Hands out the texts in turn, each with a mark of its own that tells where it was put. */
export class Planted {
  readonly #places: string[] = []
  count = 0

  readonly words: Words = (place, width) => {
    if (!this.#places.includes(place)) this.#places.push(place)
    const at = this.count++
    const mark = `${MARK}${this.#places.indexOf(place).toString(32)}z${at.toString(32)}`
    const text = (HOSTILE[at % HOSTILE.length] as string).replaceAll('§', mark)
    return width === undefined ? text : fitted(text, mark, width)
  }

  /** Where a mark that was found had been put. */
  placeOf(found: string): string {
    const [, place = ''] = new RegExp(`${MARK}([0-9a-v]+)z`, 'i').exec(found) ?? []
    return this.#places[Number.parseInt(place, 32)] ?? 'somewhere'
  }
}

/** As much of a text as has room on one line, with its mark. */
function fitted(text: string, mark: string, width: number): string {
  const line = text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ').replaceAll(/[\u{10000}-\u{10ffff}]/gu, '?')
  const from = Math.max(0, line.indexOf(mark) + mark.length - width)
  return line.slice(from, from + width)
}

const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1')
const utf16 = (text: string, bigEndian: boolean): string =>
  [...text].map((c) => (bigEndian ? `\0${c}` : `${c}\0`)).join('')
const escaped = (text: string, form: (c: number) => string): string =>
  [...text].map((c) => form(c.charCodeAt(0))).join('')
const hex = (c: number): string => c.toString(16)

/** How the mark looks in what a program may have made of it. Base64 has it in three forms, by where it begins. */
const formsOf = (mark: string): string[] => [
  mark,
  utf16(mark, false),
  utf16(mark, true),
  Buffer.from(mark).toString('hex'),
  Buffer.from(mark).toString('hex').toUpperCase(),
  escaped(mark, (c) => `%${hex(c)}`),
  escaped(mark, (c) => `%${hex(c).toUpperCase()}`),
  escaped(mark, (c) => `\\u00${hex(c)}`),
  escaped(mark, (c) => `&#${c};`),
  escaped(mark, (c) => `&#x${hex(c)};`),
  [...mark].reverse().join(''),
  ...[0, 1, 2].flatMap((at) => {
    const whole = mark.slice(at, at + 3 * Math.floor((mark.length - at) / 3))
    return Buffer.from(whole).toString('base64')
  }),
]
const FORMS = [MARK, MARK.toUpperCase()].flatMap(formsOf)

/** The mark and what stands around it, if it is anywhere in there, in any of its forms. */
export function findMark(given: string | Uint8Array): string | undefined {
  const text = typeof given === 'string' ? latin1(new TextEncoder().encode(given)) : latin1(given)
  for (const form of FORMS) {
    const at = text.indexOf(form)
    if (at >= 0) return text.slice(Math.max(0, at - 40), at + 80)
  }
  return undefined
}
