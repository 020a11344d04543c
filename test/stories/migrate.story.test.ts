import { expect } from 'bun:test'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { makeApp } from '../../src/app.ts'
import { type Config, readConfig } from '../../src/config.ts'
import { openInstallation } from '../../src/installation.ts'
import { testOnPostgres } from '../support/engines.ts'
import { BASE_URL, testApp } from '../support/harness.ts'
import { postgresServer } from '../support/postgres.ts'
import { atr } from '../support/service.ts'

const NOW = Date.parse('2026-11-15T12:00:00Z')
const ASKED = [
  '/reference?cpt=99213',
  '/reference?cpt=99213&region=US-IL-16',
  '/reference?cpt=00000',
  '/reference/sheet?cpt=99213&region=60611',
  '/api/coverage',
  '/api/releases',
  '/api/figures',
  '/log/registry/checkpoint',
  '/log/figures/checkpoint',
  '/log/registry/tile/entries/000.p/8',
]

/** What a service on this store answers, byte for byte. */
async function answers(config: Config): Promise<string[]> {
  const installation = await openInstallation(config)
  const app = makeApp(installation, {
    baseUrl: () => BASE_URL,
    now: () => NOW,
    limits: { default_rpm: 1, reference_rpm: 1, log_rpm: 1, enabled: false },
    observe: () => undefined,
  })
  const bodies = await Promise.all(
    ASKED.map(async (path) => {
      const answer = await app.fetch(new Request(`${BASE_URL}${path}`), '192.0.2.1')
      return `${answer.status} ${(await answer.text()).replace(/"request_id":"[^"]+"/, '')}`
    }),
  )
  await installation.db.close()
  return bodies
}

testOnPostgres(
  'a store is moved to PostgreSQL and back: answers and proofs are the same bytes',
  async () => {
    await using app = await testApp({ sample: true, engine: 'sqlite' })
    const { DATA_DIR } = app.config
    await app.installation.db.close()
    const DATABASE_URL = await (await postgresServer()).database()
    const before = await answers(app.config)
    expect(before.filter((body) => body.startsWith('200')).length).toBeGreaterThan(6)

    const there = await atr(['migrate', '--to', DATABASE_URL, '--json'], { DATA_DIR, DATABASE_URL: '' })
    expect([there.code, there.err]).toEqual([0, ''])
    expect(JSON.parse(there.out)).toMatchObject({ log_sizes: [15, expect.any(Number)] })
    expect(await answers(readConfig({ DATA_DIR, DATABASE_URL }))).toEqual(before)
    // The old one was set aside: nobody goes on with it by mistake.
    expect(existsSync(join(DATA_DIR, 'registry.db'))).toBe(false)
    expect(readdirSync(DATA_DIR).some((name) => name.startsWith('registry.db.moved-'))).toBe(true)
    expect(await atr(['fsck'], { DATA_DIR, DATABASE_URL: '' })).toMatchObject({
      code: 3,
      err: expect.stringContaining('the store is missing'),
    })
    // A second one is not put over it.
    const again = await atr(['migrate', '--to', DATABASE_URL], { DATA_DIR, DATABASE_URL })
    expect([again.code, again.err]).toEqual([2, 'atr: the store is on that engine already\n'])

    const back = await atr(['migrate', '--to', DATA_DIR], { DATA_DIR, DATABASE_URL })
    expect([back.code, back.err]).toEqual([0, ''])
    expect(await answers(readConfig({ DATA_DIR }))).toEqual(before)
    expect(await atr(['fsck'], { DATA_DIR, DATABASE_URL: '' })).toMatchObject({ code: 0 })
    expect(await atr(['fsck'], { DATA_DIR, DATABASE_URL })).toMatchObject({ code: 3 })
  },
  120_000,
)
