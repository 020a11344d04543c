// Release files from elsewhere that hold what was published and more. Whoever keeps a file checks it as a whole; what is kept has
// to give the answers that were published.

import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { FileFolder } from '../../src/db/file-folder.ts'
import { answerText, type Operation } from '../../src/operation.ts'
import { rederive } from '../../src/registry/release/rederive.ts'
import { loggedReleases, type Release } from '../../src/registry/store.ts'
import { aPrice, aRelease } from '../support/builders.ts'
import { type TestApp, testApp } from '../support/harness.ts'
import { withRows } from '../support/release-file.ts'

const DAY = '2026-08-15'
const REGIONS = ['national', 'US-AL-00', 'US-CA-05', 'US-CA-18', 'US-IL-16', 'US-NY-01', 'US-TX-28']
const SETTINGS = ['facility', 'non_facility'] as const
const QUESTIONS = REGIONS.flatMap((region) => SETTINGS.map((setting) => ({ cpt: '20000', region, setting })))

let app: TestApp
let release: Release
let lookup: Operation
let original: Buffer
let following: { stop: () => Promise<void> }
beforeAll(async () => {
  app = await testApp({ today: DAY })
  // Fewer than a bundle has room for.
  const edition = { effective_from: '2026-01-01', effective_to: '2026-12-31' }
  await app.publish(aRelease({ ...edition, rows: QUESTIONS.map((key) => aPrice(key)) }))
  following = app.app.followHeads(({ fault }) => {
    throw fault
  })
  lookup = app.app.operations.find(({ name }) => name === 'lookup_reference') as Operation
  while (lookup.stamp?.() === undefined) await Bun.sleep(1)
  release = (await loggedReleases(app.installation.db))[0] as Release
  original = readFileSync(app.installation.db.files.pathOf(release.file))
}, 60_000)
afterAll(async () => {
  await following.stop()
  await app[Symbol.asyncDispose]()
})

/** What `atr mirror`, `atr restore` and `atr fsck` ask of a file. */
async function isKept(bytes: Uint8Array): Promise<boolean> {
  const files = new FileFolder(app.folder.path)
  const file = createHash('sha256').update(bytes).digest('hex')
  writeFileSync(files.pathOf(file), bytes)
  const { release_id, row_count, manifest } = release
  const { faults } = await rederive(
    { files },
    { release_id, row_count, rows_root: manifest.rows_root, file, contents: null },
  )
  return faults.length === 0
}

/** The answer to each question, as long as this is the file. */
async function answersFrom(bytes: Uint8Array): Promise<string[]> {
  const { files } = app.installation.db
  writeFileSync(files.pathOf(release.file), bytes)
  files.forget(release.file)
  const answers: string[] = []
  for (const question of QUESTIONS)
    answers.push(await Promise.resolve(lookup.run(lookup.input.parse(question), {})).then(answerText, String))
  writeFileSync(files.pathOf(release.file), original)
  files.forget(release.file)
  return answers
}

const inDatabase =
  (change: (file: Database) => void) =>
  (path: string): void => {
    using file = new Database(path)
    change(file)
  }

const FILES: Record<string, (path: string) => void> = {
  'as it was published': () => undefined,
  'with another row behind the last one, which its head does not count': inDatabase((file) => {
    const more = { cpt: '20000', region: 'national', modifier: 'ZZ', basis: 'medicare_pfs', setting: 'non_facility' }
    withRows((rows) => [
      ...rows,
      {
        key: `${more.cpt}|${more.region}||ZZ|${more.basis}|${more.setting}|`,
        body: rows.at(-1)?.body.replace('"modifier":null', '"modifier":"ZZ"') ?? '',
      },
    ])(file)
    file.run('UPDATE header SET row_count = row_count - 1')
  }),
}

/** A record of a page that is a leaf: how many bytes it has, after the bytes that say so, with the number of its row. */
const cellAt = (page: Buffer, at: number): Buffer => {
  const size = ((page[at] as number) & 127) * 128 + (page[at + 1] as number)
  return page.subarray(at, at + 3 + size)
}

/** Puts the only bundle into its page a second time, in other words. The index knows of one, and SQLite finds the first. */
function twice(path: string): void {
  using file = new Database(path)
  const sql = "SELECT rootpage FROM sqlite_schema WHERE name = 'bundle'"
  const { rootpage } = file.query<{ rootpage: number }, []>(sql).get() ?? { rootpage: 0 }
  const bytes = readFileSync(path)
  const size = bytes.readUInt16BE(16)
  const page = bytes.subarray((rootpage - 1) * size, rootpage * size)
  const first = page.readUInt16BE(8)
  const other = Buffer.from(cellAt(page, first))
  expect([page[0], page.readUInt16BE(3), other.indexOf('"facility"') > 0]).toEqual([13, 1, true])
  other.write('"xacility"', other.indexOf('"facility"'))
  const at = first - other.length
  other.copy(page, at)
  page.writeUInt16BE(2, 3)
  page.writeUInt16BE(at, 5)
  page.writeUInt16BE(at, 10)
  writeFileSync(path, bytes)
}
FILES['with its bundle twice on one page'] = twice

test.each(Object.keys(FILES))(
  'a file %s is not kept, or gives the answers that were published',
  async (name) => {
    const honest = await answersFrom(original)
    expect(honest.filter((answer) => !answer.startsWith('{"basis"'))).toEqual([])
    const path = join(app.folder.path, 'other')
    writeFileSync(path, original)
    FILES[name]?.(path)
    const bytes = readFileSync(path)
    expect(await isKept(original)).toBe(true)
    if (await isKept(bytes)) expect(await answersFrom(bytes)).toEqual(honest)
  },
  60_000,
)
