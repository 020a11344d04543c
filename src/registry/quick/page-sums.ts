import { digestOf, type SealedFile } from '../../db/file-folder.ts'
import { PAGE_BYTES } from '../../db/new-file.ts'
import { Pace } from '../../job.ts'
import type { KnownPages } from '../file/bundle-pages.ts'

/** How much of one processor is used to read a file, in percent: two seconds for two million rows. */
const CPU_PERCENT = 20
const SEED = crypto.getRandomValues(new BigUint64Array(1))[0] as bigint

/** One after the other, or many files that are opened at once would take the whole processor. */
let last: Promise<void> = Promise.resolve()

/**
 * Which pages of a release file still are what they were when all of it had the digest that it is named by. A file was derived, or
 * re-derived row by row, before its digest came into the store. So of what stands on such a page only those nodes are hashed that
 * an answer states and the file does not: two in place of eleven hashes, one of them of the row. A page is known again by a sum with a secret seed,
 * which takes a tenth of a microsecond. That is for this process alone: whoever gets the answer hashes everything. What is not known, or not any
 * more, is hashed as before.
 */
export class PageSums implements KnownPages {
  /** Undefined until all of the file was read. */
  #sums: Float64Array | undefined

  /** Reads the file beside what else there is to do, until it is closed. */
  static of(file: SealedFile): PageSums {
    const pages = new PageSums()
    last = last.then(() => pages.#read(file).catch(() => undefined)) // one that cannot be read is noticed by whoever asks it
    return pages
  }

  /** Resolves when every file was read that was to be read up to now. */
  static settled(): Promise<void> {
    return last
  }

  has(page: number, bytes: Uint8Array): boolean {
    return this.#sums !== undefined && this.#sums[page] === sumOf(bytes)
  }

  sumOf(bytes: Uint8Array): number {
    return sumOf(bytes)
  }

  async #read(file: SealedFile): Promise<void> {
    const pace = new Pace(CPU_PERCENT, new AbortController().signal)
    const sums: number[] = []
    const digest = await digestOf(file.path, (piece) => {
      if (file.isClosed) throw new Error('nobody asks it any more')
      for (let at = 0; at < piece.length; at += PAGE_BYTES) sums.push(sumOf(piece.subarray(at, at + PAGE_BYTES)))
      return pace.pause()
    })
    if (digest === file.digest) this.#sums = Float64Array.from(sums)
  }
}

/** As many of its bits as a number holds. */
const sumOf = (bytes: Uint8Array): number => Number(Bun.hash.rapidhash(bytes, SEED))
