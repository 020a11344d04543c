import { afterAll, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ENGINES, testStore } from '../../test/support/engines.ts'
import { temporaryFolder } from '../../test/support/folder.ts'
import { ObjectStorage } from '../../test/support/object-storage.ts'
import type { Db } from '../db/db.ts'
import { COPIES, S3Files } from '../db/s3-files.ts'
import { CopyBucket, SourceArchive } from './archive.ts'
import { type CheckParts, checkCitations } from './check.ts'
import { citationHealthOf } from './report.ts'
import { listCopies, listEvents } from './store.ts'

const FILE = 'code,amount\n99213,95.19\n'
const SHA256 = createHash('sha256').update(FILE).digest('hex')
const DAY = 86_400_000

let published: (request: Request) => Response | Promise<Response> = () => new Response(FILE)
const publisher = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: (request) => published(request) })
const storage = new ObjectStorage()
afterAll(async () => {
  await publisher.stop(true)
  await storage[Symbol.asyncDispose]()
})

const SOURCE = {
  chart: 'cms-pfs',
  release_id: 'cms-pfs:TEST1:1',
  file: 'fees.csv',
  rows: 1,
  url: `http://127.0.0.1:${publisher.port}/fees.csv`,
  sha256: SHA256,
  bytes: FILE.length,
  media_type: 'text/csv',
}
const checkParts = (db: Db, more: Partial<CheckParts> = {}): CheckParts => ({
  db,
  now: () => DAY,
  cited: async () => [SOURCE],
  isSuccessor: () => false,
  outgoing: { loopback: true },
  ...more,
})
const look = async (parts: CheckParts) => (await checkCitations(parts, true, () => undefined))[0]

describe.each(ENGINES)('on %s', (engine) => {
  test('of all processes that use a store, one looks at a time', async () => {
    await using store = await testStore(engine)
    const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    published = () => {
      begun.resolve()
      return gate.promise.then(() => new Response(FILE))
    }
    const first = look(checkParts(store.db))
    await begun.promise
    await expect(look(checkParts(store.db))).rejects.toThrow('another process is looking')
    gate.resolve()
    expect((await first)?.state).toBe('ok')
    expect((await look(checkParts(store.db)))?.state).toBe('ok')
  })

  test('a lost source is one event, and its return another', async () => {
    await using store = await testStore(engine)
    const kinds = async () => (await listEvents(store.db, 9)).map(({ kind }) => kind)
    published = () => new Response(FILE)
    await look(checkParts(store.db))
    expect(await kinds()).toEqual([])
    published = () => new Response('another file\n')
    for (let i = 0; i < 2; i++) await look(checkParts(store.db, { now: () => 100 * DAY + i }))
    expect(await kinds()).toEqual(['source_changed'])
    // A look without an answer is no event.
    published = () => new Response(null, { status: 503 })
    await look(checkParts(store.db, { now: () => 101 * DAY }))
    expect(await kinds()).toEqual(['source_changed'])
    published = () => new Response(FILE)
    await look(checkParts(store.db, { now: () => 102 * DAY }))
    expect(await kinds()).toEqual(['source_back', 'source_changed'])
  })
})

/** An archive in a folder and an archive in object storage, and functions that damage them. */
function archives(folder: string): { name: string; archive: SourceArchive; harm: () => void }[] {
  const bucket = new CopyBucket(new S3Files('s3://bucket/copies', storage.options, COPIES))
  const object = `/bucket/copies/${SHA256}.zst`
  return [
    {
      name: 'a folder',
      archive: SourceArchive.at(folder),
      harm: () => {
        const [name = ''] = readdirSync(folder, { recursive: true })
          .map(String)
          .filter((each) => each.endsWith(SHA256))
        writeFileSync(join(folder, name), 'no longer the same')
      },
    },
    {
      name: 'object storage',
      archive: new SourceArchive(bucket),
      harm: () => storage.objects.set(object, new TextEncoder().encode('no longer the same')),
    },
  ]
}

test('a copy is kept in a folder or in object storage, read back, and repaired while the source still exists', async () => {
  using folder = temporaryFolder()
  for (const { name, archive, harm } of archives(folder.path)) {
    await using store = await testStore()
    const at = (day: number): CheckParts => checkParts(store.db, { archive, now: () => day * DAY })
    const shareAt = async (day: number) => (await citationHealthOf(store.db, [SOURCE], day * DAY, true)).archived_share
    published = () => new Response(FILE)
    expect([name, (await look(at(1)))?.isCopied, await shareAt(1)]).toEqual([name, true, 1])
    expect(await archive.isSound(SHA256)).toBe(true)

    published = () => new Response('another file\n')
    const changed = await look(at(100))
    expect([changed?.state, changed?.isCopied, changed?.event]).toEqual(['changed', true, undefined])

    // Without the copy nobody can see the cited file.
    harm()
    expect(await archive.isSound(SHA256)).toBe(false)
    const lost = await look(at(110))
    expect([lost?.isCopied, lost?.event?.kind, await shareAt(110)]).toEqual([false, 'source_changed', 0])

    published = () => new Response(FILE)
    const back = await look(at(220))
    expect([back?.isCopied, back?.event?.kind, await shareAt(220)]).toEqual([true, 'source_back', 1])
    expect(await listCopies(store.db)).toMatchObject([{ sha256: SHA256, is_sound: 1, checked_at: 220 * DAY }])
  }
})

test('lost sources come first if there are more failing sources than the report shows', async () => {
  await using store = await testStore()
  const cited = Array.from({ length: 60 }, (_, i) => ({ ...SOURCE, url: `${SOURCE.url}?${i}` }))
  published = ({ url }) => (url.endsWith('?59') ? new Response('another file\n') : new Response(null, { status: 403 }))
  const parts = checkParts(store.db, { cited: async () => cited })
  await checkCitations(parts, true, () => undefined)
  const { failing, total_failing, truncated } = await citationHealthOf(store.db, cited, DAY, false)
  expect([total_failing, truncated, failing[0]?.status, failing[1]?.status]).toEqual([60, true, 'changed', 'blocked'])
})
