// A withdrawal is an emergency: it works with the state store alone, and what it leaves is no fault for ever.

import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, renameSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { verifyBody } from '../../src/proof/verify.ts'
import { withdraw } from '../../src/registry/release/withdrawal.ts'
import { aPrice, aRelease } from '../support/builders.ts'
import { temporaryFolder } from '../support/folder.ts'
import { testApp } from '../support/harness.ts'
import { atr } from '../support/service.ts'

const LIST = join(import.meta.dir, '../../sample/CLFS-SAMPLE26Q4.csv')

test('a release is withdrawn while its file is away, and nothing calls that a fault afterwards', async () => {
  using folder = temporaryFolder()
  const environment = { DATA_DIR: join(folder.path, 'data') }
  const run = (...args: string[]) => atr(args, environment)
  const load = (edition: string, from: string) =>
    run('load', 'cms-clfs', LIST, '--edition', edition, '--effective-from', from, '--sample', '--publish', '--json')
  expect((await run('init', '--origin', 'emergency.example')).code).toBe(0)
  expect((await load('ONE', '2026-10-01')).code).toBe(0)

  const releases = join(environment.DATA_DIR, 'releases')
  renameSync(releases, `${releases}-away`)
  mkdirSync(releases)
  const refused = await run('release', 'check', 'cms-clfs:ONE:1')
  expect([refused.code, refused.err]).toEqual([
    3,
    expect.stringContaining('the file of release cms-clfs:ONE:1 is missing'),
  ])
  const withdrawn = await run('release', 'withdraw', 'cms-clfs:ONE:1', '--reason', 'wrong_source')
  expect([withdrawn.code, withdrawn.err]).toEqual([0, ''])
  // The service and all commands go on without the file.
  const { code, out } = await run('fsck')
  expect([code, out]).toEqual([0, expect.stringContaining('ok')])
  expect((await load('TWO', '2026-11-01')).code).toBe(0)
  const doctor = await run('doctor', '--json')
  expect(JSON.parse(doctor.out).findings.map(({ code }: { code: string }) => code)).not.toContain(
    'release_file_damaged',
  )
})

test('what killed commands fetched in part is removed by the next one, and what is being fetched is not', async () => {
  using folder = temporaryFolder()
  const environment = { DATA_DIR: join(folder.path, 'data') }
  expect((await atr(['init', '--origin', 'emergency.example'], environment)).code).toBe(0)
  const releases = join(environment.DATA_DIR, 'releases')
  mkdirSync(releases, { recursive: true })
  const nameOf = (): string => `fetched-${'0'.repeat(64)}-${crypto.randomUUID()}.tmp`
  const [left, underWay] = [nameOf(), nameOf()]
  for (const name of [left, underWay]) writeFileSync(join(releases, name), 'half a file')
  utimesSync(join(releases, left), new Date(), new Date(Date.now() - 3_600_000))
  expect((await atr(['release', 'list'], environment)).code).toBe(0)
  expect(existsSync(join(releases, left))).toBe(false)
  expect(readdirSync(releases)).toEqual([underWay])
})

test('the permalink of a row says that its release was withdrawn, and why', async () => {
  await using app = await testApp()
  await app.publish(aRelease({ rows: [aPrice({ code: '99213' })] }))
  const { data } = (await app.getJson('/api/releases')) as { data: { release_id: string }[] }
  const [release] = data
  const path = `/rows/${release?.release_id}/0`
  expect(await app.getJson(path)).not.toHaveProperty('about')
  const { db, registryLog, cosign } = app.installation
  await withdraw({ db, log: registryLog, cosign }, release?.release_id ?? '', 'wrong_source', app.clock.now)
  const row = await app.getJson(path)
  expect(row).toMatchObject({ code: '99213', about: { withdrawn: { reason: 'wrong_source' } } })
  expect((await verifyBody(JSON.stringify(row), app.policy, { anyQuestion: true })).ok).toBe(true)
})
