import { expect, test } from 'bun:test'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readConfig } from '../../src/config.ts'
import { tables } from '../../src/db/migrator.ts'
import { tallCsv } from '../../src/ingest/hospital/fixture.ts'
import { openInstallation } from '../../src/installation.ts'
import type { PricedRow } from '../../src/proof/price/row.ts'
import { storeEnvironment } from '../support/engines.ts'
import { temporaryFolder } from '../support/harness.ts'
import { atr } from '../support/service.ts'

// What an operator can find out about a file before anyone can read its prices.

const sound = Array.from({ length: 60 }, (_, i) => ({
  code: `G${1000 + i}`,
  gross: `${500 + i}.25`,
  cash: `${100 + i}`,
}))
const CHARGES = [
  ...sound,
  { code: 'G2000', gross: 'about 12', cash: '10' },
  { code: '99213-25', gross: '77777' },
  { code: 'G2001', gross: 'about 13' },
]

interface Sampled {
  rows: { row: PricedRow; sources: { file: string; line: number }[] }[]
}

async function operator() {
  const folder = temporaryFolder()
  const env = await storeEnvironment(join(folder.path, 'data'))
  const file = join(folder.path, '1234567893_standardcharges.csv')
  writeFileSync(file, tallCsv(CHARGES))
  expect((await atr(['init', '--origin', 'staged.example'], env)).code).toBe(0)
  const run = (...args: string[]) => atr(args, env)
  const load = (...more: string[]) =>
    run('load', 'hospital-mrf', file, '--url', 'https://hospital.example/file', ...more)
  /** Everything in the store but the number of the next release, which nobody sees. */
  const store = async (): Promise<string> => {
    const { db } = await openInstallation(readConfig(env))
    const names = tables()
      .map(({ name }) => name)
      .filter((name) => name !== 'release_number')
    const rows = await Promise.all(names.map((name) => db.query(`SELECT * FROM ${name}`)))
    await db.close()
    const files = readdirSync(env.DATA_DIR, { recursive: true }).sort()
    return JSON.stringify([
      names.map((name, i) => [name, rows[i]]),
      files.map(String).filter((name) => name !== 'releases'),
    ])
  }
  return { path: folder.path, env, file, run, load, store, [Symbol.dispose]: () => folder[Symbol.dispose]() }
}

test('a dry run says what loading would say, and keeps nothing', async () => {
  using here = await operator()
  const before = await here.store()
  const dry = await here.load('--dry-run', '--rejects', join(here.path, 'rejects.csv'))
  expect([dry.code, dry.err]).toEqual([0, ''])
  expect(dry.out).toMatch(/state +dry run: nothing was kept/)
  expect(dry.out).toMatch(/R02 +reject +2 +64, 66 /)
  expect(dry.out).toContain('4 of about 125 prices in the source (3.20 %) are not in the release')
  expect(dry.out).toContain('HELD by the breaker, not published, because:\n  rejected_share')
  expect(dry.out).toContain('load it without --dry-run and --publish, then `atr release sample`')
  expect(await here.store()).toBe(before)
  expect(readdirSync(here.path).sort()).toEqual(
    ['1234567893_standardcharges.csv', 'data', 'data.lock', 'rejects.csv'].sort(),
  )

  // Every line that was refused, where it is and why, and nothing of what it says.
  const rejects = readFileSync(join(here.path, 'rejects.csv'), 'utf8')
  expect(rejects).toBe('line,rule,then,key\n64,R02,reject,\n65,R03,reject,\n66,R02,reject,\n')
  const again = await here.load('--dry-run', '--rejects', here.file)
  expect([again.code, again.err]).toEqual([1, expect.stringContaining('exists already')])

  const publishing = await here.load('--dry-run', '--publish')
  expect([publishing.code, publishing.err]).toEqual([1, expect.stringContaining('release_held: rejected_share')])
  const overridden = ['--override', 'rejected_share', '--reason', 'verified_by_operator']
  const allowed = await here.load('--dry-run', '--publish', ...overridden, '--json')
  expect([allowed.code, JSON.parse(allowed.out)]).toMatchObject([
    0,
    { dry_run: true, already: false, rejected: 3, check: { loss: { lost: 4, stated: 125 } } },
  ])
  expect(await here.store()).toBe(before)

  // After it, the load is the first of its edition.
  const loaded = JSON.parse((await here.load('--json')).out) as { release_id: string; state: string }
  expect(loaded).toMatchObject({ release_id: 'hospital-mrf:1234567893:2026-04-01:1', state: 'staged' })
  const repeated = await here.load('--dry-run')
  expect([repeated.code, repeated.out]).toEqual([0, expect.stringMatching(/state +staged before/)])
  expect(repeated.out).not.toContain('absences')
})

test('a staged release can be sampled, looked up and exported, and each row leads to its line in the file', async () => {
  using here = await operator()
  const { release_id } = JSON.parse((await here.load('--json')).out) as { release_id: string }
  const lines = readFileSync(here.file, 'utf8').split(/\r?\n/)
  const sampled = JSON.parse((await here.run('release', 'sample', release_id, '--rows', '40', '--json')).out) as Sampled
  expect(new Set(sampled.rows.map(({ row }) => JSON.stringify(row))).size).toBe(40)
  for (const { row, sources } of sampled.rows) {
    const [line = ''] = sources.map((each) => lines[each.line - 1] ?? '')
    expect([line, sources[0]?.file]).toEqual([expect.stringContaining(row.code), '1234567893_standardcharges.csv'])
    if (row.kind === 'price' && 'amount' in row.price) expect(line).toContain(row.price.amount.replace(/\.00$/, ''))
  }
  const text = await here.run('release', 'sample', release_id)
  expect(text.out).toContain('Open the file at these lines and compare.')
  expect(text.out).toContain(`atr release publish ${release_id}`)

  const found = await here.run('release', 'sample', release_id, '--cpt', 'g2000')
  expect(found.out).toMatch(/G2000\|national\|1234567893\|hospital_cash\|\|\|outpatient\| +10\.00 +\S+\.csv +64\n/)
  expect(found.out).toMatch(/\|hospital_gross\|\|\|outpatient\| +no price: unreadable +\S+\.csv +64\n/)
  expect((await here.run('release', 'sample', release_id, '--cpt', 'G9999')).code).toBe(1)

  const out = join(here.path, 'rows.ndjson')
  const exported = await here.run('export', release_id, '--format', 'ndjson', '--out', out, '--json')
  expect([exported.code, JSON.parse(exported.out)]).toMatchObject([0, { state: 'staged', rows: 185 }])
  expect(readFileSync(out, 'utf8').trimEnd().split('\n')).toHaveLength(185)
})
