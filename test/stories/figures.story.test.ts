import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { aCase, aSoundLedger, cases, fileOf, HEADER, NPI, OTHER_NPI } from '../../src/figures/fixture.ts'
import { insertProviders } from '../../src/figures/ledger/directory.ts'
import { correctOutcomes, importOutcomes } from '../../src/figures/ledger/ledger.ts'
import { releaseFigures } from '../../src/figures/release.ts'
import { SCOPE_NAMES } from '../../src/operation.ts'
import { type TestApp, temporaryFolder, testApp } from '../support/harness.ts'
import { atr } from '../support/service.ts'

const MONTH_MS = 31 * 86_400_000

const take = (app: TestApp, lines: readonly string[]) =>
  importOutcomes(app.installation.db, fileOf(lines), { now: () => app.clock.now })

function release(app: TestApp) {
  const { db, figuresLog: log, cosign } = app.installation
  return releaseFigures({ db, log, now: () => app.clock.now, cosign })
}

interface Figures {
  w: number | null
  savings: { total: string | null }
  cases_floor10: number | null
  metrics: Record<string, { value: unknown; suppressed: boolean; reason: string | null; as_of: string | null }>
}
const figuresOf = async (app: TestApp): Promise<Figures> => (await app.getJson('/api/figures')) as Figures
const reasonsOf = ({ metrics }: Figures): Record<string, string | null> =>
  Object.fromEntries(Object.entries(metrics).map(([metric, { reason }]) => [metric, reason]))
const all = (reason: string | null) => ({
  w: reason,
  r: reason,
  p: reason,
  savings_total: reason,
  savings_median: reason,
})

test('two keys of different scopes, and no key, get the same bytes with the same tag', async () => {
  await using app = await testApp()
  await take(app, aSoundLedger())
  await release(app)
  const callers = [
    {},
    {},
    await app.railsHeaders(['figures:read']),
    await app.railsHeaders(['audit:read', 'provider:read']),
    await app.railsHeaders(SCOPE_NAMES),
  ]
  const answers = await Promise.all(
    callers.map(async (headers) => {
      const response = await app.request('/api/figures', { headers })
      return `${response.status} ${response.headers.get('etag')} ${await response.text()}`
    }),
  )
  expect(new Set(answers).size).toBe(1)
  expect(answers[0]).toStartWith('200 "')
  // Nothing slices the figures: a parameter is refused, whoever sends it.
  for (const query of ['region=CA', 'npi=1234567893', 'since=2026-01-01', 'cpt=99213'])
    expect(await app.problemCode(`/api/figures?${query}`)).toBe('unknown_parameter')
})

test('with no ledger, no release, or too few cases every figure is null with its reason', async () => {
  await using app = await testApp()
  expect(reasonsOf(await figuresOf(app))).toEqual(all('no_data'))
  await release(app)
  expect(reasonsOf(await figuresOf(app))).toEqual(all('small_cell'))
  await take(app, cases(49))
  app.clock.now += MONTH_MS
  await release(app)
  const few = await figuresOf(app)
  expect(reasonsOf(few)).toEqual(all('small_cell'))
  expect([few.w, few.savings.total, few.cases_floor10]).toEqual([null, null, null])
})

test('unanimous cases and one dominant case withhold what they would tell', async () => {
  await using app = await testApp()
  await take(app, cases(400))
  await release(app)
  expect(reasonsOf(await figuresOf(app))).toEqual({ ...all('small_cell'), savings_total: null, savings_median: null })

  await using other = await testApp()
  await take(other, [...aSoundLedger({ recovered: '100' }), aCase({ recovered: '50000' })])
  await release(other)
  expect(reasonsOf(await figuresOf(other))).toMatchObject({
    savings_total: 'dominance',
    savings_median: 'dominance',
    r: null,
  })
})

test('a correction of three cases changes no byte but the name of the release', async () => {
  await using app = await testApp()
  const lines = aSoundLedger()
  await take(app, lines)
  await release(app)
  const before = await figuresOf(app)
  const corrected = lines.slice(0, 3).map((line) => aCase({ case_ref: line.slice(0, 36), recovered: '20000' }))
  const { db } = app.installation
  await correctOutcomes(db, fileOf(corrected), { now: () => app.clock.now })
  app.clock.now += MONTH_MS
  expect(await release(app)).toMatchObject({ changes: 0 })
  const {
    as_of: _,
    release_id: __,
    ...after
  } = (await figuresOf(app)) as Figures & { as_of: string; release_id: string }
  expect(before).toMatchObject(after)
})

test('a provider in the directory without a case is answered like one with ten', async () => {
  await using app = await testApp()
  await insertProviders(app.installation.db, [NPI, OTHER_NPI])
  await take(app, [...aSoundLedger(), ...cases(10, { npi: NPI })])
  await release(app)
  const headers = await app.railsHeaders(['provider:read'])
  const [ten, none] = await Promise.all(
    [NPI, OTHER_NPI].map(async (npi) => (await app.request(`/api/provider/${npi}`, { headers })).text()),
  )
  expect(ten?.replaceAll(NPI, '')).toBe(none?.replaceAll(OTHER_NPI, '') as string)
})

test('the commands take, correct, delete, rehearse, release and audit, and say nothing of what a file holds', async () => {
  using folder = temporaryFolder()
  const env = { DATA_DIR: join(folder.path, 'data') }
  const put = (name: string, lines: readonly string[]): string => {
    const path = join(folder.path, name)
    writeFileSync(path, `${lines.join('\n')}\n`)
    return path
  }
  const run = async (...args: string[]) => {
    const { code, out, err } = await atr([...args, '--json'], env)
    return { code, err, said: out === '' ? undefined : (JSON.parse(out) as Record<string, unknown>) }
  }
  await atr(['init', '--origin', 'figures.example'], env)
  const lines = aSoundLedger()
  expect(await run('outcomes', 'import', put('a.csv', [HEADER, ...lines]))).toMatchObject({
    code: 0,
    said: { cases: 100, batch_id: 1 },
  })
  const planned = await run('figures', 'release', '--dry-run')
  expect(planned).toMatchObject({ code: 0, said: { dry_run: true, disclosure_audit: 'pass' } })
  expect(await run('figures', 'release')).toMatchObject({ code: 0, said: { changes: 7 } })
  const corrected = aCase({ case_ref: lines[0]?.slice(0, 36) as string })
  expect(await run('outcomes', 'correct', put('b.csv', [HEADER, corrected]))).toMatchObject({
    code: 0,
    said: { cases: 1 },
  })
  const named = put('c.csv', ['case_ref', lines[1]?.slice(0, 36) as string])
  expect(await run('outcomes', 'delete', named)).toMatchObject({ code: 0, said: { cases: 1, batch_id: 3 } })
  expect(await run('outcomes', 'delete', named)).toMatchObject({ code: 0, said: { already_imported: true } })
  expect(await run('figures', 'audit')).toMatchObject({ code: 0, said: { ok: true, pinned: [] } })
  const bad = await run('outcomes', 'import', put('d.csv', [HEADER, aCase({ state: 'Zebulon Canary' })]))
  expect(bad.code).toBe(1)
  expect(bad.err).toContain('line 2 column 3')
  expect(bad.err).not.toContain('Canary')
  for (const args of [
    ['figures'],
    ['figures', 'audit', '--dry-run'],
    ['figures', 'release', '--dp', '0.5'],
    ['outcomes', 'drop', 'x'],
  ])
    expect((await atr(args, env)).code).toBe(2)
}, 60_000)
