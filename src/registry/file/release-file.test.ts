import { Database } from 'bun:sqlite'
import { expect, spyOn, test } from 'bun:test'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { temporaryFolder } from '../../../test/support/folder.ts'
import { packedRows } from '../../../test/support/packed-rows.ts'
import { StoreFault } from '../../db/db.ts'
import { FileFolder } from '../../db/file-folder.ts'
import type { NewFile } from '../../db/new-file.ts'
import { toBase64, utf8 } from '../../proof/bytes.ts'
import { leafHash } from '../../proof/tree/merkle.ts'
import { OpenBundle } from '../bundle/open-bundle.ts'
import { NewWords } from '../bundle/words.ts'
import { BUNDLE_ROWS, packTile, TileWriter } from './bundle.ts'
import { past } from './file-summary-store.ts'
import { Budget } from './memory.ts'
import { NewReleaseFile } from './new-file-store.ts'
import { openRelease, type ReleaseFile } from './release-file-store.ts'

/** A row in which little is like its neighbours. */
const rowOf = (key: string) => ({ key, body: `{"key":"${key}"}`, cpt: key.slice(0, 2), region: 'national', npi: null })

async function fileOf(files: FileFolder, keys: readonly string[], expectedRows = keys.length): Promise<string> {
  const file = new NewReleaseFile({ files }, 'made', expectedRows)
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

test('rows that two threads pack make the same file, byte for byte, as rows packed by one', async () => {
  using folder = temporaryFolder()
  const files = new FileFolder(folder.path)
  // More than wait for the other thread, so that this one packs some of them.
  const keys = numbered(12_000)
  const [byOne, byTwo] = [await fileOf(files, keys), await fileOf(files, keys, 1_000_000)]
  expect(byTwo).toBe(byOne)
  expect(await files.isWhole(byTwo)).toBe(true)
})

test('what is hashed is each row after a zero byte, whatever its characters and however long', () => {
  const bodies = ['{"a":"b"}', `{"a":"${'é漢😀'.repeat(1_800)}"}`, '{}']
  const words = new NewWords()
  const text = new TileWriter(words, new Uint8Array(0))
  for (const [i, body] of bodies.entries()) text.add({ key: `K${i}`, body })
  const { bytes, ends, leaves } = packTile(text.text(), 0, words)
  expect(toBase64(leaves)).toBe(Buffer.concat(bodies.map((body) => leafHash(utf8(body)))).toString('base64'))
  const bundle = OpenBundle.from({ rows: bytes.subarray(ends[0]?.hashes), hashes: leaves }, words)
  expect([0, 1, 2].map((at) => bundle.key(at))).toEqual(['K0', 'K1', 'K2'])
  expect([2, 0, 1].map((at) => bundle.body(at))).toEqual([2, 0, 1].map((at) => bodies[at] ?? ''))
})

test('a row that would be read as two, or could not be proved, is not written', () => {
  const written = (key: string, body: string) => {
    const words = new NewWords()
    const text = new TileWriter(words)
    text.add({ key, body })
    return packTile(text.text(), 0, words)
  }
  for (const body of ['{"a":"\0"}', '\0']) expect(() => written('K', body)).toThrow('a row has a zero byte')
  expect(() => written('K\nK', '{}')).toThrow('a key has a line feed')
  expect(() => written('K', 'x'.repeat(16_385))).toThrow('longer than any that can be proved')
})

test('what goes wrong in the other thread ends the file, and nothing of it is left', async () => {
  using folder = temporaryFolder()
  const files = new FileFolder(folder.path)
  const file = new NewReleaseFile({ files }, 'made', 1_000_000)
  file.add({ ...rowOf('A|'), body: '{"a":"\0"}' })
  expect(await file.seal().catch(String)).toBe('Error: a row has a zero byte')
  file.abandon()
  expect(readdirSync(folder.path)).toEqual([])
})

test('a file that reads back otherwise than it was written is not sealed, whichever thread reads it', async () => {
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
    "UPDATE word SET words = x''",
    "UPDATE word SET shapes = x''",
    'DELETE FROM word',
    'DELETE FROM bundle WHERE n = 12',
    'UPDATE bundle SET hashes = zeroblob(640) WHERE n = 0',
    'UPDATE bundle SET hashes = zeroblob(640) WHERE n = 15',
    'UPDATE tile SET hashes = zeroblob(32) WHERE level = 1',
    'DELETE FROM tile WHERE level = 1',
  ]
  for (const lie of lies)
    for (const expectedRows of [0, 1_000_000]) {
      const file = new NewReleaseFile({ files: new LyingFolder(lie) }, 'made', expectedRows)
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
    expect(file.countBundles(rows)).toBe(Math.ceil(rows / BUNDLE_ROWS))
  }
})

