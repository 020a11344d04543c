import type { SealedFile } from '../../db/file-folder.ts'
import { PlacedBundle } from '../bundle/placed-bundle.ts'

// A release file is an SQLite file. To read one bundle by a query takes three times as long as to read its page, and a first
// answer does little else. So its page is found and read here, as https://sqlite.org/fileformat2.html says in 1.3, 1.6 and
// 2.1. Whatever is not as expected there is left to SQLite. Nothing is believed for it: rows that are read have to lead
// to the published root, whoever has read them.

const [INNER_PAGE, LEAF_PAGE] = [5, 13]
const HEADER_BYTES = 100
/** Pages that lead to others, of a table of a hundred million rows, and where they lead to: 16 megabytes. */
const [MOST_INNER, MOST_CHILDREN] = [4_096, 2 ** 21]
/** Twice for each page that is not known yet. */
const MOST_DEPTH = 12

/** A page that leads to others: under each child there are bundles up to a number, and under the last one the rest. */
interface InnerPage {
  upTo: Int32Array
  children: Uint32Array
  /** Those of them that lead to others themselves, as far as they were read. */
  inner: (InnerPage | undefined)[]
}

/** Bundles that were checked. */
export interface KnownBundles {
  /** How large a bundle is; 0 if it was not checked. */
  sizeOf(n: number): number
  /** Where it begins in its file. */
  startOf(n: number): number
  /** Whether these are the bytes that were checked. */
  isKnown(n: number, bytes: Uint8Array): boolean
}

interface HeldPage {
  /** Of the page that was read; 0 before, and when only a bundle of it was. */
  number: number
  readonly bytes: Buffer
  /** By size: the bytes that it begins with. To make such a view takes half as long as to know it again. */
  readonly starts: (Uint8Array | undefined)[]
  /** The bundle that was found on it last, and the one beside that. Their bytes are as SQLite gives them: the engine compiles what reads them for one kind. */
  readonly bundle: PlacedBundle
  readonly beside: PlacedBundle
}

function heldPage(size: number): HeldPage {
  const plain = new Uint8Array(size)
  return {
    number: 0,
    bytes: Buffer.from(plain.buffer),
    starts: [],
    bundle: PlacedBundle.on(plain),
    beside: PlacedBundle.on(plain),
  }
}

export class BundlePages {
  /** The root, if it leads to others; and how many such pages are kept, and where they lead to. */
  #top: InnerPage | undefined
  #count = 0
  #children = 0
  readonly #main: HeldPage
  readonly #beside: HeldPage

  private constructor(
    private readonly file: Pick<SealedFile, 'read'>,
    private readonly root: number,
    size: number,
    private readonly known: KnownBundles | undefined,
  ) {
    this.#main = heldPage(size)
    this.#beside = heldPage(size)
  }

  /** `root` is the first page of the table of bundles. */
  static of(file: Pick<SealedFile, 'read'>, root: number, known?: KnownBundles): BundlePages | undefined {
    const size = pageSizeOf(file)
    return size === undefined ? undefined : new BundlePages(file, root, size, known)
  }

  /** What is stored of a bundle; undefined where SQLite has to say what is there. Valid until the next call. */
  find(n: number): PlacedBundle | undefined {
    return this.#findKnown(n, this.#main) ?? this.#find(n, this.#main)
  }

  /** The same beside what was found last, which stays valid. Most neighbours are on one page. */
  findBeside(n: number): PlacedBundle | undefined {
    return this.#findKnown(n, this.#beside) ?? this.#find(n, this.#beside)
  }

  /** Of one that is known nothing else is read. */
  #findKnown(n: number, into: HeldPage): PlacedBundle | undefined {
    const { known } = this
    const size = known ? known.sizeOf(n) : 0
    if (!known || size === 0) return undefined
    into.number = 0
    if (this.file.read(into.bytes, known.startOf(n), size) < size) return undefined
    const bytes = into.starts[size] ?? into.bytes.subarray(0, size)
    into.starts[size] = bytes
    const bundle = into === this.#main ? into.bundle : into.beside
    // Of what stands beside a bundle nothing is proved.
    bundle.isSound = into === this.#main && known.isKnown(n, bytes)
    return place(bundle, 0, size) ? bundle : undefined
  }

  #find(n: number, into: HeldPage): PlacedBundle | undefined {
    let page = this.root
    let parent: InnerPage | undefined
    let place = 0
    for (let depth = 0; depth < MOST_DEPTH; depth++) {
      const known = parent ? parent.inner[place] : this.#top
      if (!known) {
        const held = page === this.#main.number ? this.#main : into
        if (!this.#read(page, held)) return undefined
        if (held.bytes[0] === LEAF_PAGE) return bundleOn(held, into === this.#main ? held.bundle : held.beside, n)
        if (held.bytes[0] !== INNER_PAGE || this.isFull) return undefined
        const read = innerPage(held.bytes)
        this.#count++
        this.#children += read.children.length
        if (parent) parent.inner[place] = read
        else this.#top = read
      } else {
        parent = known
        place = placeOf(known.upTo, n)
        page = known.children[place] as number
      }
    }
    return undefined
  }

  /** Whether no further pages that lead to others are kept. Honest files are never so large. */
  get isFull(): boolean {
    return this.#count >= MOST_INNER || this.#children >= MOST_CHILDREN
  }

  #read(page: number, into: HeldPage): boolean {
    if (page < 2) return false
    if (into.number === page) return true
    into.number = 0
    const size = into.bytes.length
    if (this.file.read(into.bytes, (page - 1) * size) < size) return false
    into.number = page
    return true
  }
}

