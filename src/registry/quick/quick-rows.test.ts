import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { aPrice } from '../../../test/support/builders.ts'
import { temporaryFolder } from '../../../test/support/folder.ts'
import { FileFolder } from '../../db/file-folder.ts'
import { canonical } from '../../proof/canonical-json.ts'
import { type Row, rowKey } from '../../proof/price/row.ts'
import { MARKS } from '../bundle/row-search.ts'
import { BUNDLE_ROWS } from '../file/bundle.ts'
import { NewReleaseFile } from '../file/new-file-store.ts'
import { openRelease } from '../file/release-file-store.ts'
import { BundleSums } from './known-bundles.ts'
import { QuickRows, type RowPlace } from './quick-rows.ts'

function quickRowsOf(files: FileFolder, digest: string): QuickRows {
  const file = openRelease({ files }, { release_id: 'a:B:1', file: digest })
  return new QuickRows(file, file.header().rows_root)
}

/** A file in which one code has so many rows at one place, each with a modifier of its own. */
async function rowsAt(files: FileFolder, count: number) {
  const made = new NewReleaseFile({ files }, 'made', count)
  const keys: string[] = []
  for (let i = 0; i < count; i++) {
    const row = aPrice({ cpt: '20000', region: 'national', modifier: String(100_000 + i) })
    keys.push(rowKey(row))
    made.add({ key: rowKey(row), body: canonical(row), cpt: row.cpt, region: row.region, npi: null })
    if (i % 1_000 === 0) await made.turn()
  }
  const { digest } = await made.seal()
  files.keep('made', digest)
  const rows = quickRowsOf(files, digest)
  const locate = (key: string): RowPlace => {
    const parts = key.split('|').slice(1)
    return rows.locate('20000', { afterCode: `|${parts.join('|')}`, parts }) as RowPlace
  }
  const keysAround = (key: string): string[] => rows.keysAround(locate(key), '20000|national|')
  return { keys, keysAround, locate, path: files.pathOf(digest) }
}

test('the keys around a row are all that begin as it does, in whichever bundle they stand', async () => {
  using folder = temporaryFolder()
  const { keys, keysAround } = await rowsAt(new FileFolder(folder.path), 100)
  for (const key of keys) expect([key, keysAround(key)]).toEqual([key, keys])
})

test('more keys than any code has at one place are not put together: a file from elsewhere may have nothing else', async () => {
  using folder = temporaryFolder()
  const { keys, keysAround } = await rowsAt(new FileFolder(folder.path), 5_000)
  for (const key of [keys[0], keys[2_500], keys[4_999]]) expect(() => keysAround(key as string)).toThrow('too many')
})

test('rows are known to be sound when their file was checked, until one byte beside them is another', async () => {
  using folder = temporaryFolder()
  const { keys, locate, path } = await rowsAt(new FileFolder(folder.path), 600)
  const soundness = (): boolean[] => keys.map((key) => locate(key).stored.isSound)
  expect(new Set(soundness())).toEqual(new Set([false]))
  await BundleSums.settled()
  expect(locate(keys[0] as string)).toMatchObject({ n: 0, at: 0 })
  // Those behind the last full tile are proved by another way.
  expect(soundness()).toEqual(keys.map((_, i) => i < 512))
  const bytes = readFileSync(path)
  const key = Buffer.from(keys[320] as string)
  const [first, last] = [bytes.indexOf(key), bytes.lastIndexOf(key)]
  for (const at of [first + 200, last + 200]) bytes[at] = (bytes[at] as number) ^ 1
  writeFileSync(path, bytes)
  expect(keys.map((key) => locate(key)).every(({ n, at }, i) => n * BUNDLE_ROWS + at === i)).toBe(true)
  const sound = soundness()
  const changed = keys.filter((_, i) => i < 512 && !sound[i])
  expect(changed).toContain(keys[320] as string)
  expect(changed.length).toBeLessThan(3 * BUNDLE_ROWS)
})