test('codes that are too many to be kept are counted once', async () => {
  using folder = temporaryFolder()
  const files = new FileFolder(folder.path)
  const made = new NewReleaseFile({ files }, 'made', 0)
  for (const key of numbered(26_000)) made.add({ ...rowOf(key), cpt: key.slice(0, 5) })
  const { digest } = await made.seal()
  files.keep('made', digest)
  const file = opened(files, digest)
  const asked: string[] = []
  const { sealed } = file
  const get = sealed.get.bind(sealed)
  sealed.get = (sql, ...params) => {
    asked.push(sql)
    return get(sql, ...params)
  }
  expect(['10005', '35999', '36000'].map((code) => file.hasCode(code))).toEqual([true, true, false])
  expect(asked.filter((sql) => sql.includes('COUNT'))).toHaveLength(1)
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
    for (const ask of [
      () => opened(files, digest).rowCount,
      () => opened(files, digest).bundleOf('10003|'),
      () => opened(files, digest).findRow('10003|'),
    ])
      expect(ask).toThrow(StoreFault)
  }
})

test('a small file whose rows name a long word as their key is damaged, and does not become gigabytes of keys', async () => {
  using folder = temporaryFolder()
  const files = new FileFolder(folder.path)
  const digest = await fileOf(files, numbered(4_000))
  const file = new Database(files.pathOf(digest))
  // One word, and one shape: a text with one gap, which is the key.
  const [shape, word] = [Uint8Array.from([1, 1, 65, 0, 1, 0]), Buffer.from(`\x80\x7d${'9'.repeat(16_000)}`, 'latin1')]
  file.run('UPDATE word SET shapes = ?, words = ?', [shape, word])
  const rows = [0, 0, ...Array.from({ length: 15 }, () => [0, 0]).flat()]
  file.run('UPDATE bundle SET rows = ?', [Uint8Array.from([16, ...rows])])
  file.close()
  files.forget(digest)
  for (const ask of [
    () => opened(files, digest).keysOfSchedule('9'),
    () => opened(files, digest).keysAt(0, 4_000),
    () => opened(files, digest).findRow('99999|'),
  ])
    expect(ask).toThrow(StoreFault)
})

test('a small file whose rows are all under one key and name a long word does not become gigabytes of rows', async () => {
  using folder = temporaryFolder()
  const files = new FileFolder(folder.path)
  const digest = await fileOf(files, numbered(8_000))
  const file = new Database(files.pathOf(digest))
  // A key and a long word, one after the other: a shape with two gaps, of which the first is the key.
  const words = Buffer.from(`\x059999|\x80\x7d${'9'.repeat(16_000)}`, 'latin1')
  file.run('UPDATE word SET shapes = ?, words = ?', [Uint8Array.from([2, 0, 0, 0, 1, 0]), words])
  const others = Array.from({ length: 15 }, () => [0, 0]).flat()
  file.run('UPDATE bundle SET rows = ?', [Uint8Array.from([16, 0, 0, 1, ...others])])
  file.close()
  files.forget(digest)
  expect(opened(files, digest).rowsAt(0, 16)).toHaveLength(16)
  expect(() => opened(files, digest).rowsUnder('9999|')).toThrow(StoreFault)
})

