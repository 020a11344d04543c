import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { aCase, aSoundLedger, cases, fileOf, HEADER, NPI, OTHER_NPI, refusal } from '../../src/figures/fixture.ts'
import { insertProviders } from '../../src/figures/ledger/directory.ts'
import { correctOutcomes, importOutcomes } from '../../src/figures/ledger/ledger.ts'
import { releaseFigures } from '../../src/figures/release.ts'
import { systemDice } from '../../src/figures/window/dice.ts'
import { SCOPE_NAMES } from '../../src/operation.ts'
import { formatPolicy } from '../../src/proof/note/policy.ts'
import { REASONS } from '../../src/proof/whole/reasons.ts'
import { type TestApp, temporaryFolder, testApp } from '../support/harness.ts'
import { atr } from '../support/service.ts'

const MONTH_MS = 31 * 86_400_000
const QUARTER_MS = 3 * MONTH_MS

const take = (app: TestApp, lines: readonly string[]) =>
  importOutcomes(app.installation.db, fileOf(lines), { now: () => app.clock.now })

function release(app: TestApp, exact = false) {
  const { db, figuresLog: log, cosign } = app.installation
  return releaseFigures({ db, log, now: () => app.clock.now, cosign, dice: systemDice(), exact })
}

interface Figures {
  w: number | null
  r: number | null
  p: number | null
  savings: { total: string | null }
  cases_floor10: number | null
  as_of: string | null
  release_id: string | null
  proof: { state: Record<string, unknown> }
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
  // A first release that would say nothing is refused; without noise it is made, and says just that.
  expect(await refusal(release(app))).toMatchObject({ code: 'figures_held' })
  expect(reasonsOf(await figuresOf(app))).toEqual(all('no_data'))
  await release(app, true)
  expect(reasonsOf(await figuresOf(app))).toEqual(all('small_cell'))
  await take(app, cases(49))
  app.clock.now += MONTH_MS
  await release(app, true)
  const few = await figuresOf(app)
  expect(reasonsOf(few)).toEqual(all('small_cell'))
  expect([few.w, few.savings.total, few.cases_floor10]).toEqual([null, null, null])
})

test('unanimous cases and one dominant case withhold what they would tell', async () => {
  await using app = await testApp()
  await take(app, cases(400))
  await release(app, true)
  expect(reasonsOf(await figuresOf(app))).toEqual({ ...all('small_cell'), savings_total: null, savings_median: null })

  await using other = await testApp()
  await take(other, [...aSoundLedger({ recovered: '100' }), aCase({ recovered: '50000' })])
  await release(other, true)
  expect(reasonsOf(await figuresOf(other))).toMatchObject({
    savings_total: 'dominance',
    savings_median: 'dominance',
    r: null,
  })
})

test('a correction of three cases changes no byte of exact figures but the name of the release', async () => {
  await using app = await testApp()
  const lines = aSoundLedger()
  await take(app, lines)
  await release(app, true)
  const before = await figuresOf(app)
  const corrected = lines.slice(0, 3).map((line) => aCase({ case_ref: line.slice(0, 36), recovered: '20000' }))
  const { db } = app.installation
  await correctOutcomes(db, fileOf(corrected), { now: () => app.clock.now })
  app.clock.now += MONTH_MS
  expect(await release(app, true)).toMatchObject({ changes: 0 })
  const after = await figuresOf(app)
  const { as_of, release_id } = after
  // In the proof, too, only the name of the release and its time changed.
  expect({ ...before, as_of, release_id, proof: null }).toEqual({ ...after, proof: null })
  const { recorded_at } = after.proof.state
  expect(after.proof.state).toEqual({ ...before.proof.state, as_of, release_id, recorded_at })
})