test('after the check of a file no bundle is read to find out that it ends with another code', async () => {
  using folder = temporaryFolder()
  const files = new FileFolder(folder.path)
  const made = new NewReleaseFile({ files }, 'made', 6_000)
  const rowAt = (i: number): Row =>
    aPrice({ cpt: String(20_000 + Math.floor(i / 2)), setting: i % 2 === 0 ? 'facility' : 'non_facility' })
  for (let i = 0; i < 6_000; i++) {
    const row = rowAt(i)
    made.add({ key: rowKey(row), body: canonical(row), cpt: row.cpt, region: row.region, npi: null })
  }
  const { digest } = await made.seal()
  files.keep('made', digest)
  const file = openRelease({ files }, { release_id: 'a:B:1', file: digest })
  const { sealed } = file
  const read = sealed.read.bind(sealed)
  let reads = 0
  const counted: typeof sealed.read = (...of) => {
    reads++
    return read(...of)
  }
  Object.assign(sealed, { read: counted })
  const rows = new QuickRows(file, file.header().rows_root)
  const readsAround = (): number => {
    const row = rowAt(300 * BUNDLE_ROWS)
    const [cpt = '', ...parts] = rowKey(row).split('|')
    const rest = { region: row.region, parts, afterCode: `|${parts.join('|')}` }
    const place = rows.locate(cpt, rest) as RowPlace
    const before = reads
    expect(rows.around(place, cpt, rest)).toMatchObject({ from: 0, to: 2 })
    return reads - before
  }
  expect(readsAround()).toBe(1)
  await BundleSums.settled()
  expect(readsAround()).toBe(0)
})

test('what tells the rows of a code and place apart is the same for the same rows, wherever bundles begin between them', async () => {
  using folder = temporaryFolder()
  const files = new FileFolder(folder.path)
  // Groups of any size, most of which come again at other codes, so that they are cut in other places.
  const sizes = Array.from({ length: 400 }, (_, i) => 1 + ((i * 7919) % 23) * (i % 9 === 0 ? 3 : 1))
  const groups = sizes.map((size, i) =>
    Array.from({ length: size }, (_, k) => aPrice({ cpt: String(20_000 + i), modifier: String(100 + k) })),
  )
  const made = new NewReleaseFile(
    { files },
    'made',
    sizes.reduce((sum, size) => sum + size, 0),
  )
  for (const row of groups.flat())
    made.add({ key: rowKey(row), body: canonical(row), cpt: row.cpt, region: row.region, npi: null })
  const { digest } = await made.seal()
  files.keep('made', digest)
  const rows = quickRowsOf(files, digest)
  const meaning = new Map<string, string>()
  const counts = { inOne: 0, inSeveral: 0, further: 0 }
  for (const again of [false, true])
    for (const [i, group] of groups.entries())
      for (const [at, row] of group.entries()) {
        const [cpt = '', ...parts] = rowKey(row).split('|')
        const rest = { region: row.region, parts, afterCode: `|${parts.join('|')}` }
        const place = rows.locate(cpt, rest) as RowPlace
        const around = rows.around(place, cpt, rest)
        if (!around) {
          counts.further++
          // Values become words of the file only after some rows.
          if (i > groups.length / 2) expect(group.length).toBeGreaterThan(BUNDLE_ROWS)
          continue
        }
        const [first, ...marks] = around.marks.subarray(0, around.size)
        expect([cpt, again, first, marks.length]).toEqual([cpt, again, at, group.length * MARKS])
        const others = group.map((each) => each.modifier).join()
        expect(meaning.get(marks.join()) ?? others).toBe(others)
        meaning.set(marks.join(), others)
        if (around.to - around.from === group.length) counts.inOne++
        else counts.inSeveral++
      }
  expect(counts.inOne).toBeGreaterThan(1_000)
  expect(counts.inSeveral).toBeGreaterThan(1_000)
  expect(counts.further).toBeGreaterThan(100)
  // One for each size: the same rows have the same marks.
  expect(meaning.size).toBeLessThanOrEqual(new Set(sizes).size)
})

test('values become words wherever their rows stand: of two settings in turn, bundles always begin with the same one', async () => {
  using folder = temporaryFolder()
  const files = new FileFolder(folder.path)
  const made = new NewReleaseFile({ files }, 'made', 0)
  const regions = Array.from({ length: BUNDLE_ROWS / 2 }, (_, i) => `US-CA-0${i + 1}`)
  const settings = ['facility', 'non_facility'] as const
  const all = Array.from({ length: 100 }, (_, i) => String(20_000 + i)).flatMap((cpt) =>
    regions.flatMap((region) => settings.map((setting) => aPrice({ cpt, region, setting }))),
  )
  for (const row of all)
    made.add({ key: rowKey(row), body: canonical(row), cpt: row.cpt, region: row.region, npi: null })
  const { digest } = await made.seal()
  files.keep('made', digest)
  const rows = quickRowsOf(files, digest)
  const known = all.filter((row) => {
    const [cpt = '', ...parts] = rowKey(row).split('|')
    const rest = { region: row.region, parts, afterCode: `|${parts.join('|')}` }
    return rows.around(rows.locate(cpt, rest) as RowPlace, cpt, rest) !== undefined
  })
  expect(known.length).toBeGreaterThan(all.length / 2)
})
