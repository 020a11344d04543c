import { expect, test } from 'bun:test'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { spawn } from 'bun'
import { type Config, readConfig } from '../../src/config.ts'
import type { Db } from '../../src/db/db.ts'
import { tables } from '../../src/db/migrator.ts'
import { aCase, aSoundLedger, fileOf, HEADER } from '../../src/figures/fixture.ts'
import { importProviders, insertProviders } from '../../src/figures/ledger/directory.ts'
import { importOutcomes } from '../../src/figures/ledger/ledger.ts'
import { COLUMNS } from '../../src/figures/ledger/outcome.ts'
import { releaseFigures } from '../../src/figures/release.ts'
import { systemDice } from '../../src/figures/window/dice.ts'
import { openBytes } from '../../src/files/byte-stream.ts'
import { load } from '../../src/ingest/load.ts'
import { openInstallation } from '../../src/installation.ts'
import { Problem } from '../../src/problem.ts'
import { exportRelease, FORMATS } from '../../src/registry/export/export.ts'
import { BREAKER_RULES } from '../../src/registry/release/breaker.ts'
import { findLogged } from '../../src/registry/store.ts'
import { aHospital, aPrice, aRelease } from '../support/builders.ts'
import { crawl, type Given } from '../support/crawl.ts'
import { storeEnvironment } from '../support/engines.ts'
import { BASE_URL, temporaryFolder, testApp } from '../support/harness.ts'
import { isLong } from '../support/long.ts'
import { ATR, atr } from '../support/service.ts'
import { HostileFiles } from './hostile-files.ts'
import { findMark, HOSTILE, MARK, Planted } from './hostile-text.ts'

const NPI = '1234567893'
const SCOPES = 'registry:read,figures:read,provider:read,integrity:read,audit:read'
const SEEN_REFUSED = ['cms-pfs', 'hospital-mrf', 'hospitals', 'ncci-add-on', 'providers']
const overridden = [...BREAKER_RULES.flatMap((rule) => ['--override', rule]), '--reason', 'verified_by_operator']

const everyFile = (folder: string): Given[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ channel: `bytes of ${path.slice(folder.length)}`, content: readFileSync(path) }))

/** The state, whatever its engine. */
async function everyTable(config: Config): Promise<Given[]> {
  const { db } = await openInstallation(config)
  const found: Given[] = []
  for (const { name } of tables())
    for (const row of await db.query<Record<string, unknown>>(`SELECT * FROM ${name}`))
      for (const [column, value] of Object.entries(row))
        if (typeof value === 'string' || value instanceof Uint8Array)
          found.push({ channel: `${name}.${column}`, content: typeof value === 'string' ? value : Buffer.from(value) })
  await db.close()
  return found
}

/** Where marks came out, and what had been put where they come from. */
const leaks = (given: readonly Given[], planted = new Planted()): string[] =>
  given.flatMap(({ channel, content }) => {
    const found = findMark(content)
    return found === undefined ? [] : [`${channel}: ${planted.placeOf(found)}: ${JSON.stringify(found)}`]
  })

/** What a load in this process is refused with. */
async function refusal(db: Db, [kind = '', ...args]: string[]): Promise<Given> {
  const paths = args.filter((arg) => arg.startsWith('/'))
  const named = args.includes('--edition') ? { edition: 'X', effective_from: '2026-10-01' } : {}
  try {
    if (kind === 'providers') await importProviders(db, (await openBytes(paths[0] as string)).chunks)
    else await load(db, kind, paths, named, Date.now())
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return {
      channel: `refusal of ${kind}`,
      content: `${error.code} ${error.message} ${error.detail} ${JSON.stringify(error.extra)}`,
    }
  }
  throw new Error(`a hostile ${kind} was taken`)
}

async function exported(config: Config, ids: readonly string[]): Promise<Given[]> {
  const { db } = await openInstallation(config)
  const given: Given[] = []
  for (const id of ids) {
    const release = await findLogged(db, id)
    if (!release) throw new Error(`${id} is not in the log`)
    for (const format of FORMATS) {
      const parts = await Array.fromAsync(
        exportRelease(db, { ...release, rows_root: release.manifest.rows_root }, format),
      )
      given.push({ channel: `${format} export of ${id}`, content: Buffer.concat(parts) })
    }
  }
  await db.close()
  return given
}

