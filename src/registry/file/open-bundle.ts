import { unpackBytes } from './bundle.ts'

/** A bundle as it is stored: packed rows, and what their proofs need of the tree. */
export interface StoredBundle {
  rows: Uint8Array
  hashes: Uint8Array
}

/** A bundle of rows, unpacked. A lookup wants one row of it, so the texts of the others are never made. */
export class OpenBundle {
  readonly #bodies: (string | undefined)[] = []

  private constructor(
    private readonly text: Buffer,
    /** Where each row begins, and at the end where the last one ends. */
    private readonly starts: readonly number[],
    readonly keys: readonly string[],
    readonly hashes: Uint8Array,
  ) {}

  /** Undefined if it is not a bundle. */
  static from({ rows, hashes }: StoredBundle): OpenBundle | undefined {
    const text = unpackBytes(rows)
    const last = text.lastIndexOf(0)
    if (text[0] !== 0 || last <= 0) return undefined
    const starts = [1]
    for (let at = text.indexOf(0, 1); at >= 0; at = text.indexOf(0, at + 1)) starts.push(at + 1)
    const keys = text.toString('latin1', last + 1).split('\n')
    return keys.length === starts.length - 1 ? new OpenBundle(text, starts, keys, hashes) : undefined
  }

  body(at: number): string {
    const known = this.#bodies[at]
    if (known !== undefined) return known
    const body = this.text.toString('utf8', this.starts[at], (this.starts[at + 1] as number) - 1)
    this.#bodies[at] = body
    return body
  }

  /** What is hashed of a row: a zero byte, and its text. */
  leaf(at: number): Buffer {
    return this.text.subarray((this.starts[at] as number) - 1, (this.starts[at + 1] as number) - 1)
  }

  /** Whether a text lies between its first key and its last. */
  covers(text: string): boolean {
    return (this.keys[0] as string) <= text && text <= (this.keys.at(-1) as string)
  }

  /** How many of its keys are before a text. */
  placeOf(text: string): number {
    return placeIn(this.keys, text)
  }
}

/** How many of these keys, which are in order, are before a text. */
export function placeIn(keys: readonly string[], text: string): number {
  let [from, to] = [0, keys.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if ((keys[middle] as string) < text) from = middle + 1
    else to = middle
  }
  return from
}
