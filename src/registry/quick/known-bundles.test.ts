import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { aPrice } from '../../../test/support/builders.ts'
import { temporaryFolder } from '../../../test/support/folder.ts'
import { FileFolder, type SealedFile } from '../../db/file-folder.ts'
import { canonical } from '../../proof/canonical-json.ts'
import { rowKey } from '../../proof/price/row.ts'
import { BUNDLE_ROWS } from '../file/bundle.ts'
import { NewReleaseFile } from '../file/new-file-store.ts'
import { openRelease } from '../file/release-file-store.ts'
import { BundleSums } from './known-bundles.ts'

/** A release of so many rows, under the name that it should have. */
async function fileOf(path: string, rows: number) {
  const files = new FileFolder(path)
  const made = new NewReleaseFile({ files }, 'made', rows)
  for (let i = 0; i < rows; i++) {
    const row = aPrice({ cpt: String(10_000 + i) })
    made.add({ key: rowKey(row), body: canonical(row), cpt: row.cpt, region: row.region, npi: null })
  }
  const { digest } = await made.seal()
  files.keep('made', digest)
  const bytes = readFileSync(files.pathOf(digest))
  const bundles = Math.ceil(rows / BUNDLE_ROWS)
  const root = openRelease({ files }, { release_id: 'a:B:1', file: digest }).rootPage('bundle')
  const sumsOf = (file: SealedFile) => BundleSums.of(file, root, bundles)
  /** Puts other bytes there, under the same name or under their own. */
  const put = (other: Uint8Array, name = digest): SealedFile => {
    writeFileSync(files.pathOf(name), other)
    return files.openAnew(name)
  }
  return { files, bytes, digest, bundles, root, sumsOf, put }
}

const namedBy = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

test('all bundles are known when the whole file was read, each where it stands and with every bit', async () => {
  using folder = temporaryFolder()
  const { files, digest, bytes, bundles, sumsOf } = await fileOf(folder.path, 12_000)
  const sums = sumsOf(files.open(digest))
  expect(sums.found).toBeUndefined()
  await BundleSums.settled()
  using stored = new Database(files.pathOf(digest), { readonly: true })
  const all = stored.query<{ hashes: Uint8Array; rows: Uint8Array }, []>('SELECT hashes, rows FROM bundle ORDER BY n')
  for (const [n, { hashes, rows }] of all.all().entries()) {
    const [start, size] = [sums.found?.starts[n] as number, sums.found?.sizes[n] as number]
    const there = bytes.subarray(start, start + size)
    expect([n, there.subarray(-rows.length), sums.sumOf(there)]).toEqual([
      n,
      Buffer.from(rows),
      sums.found?.sums[n] ?? 0,
    ])
    expect(there.subarray(-rows.length - hashes.length, -rows.length)).toEqual(Buffer.from(hashes))
  }
  expect(new Set(sums.found?.sums).size).toBe(bundles)
  const [start, size] = [sums.found?.starts[7] as number, sums.found?.sizes[7] as number]
  const changed = Buffer.from(bytes.subarray(start, start + size))
  for (let bit = 0; bit < 8 * size; bit++) {
    changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7))
    if (sums.sumOf(changed) === sums.found?.sums[7]) throw new Error(`bit ${bit} does not count`)
    changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7))
  }
})

test('of a file that has other bytes than its name says, no bundle is known', async () => {
  using folder = temporaryFolder()
  const { bytes, put, sumsOf } = await fileOf(folder.path, 600)
  for (const other of [
    Buffer.concat([bytes.subarray(0, -1), Buffer.from([(bytes.at(-1) as number) ^ 1])]),
    bytes.subarray(0, -4096),
    Buffer.concat([bytes, bytes.subarray(0, 4096)]),
    Buffer.alloc(0),
  ]) {
    const sums = sumsOf(put(other))
    await BundleSums.settled()
    expect(sums.found).toBeUndefined()
  }
  const sums = sumsOf(put(bytes))
  await BundleSums.settled()
  expect(sums.found).toBeDefined()
})

test('a file from elsewhere that has a bundle twice is not known, and a page that nothing leads to is not read', async () => {
  using folder = temporaryFolder()
  const { bytes, bundles, root, put, sumsOf } = await fileOf(folder.path, 600)
  const pages = bytes.length / 4096
  const page = (n: number): Buffer => bytes.subarray(n * 4096, (n + 1) * 4096)
  const leaf = Array.from({ length: pages - 1 }, (_, i) => i + 1).find((n) => page(n)[0] === 13 && n !== root - 1) ?? 0
  const orphan = Buffer.from(page(leaf))
  orphan[4090] = (orphan[4090] as number) ^ 1
  const beside = Buffer.concat([bytes, orphan])
  const honest = sumsOf(put(bytes))
  const sums = sumsOf(put(beside, namedBy(beside)))
  await BundleSums.settled()
  expect(sums.found).toEqual(honest.found)
  // The last child of the root is that page.
  const led = Buffer.from(beside)
  expect(led[(root - 1) * 4096]).toBe(5)
  led.writeUInt32BE(pages + 1, (root - 1) * 4096 + 8)
  const twice = sumsOf(put(led, namedBy(led)))
  await BundleSums.settled()
  expect(twice.found).toBeUndefined()
  // One page leads to others, beside some that do not, in either order: what stands under it could be the same bundles.
  for (const at of [8, led.readUInt16BE((root - 1) * 4096 + 12)]) {
    const uneven = Buffer.from(led)
    uneven.writeUInt32BE(root, (root - 1) * 4096 + at)
    const sums = sumsOf(put(uneven, namedBy(uneven)))
    await BundleSums.settled()
    expect(sums.found).toBeUndefined()
  }
  // A page that leads to itself.
  led.writeUInt32BE(root, (root - 1) * 4096 + 8)
  const circle = Buffer.from(led)
  for (let i = 0; i < circle.readUInt16BE((root - 1) * 4096 + 3); i++)
    circle.writeUInt32BE(root, (root - 1) * 4096 + circle.readUInt16BE((root - 1) * 4096 + 12 + 2 * i))
  const round = sumsOf(put(circle, namedBy(circle)))
  await BundleSums.settled()
  expect([round.found, bundles]).toEqual([undefined, 38])
})

test('a file that is closed, or gone, is not read to its end, and the next one is', async () => {
  using folder = temporaryFolder()
  const { files, digest, sumsOf } = await fileOf(folder.path, 600)
  const closed = files.openAnew(digest)
  const all = [closed, files.openAnew('0'.repeat(64)), files.openAnew(digest)].map(sumsOf)
  closed.close()
  await BundleSums.settled()
  expect(all.map(({ found }) => found !== undefined)).toEqual([false, false, true])
})
