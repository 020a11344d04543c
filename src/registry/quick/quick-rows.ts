import { OpenBundle } from '../bundle/open-bundle.ts'
import { PlacedBundle } from '../bundle/placed-bundle.ts'
import { type Around, MARKS, RowFinder } from '../bundle/row-search.ts'
import { BUNDLE_ROWS } from '../file/bundle.ts'
import { BundlePages } from '../file/bundle-pages.ts'
import { countRead } from '../file/memory.ts'
import type { ReleaseFile } from '../file/release-file-store.ts'
import { BundleSums } from './known-bundles.ts'
import type { PlainRest } from './plain-question.ts'

/** Where a row is in its file. */
export interface RowPlace {
  /** The number of its bundle. */
  n: number
  /** Its place in the bundle. */
  at: number
  stored: PlacedBundle
  /** Has found it. */
  row: RowFinder
}

/** No code has so many keys at one place. In a file from elsewhere all may begin alike, and each answer would be made of all of them. */
export const MOST_KEYS = 1_000

const known = new WeakMap<ReleaseFile, QuickRows>()

/** `rowsRoot` is the root that was published. */
export function quickRows(file: ReleaseFile, rowsRoot: string): QuickRows {
  const found = known.get(file)
  if (found) return found
  const made = new QuickRows(file, rowsRoot)
  known.set(file, made)
  return made
}

/** Rows that are wanted once: of most first answers no row beside it is asked for, so nothing is kept of them. */
export class QuickRows {
  readonly #finder: RowFinder
  readonly #finderBeside: RowFinder
  readonly #main: ReturnType<typeof OpenBundle.reader>
  readonly #beside: ReturnType<typeof OpenBundle.reader>
  readonly #pages: BundlePages | undefined
  readonly #lastBundle: number
  readonly #sums: BundleSums

  constructor(
    private readonly file: ReleaseFile,
    private readonly rowsRoot: string,
  ) {
    this.#finder = new RowFinder(file.words())
    this.#finderBeside = new RowFinder(file.words())
    this.#main = OpenBundle.reader(file.words())
    this.#beside = OpenBundle.reader(file.words())
    this.#sums = BundleSums.of(file, rowsRoot)
    this.#pages = BundlePages.of(file.sealed, file.rootPage('bundle'), this.#sums)
    this.#lastBundle = this.#sums.bundles - 1
  }

  /** Where a price of this code is, and this rest of a key, if there is one that says so itself. Valid until the next call. */
  locate(cpt: string, { afterCode, parts }: Pick<PlainRest, 'afterCode' | 'parts'>): RowPlace | undefined {
    const { file } = this
    const n = file.bundleOf(cpt, afterCode)
    if (n < 0) return undefined
    file.tree(this.rowsRoot).readAhead(n * BUNDLE_ROWS)
    const stored = this.#pages?.find(n) ?? this.#stored(n)
    const row = this.#finder
    const at = row.find(stored, cpt, parts)
    return at < 0 ? undefined : { n, at, stored, row: file.whole(n, row) }
  }

  #stored(n: number): PlacedBundle {
    countRead('passed')
    return PlacedBundle.of(this.file.stored(n))
  }

  /** What tells apart the rows for the code and place of a row. Undefined if some of them may stand further away than in the bundles beside its own. */
  around(
    { n, row }: RowPlace,
    cpt: string,
    { region, parts }: Pick<PlainRest, 'region' | 'parts'>,
  ): Around | undefined {
    const found = row.around()
    if (!found) return undefined
    const isOpenBefore = found.from === 0 && n > 0 && this.#sums.beginsAnew[n] === 0
    if (isOpenBefore && !this.#addBefore(n, cpt, parts, found)) return undefined
    const isOpenAfter =
      found.to === row.size && n < this.#lastBundle && !this.file.firstKeys().isOther(n + 1, `${cpt}|${region}`)
    return isOpenAfter && !this.#addAfter(n, cpt, parts, found) ? undefined : found
  }

  /** Adds those at the end of the bundle before. False if there may be more, or it is not known. */
  #addBefore(n: number, cpt: string, parts: readonly string[], found: Around): boolean {
    const other = this.#finderBeside
    const count = other.countLast(this.#placedBeside(n - 1), cpt, parts)
    const { size } = this.file.whole(n - 1, other)
    if (count < 0 || (count === size && n > 1)) return false
    const { marks } = found
    marks.copyWithin(1 + count * MARKS, 1, found.size)
    marks[0] = (marks[0] as number) + count
    found.size += count * MARKS
    return other.mark(size - count, size, marks, 1)
  }

  /** The same at the start of the bundle after. */
  #addAfter(n: number, cpt: string, parts: readonly string[], found: Around): boolean {
    const other = this.#finderBeside
    const count = other.countFirst(this.#placedBeside(n + 1), cpt, parts)
    const { size } = this.file.whole(n + 1, other)
    if (count < 0 || (count === size && n + 1 < this.#lastBundle)) return false
    const at = found.size
    found.size += count * MARKS
    return other.mark(0, count, found.marks, at)
  }

  #placedBeside(n: number): PlacedBundle {
    return this.#pages?.findBeside(n) ?? this.#stored(n)
  }

  /** The keys around a row that begin as it does, in order. Most stand in its own bundle. Throws if they are too many. */
  keysAround({ n, at, stored }: RowPlace, prefix: string): string[] {
    const bundle = this.#main(stored.stored())
    let [from, to] = [at, at + 1]
    while (from > 0 && bundle.key(from - 1).startsWith(prefix)) from--
    while (to < bundle.size && bundle.key(to).startsWith(prefix)) to++
    const found: string[] = []
    for (let i = from; i < to; i++) found.push(bundle.key(i))
    for (let i = n - 1; from === 0 && i >= 0; i--) {
      const before = this.#neighbour(i, found)
      for (from = before.size; from > 0 && before.key(from - 1).startsWith(prefix); from--)
        found.unshift(before.key(from - 1))
    }
    for (let i = n + 1, isOpen = to === bundle.size; isOpen && i <= this.#lastBundle; i++) {
      const next = this.#neighbour(i, found)
      for (to = 0; to < next.size && next.key(to).startsWith(prefix); to++) found.push(next.key(to))
      isOpen = to === next.size
    }
    return found
  }

  /** Valid until the next one is asked. */
  #neighbour(n: number, found: readonly string[]): OpenBundle {
    if (found.length > MOST_KEYS) throw new RangeError('there are too many keys')
    const { file } = this
    return file.kept(n) ?? file.whole(n, this.#beside(this.#placedBeside(n).stored()))
  }
}
