import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { temporaryFolder } from '../../../test/support/folder.ts'
import { packedRows } from '../../../test/support/packed-rows.ts'
import { StoreFault } from '../../db/db.ts'
import { FileFolder } from '../../db/file-folder.ts'
import type { NewFile } from '../../db/new-file.ts'
import { utf8 } from '../../proof/bytes.ts'
import { leafHash } from '../../proof/tree/merkle.ts'
import { BUNDLE_ROWS } from './bundle.ts'
import { past } from './file-summary-store.ts'
import { NewReleaseFile } from './new-file-store.ts'
import { openRelease, type ReleaseFile } from './release-file-store.ts'

/** A row in which little is like its neighbours. */
const rowOf = (key: string) => ({ key, body: `{"key":"${key}"}`, code: key.slice(0, 2), region: 'national', npi: null })

async function fileOf(files: FileFolder, keys: readonly string[]): Promise<string> {
  const file = new NewReleaseFile({ files }, 'made')
  for (const [i, key] of keys.entries()) {
    file.add(rowOf(key))
    if (i % 700 === 0) await file.turn()
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
      using read = new Database(file.sealed.path, { readonly: true })
      expect(packedRows(read)).toEqual(rows.map(({ row_key, body }) => ({ key: row_key, body })))
      expect([...file.totals('code').values()].reduce((sum, count) => sum + count, 0)).toBe(keys.length)
      files.remove(readdirSync(folder.path)[0]?.slice(0, 64) ?? '')
    }),
    { numRuns: 60 },
  )
})

test('the same rows make the same file, byte for byte', async () => {
  using folder = temporaryFolder()
  const files = new FileFolder(folder.path)
  const keys = numbered(12_000)
  const [one, again] = [await fileOf(files, keys), await fileOf(files, keys)]
  expect(again).toBe(one)
  expect(await files.isWhole(one)).toBe(true)
})

test('a row reads back as it was, and its leaf hash is that of its bytes, whatever its characters and however long', async () => {
  using folder = temporaryFolder()
  const files = new FileFolder(folder.path)
  const bodies = ['{"a":"b"}', `{"a":"${'é漢😀'.repeat(1_800)}"}`, '{}', '{"a":"\u0000"}']
  const made = new NewReleaseFile({ files }, 'made')
  for (const [i, body] of bodies.entries()) made.add({ ...rowOf(`K${i}`), body })
  const { digest } = await made.seal()
  files.keep('made', digest)
  const file = opened(files, digest)
  expect(file.rowsAt(0, 9).map(({ body }) => body)).toEqual(bodies)
  expect(Buffer.from(file.hashesIn(0))).toEqual(Buffer.concat(bodies.map((body) => leafHash(utf8(body)))))
})

test('a row that would be read as two, or could not be proved, is not written, and nothing is left', async () => {
  using folder = temporaryFolder()
  const files = new FileFolder(folder.path)
  const written = async (key: string, body: string): Promise<void> => {
    const file = new NewReleaseFile({ files }, 'made')
    try {
      file.add({ ...rowOf('A'), key, body })
      await file.seal()
    } finally {
      file.abandon()
    }
  }
  for (const text of ['a\nb', 'a\tb']) {
    expect(written(text, '{}')).rejects.toThrow('a tab or a line feed')
    expect(written('K', text)).rejects.toThrow('a tab or a line feed')
  }
  await expect(written('K', 'x'.repeat(65_536))).rejects.toThrow('longer than any that can be proved')
  expect(readdirSync(folder.path)).toEqual([])
})

