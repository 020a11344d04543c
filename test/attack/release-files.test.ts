// A release file that a disk, or someone who can write to the folder, has changed. A service may refuse to answer from it; it
// may not hang, fail in another way, or answer anything that the published file would not have answered.

import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { FileFolder } from '../../src/db/file-folder.ts'
import { askedAt } from '../../src/proof/whole/asked.ts'
import { checkWhole } from '../../src/proof/whole/whole-check.ts'
import { exportRelease } from '../../src/registry/export/export.ts'
import { rederive } from '../../src/registry/release/rederive.ts'
import { findLogged, type Release } from '../../src/registry/store.ts'
import { BASE_URL, type TestApp, testApp } from '../support/harness.ts'
import { withRows } from '../support/release-file.ts'
import { dice } from './dice.ts'
import { MUTATIONS } from './file-mutants.ts'

const TODAY = '2026-11-15'
const RELEASE = 'cms-pfs:SAMPLE26D:1'
const MUTANTS_OF_EACH = 6

const QUESTIONS = [
  '/reference?cpt=99213',
  '/reference?cpt=99213&region=US-CA-05&setting=facility',
  '/reference?cpt=70450&region=US-AK-01&modifier=26',
  '/reference?cpt=45378&region=94102',
  '/reference?cpt=0001F',
  '/reference?cpt=99998',
  '/reference?cpt=99213&proof=ref',
  '/reference?cpt=99998&proof=ref',
  '/reference/sheet?cpt=99213&region=94102',
  '/reference/sheet?cpt=99998',
  '/reference/history?cpt=99213',
  '/api/registry?cpt=99213&limit=5',
  '/api/registry?chart=cms-pfs&limit=20&offset=600',
  `/rows/${RELEASE}/0`,
  `/rows/${RELEASE}/700`,
  `/log/releases/${RELEASE}/tile/0/001`,
  `/log/releases/${RELEASE}/tile/entries/001`,
]

let app: TestApp
let release: Release
let headers: Record<string, string>
let original: Uint8Array
let following: { stop: () => Promise<void> }
const honest = new Map<string, Told>()

beforeAll(async () => {
  app = await testApp({ sample: true, today: TODAY, cacheBytes: 0 })
  following = app.app.followHeads(({ fault }) => {
    throw fault
  })
  headers = await app.railsHeaders()
  release = (await findLogged(app.installation.db, RELEASE)) as Release
  original = readFileSync(app.installation.db.files.pathOf(release.file))
  for (const path of QUESTIONS) honest.set(path, await asked(path))
}, 60_000)
afterAll(async () => {
  await following.stop()
  await app[Symbol.asyncDispose]()
})

interface Told {
  status: number
  bytes: Buffer
}

async function asked(path: string): Promise<Told> {
  const response = await app.app.fetch(new Request(`${BASE_URL}${path}`, { headers }), '192.0.2.1')
  return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()) }
}

/** What is wrong with an answer from a damaged file; undefined if it is refused, or is the one that was published. */
async function faultIn(path: string, { status, bytes }: Told): Promise<string | undefined> {
  const was = honest.get(path) as Told
  if (status === was.status && bytes.equals(was.bytes)) return undefined
  if (path.startsWith('/log/')) return status === 503 ? undefined : 'other bytes'
  const body = JSON.parse(bytes.toString())
  if (status === 503 && body.code === 'failed_verification') return undefined
  if (status !== was.status) return `${status} ${body.code}`
  // Pointers to what else there is, and totals, are not proved, and stand on the words of the file.
  const hasProof = was.bytes.includes('"log":')
  const verdict = !hasProof ? { ok: isSameBut(body, was) } : await verified(path, bytes)
  return verdict.ok ? undefined : JSON.stringify(verdict)
}

const verified = (path: string, bytes: Buffer) =>
  checkWhole(bytes.toString(), app.policy, askedAt(path, TODAY) ?? { anyQuestion: true })

const isSameBut = ({ available: _, request_id: _r, ...told }: Record<string, unknown>, was: Told): boolean => {
  const { available: _a, request_id: _i, ...truth } = JSON.parse(was.bytes.toString())
  return Bun.deepEquals(told, truth)
}

async function exported(): Promise<string> {
  const hash = createHash('sha256')
  const source = { ...release, rows_root: release.manifest.rows_root }
  try {
    for await (const piece of exportRelease(app.installation.db, source, 'csv')) hash.update(piece)
    return hash.digest('hex')
  } catch (error) {
    return (error as Error).message
  }
}

/** Whether `atr fsck` finds nothing wrong with a file. */
async function isSound(bytes: Uint8Array): Promise<boolean> {
  const files = new FileFolder(join(app.folder.path, 'incoming'))
  mkdirSync(files.path, { recursive: true })
  const file = createHash('sha256').update(bytes).digest('hex')
  writeFileSync(files.pathOf(file), bytes)
  const { row_count, manifest } = release
  const verdict = await rederive(
    { files },
    { release_id: RELEASE, row_count, rows_root: manifest.rows_root, file, contents: null },
  )
  await files.remove(file)
  return verdict.faults.length === 0
}

test.each(Object.keys(MUTATIONS))('a file that lies in its %s is refused, or nobody can tell', async (name) => {
  const { files } = app.installation.db
  const truth = await exported()
  const roll = dice(20_261_116)
  const path = join(app.folder.path, 'mutant')
  for (let i = 0; i < MUTANTS_OF_EACH; i++) {
    writeFileSync(path, original)
    const what = MUTATIONS[name]?.(path, roll)
    const bytes = readFileSync(path)
    const sound = await isSound(bytes)
    writeFileSync(files.pathOf(release.file), bytes)
    files.forget(release.file)
    const faults: string[] = []
    for (const question of QUESTIONS) {
      const answer = await asked(question)
      const fault = await faultIn(question, answer)
      if (fault !== undefined) faults.push(`${question}: ${fault}`)
      // A file that was checked as a whole must give every answer.
      if (sound && answer.status !== honest.get(question)?.status) faults.push(`${question}: found sound`)
    }
    expect([what, faults]).toEqual([what, []])
    const written = await exported()
    expect([what, written === truth || /atr fsck|atr load|edition again/.test(written)]).toEqual([what, true])
    writeFileSync(files.pathOf(release.file), original)
    files.forget(release.file)
  }
  for (const question of QUESTIONS) expect((await asked(question)).status).toBe((honest.get(question) as Told).status)
})

test('a row under the key of a code that the file does not have is no answer for that code', async () => {
  const { files } = app.installation.db
  const path = files.pathOf(release.file)
  const asOther = (key: string): string => key.replace(/^99495\|/, '99998|')
  try {
    const file = new Database(path)
    withRows((rows) => rows.map(({ key, body }) => ({ key: asOther(key), body })))(file)
    file.close()
    files.forget(release.file)
    const question = '/reference?cpt=99998&setting=non_facility'
    expect((await asked(question)).status).toBe(503)
  } finally {
    writeFileSync(path, original)
    files.forget(release.file)
  }
})