test('a file that was closed to make room takes no descriptor again when somebody who still has it reads on', async () => {
  using folder = temporaryFolder()
  const files = new FileFolder(folder.path)
  const digest = await fileOf(files, numbered(40))
  const { sealed } = opened(files, digest)
  const bytes = new Uint8Array(100)
  expect(sealed.read(bytes, 0)).toBe(100)
  files.forget(digest)
  const descriptors = (): number => readdirSync('/dev/fd').length
  const before = descriptors()
  expect(sealed.read(bytes, 0)).toBe(0)
  expect(descriptors()).toBe(before)
  expect(opened(files, digest).findRow('10003|')?.row_index).toBe(3)
})

test('a long text that stands once in a file and is pointed to again and again is not read again and again', async () => {
  using folder = temporaryFolder()
  const files = new FileFolder(folder.path)
  const digest = await fileOf(files, numbered(1_000))
  const file = new Database(files.pathOf(digest))
  const long = '9'.repeat(1_000_000)
  file.run('UPDATE bundle SET first_key = ? WHERE n = 60', [long])
  file.run(`UPDATE total SET item = ? WHERE item = (SELECT MAX(item) FROM total WHERE kind = 'code')`, [long])
  file.close()
  files.forget(digest)
  const read = opened(files, digest)
  const { sealed } = read
  let most = 0
  const measured = <Row>(row: Row): Row => {
    for (const value of Object.values(row ?? {})) most = Math.max(most, String(value).length)
    return row
  }
  const [get, all] = [sealed.get.bind(sealed), sealed.all.bind(sealed)]
  sealed.get = <Row>(sql: string, ...params: never[]): Row | undefined => measured(get<Row>(sql, ...params))
  sealed.all = <Row>(sql: string, ...params: never[]): Row[] => all<Row>(sql, ...params).map(measured)
  expect(read.findRow('10003|')?.row_index).toBe(3)
  expect(() => read.hasCode('10')).toThrow(StoreFault)
  expect(most).toBeLessThan(100_000)
})

test('what is larger than anything that we write is not read: many bundles could be the same hundred megabytes', async () => {
  using folder = temporaryFolder()
  const files = new FileFolder(folder.path)
  const digest = await fileOf(files, numbered(600))
  const change = (sql: string): ReleaseFile => {
    using file = new Database(files.pathOf(digest))
    file.run(sql)
    files.forget(digest)
    return opened(files, digest)
  }
  const long = "replace(hex(zeroblob(500000)), '00', '9')"
  expect(change(`UPDATE bundle SET first_key = ${long} WHERE n = 7`).firstKeyOf(7).length).toBeLessThan(300)
  const rows = change('UPDATE bundle SET rows = zeroblob(600000) WHERE n = 3')
  expect(() => rows.stored(3)).toThrow(StoreFault)
  const hashes = change('UPDATE bundle SET hashes = zeroblob(9000) WHERE n = 4')
  for (const read of [() => hashes.stored(4), () => hashes.hashesIn(4)]) expect(read).toThrow(StoreFault)
  const tile = change('UPDATE tile SET hashes = zeroblob(9000)')
  expect(() => tile.tile(1, 0)).toThrow(StoreFault)
})

test('of a file with one damaged bundle the keys of others are found, and memory for all of them is taken once', async () => {
  using folder = temporaryFolder()
  const files = new FileFolder(folder.path)
  const digest = await fileOf(files, numbered(600))
  {
    using file = new Database(files.pathOf(digest))
    file.run("UPDATE bundle SET rows = x'00' WHERE n = 3")
    files.forget(digest)
  }
  const take = spyOn(Budget.prototype, 'take')
  const file = opened(files, digest)
  for (let i = 0; i < 5; i++) expect(file.keysOfSchedule('10500|')).toEqual(['10500|'])
  expect(() => file.keysOfSchedule('10050|')).toThrow(StoreFault)
  expect(take.mock.calls.filter(([owner]) => owner === file)).toHaveLength(1)
  take.mockRestore()
})