test('a stranger verifies the figures from a file and from an address, and pins what was seen', async () => {
  await using app = await testApp()
  await take(app, aSoundLedger())
  await release(app)
  const { w, r, p, savings } = await figuresOf(app)
  const { registryLog, figuresLog } = app.installation
  const put = (name: string, text: string): string => {
    const path = join(app.folder.path, name)
    writeFileSync(path, text)
    return path
  }
  await using server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: (request) => app.app.fetch(request, '192.0.2.1'),
  })
  const base = `http://127.0.0.1:${server.port}`
  const signers = [registryLog, figuresLog].flatMap(({ name, signers: [{ name: key, publicKey }] }) => ({
    name: key,
    publicKey,
    url: `${base}/log/${name}`,
  }))
  const policy = put('policy.txt', formatPolicy(signers))
  const pin = join(app.folder.path, 'figures.pin')
  const verify = async (what: string, ...options: string[]) => {
    const { code, out, err } = await atr(['verify', what, '--policy', policy, ...options])
    return [code, ...out.split('\n'), ...err.split('\n')].filter((line) => line !== '')
  }
  const told = `w ${w}, r ${r}, p ${p}, savings_total ${savings.total}, savings_median withheld (not_with_noise)`
  expect(await verify(`${base}/api/figures`, '--pin', pin)).toEqual([
    0,
    'ok',
    `figures 2026-11-15.1: ${told}`,
    'checked: 0 rows, 1 log entries',
    'as of 2026-11-15T12:00:00.000Z',
  ])
  app.clock.now += QUARTER_MS
  await release(app)
  const body = await figuresOf(app)
  const file = put('figures.json', JSON.stringify(body))
  expect(await verify(file, '--pin', pin)).toContain('the log has only grown: from 9 entries to 17')
  expect(await verify(put('altered.json', JSON.stringify({ ...body, w: 0.99 })))).toEqual([
    1,
    'failed: body_contradicts_proof',
    REASONS.body_contradicts_proof,
  ])
})

test('a ledger of exact figures begins figures with noise in one command, and its old entries verify', async () => {
  using folder = temporaryFolder()
  const env = { DATA_DIR: join(folder.path, 'data') }
  const path = join(folder.path, 'a.csv')
  writeFileSync(path, `${[HEADER, ...aSoundLedger()].join('\n')}\n`)
  await atr(['init', '--origin', 'series.example'], env)
  await atr(['outcomes', 'import', path], env)
  const first = await atr(['figures', 'release', '--exact', '--accept-risk'], env)
  expect([first.code, first.out]).toEqual([0, expect.stringContaining('under rule 1.0.0: 7 changes')])
  const refused = await atr(['figures', 'release'], env)
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('--new-series')])
  const begun = await atr(['figures', 'release', '--new-series'], env)
  expect([begun.code, begun.out]).toEqual([0, expect.stringContaining('under rule 2.0.0: 7 changes')])
  expect(begun.out).toMatch(/^w +0\.\d+ +0\.\d+$/m)
  expect(begun.out).toMatch(/held until the release of \d{4}-\d\d-\d\d$/m)
  expect((await atr(['fsck'], env)).code).toBe(0)
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
  expect(planned).toMatchObject({ code: 0, said: { dry_run: true, would_release: true, cases: 100, unit: 'case' } })
  const exact = await run('figures', 'release', '--dry-run', '--exact')
  expect(exact).toMatchObject({ code: 0, said: { dry_run: true, disclosure_audit: 'pass' } })
  const risky = await run('figures', 'release', '--exact')
  expect(risky.code).toBe(1)
  expect(risky.err).toContain('knows every case but one')
  expect(await run('figures', 'release')).toMatchObject({ code: 0, said: { changes: 7, already_released: false } })
  expect(await run('figures', 'release')).toMatchObject({ code: 0, said: { changes: 0, already_released: true } })
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
    ['figures', 'release', '--dp', 'epsilon=0.5'],
    ['figures', 'release', '--accept-risk'],
    ['figures', 'audit', '--exact'],
    ['outcomes', 'drop', 'x'],
  ])
    expect((await atr(args, env)).code).toBe(2)
})
