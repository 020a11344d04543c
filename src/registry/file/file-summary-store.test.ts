import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { effort } from '../../../test/support/effort.ts'
import { temporaryFolder } from '../../../test/support/folder.ts'
import { StoreFault } from '../../db/db.ts'
import { FileFolder } from '../../db/file-folder.ts'
import { NewReleaseFile } from './new-file-store.ts'
import { openRelease } from './release-file-store.ts'

const LINES = 250
const LONG = 20_000_000
const [COLUMN, MORE] = ['row_count INTEGER NOT NULL', 'row_count INT, more BLOB  ']

/** A file in which one line of totals stands, and its page points to it again and again. */
async function fileWith(files: FileFolder, line: (file: Database) => void): Promise<string> {
  const made = new NewReleaseFile({ files }, 'made', 0)
  for (let i = 0; i < 1_000; i++)
    made.add({ key: `${10_000 + i}|`, body: '{}', cpt: '10000', region: 'national', npi: null })
  const { digest } = await made.seal()
  files.keep('made', digest)
  const path = files.pathOf(digest)
  const file = new Database(path)
  const stated = file.query<{ sql: string }, []>("SELECT sql FROM sqlite_schema WHERE name = 'total'").get()?.sql ?? ''
  file.run('DROP TABLE total')
  file.run(stated.replace(COLUMN, MORE))
  line(file)
  const sql = "SELECT rootpage FROM sqlite_schema WHERE name = 'total'"
  const { rootpage } = file.query<{ rootpage: number }, []>(sql).get() ?? { rootpage: 0 }
  file.close()
  const bytes = readFileSync(path)
  const size = bytes.readUInt16BE(16)
  // A table may have more columns than it says.
  bytes.write(COLUMN, bytes.indexOf(MORE))
  const page = bytes.subarray((rootpage - 1) * size, rootpage * size)
  expect([page[0], page.readUInt16BE(3)]).toEqual([10, 1])
  page.writeUInt16BE(LINES, 3)
  for (let i = 1; i < LINES; i++) page.writeUInt16BE(page.readUInt16BE(8), 8 + 2 * i)
  writeFileSync(path, bytes)
  files.forget(digest)
  return digest
}

test.each([
  ['a name', "INSERT INTO total VALUES ('code', CAST(zeroblob(?) AS TEXT) || 'x', 5, NULL)"],
  ['a kind', "INSERT INTO total VALUES ('code' || CAST(zeroblob(?) AS TEXT), '10000', 5, NULL)"],
  ['what nobody asks for', "INSERT INTO total VALUES ('code', '10000', 5, zeroblob(?))"],
])('%s that is long, and stands in many lines, is not read with each of them', async (name, sql) => {
  using folder = temporaryFolder()
  const files = new FileFolder(folder.path)
  const file = await fileWith(files, (each) => each.run(sql, [LONG]))
  const read = openRelease({ files }, { release_id: 'a:B:1', file })
  const spent = effort()
  for (const ask of [() => read.hasCode('10000'), () => read.totals('code').size, () => read.countNames('code')])
    try {
      ask()
    } catch (fault) {
      expect([name, fault]).toEqual([name, expect.any(StoreFault)])
    }
  expect(spent()).toBeLessThan(5_000)
})

test('a name that is no text is a difference or damage, and nothing else', async () => {
  using folder = temporaryFolder()
  const files = new FileFolder(folder.path)
  const file = await fileWith(files, (each) => each.run("INSERT INTO total VALUES ('code', '10000', 5, NULL)"))
  const path = files.pathOf(file)
  const bytes = readFileSync(path)
  // Before the values of a line stand their types: 23 is a text of five bytes. The last lines become others.
  const line = bytes.indexOf('code10000') - 6
  expect(bytes[line + 3]).toBe(23)
  const size = bytes.readUInt16BE(16)
  const page = bytes.subarray(line - (line % size), line - (line % size) + size)
  const other = 1_000
  page.copyWithin(other, line % size, (line % size) + 20)
  for (let i = 200; i < LINES; i++) page.writeUInt16BE(other, 8 + 2 * i)
  for (const type of [0, 1, 7, 22]) {
    page[other + 3] = type
    writeFileSync(path, bytes)
    files.forget(file)
    const read = openRelease({ files }, { release_id: 'a:B:1', file })
    try {
      read.totals('code')
    } catch (fault) {
      expect([type, fault]).toEqual([type, expect.any(StoreFault)])
    }
  }
})
