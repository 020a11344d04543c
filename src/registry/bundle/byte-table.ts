/** Short texts as bytes, each of them once, numbered in the order in which they came. */
export class ByteTable {
  /** All of them, one after the other, and where each begins. After the last one stands where it ends. */
  room: Uint8Array
  view: DataView
  starts: Uint32Array
  count = 0
  /** By hash: one more than the number of a text, and zero where there is none. */
  readonly #slots: Int32Array
  readonly #slotOf: Int32Array

  constructor(
    readonly most: number,
    readonly mostBytes: number,
  ) {
    this.room = new Uint8Array(Math.min(mostBytes, 4096))
    this.view = new DataView(this.room.buffer)
    this.starts = new Uint32Array(most + 1)
    this.#slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * most)))
    this.#slotOf = new Int32Array(most)
  }

  get bytes(): number {
    return this.starts[this.count] as number
  }

  /** The number of the text from one place of some bytes to another; -1 if it is not there. `hash` is its `hashOf`. */
  find(from: Uint8Array, start: number, end: number, hash: number): number {
    const { room, starts } = this
    const slots = this.#slots
    const mask = slots.length - 1
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const number = (slots[slot] as number) - 1
      if (number < 0) return -1
      const at = starts[number] as number
      if ((starts[number + 1] as number) - at === end - start && isSame(room, at, from, start, end)) return number
    }
  }

  /** Adds a text that is not there. Its number, or -1 if there is no room for it. */
  add(from: Uint8Array, start: number, end: number, hash: number): number {
    const at = this.bytes
    const after = at + end - start
    if (this.count >= this.most || after > this.mostBytes) return -1
    // Up to three bytes behind the last one are read: see `padded`.
    if (after + 3 > this.room.length) {
      const larger = new Uint8Array(2 * after)
      larger.set(this.room)
      this.room = larger
      this.view = new DataView(larger.buffer)
    }
    for (let i = start; i < end; i++) this.room[at + i - start] = from[i] as number
    const mask = this.#slots.length - 1
    let slot = hash & mask
    while (this.#slots[slot] !== 0) slot = (slot + 1) & mask
    this.#slotOf[this.count] = slot
    this.#slots[slot] = ++this.count
    this.starts[this.count] = after
    return this.count - 1
  }

  clear(): void {
    for (let i = 0; i < this.count; i++) this.#slots[this.#slotOf[i] as number] = 0
    this.count = 0
  }
}

/** Whether the text from `start` to `end` stands at another place too. */
export function isSame(one: Uint8Array, at: number, other: Uint8Array, start: number, end: number): boolean {
  for (let i = start; i < end; i++) if (one[at + i - start] !== other[i]) return false
  return true
}

/** FNV-1a, with the upper bits brought down: few texts are alike, and nobody gains by making some that are. */
export function hashOf(from: Uint8Array, start: number, end: number): number {
  let hash = -2_128_831_035
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ (from[i] as number), 16_777_619)
  return (hash ^ (hash >>> 15)) >>> 0
}
