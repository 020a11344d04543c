import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { temporaryFolder } from '../../../test/support/folder.ts'
import { HASH_SIZE } from '../../proof/tree/merkle.ts'
import type { PlacedBundle } from '../bundle/placed-bundle.ts'
import { BUNDLE_HASHES } from './bundle.ts'
import { BundlePages, type KnownBundles } from './bundle-pages.ts'
import { FILE_SCHEMA } from './file-summary-store.ts'

interface Stored {
  n: number
  first_key: string
  hashes: Uint8Array
  rows: Uint8Array
}

/** A file of these bundles as bytes, and what SQLite says is in it. */
function fileOf(bundles: readonly Omit<Stored, 'n'>[], pageBytes: number) {
  using folder = temporaryFolder()
  const path = join(folder.path, 'made')
  const database = new Database(path)
  database.run(`PRAGMA page_size = ${pageBytes}`)
  for (const sql of FILE_SCHEMA) database.run(sql)
  const add = database.prepare('INSERT INTO bundle VALUES (?1, ?2, ?3, ?4)')
  database.transaction(() => {
    for (const [n, { first_key, hashes, rows }] of bundles.entries()) add.run(n, first_key, hashes, rows)
  })()
  const stored = database.query<Stored, []>('SELECT * FROM bundle ORDER BY n').all()
  const sql = "SELECT rootpage FROM sqlite_schema WHERE name = 'bundle'"
  const root = database.query<{ rootpage: number }, []>(sql).get()?.rootpage ?? 0
  database.close()
  return { bytes: readFileSync(path), stored, root }
}

/** Reads from memory as a file is read, and counts. */
function readerOf(bytes: Uint8Array) {
  const reads: number[] = []
  const read = (into: Uint8Array, at: number, most = into.length): number => {
    reads.push(at)
    const part = bytes.subarray(at, at + most)
    into.set(part)
    return part.length
  }
  return { file: { read }, reads }
}

const bundlesOf = (count: number, sizeOf: (i: number) => number) =>
  Array.from({ length: count }, (_, i) => ({
    first_key: `${10_000_000 + i}|US-CA-05|||medicare_pfs|facility|`,
    hashes: new Uint8Array(BUNDLE_HASHES * HASH_SIZE).fill(i),
    rows: new Uint8Array(sizeOf(i)).fill(i + 1),
  }))

test('every bundle is found as SQLite finds it, in trees of one page and of many, and most with one read', () => {
  for (const [count, pageBytes] of [
    [1, 4096],
    [3, 8192],
    [40, 4096],
    [3_000, 2048],
    [6_000, 4096],
  ] as const) {
    const { bytes, stored, root } = fileOf(
      bundlesOf(count, (i) => 100 + ((i * 37) % 500)),
      pageBytes,
    )
    const { file, reads } = readerOf(bytes)
    const pages = BundlePages.of(file, root)
    for (const { n, hashes, rows } of stored) {
      const found = pages?.find(n)?.stored()
      expect([n, Buffer.from(found?.rows ?? []), Buffer.from(found?.hashes ?? [])]).toEqual([
        n,
        Buffer.from(rows),
        Buffer.from(hashes),
      ])
    }
    expect(pages?.find(count)).toBeUndefined()
    // Each page once, in order: the header, those that lead to others, and the leaves.
    expect(reads.length).toBeLessThanOrEqual(bytes.length / pageBytes + 2)
  }
})

test('a neighbour is read beside a bundle, which stays as it was', () => {
  const { bytes, stored, root } = fileOf(
    bundlesOf(200, () => 400),
    4096,
  )
  const pages = BundlePages.of(readerOf(bytes).file, root)
  for (let n = 1; n < stored.length; n++) {
    const found = pages?.find(n)
    for (const beside of [n - 1, (n + 100) % stored.length])
      expect(Buffer.from(pages?.findBeside(beside)?.stored().rows ?? [])).toEqual(
        Buffer.from(stored[beside]?.rows ?? []),
      )
    expect(Buffer.from(found?.stored().rows ?? [])).toEqual(Buffer.from(stored[n]?.rows ?? []))
  }
})

/** Where the bundles of a file are, and what they are known again by. */
function knownIn(bytes: Uint8Array, root: number, bundles: number): KnownBundles {
  const pages = BundlePages.of(readerOf(bytes).file, root)
  const all = Array.from({ length: bundles }, (_, n) => {
    const { startInFile = 0, size = 0 } = pages?.find(n) ?? {}
    return { start: startInFile, size, was: Buffer.from(bytes.subarray(startInFile, startInFile + size)) }
  })
  return {
    sizeOf: (n) => all[n]?.size ?? 0,
    startOf: (n) => all[n]?.start ?? 0,
    isKnown: (n, part) => all[n]?.was.equals(part) === true,
  }
}

