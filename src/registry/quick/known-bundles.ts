import { Pace } from '../../job.ts'
import { HASH_SIZE } from '../../proof/tree/merkle.ts'
import { BundleCursor, writeRow } from '../bundle/bundle-cursor.ts'
import { ROW_ROOM } from '../bundle/open-bundle.ts'
import { type PlacedBundle, viewOf } from '../bundle/placed-bundle.ts'
import { rowText } from '../bundle/row-values.ts'
import { BUNDLE_ROWS } from '../file/bundle.ts'
import { BundlePages, type KnownBundles } from '../file/bundle-pages.ts'
import type { ReleaseFile } from '../file/release-file-store.ts'
import type { ReleaseTree } from '../file/release-tree.ts'

/** How much of one processor is used to check a file, in percent: half a minute for two million rows. */
const CPU_PERCENT = 20
const SEED = crypto.getRandomValues(new BigUint64Array(1))[0] as bigint

/** One after the other, or many files that are opened at once would take the whole processor. */
let last: Promise<void> = Promise.resolve()

/**
 * Bundles of which this process has hashed every row, and every pair of nodes up to the published root. They are known again by a
 * sum with a secret seed, which takes a tenth of a microsecond. While it is the same, only what an answer states and the file
 * does not is hashed: one node in place of ten hashes. What is not known, or not any more, is hashed as before.
 *
 * The sum notices accidents, and those who change a file without having made it. Whoever gets an answer hashes everything anyway.
 */
export class BundleSums implements KnownBundles {
  /** Of each bundle its place, as a number of start and size, and its sum: side by side, so that memory is waited for once. */
  readonly #known: Float64Array
  /** 1 for each bundle that is known to begin with another code or place than the one before it ends with. */
  readonly beginsAnew: Uint8Array

  private constructor(readonly bundles: number) {
    this.#known = new Float64Array(2 * bundles)
    this.beginsAnew = new Uint8Array(bundles)
  }

  /** Checks a file beside what else there is to do, until it is closed. */
  static of(file: ReleaseFile, rowsRoot: string): BundleSums {
    const sums = new BundleSums(Math.ceil(file.rowCount / BUNDLE_ROWS))
    last = last.then(() => sums.#checkAll(file, rowsRoot)).catch(() => undefined) // whoever asks the file meets the same
    return sums
  }

  /** Resolves when every file was checked that was to be checked up to now. */
  static settled(): Promise<void> {
    return last
  }

  sizeOf(n: number): number {
    return n < this.bundles ? (this.#known[2 * n] as number) - this.startOf(n) * SIZES : 0
  }

  startOf(n: number): number {
    return Math.floor((this.#known[2 * n] as number) / SIZES)
  }

  isKnown(n: number, bytes: Uint8Array): boolean {
    return this.#known[2 * n + 1] === sumOf(bytes)
  }

  async #checkAll(file: ReleaseFile, rowsRoot: string): Promise<void> {
    if (file.sealed.isClosed) return // or it would be opened again, and nobody would close it
    const pace = new Pace(CPU_PERCENT, new AbortController().signal)
    const pages = BundlePages.of(file.sealed, file.rootPage('bundle'))
    const check = new BundleCheck(file, file.tree(rowsRoot))
    let before: string | undefined
    for (let n = 0; n < this.bundles && !file.sealed.isClosed; n++) {
      const stored = pages?.find(n)
      const isSound = stored !== undefined && check.isSound(n, stored)
      if (isSound) this.#add(n, stored)
      if (isSound && before !== undefined && check.first !== undefined && check.first !== before) this.beginsAnew[n] = 1
      before = isSound ? check.last : undefined
      await pace.pause()
    }
  }

  #add(n: number, { rows, rowsEnd, startInFile, size }: PlacedBundle): void {
    const place = startInFile * SIZES + size
    if (!Number.isSafeInteger(place)) return // past a hundred gigabytes
    this.#known[2 * n] = place
    this.#known[2 * n + 1] = sumOf(rows.subarray(rowsEnd - size, rowsEnd))
  }
}

/** More than the bytes of a bundle that is read from its page. */
const SIZES = 2 ** 16

const sumOf = (bytes: Uint8Array): number => Number(Bun.hash.rapidhash(bytes, SEED)) // as many of its bits as a number holds

const out = Buffer.allocUnsafeSlow(1 + ROW_ROOM)
const outText = rowText(out)
const hash = Buffer.alloc(HASH_SIZE)
const hashView = viewOf(hash)

/** With the words that answers are put together of. */
class BundleCheck {
  readonly #cursor: BundleCursor
  /** The code and place of the first row and of the last, if they say so themselves. */
  first: string | undefined
  last: string | undefined

  constructor(
    private readonly file: ReleaseFile,
    private readonly tree: ReleaseTree,
  ) {
    this.#cursor = new BundleCursor(file.words())
  }

  /** Whether all rows of a bundle, and all of its hashes, lead to the root. */
  isSound(n: number, stored: PlacedBundle): boolean {
    try {
      return this.#areHashed(n, stored) && this.tree.isSound(n, stored)
    } catch {
      return false
    }
  }

  #areHashed(n: number, { rows, rowsAt, rowsEnd, hashes, hashesAt }: PlacedBundle): boolean {
    const cursor = this.#cursor
    cursor.open(rows, rowsAt, rowsEnd)
    const { size } = this.file.whole(n, cursor)
    out[0] = 0
    for (let row = 0; row < size; row++) {
      const shape = cursor.next()
      if (row === 0) this.first = codeAndPlace(cursor)
      Bun.SHA256.hash(out.subarray(0, writeRow(cursor.values, shape, cursor.numbers, 0, outText, 1)), hash)
      const at = hashesAt + row * HASH_SIZE
      for (let i = 0; i < HASH_SIZE; i += 4) if (hashView.getInt32(i) !== hashes.getInt32(at + i)) return false
    }
    this.last = codeAndPlace(cursor)
    return true
  }
}

function codeAndPlace(cursor: BundleCursor): string | undefined {
  const { hasOwnKey, key } = cursor.shape
  return hasOwnKey ? `${cursor.text(key[0] as number)}|${cursor.text(key[1] as number)}` : undefined
}
