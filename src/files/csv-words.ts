export const MAX_WORD = 12
const WORD_SLOTS = 2 ** 14
const WORD_SHIFT = 32 - 14

/** Keeps the short texts seen last: a file says the same few codes and words a million times over. */
export class Words {
  readonly #parts = new Int32Array(WORD_SLOTS * 3)
  readonly #texts: string[] = new Array(WORD_SLOTS).fill('')

  /** Twelve bytes are three whole numbers; as no byte is zero, they name one text only. */
  find(bytes: Buffer, from: number, end: number): string {
    let first = 0
    let second = 0
    let third = 0
    let at = from
    for (const stop = Math.min(from + 4, end); at < stop; at++) first = (first << 8) | (bytes[at] as number)
    for (const stop = Math.min(from + 8, end); at < stop; at++) second = (second << 8) | (bytes[at] as number)
    for (; at < end; at++) third = (third << 8) | (bytes[at] as number)
    const slot = Math.imul(first ^ Math.imul(second, 31) ^ Math.imul(third, 17), 0x9e3779b1) >>> WORD_SHIFT
    const parts = this.#parts
    if (parts[slot * 3] === first && parts[slot * 3 + 1] === second && parts[slot * 3 + 2] === third)
      return this.#texts[slot] as string
    parts[slot * 3] = first
    parts[slot * 3 + 1] = second
    parts[slot * 3 + 2] = third
    const text = bytes.toString('latin1', from, end)
    this.#texts[slot] = text
    return text
  }
}