/** Runs the service as a process of its own while `work` asks it, and gives what it wrote to its log. */
async function served(env: Record<string, string>, work: (url: string) => Promise<void>): Promise<Given[]> {
  const settings = { ...process.env, ...env, PORT: '0', RATE_LIMITS: 'off', LOG_LEVEL: 'debug' }
  const child = spawn([...ATR, 'serve'], { env: settings, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
  const log = new Response(child.stderr).text()
  try {
    let greeting = ''
    for await (const chunk of child.stdout) {
      greeting += new TextDecoder().decode(chunk)
      if (greeting.includes('\n')) break
    }
    const [, url] = /listening on (http:\S+)/.exec(greeting) ?? []
    if (url === undefined) throw new Error(`the service did not start: ${greeting}`)
    await work(url)
  } finally {
    child.kill('SIGTERM')
    await child.exited
  }
  return [{ channel: 'log of the service', content: await log }]
}

async function railsHeaders(url: string, key: string): Promise<Record<string, string>> {
  const post = async (path: string, body?: object) =>
    (
      await fetch(`${url}/api/agent-rails/${path}`, {
        method: 'POST',
        headers: { 'x-agent-key': key, ...(body ? { 'content-type': 'application/json' } : {}) },
        ...(body ? { body: JSON.stringify(body) } : {}),
      })
    ).json() as Promise<{ nonce: string; rails_token: string }>
  const { nonce } = await post('challenge')
  return { 'x-agent-rails': (await post('attest', { nonce })).rails_token }
}

test(`${HOSTILE.length} hostile texts in every column of every format come out nowhere`, async () => {
  using folder = temporaryFolder()
  const env = { ...(await storeEnvironment(join(folder.path, 'data'))), LOCK_DIR: join(folder.path, 'lock') }
  const planted = new Planted()
  using sources = temporaryFolder()
  const files = new HostileFiles(sources.path, planted)
  const given: Given[] = []
  const run = async (args: readonly string[], codes = [0]): Promise<string> => {
    const { code, out, err } = await atr(args, env)
    const channel = `atr ${args.slice(0, 2).join(' ')}`
    given.push({ channel: `${channel}, output`, content: out }, { channel: `${channel}, errors`, content: err })
    if (!codes.includes(code)) throw new Error(`${channel} ended with ${code}: ${err}`)
    return out
  }
  await run(['init', '--origin', 'hostile.example'])
  const releases: string[] = []
  for (const each of files.sound()) {
    const isList = each.args[0] !== 'providers'
    const said = JSON.parse(
      await run(['load', ...each.args, '--json', ...(isList ? ['--publish', ...overridden] : [])]),
    )
    if (isList) {
      expect(said.state).toBe('published')
      // A line with a code that cannot be read has a row too, which says so.
      expect(said.rows).toBeGreaterThanOrEqual(each.rows ?? 0)
      const [kind] = each.args
      expect(said.rows).toBeGreaterThan(kind === 'cms-anesthesia' || kind === 'cms-ipps' ? 3 : 100)
      const few = ['OPPS26Q1', 'RVU26C', 'FY2027', 'ASP26Q4', 'ANES2026', 'zip-locality'].some((word) =>
        each.args.includes(word),
      )
      expect([kind, said.rejected > (few ? -1 : 2)]).toEqual([kind, true])
      releases.push(said.release_id)
    }
  }
  expect(planted.count).toBeGreaterThan(HOSTILE.length * 20)

  const kinds = new Set<string>()
  const { db } = await openInstallation(readConfig(env))
  for (const { args } of files.refused()) {
    const [kind = ''] = args
    // A few as an operator would see them, in the long form one of each kind; the others only cost time.
    if (kinds.has(kind) || !(isLong || SEEN_REFUSED.includes(kind))) given.push(await refusal(db, args))
    else await run(['load', ...args], [1])
    kinds.add(kind)
  }
  await db.close()

  const outcomes = (name: string, lines: readonly string[]): string => {
    const path = join(sources.path, name)
    writeFileSync(path, `${lines.join('\n')}\n`)
    return path
  }
  await run(['outcomes', 'import', outcomes('sound.csv', [HEADER, ...aSoundLedger()])])
  const spoiled = COLUMNS.map((column) => aCase({ [column]: planted.words(`outcomes ${column}`, 60) }))
  await run(['outcomes', 'import', outcomes('spoiled.csv', [HEADER, ...spoiled])], [1])
  await run(['outcomes', 'correct', outcomes('header.csv', [planted.words('outcomes header', 60)]), '--json'], [1])
  await run(['figures', 'release'])

  const [newest = '', before = ''] = releases
  const looks = [
    ['list'],
    ['show', newest],
    ['show', releases.at(-1) as string, '--json'],
    ['check', newest],
    ['diff', newest, before, '--json'],
    ['show', planted.words('name of a release')],
  ].map((args) => ['release', ...args])
  const out = join(folder.path, 'out')
  for (const args of [...looks, ['fsck', '--json'], ['export', newest, '--format', 'csv', '--out', out]])
    await run(args, [0, 1])

  const key = /atk_\w+/.exec((await run(['keys', 'create', '--name', 'test', '--scopes', SCOPES])) ?? '')?.[0] ?? ''
  const codes = Array.from({ length: 40 }, (_, i) => `G${String(i + 1).padStart(4, '0')}`)
  const log = await served(env, async (url) => {
    const rails = await railsHeaders(url, key)
    const asked = await crawl((path, init) => fetch(`${url}${path}`, init), { releases, codes, npis: [NPI], rails })
    given.push(...asked, ...everyFile(folder.path))
  })
  expect(String(log[0]?.content)).toContain('"/reference/history"')
  given.push(
    ...log,
    ...(await everyTable(readConfig(env))),
    ...(await exported(readConfig(env), releases)),
    ...everyFile(folder.path),
  )
  expect(given.length).toBeGreaterThan(1_000)
  expect(leaks(given, planted)).toEqual([])
})

test('the search finds a mark in everything that it looks through', async () => {
  for (const form of [
    `a ${MARK}0z1 b`,
    MARK.toUpperCase(),
    Buffer.from(`a${MARK}`).toString('base64'),
    Buffer.from(`ab${MARK}x`).toString('base64url'),
    Buffer.from(`abc${MARK}xy`).toString('base64'),
    `%71%7A%78%6A%76%6B%77%68`,
    JSON.stringify({ a: { b: [`x${MARK}`] } }),
    Buffer.from(`x${MARK}`, 'utf16le'),
    Buffer.from(`x${MARK}`, 'utf16le').swap16(),
    Buffer.from(MARK).toString('hex'),
  ])
    expect([form, findMark(form) !== undefined]).toEqual([form, true])
  expect(findMark('a word that is none')).toBeUndefined()

  // A release that does carry the mark, past every reader: in the title of its citation and in a flag of its rows.
  await using app = await testApp()
  const rows = ['G0001', 'G0002'].map((code) => aPrice({ code, flags: [MARK] }))
  const release = aRelease({ rows })
  const citations = release.citations.map((each) => ({ ...each, title: `A title ${MARK}` }))
  const list = await app.publish(aRelease({ chart: 'hospitals', rows: [aHospital({ npi: NPI })] }))
  const older = await app.publish(aRelease({ edition: 'TEST0', effective_from: '2025-10-01' }))
  const id = await app.publish({ ...release, citations })
  const { db } = app.installation
  await insertProviders(db, [NPI])
  await importOutcomes(db, fileOf(aSoundLedger()), { now: () => app.clock.now })
  await releaseFigures({
    db,
    log: app.installation.figuresLog,
    now: () => app.clock.now,
    cosign: app.installation.cosign,
    dice: systemDice(),
  })
  const known = { releases: [list, older, id], codes: ['G0001', 'G0002'], npis: [NPI], rails: await app.railsHeaders() }
  const shown = await atr(['release', 'show', id], { DATA_DIR: app.config.DATA_DIR })
  const given = [
    ...(await crawl(async (path, init) => app.app.fetch(new Request(`${BASE_URL}${path}`, init), '192.0.2.1'), known)),
    ...(await exported(app.config, [id])),
    ...everyFile(app.folder.path),
    { channel: 'atr release show', content: shown.out },
  ]
  const found = leaks(given).map((leak) => leak.split(/[?: ]*: /)[0]?.replace(/(GET \/[a-z/-]+).*/, '$1'))
  for (const channel of [
    'GET /reference',
    'GET /reference/history',
    'GET /reference/batch',
    'GET /api/registry',
    'GET /mcp',
    'GET /log/registry/tile/entries/',
    'atr release show',
  ])
    expect([channel, found.some((each) => each?.startsWith(channel))]).toEqual([channel, true])
  for (const format of FORMATS) expect(found.some((each) => each?.startsWith(`${format} export`))).toBe(true)
  expect(found.filter((each) => each?.startsWith('bytes of /data/registry.db')).length).toBeGreaterThan(0)
})