/** Of all pages of a file; undefined for one whose pages are divided in an unusual way. */
function pageSizeOf(file: Pick<SealedFile, 'read'>): number | undefined {
  const header = Buffer.alloc(HEADER_BYTES)
  if (file.read(header, 0) < HEADER_BYTES) return undefined
  const [size, unused] = [header.readUInt16BE(16), header[20]]
  return size >= 512 && unused === 0 ? size : undefined
}

function innerPage(bytes: Buffer): InnerPage {
  const cells = Math.min(pairAt(bytes, 3), (bytes.length - 12) >> 1)
  const [upTo, children] = [new Int32Array(cells), new Uint32Array(cells + 1)]
  for (let i = 0; i < cells; i++) {
    const at = Math.min(pairAt(bytes, 12 + 2 * i), bytes.length - 4)
    children[i] = bytes.readUInt32BE(at)
    upTo[i] = numberAt(bytes, at + 4)
  }
  children[cells] = bytes.readUInt32BE(8)
  return { upTo, children, inner: [] }
}

/** The size of the record that `startOn` has found. */
let sizeThere = 0

/** Where the record of a bundle begins on a page; -1 if it is not there. */
function startOn(bytes: Uint8Array, n: number): number {
  let from = 0
  let to = Math.min(pairAt(bytes, 3), (bytes.length - 8) >> 1)
  while (from < to) {
    const middle = (from + to) >> 1
    sizeThere = numberAt(bytes, pairAt(bytes, 8 + 2 * middle))
    const number = numberAt(bytes, after)
    if (number === n) return after
    if (number < n) from = middle + 1
    else to = middle
  }
  return -1
}

function bundleOn({ number, bytes }: HeldPage, bundle: PlacedBundle, n: number): PlacedBundle | undefined {
  const start = startOn(bytes, n)
  // Of a larger one SQLite has a part on other pages (1.6).
  if (start < 0 || sizeThere > bytes.length - 35 || !place(bundle, start, sizeThere)) return undefined
  bundle.isSound = false
  bundle.startInFile = (number - 1) * bytes.length + start
  bundle.size = sizeThere
  return bundle
}

/** Finds the columns that are wanted of a record (n, first_key, hashes, rows), if all of it is on this page. */
function place(bundle: PlacedBundle, start: number, size: number): boolean {
  const bytes = bundle.rows
  const header = numberAt(bytes, start)
  const number = numberAt(bytes, after)
  const key = numberAt(bytes, after)
  const hashes = numberAt(bytes, after)
  const rows = numberAt(bytes, after)
  // The number of a row is not stored twice. A text has an odd type, and bytes have an even one.
  if (after !== start + header || number !== 0 || key < 13 || key % 2 !== 1) return false
  if (hashes < 12 || rows < 12 || hashes % 2 !== 0 || rows % 2 !== 0) return false
  bundle.hashesAt = after + (key - 13) / 2
  bundle.hashesSize = (hashes - 12) / 2
  bundle.rowsAt = bundle.hashesAt + bundle.hashesSize
  bundle.rowsEnd = bundle.rowsAt + (rows - 12) / 2
  return bundle.rowsEnd === start + size && bundle.rowsEnd <= bytes.length
}

/** The first place whose number is not below this one. */
function placeOf(upTo: Int32Array, n: number): number {
  let from = 0
  let to = upTo.length
  while (from < to) {
    const middle = (from + to) >> 1
    if ((upTo[middle] as number) < n) from = middle + 1
    else to = middle
  }
  return from
}

const [INNER_INDEX, LEAF_INDEX] = [2, 10]

/**
 * Whether every line of an index stands on its own pages, of which there are no more than in the file. To pass over a line of an
 * index, SQLite reads it to its end. In a file from elsewhere that may be as long as the file, and the same line may come again and again.
 */
export function hasShortLines(file: Pick<SealedFile, 'read'>, root: number, fileBytes: number): boolean {
  const size = pageSizeOf(file)
  if (size === undefined) return false
  const longest = Math.floor(((size - 12) * 64) / 255) - 23
  const page = Buffer.alloc(size)
  const ahead = [root]
  for (let left = fileBytes / size; ahead.length > 0; left--) {
    const number = ahead.pop() as number
    if (ahead.length > left || number < 2 || file.read(page, (number - 1) * size) < size) return false
    const isInner = page[0] === INNER_INDEX
    if (!isInner && page[0] !== LEAF_INDEX) return false
    const [start, child] = isInner ? [12, 4] : [8, 0]
    const cells = Math.min(pairAt(page, 3), (size - start) >> 1)
    for (let i = 0; i < cells; i++) {
      const at = Math.min(pairAt(page, start + 2 * i), size - 4)
      const bytes = numberAt(page, at + child)
      if (bytes < 0 || bytes > longest) return false
      if (isInner) ahead.push(page.readUInt32BE(at))
    }
    if (isInner) ahead.push(page.readUInt32BE(8))
  }
  return true
}

/** Where the number ends that `numberAt` has read last. */
let after = 0

/** Seven bits in each byte, the highest first. Longer ones than of four bytes are none of ours. */
function numberAt(bytes: Uint8Array, at: number): number {
  let number = 0
  for (let i = at; i < at + 4 && i < bytes.length; i++) {
    const byte = bytes[i] as number
    number = (number << 7) | (byte & 127)
    if (byte < 128) {
      after = i + 1
      return number
    }
  }
  after = bytes.length
  return -1
}

const pairAt = (bytes: Uint8Array, at: number): number => ((bytes[at] as number) << 8) | (bytes[at + 1] as number)
