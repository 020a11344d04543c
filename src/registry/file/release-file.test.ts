import { expect, test } from 'bun:test'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { temporaryFolder } from '../../../test/support/folder.ts'
import { StoreFault } from '../../db/db.ts'
import { FileFolder } from '../../db/file-folder.ts'
import { toBase64, utf8 } from '../../proof/bytes.ts'
import { leafHash } from '../../proof/tree/merkle.ts'
import { BUNDLE_ROWS, packTile, TileWriter, unpack } from './bundle.ts'
import { NewReleaseFile } from './new-file-store.ts'
import { openRelease, past, type ReleaseFile } from './release-file-store.ts'

/** A row in which little is like its neighbours. */
const rowOf = (key: string) => ({ key, body: `{"key":"${key}"}`, cpt: key.slice(0, 2), region: 'national', npi: null })

async function fileOf(files: FileFolder, keys: readonly string[], rowsPerTurn = 1_000_000): Promise<string> {
  const file = new NewReleaseFile({ files }, 'made', 0)
  for (const [i, key] of keys.entries()) {
    file.add(rowOf(key))
    if (i % rowsPerTurn === rowsPerTurn - 1) await file.turn()
  }
  const { digest, row_count } = await file.seal()
  expect(row_count).toBe(keys.length)
  files.keep('made', digest)
  return digest
}

const opened = (files: FileFolder, file: string): ReleaseFile => openRelease({ files }, { release_id: 'a:B:1', file })
const numbered = (count: number): string[] => Array.from({ length: count }, (_, i) => `${10_000 + i}|`)

test('a file answers every question as the sorted list of its rows does', async () => {
  using folder = temporaryFolder()
  const files = new FileFolder(folder.path)
  const key = fc.string({ unit: fc.constantFrom('0', '1', 'A', 'Z', '|'), minLength: 1, maxLength: 4 })
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(key, { minLength: 1, maxLength: 150 }), key, async (unsorted, asked) => {
      const keys = unsorted.sort((a, b) => (a < b ? -1 : 1))
      const file = opened(files, await fileOf(files, keys))
      const rows = keys.map((row_key, row_index) => ({ row_key, row_index, body: rowOf(row_key).body }))
      expect(file.findRow(asked)).toEqual(rows.find(({ row_key }) => row_key === asked))
      expect(file.rowsUnder(asked)).toEqual(rows.filter(({ row_key }) => row_key.startsWith(asked)))
      expect(file.keysUnder(asked)).toEqual(keys.filter((each) => each.startsWith(asked)))
      expect(file.rowsAround(asked, past(asked))).toEqual({
        left: rows.findLast(({ row_key }) => row_key < asked),
        right: rows.find(({ row_key }) => row_key >= past(asked)),
      })
      expect(file.rowsAfter(asked, 40)).toEqual(rows.filter(({ row_key }) => row_key > asked).slice(0, 40))
      expect(file.rowsAt(30, 70)).toEqual(rows.slice(30, 70))
      expect([...file.totals('code').values()].reduce((sum, count) => sum + count, 0)).toBe(keys.length)
      files.remove(readdirSync(folder.path)[0]?.slice(0, 64) ?? '')
    }),
    { numRuns: 60 },
  )
})

test('rows that a thread packs make the same file, byte for byte, as rows packed at once', async () => {
  using folder = temporaryFolder()
  const files = new FileFolder(folder.path)
  const keys = numbered(3_000)
  const [atOnce, inThread] = [await fileOf(files, keys), await fileOf(files, keys, 700)]
  expect(inThread).toBe(atOnce)
  expect(await files.isWhole(inThread)).toBe(true)
})

test('what is hashed is each row after a zero byte, whatever its characters and however long', () => {
  const bodies = ['{"a":"b"}', `{"a":"${'é漢😀'.repeat(50_000)}"}`, '{}']
  const text = new TileWriter()
  for (const [i, body] of bodies.entries()) text.add(`K${i}`, body)
  const { bundles, hashes } = packTile(text.text(), 0)
  expect(toBase64(hashes)).toBe(Buffer.concat(bodies.map((body) => leafHash(utf8(body)))).toString('base64'))
  expect(unpack(bundles[0] ?? new Uint8Array())).toEqual({ keys: ['K0', 'K1', 'K2'], bodies })
})

test('a row that would be read as two is not written', () => {
  for (const body of ['{"a":"\0"}', '\0']) {
    const text = new TileWriter()
    text.add('K', body)
    expect(() => packTile(text.text(), 0)).toThrow('a row has a zero byte')
  }
})

test('a file that is not there, not a release file, or of another form is a fault that names the release', async () => {
  using folder = temporaryFolder()
  const files = new FileFolder(join(folder.path, 'releases'))
  mkdirSync(files.path)
  const [missing, empty, other] = ['a', 'b', 'c'].map((digit) => digit.repeat(64)) as [string, string, string]
  writeFileSync(files.pathOf(empty), '')
  writeFileSync(files.pathOf(other), 'x'.repeat(9_000))
  for (const digest of [missing, empty, other])
    for (const ask of [(file: ReleaseFile) => file.findRow('A'), (file: ReleaseFile) => file.rowCount])
      expect(() => ask(opened(files, digest))).toThrow('the file of release a:B:1 is missing or damaged')
  expect(() => opened(files, '../../etc/passwd')).toThrow(StoreFault)
})

test('many files can be read in turn, though few are open at once', async () => {
  using folder = temporaryFolder()
  const files = new FileFolder(folder.path)
  const digests: string[] = []
  for (let i = 0; i < 150; i++) digests.push(await fileOf(files, [`${10_000 + i}|`]))
  const first = opened(files, digests[0] ?? '')
  for (const [i, digest] of digests.entries())
    expect(opened(files, digest).rowsAt(0, 1)[0]?.row_key).toBe(`${10_000 + i}|`)
  // It was closed meanwhile, and opens again.
  expect(first.rowsUnder('')).toHaveLength(1)
  expect(readdirSync('/proc/self/fd').length).toBeLessThan(400)
  files.close()
})

test('the last bundle and the last tile may be full, or have one row', async () => {
  using folder = temporaryFolder()
  const files = new FileFolder(folder.path)
  for (const rows of [1, BUNDLE_ROWS, BUNDLE_ROWS + 1, 256, 257, 65_536 / 64 + 1]) {
    const keys = numbered(rows)
    const file = opened(files, await fileOf(files, keys))
    expect(file.keysAt(0, rows + 10)).toEqual(keys)
    expect(file.bundlesAfter('', rows)).toEqual(
      keys.filter((_, i) => i % BUNDLE_ROWS === 0).map((first_key, n) => ({ n, first_key })),
    )
  }
})
