import { viewOf } from '../bundle/placed-bundle.ts'
import { MEMBER_BYTES } from './levels.ts'

/** The text of a path from this height on is the same for thousands of rows. */
export const SHARED_HEIGHT = 12
/** For sixteen million rows there is a place for each: less than three megabytes. */
const MOST_PLACES = 4_096

/**
 * The upper ends of paths, as members of a JSON list, each with a comma after it. They are side by side: in a large tree it takes
 * longer to come from one object to the next than to copy the text.
 */
export class SharedTexts {
  readonly #texts: Buffer
  readonly #view: DataView
  /** Of each place whose text is there, counted from one, and how long it is. */
  readonly #owners: Int32Array
  readonly #sizes: Int32Array
  readonly #room: number

  constructor(rows: number) {
    const places = Math.min(MOST_PLACES, Math.ceil(rows / 2 ** SHARED_HEIGHT))
    this.#room = 0
    for (let height = SHARED_HEIGHT; 2 ** height < rows; height++) this.#room += MEMBER_BYTES
    this.#texts = Buffer.alloc(places * this.#room)
    this.#view = viewOf(this.#texts)
    this.#owners = new Int32Array(places)
    this.#sizes = new Int32Array(places)
  }

  /** Writes the text for a row, and gives the place after it; -1 if it is not known. */
  write(out: Buffer, to: number, index: number): number {
    const node = Math.floor(index / 2 ** SHARED_HEIGHT)
    const place = node % this.#owners.length
    if (this.#owners[place] !== node + 1) return -1
    const from = place * this.#room
    const size = this.#sizes[place] as number
    this.#texts.copy(out, to, from, from + size)
    return to + size
  }

  put(index: number, hashes: readonly string[]): void {
    const node = Math.floor(index / 2 ** SHARED_HEIGHT)
    const place = node % this.#owners.length
    this.#sizes[place] = this.#texts.write(hashes.map((hash) => `"${hash}",`).join(''), place * this.#room, 'latin1')
    this.#owners[place] = node + 1
  }

  /** A little of what is read for a row. */
  glance(index: number): number {
    const place = Math.floor(index / 2 ** SHARED_HEIGHT) % this.#owners.length
    return (this.#owners[place] as number) + (this.#room > 0 ? this.#view.getInt8(place * this.#room) : 0)
  }
}