test('a file that reads back otherwise than it was written is not sealed', async () => {
  using folder = temporaryFolder()
  /** A disk that changes what it was given. */
  class LyingFolder extends FileFolder {
    constructor(readonly lie: string) {
      super(folder.path)
    }
    override create(temporary: string): NewFile {
      const file = super.create(temporary)
      const finish = file.finish.bind(file)
      file.finish = () => {
        finish()
        using changed = new Database(file.path)
        changed.run(this.lie)
      }
      return file
    }
  }
  const lies = [
    'UPDATE bundle SET rows = (SELECT rows FROM bundle WHERE n = 1) WHERE n = 0',
    'UPDATE bundle SET rows = (SELECT rows FROM bundle WHERE n = 1) WHERE n = 12',
    "UPDATE bundle SET rows = x'00' WHERE n = 0",
    "UPDATE bundle SET rows = x'00' WHERE n = 12",
    'DELETE FROM bundle WHERE n = 12',
    'UPDATE bundle SET hashes = zeroblob(640) WHERE n = 0',
    'UPDATE bundle SET hashes = zeroblob(640) WHERE n = 15',
    'UPDATE tile SET hashes = zeroblob(32) WHERE level = 1',
    'DELETE FROM tile WHERE level = 1',
  ]
  for (const lie of lies) {
    const file = new NewReleaseFile({ files: new LyingFolder(lie) }, 'made')
    for (const key of numbered(400)) file.add(rowOf(key))
    expect([lie, await file.seal().catch(String)]).toEqual([lie, expect.stringContaining('other bytes than were')])
    file.abandon()
  }
  await fileOf(new LyingFolder('ANALYZE'), numbered(400)) // one that tells the truth
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
    expect(keys.map((key) => file.findBundle(key))).toEqual(keys.map((_, i) => Math.floor(i / BUNDLE_ROWS)))
    expect(file.countLines('bundle', rows)).toBe(Math.ceil(rows / BUNDLE_ROWS))
  }
})

test('a file that says that it has more rows than fit into it is damaged, and nothing is searched for without end', async () => {
  using folder = temporaryFolder()
  const files = new FileFolder(folder.path)
  const digest = await fileOf(files, numbered(40))
  for (const rows of ['9223372036854775807', '100000000000', '-1', '41 * 4096']) {
    const file = new Database(files.pathOf(digest))
    file.run(`UPDATE header SET row_count = ${rows}`)
    file.close()
    files.forget(digest)
    for (const ask of [() => opened(files, digest).rowCount, () => opened(files, digest).findRow('10003|')])
      expect(ask).toThrow(StoreFault)
  }
})

test('a small file whose bundles or totals unpack to a great deal is damaged', async () => {
  using folder = temporaryFolder()
  const files = new FileFolder(folder.path)
  const digest = await fileOf(files, numbered(100))
  const bomb = Bun.zstdCompressSync(Buffer.alloc(64 * 1024 * 1024, 'a'))
  using file = new Database(files.pathOf(digest))
  file.run('UPDATE bundle SET rows = ? WHERE n = 2', [bomb])
  file.run('UPDATE total SET names = ?', [bomb])
  files.forget(digest)
  const read = opened(files, digest)
  expect(() => read.rowsAt(32, 33)).toThrow(StoreFault)
  expect(() => read.totals('code')).toThrow(StoreFault)
  expect(read.findRow('10003|')?.row_index).toBe(3)
})

test('totals that are no numbers of rows are damage', async () => {
  using folder = temporaryFolder()
  const files = new FileFolder(folder.path)
  const digest = await fileOf(files, numbered(100))
  for (const names of ['10', '10\tmany', '10\t-5', '10\t0', 'a\t1\n\n']) {
    using file = new Database(files.pathOf(digest))
    file.run('UPDATE total SET names = ?', [Bun.zstdCompressSync(names)])
    files.forget(digest)
    expect(() => opened(files, digest).hasCode('10')).toThrow(StoreFault)
  }
})

test('one damaged bundle does not hide the others', async () => {
  using folder = temporaryFolder()
  const files = new FileFolder(folder.path)
  const digest = await fileOf(files, numbered(600))
  using stored = new Database(files.pathOf(digest))
  stored.run("UPDATE bundle SET rows = x'00' WHERE n = 3")
  files.forget(digest)
  const file = opened(files, digest)
  expect(file.keysUnder('10500|')).toEqual(['10500|'])
  expect(() => file.keysUnder('10050|')).toThrow(StoreFault)
})