test('of a bundle that is known nothing else is read of its page, and a file that was changed meanwhile is noticed', () => {
  const { bytes, stored, root } = fileOf(
    bundlesOf(200, (i) => 100 + ((i * 37) % 500)),
    4096,
  )
  const { file, reads } = readerOf(bytes)
  const pages = BundlePages.of(file, root, knownIn(bytes, root, stored.length))
  const isRight = (found: PlacedBundle | undefined, n: number): boolean => {
    const [rows, hashes] = [Buffer.from(found?.stored().rows ?? []), Buffer.from(found?.stored().hashes ?? [])]
    return rows.equals(stored[n]?.rows as Uint8Array) && hashes.equals(stored[n]?.hashes as Uint8Array)
  }
  reads.length = 0
  for (let n = 1; n < stored.length; n++) {
    const found = pages?.find(n)
    const told = [isRight(pages?.findBeside(n - 1), n - 1), isRight(found, n), found?.isSound]
    expect([n, ...told]).toEqual([n, true, true, true])
  }
  expect(reads.length).toBe(2 * (stored.length - 1))
  expect(reads.some((at) => at % 4096 === 0)).toBe(false)
  // The sizes that stand at the beginning of a record are other ones now.
  const at = reads.at(-1) as number
  bytes[at] = (bytes[at] as number) + 1
  expect(pages?.find(stored.length - 2)).toBeUndefined()
  expect(isRight(pages?.find(0), 0)).toBe(true)
  bytes[at] = (bytes[at] as number) - 1
  // A byte of its hashes, of its rows, or of another bundle on the same page.
  pages?.find(150)
  const start = reads.at(-1) as number
  const isSound = (): (boolean | undefined)[] => [150, 149, 150].map((n) => pages?.find(n)?.isSound)
  for (const [place, expected] of [
    [start + 100, false],
    [start + 60 + BUNDLE_HASHES * HASH_SIZE, false],
    [start - 20, true],
  ] as const) {
    bytes[place] = (bytes[place] as number) ^ 1
    expect(isSound()).toEqual([expected, true, expected])
    bytes[place] = (bytes[place] as number) ^ 1
    expect(isSound()).toEqual([true, true, true])
  }
})

test('a bundle that is not known, or goes on on other pages, is found as before, and nothing is said of it', () => {
  const { bytes, stored, root } = fileOf(
    bundlesOf(50, (i) => (i % 5 === 0 ? 6_000 : 300)),
    4096,
  )
  const known = knownIn(bytes, root, stored.length)
  const soundness = (given: KnownBundles | undefined): (boolean | undefined)[] => {
    const pages = BundlePages.of(readerOf(bytes).file, root, given)
    return stored.map(({ n }) => pages?.find(n)?.isSound)
  }
  const each = (isSound: boolean) => stored.map(({ n }) => (n % 5 === 0 ? undefined : isSound))
  expect(soundness(undefined)).toEqual(each(false))
  expect(soundness({ ...known, sizeOf: () => 0 })).toEqual(each(false))
  expect(soundness(known)).toEqual(each(true))
})

test('a bundle that goes on on other pages is left to SQLite, and so is a file with unusual pages', () => {
  const { bytes, stored, root } = fileOf(
    bundlesOf(50, (i) => (i % 5 === 0 ? 6_000 : 300)),
    4096,
  )
  const pages = BundlePages.of(readerOf(bytes).file, root)
  for (const { n } of stored) expect([n, pages?.find(n) === undefined]).toEqual([n, n % 5 === 0])
  for (const [at, value] of [
    [16, 0],
    [20, 32],
  ] as const) {
    const unusual = Uint8Array.from(bytes)
    unusual[at] = value
    expect(BundlePages.of(readerOf(unusual).file, root)).toBeUndefined()
  }
  expect(BundlePages.of(readerOf(bytes.subarray(0, 50)).file, root)).toBeUndefined()
})

test('in a file with any bytes the search ends, and finds bytes of the file or nothing', () => {
  const { bytes, stored, root } = fileOf(
    bundlesOf(300, () => 200),
    512,
  )
  const flips = fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { minLength: 1, maxLength: 400 })
  fc.assert(
    fc.property(flips, fc.nat(bytes.length), fc.array(fc.nat(400), { maxLength: 20 }), (changes, end, asked) => {
      const damaged = Uint8Array.from(bytes.subarray(0, end < 2_000 ? bytes.length : end))
      for (const [at, value] of changes) if (at >= 100 && at < damaged.length) damaged[at] = value
      const { file, reads } = readerOf(damaged)
      const pages = BundlePages.of(file, root)
      for (const n of [...asked, 0, stored.length - 1]) {
        const before = reads.length
        const found = pages?.find(n)?.stored()
        expect(reads.length - before).toBeLessThanOrEqual(12)
        if (found) expect(found.rows.length + found.hashes.length).toBeLessThan(512)
      }
    }),
    { numRuns: 150 },
  )
})

const WIDE_PAGE = 32_768

/** The pages of a tree in which each leads to sixteen others, and says so a thousand times. No page needs room on a disk but for its ends. */
function readWide(into: Uint8Array, at: number): number {
  const page = Buffer.from(into.buffer, into.byteOffset, into.length).fill(0)
  const number = at / WIDE_PAGE
  if (at === 0) page.writeUInt16BE(WIDE_PAGE, 16)
  if (into.length < WIDE_PAGE) return into.length
  let [height, first] = [3, 1]
  for (let pages = 1; number >= first + pages; pages *= 16, height--) first += pages
  page[0] = 5
  page.writeUInt16BE(16_000, 3)
  for (let i = 0; i < 16_000; i++) page.writeUInt16BE(WIDE_PAGE - 16 * 7 + 7 * Math.floor(i / 1_000), 12 + 2 * i)
  for (let i = 0; i < 16; i++) {
    const cell = WIDE_PAGE - 16 * 7 + 7 * i
    page.writeUInt32BE(16 * (number - 1) + 3 + i, cell)
    const last = (16 * (number - first) + i + 1) * 16 ** height - 1
    for (const [j, shift] of [14, 7, 0].entries()) page[cell + 4 + j] = ((last >> shift) & 127) | (shift > 0 ? 128 : 0)
  }
  return into.length
}

test('pages that lead to others take little memory, however often they say where to', () => {
  const pages = BundlePages.of({ read: readWide }, 2)
  Bun.gc(true)
  const before = process.memoryUsage.rss()
  for (let n = 0; n < 16 ** 4; n += 16) pages?.find(n)
  expect((process.memoryUsage.rss() - before) / 1e6).toBeLessThan(250)
  expect(pages?.isFull).toBe(true)
})
