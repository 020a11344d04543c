import { expect } from 'bun:test'
import { cpSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Proof, RowPointer } from '../../src/proof/envelope.ts'
import { releaseOf } from '../../src/proof/shown.ts'
import { storeEnvironment, testOnPostgres } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { ObjectStorage } from '../support/object-storage.ts'
import { serve } from '../support/replicas.ts'
import { atr } from '../support/service.ts'
import { until } from '../support/until.ts'

const LIST = join(import.meta.dir, '../../sample/CLFS-SAMPLE26Q4.csv')

const BEHIND = 'this machine does not have the files of the newest releases'

/** Without those that are just being fetched. */
const releaseFiles = (data: string): string[] =>
  readdirSync(join(data, 'releases')).filter((name) => !name.endsWith('.tmp'))

testOnPostgres(
  'a machine that shares a database and object storage serves what another has published, once it has the file whole',
  async () => {
    using folder = temporaryFolder()
    await using storage = new ObjectStorage()
    const [here, there] = ['here', 'there'].map((name) => join(folder.path, name)) as [string, string]
    const publisher = {
      ...(await storeEnvironment(here, 'postgres')),
      ...storage.environment,
      RELEASES: 's3://bucket/registry',
      PORT: '0',
      RATE_LIMITS: 'off',
      LOG_LEVEL: 'error',
    }
    const reader = { ...publisher, DATA_DIR: there }
    const run = async (...args: string[]): Promise<string> => {
      const { code, out, err } = await atr(args, publisher)
      expect([args, code, err]).toEqual([args, 0, ''])
      return out
    }
    const load = (edition: string, from: string, ...more: string[]): Promise<string> =>
      run('load', 'cms-clfs', LIST, '--edition', edition, '--effective-from', from, '--sample', '--json', ...more)
    const published = ['--publish', '--override', 'r11_overlap', '--reason', 'sample_data']
    await run('init', '--origin', 'shared.example')
    await load('ONE', '2026-10-01', ...published)
    expect([...storage.objects.keys()]).toEqual([expect.stringMatching(/^\/bucket\/registry\/[0-9a-f]{64}\.atr\.zst$/)])
    // Another machine has the keys, the pepper and the lock, and no file.
    mkdirSync(there)
    for (const name of ['log-keys', 'pepper']) cpSync(join(here, name), join(there, name))
    cpSync(`${here}.lock`, `${there}.lock`, { recursive: true })
    const { child, url } = await serve({ ...reader, LAG_SECONDS: '2' })
    const editionAt = async (): Promise<string> => {
      const answer = await fetch(`${url}/reference?cpt=80053&as_of=2026-11-15`)
      expect(answer.status).toBe(200)
      const body = (await answer.json()) as { row: RowPointer; proof: Proof }
      return releaseOf(body, body.row)?.edition ?? ''
    }
    expect(await editionAt()).toBe('ONE')
    expect(readdirSync(join(there, 'releases'))).toEqual(readdirSync(join(here, 'releases')))

    // What is published next is forged on its way: the other machine goes on with what it has.
    const forged = Bun.zstdCompressSync('not the file')
    storage.forged = { unless: new Set(storage.objects.keys()), bytes: new Uint8Array(forged) }
    await load('TWO', '2026-11-01', ...published)
    await until(() => storage.forgedAnswers > 0)
    for (let i = 0; i < 5; i++) {
      expect(await editionAt()).toBe('ONE')
      await Bun.sleep(20)
    }
    expect(releaseFiles(there)).toHaveLength(1)
    // After the time that is stated it refuses: what it has may be withdrawn by now.
    const lookup = () => fetch(`${url}/reference?cpt=80053&as_of=2026-11-15`)
    await until(async () => (await lookup()).status === 503, 'the machine that is behind refuses')
    for (const answer of [await lookup(), await fetch(`${url}/readyz`)])
      expect(await answer.json()).toMatchObject({ code: 'unavailable', detail: expect.stringContaining(BEHIND) })
    expect((await fetch(`${url}/livez`)).status).toBe(200)
    storage.forged = undefined
    await until(async () => (await lookup()).status === 200, 'the machine has the file')
    await until(async () => (await editionAt()) === 'TWO')
    expect(await atr(['fsck'], reader)).toMatchObject({ code: 0 })

    const staged = JSON.parse(await load('THREE', '2026-12-01')) as { release_id: string }
    expect(storage.objects.size).toBe(3)
    await run('release', 'discard', staged.release_id)
    expect(storage.objects.size).toBe(2)
    child.kill('SIGTERM')
    await child.exited
    // Storage that is away stops a load, which says why, and nobody else.
    storage.isAway = true
    expect(
      await atr(
        ['load', 'cms-clfs', LIST, '--edition', 'FOUR', '--effective-from', '2026-12-01', '--sample'],
        publisher,
      ),
    ).toMatchObject({
      code: 1,
      err: expect.stringContaining('refused: unavailable: the object storage of RELEASES does not answer'),
    })
    await run('keys', 'list')
    const doctor = await atr(['doctor', '--json'], { ...publisher, VALKEY_URL: 'redis://:secret@127.0.0.1:1' })
    const found = JSON.parse(doctor.out) as { findings: { code: string; level: string }[] }
    expect(doctor.code).toBe(1)
    expect(found.findings.map(({ code, level }) => `${level} ${code}`)).toEqual(
      expect.arrayContaining(['fail storage_away', 'warn valkey_away']),
    )
    expect(doctor.out).not.toContain('secret')
    storage.isAway = false
    expect(JSON.parse(await run('release', 'list', '--json'))).toHaveLength(2)
    expect(storage.objects.size).toBe(2)
  },
)
