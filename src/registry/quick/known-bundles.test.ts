import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { aPrice } from '../../../test/support/builders.ts'
import { temporaryFolder } from '../../../test/support/folder.ts'
import { FileFolder, SealedFile } from '../../db/file-folder.ts'
import { canonical } from '../../proof/canonical-json.ts'
import { type Row, rowKey } from '../../proof/price/row.ts'
import { NewReleaseFile } from '../file/new-file-store.ts'
import { ReleaseFile } from '../file/release-file-store.ts'
import { BundleSums } from './known-bundles.ts'

const AMOUNT = '1234.56'

const oneOfEachCode = (i: number): Row =>
  aPrice({ cpt: String(10_000 + i), price: { amount: AMOUNT, currency: 'USD', per: null } })

/** A release of so many rows, its bytes, and how to open it anew. */
async function fileOf(path: string, rows: number, rowAt = oneOfEachCode) {
  const files = new FileFolder(path)
  const made = new NewReleaseFile({ files }, 'made', rows)
  for (let i = 0; i < rows; i++) {
    const row = rowAt(i)
    made.add({ key: rowKey(row), body: canonical(row), cpt: row.cpt, region: row.region, npi: null })
  }
  const { digest, rows_root } = await made.seal()
  files.keep('made', digest)
  const name = files.pathOf(digest)
  const open = (): ReleaseFile => new ReleaseFile(new SealedFile(name), 'a:B:1')
  return { name, bytes: readFileSync(name), rows_root, open, put: (bytes: Uint8Array) => writeFileSync(name, bytes) }
}

const knownOf = (sums: BundleSums): number[] => upTo(sums.bundles).filter((n) => sums.sizeOf(n) !== 0)
const upTo = (bundles: number): number[] => Array.from({ length: bundles }, (_, n) => n)

test('all bundles in full tiles are known when their file was checked, each where it stands and with every bit', async () => {
  using folder = temporaryFolder()
  const { name, bytes, rows_root, open } = await fileOf(folder.path, 12_000)
  const sums = BundleSums.of(open(), rows_root)
  expect(knownOf(sums)).toEqual([])
  await BundleSums.settled()
  expect(knownOf(sums)).toEqual(upTo(16 * Math.floor(12_000 / 256)))
  using stored = new Database(name, { readonly: true })
  const all = stored.query<{ hashes: Uint8Array; rows: Uint8Array }, []>('SELECT hashes, rows FROM bundle ORDER BY n')
  for (const [n, { hashes, rows }] of all.all().slice(0, knownOf(sums).length).entries()) {
    const [start, size] = [sums.startOf(n), sums.sizeOf(n)]
    const there = bytes.subarray(start, start + size)
    expect([n, there.subarray(-rows.length), sums.isKnown(n, there)]).toEqual([n, Buffer.from(rows), true])
    expect(there.subarray(-rows.length - hashes.length, -rows.length)).toEqual(Buffer.from(hashes))
  }
  const [start, size] = [sums.startOf(7), sums.sizeOf(7)]
  const changed = Buffer.from(bytes.subarray(start, start + size))
  for (let bit = 0; bit < 8 * size; bit++) {
    changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7))
    if (sums.isKnown(7, changed)) throw new Error(`bit ${bit} does not count`)
    changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7))
  }
})

test('of a file that was checked it is known where a bundle begins with another code or place than the one before it ends with', async () => {
  using folder = temporaryFolder()
  // By turns another place alone, another code alone, and both.
  const of = (i: number) => ({
    cpt: String(20_000 + Math.floor(i / 96)),
    region: i % 192 < 48 ? 'US-CA-05' : 'national',
  })
  const rowAt = (i: number): Row => aPrice({ ...of(i), modifier: String(100 + (i % 96)) })
  const { bytes, open, put, rows_root } = await fileOf(folder.path, 4_000, rowAt)
  const anewIn = async (): Promise<number[]> => {
    const sums = BundleSums.of(open(), rows_root)
    await BundleSums.settled()
    return upTo(sums.bundles).filter((n) => sums.beginsAnew[n] === 1)
  }
  const expected = upTo(240).filter((n) => n > 0 && [0, 3, 6].includes(n % 12))
  expect(await anewIn()).toEqual(expected)
  const sums = BundleSums.of(open(), rows_root)
  await BundleSums.settled()
  const other = Buffer.from(bytes)
  const end = sums.startOf(23) + sums.sizeOf(23) - 1
  other[end] = (other[end] as number) ^ 1
  put(other)
  expect(await anewIn()).toEqual(expected.filter((n) => n !== 24))
})

test('a bundle with a byte that is not the published one is not known, wherever that is in it, and others are', async () => {
  using folder = temporaryFolder()
  const { bytes, rows_root, open, put } = await fileOf(folder.path, 600)
  const honest = BundleSums.of(open(), rows_root)
  await BundleSums.settled()
  const [start, size] = [honest.startOf(20), honest.sizeOf(20)]
  // Before its hashes stand the sizes of its parts and its first key, which are not proved.
  for (let at = size - 1; at > 80; at -= 37) {
    const other = Buffer.from(bytes)
    other[start + at] = (other[start + at] as number) ^ 1
    put(other)
    const sums = BundleSums.of(open(), rows_root)
    await BundleSums.settled()
    expect([at, knownOf(sums)]).toEqual([at, upTo(32).filter((n) => n !== 20)])
  }
})

test('where the words of a file are not those that were published, no bundle is known, whatever is put back afterwards', async () => {
  using folder = temporaryFolder()
  const { bytes, rows_root, open, put } = await fileOf(folder.path, 600)
  // An amount that comes again and again is a word, and stands once in the file, behind all rows that named it before it was one.
  const other = Buffer.from(bytes)
  for (let at = other.indexOf(AMOUNT); at >= 0; at = other.indexOf(AMOUNT, at + 1)) other[at] = 0x39
  put(other)
  const file = open()
  file.words()
  const sums = BundleSums.of(file, rows_root)
  put(bytes)
  await BundleSums.settled()
  expect(knownOf(sums).filter((n) => n > 1)).toEqual([])
})

test('another root than the published one, a file that is closed, or that is gone: nothing is known, and the next file is checked', async () => {
  using folder = temporaryFolder()
  const { rows_root, open } = await fileOf(folder.path, 600)
  const closed = open()
  const all = [
    BundleSums.of(open(), Buffer.alloc(32).toString('base64')),
    BundleSums.of(closed, rows_root),
    BundleSums.of(open(), rows_root),
  ]
  closed.sealed.close()
  const openFiles = (): number => readdirSync('/proc/self/fd').length
  const before = openFiles()
  const others = Array.from({ length: 20 }, open)
  for (const file of others) {
    BundleSums.of(file, rows_root)
    file.sealed.close()
  }
  await BundleSums.settled()
  expect(openFiles() - before).toBeLessThan(10)
  expect(all.map((sums) => knownOf(sums).length)).toEqual([0, 0, 32])
})
