import { unreadable } from '../../files/unreadable.ts'

const FIRST_SLOTS = 2 ** 12
/** A slot is a variant and a part of what it states: both together are a whole number that a double holds exactly. */
const MOST_PARTS = 2 ** 26

/**
 * Numbers in place of `code|modifier|setting|class` and what is stated under it while a file is read, in the order of codes. Tables of
 * numbers take a quarter of the memory of a map of texts, and hospitals' lists have millions of keys.
 */
export class ChargeKeys {
  size = 0
  readonly #variants = new Map<string, number>()
  readonly #variantTexts: string[] = []
  #codes = new Float64Array(FIRST_SLOTS / 2)
  #slots = new Float64Array(FIRST_SLOTS / 2)
  /** Places and one, by the hash of their keys; 0 where there is none. */
  #table = new Int32Array(FIRST_SLOTS)

  /** The number of `modifier|setting|class`. */
  variantOf(text: string): number {
    const known = this.#variants.get(text)
    if (known !== undefined) return known
    const variant = this.#variantTexts.length
    if (variant === MAX_LISTED) throw unreadable('the file has too many different modifiers')
    this.#variants.set(text, variant)
    this.#variantTexts.push(text)
    return variant
  }

  slotOf(variant: number, part: number): number {
    return variant * MOST_PARTS + part
  }

  partOf(slot: number): { variant: string; part: number } {
    return { variant: this.#variantTexts[Math.floor(slot / MOST_PARTS)] ?? '', part: slot % MOST_PARTS }
  }

  /** Places are counted up from 0 in the order in which keys were added. */
  find(code: number, slot: number): number | undefined {
    const place = this.#table[this.#hashOf(code, slot)] as number
    return place === 0 ? undefined : place - 1
  }

  add(code: number, slot: number): number {
    if (this.size * 2 >= this.#table.length) this.#grow()
    this.#codes[this.size] = code
    this.#slots[this.size] = slot
    this.#table[this.#hashOf(code, slot)] = this.size + 1
    return this.size++
  }

  codeAt(place: number): number {
    return this.#codes[place] as number
  }

  slotAt(place: number): number {
    return this.#slots[place] as number
  }

  /** The places in the order of their keys. */
  sorted(): Int32Array {
    const [codes, slots] = [this.#codes, this.#slots]
    const places = new Int32Array(this.size)
    for (let place = 0; place < this.size; place++) places[place] = place
    return places.sort(
      (a, b) => (codes[a] as number) - (codes[b] as number) || (slots[a] as number) - (slots[b] as number),
    )
  }

  clear(): void {
    this.#table.fill(0)
    this.size = 0
  }

  /** Where the place of a key is in the table, or may be put. */
  #hashOf(code: number, slot: number): number {
    const table = this.#table
    const mask = table.length - 1
    const mixed =
      Math.imul((code % 2 ** 32) | 0, 0x9e3779b1) ^
      Math.imul(Math.floor(slot / MOST_PARTS) + 1, 0x85ebca6b) ^
      Math.imul((slot % MOST_PARTS) + 1, 0xc2b2ae35)
    let at = (mixed ^ (mixed >>> 15)) & mask
    for (;;) {
      const place = (table[at] as number) - 1
      if (place < 0 || (this.#codes[place] === code && this.#slots[place] === slot)) return at
      at = (at + 1) & mask
    }
  }

  #grow(): void {
    const longer = (one: Float64Array): Float64Array<ArrayBuffer> => {
      const more = new Float64Array(one.length * 2)
      more.set(one)
      return more
    }
    this.#codes = longer(this.#codes)
    this.#slots = longer(this.#slots)
    this.#table = new Int32Array(this.#table.length * 2)
    for (let place = 0; place < this.size; place++)
      this.#table[this.#hashOf(this.codeAt(place), this.slotAt(place))] = place + 1
  }
}

/** Lists of up to four modifiers: far more than are in use, and not without limit. */
const MAX_LISTED = 200_000
