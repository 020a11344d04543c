import { unreadable } from '../../files/unreadable.ts'
import { codeText } from './code-number.ts'

/** Codes are fewer than 2^26 too, so that both together are a whole number that a double holds exactly. */
const MAX_VARIANTS = 2 ** 26
const FIRST_SLOTS = 2 ** 12
const EMPTY = -1

/**
 * Numbers in place of `code|modifier|setting|class` while a file is read, in the order of codes. A table of numbers takes a
 * quarter of the memory of a map of texts, and hospitals' lists have hundreds of thousands of keys.
 */
export class ChargeKeys {
  size = 0
  readonly #variants = new Map<string, number>()
  readonly #variantTexts: string[] = []
  #keys = new Float64Array(FIRST_SLOTS).fill(EMPTY)
  #places = new Int32Array(FIRST_SLOTS)

  keyOf(code: number, variant: string): number {
    return code * MAX_VARIANTS + this.#variantOf(variant)
  }

  /** `variant` is `modifier|setting|class`, as it was given to `keyOf`. */
  textOf(key: number): { cpt: string; variant: string } {
    return { cpt: codeText(Math.floor(key / MAX_VARIANTS)), variant: this.#variantTexts[key % MAX_VARIANTS] ?? '' }
  }

  /** Places are counted up from 0 in the order in which keys were added. */
  find(key: number): number | undefined {
    const slot = this.#slotOf(key)
    return this.#keys[slot] === key ? (this.#places[slot] as number) : undefined
  }

  add(key: number): number {
    if (this.size * 2 >= this.#keys.length) this.#grow()
    const slot = this.#slotOf(key)
    this.#keys[slot] = key
    this.#places[slot] = this.size
    return this.size++
  }

  sorted(): Float64Array {
    const keys = new Float64Array(this.size)
    let at = 0
    for (const key of this.#keys) if (key !== EMPTY) keys[at++] = key
    return keys.sort()
  }

  clear(): void {
    this.#keys.fill(EMPTY)
    this.size = 0
  }

  #variantOf(text: string): number {
    const known = this.#variants.get(text)
    if (known !== undefined) return known
    const variant = this.#variantTexts.length
    if (variant === MAX_LISTED) throw unreadable('the file has too many different modifiers')
    this.#variants.set(text, variant)
    this.#variantTexts.push(text)
    return variant
  }

  /** The slot of a key, or the free slot where it may be put. */
  #slotOf(key: number): number {
    const keys = this.#keys
    const mask = keys.length - 1
    const mixed = Math.imul(Math.floor(key / MAX_VARIANTS), 0x9e3779b1) ^ Math.imul(key % MAX_VARIANTS, 0x85ebca6b)
    let slot = (mixed ^ (mixed >>> 15)) & mask
    while (keys[slot] !== EMPTY && keys[slot] !== key) slot = (slot + 1) & mask
    return slot
  }

  #grow(): void {
    const [keys, places] = [this.#keys, this.#places]
    this.#keys = new Float64Array(keys.length * 2).fill(EMPTY)
    this.#places = new Int32Array(keys.length * 2)
    for (let at = 0; at < keys.length; at++) {
      const key = keys[at] as number
      if (key === EMPTY) continue
      const slot = this.#slotOf(key)
      this.#keys[slot] = key
      this.#places[slot] = places[at] as number
    }
  }
}

/** Lists of up to four modifiers: far more than are in use, and not without limit. */
const MAX_LISTED = 200_000
