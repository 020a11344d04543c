import { statSync } from 'node:fs'
import { digestOf, type SealedFile } from '../../db/file-folder.ts'
import { Pace } from '../../job.ts'
import { PlacedBundle } from '../bundle/placed-bundle.ts'
import { childrenOf, eachBundleOn, type FoundBundles, type KnownBundles, pageSizeOf } from '../file/bundle-pages.ts'

/** How much of one processor is used to read a file, in percent: two seconds for two million rows. */
const CPU_PERCENT = 20
/** Of pages that lead to others. */
const MOST_DEPTH = 6
const SEED = crypto.getRandomValues(new BigUint64Array(1))[0] as bigint

/** One after the other, or many files that are opened at once would take the whole processor. */
let last: Promise<void> = Promise.resolve()

/**
 * Knows which bundles of a release file still are what they were when all of it had the digest that it is named by. A file was
 * derived, or re-derived row by row, before its digest came into the store. So of such a bundle only those nodes are hashed that an
 * answer states and the file does not: two in place of eleven hashes, one of them of the row. It is known again by a sum with a secret seed, which takes
 * a tenth of a microsecond. That is for this process alone: whoever gets the answer hashes everything. What is not known, or not
 * any more, is hashed as before.
 */
export class BundleSums implements KnownBundles {
  found: FoundBundles | undefined

  /** Reads the file beside what else there is to do, until it is closed. `root` is the first page of its table of bundles. */
  static of(file: SealedFile, root: number, bundles: number): BundleSums {
    const sums = new BundleSums()
    const read = async (): Promise<void> => {
      sums.found = await new WholeRead(file, root, bundles).run()
    }
    last = last.then(read).catch(() => undefined) // a file that cannot be read is noticed by whoever asks it
    return sums
  }

  /** Resolves when every file was read that was to be read up to now. */
  static settled(): Promise<void> {
    return last
  }

  sumOf(bytes: Uint8Array): number {
    return sumOf(bytes)
  }
}

/** As many bits as a number holds. */
const sumOf = (bytes: Uint8Array): number => Number(Bun.hash.rapidhash(bytes, SEED))

/** Finds all bundles of a file, and whether it has its digest. */
class WholeRead {
  readonly #pace = new Pace(CPU_PERCENT, new AbortController().signal)
  readonly #found: FoundBundles
  readonly #pageBytes: number
  readonly #page: Buffer
  readonly #placed: PlacedBundle
  #isClear = true

  constructor(
    private readonly file: SealedFile,
    private readonly root: number,
    bundles: number,
  ) {
    this.#pageBytes = pageSizeOf(file) ?? 0
    const page = new Uint8Array(this.#pageBytes)
    this.#page = Buffer.from(page.buffer)
    this.#placed = PlacedBundle.on(page)
    this.#found = {
      starts: new Float64Array(bundles),
      sizes: new Uint16Array(bundles),
      sums: new Float64Array(bundles),
    }
  }

  async run(): Promise<FoundBundles | undefined> {
    const { file } = this
    if (this.#pageBytes === 0) return undefined
    const isLeaf = await this.#leaves()
    let page = 0
    const digest = await digestOf(file.path, (piece) => {
      for (let at = 0; at < piece.length; at += this.#pageBytes) {
        if (isLeaf[page]) this.#add(page * this.#pageBytes, piece.subarray(at, at + this.#pageBytes))
        page++
      }
      return this.#pause()
    })
    return digest === file.digest && this.#isClear ? this.#found : undefined
  }

  /** 1 for each page, from 0 on, on which bundles stand. What no page leads to is none, whatever stands on it. */
  async #leaves(): Promise<Uint8Array> {
    const leaves = new Uint8Array(Math.floor(statSync(this.file.path).size / this.#pageBytes))
    let level: ArrayLike<number> = [this.root]
    for (let depth = 0; this.#childrenOf(level[0] ?? 0); depth++) {
      const below: number[] = []
      for (let i = 0; i < level.length; i++) {
        const children = this.#childrenOf(level[i] as number)
        // In a file that SQLite has written, all pages of one height lead to others, each to its own, or none does.
        if (!children || below.length + children.length > leaves.length || depth > MOST_DEPTH)
          throw new RangeError('its pages do not lead to others as those of a table do')
        for (const child of children) below.push(child)
        await this.#pause()
      }
      level = below
    }
    for (let i = 0; i < level.length; i++) leaves[(level[i] as number) - 1] = 1
    return leaves
  }

  #childrenOf(page: number): Uint32Array | undefined {
    const isThere = this.file.read(this.#page, (page - 1) * this.#pageBytes) === this.#pageBytes
    return isThere ? childrenOf(this.#page) : undefined
  }

  #add(pageAt: number, bytes: Uint8Array): void {
    const { starts, sizes, sums } = this.#found
    this.#page.set(bytes)
    // Whatever stands under such a page is not looked at.
    if (childrenOf(this.#page)) this.#isClear = false
    eachBundleOn(this.#placed, (n, start, size) => {
      // Twice: a file from elsewhere may say one thing to SQLite, and another one here.
      if (sums[n] !== 0) this.#isClear = false
      starts[n] = pageAt + start
      sizes[n] = size
      sums[n] = sumOf(bytes.subarray(start, start + size))
    })
  }

  #pause(): Promise<void> {
    if (this.file.isClosed) throw new Error('nobody asks it any more')
    return this.#pace.pause()
  }
}
