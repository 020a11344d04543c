// Personal data, invented, planted wherever a file or a request can hold something. It must be found nowhere afterwards.

import { expect, test } from 'bun:test'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { aCase, aSoundLedger, cases, HEADER, NPI } from '../../src/figures/fixture.ts'
import { importProviders, insertProviders } from '../../src/figures/ledger/directory.ts'
import { correctOutcomes, deleteOutcomes, importOutcomes } from '../../src/figures/ledger/ledger.ts'
import { COLUMNS } from '../../src/figures/ledger/outcome.ts'
import { releaseFigures } from '../../src/figures/release.ts'
import { systemDice } from '../../src/figures/window/dice.ts'
import { SCOPE_NAMES } from '../../src/operation.ts'
import { type TestApp, testApp } from '../support/harness.ts'
import { DemoService } from '../support/service.ts'

const DAY = '1961-04-12'
/** What people put into ledgers and requests by mistake. */
const CANARIES = ['Zebulon Canary', '078-05-1120', '(212) 555-0147', 'zebulon@canary.example', DAY, 'MRN0078051']

/** How a text may look after it has been somewhere. */
const forms = (canary: string): string[] => [
  canary,
  canary.toLowerCase(),
  canary.toUpperCase(),
  encodeURIComponent(canary),
  canary.replaceAll(' ', '+'),
  Buffer.from(canary).toString('base64').replace(/=+$/, ''),
  Buffer.from(canary).toString('hex'),
  Buffer.from(canary, 'utf16le').toString('latin1'),
]

function expectNone(everywhere: string): void {
  for (const canary of CANARIES)
    for (const form of forms(canary)) expect([form, everywhere.includes(form)]).toEqual([form, false])
}

const bytesUnder = (folder: string): string =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n')

/** Everything about a fault that could reach a caller or a log. */
const toldBy = (error: unknown): string => {
  const { stack, cause, extra } = error as Error & { extra?: object }
  return `${error} ${stack} ${String(cause)} ${JSON.stringify(error)} ${JSON.stringify(extra)}`
}

const bytes = (text: string) => new Blob([text]).stream()
const lines = (...all: string[]): string => `${all.join('\n')}\n`

/** Files of outcomes with something of a person in them, wherever there is room for it. */
const spoiltOutcomes = (canary: string, known: string): string[] => [
  ...COLUMNS.map((column) => lines(HEADER, aCase(), aCase({ [column]: canary }))),
  ...COLUMNS.map((column) => lines(HEADER, aCase({ case_ref: known, [column]: canary }))),
  ...COLUMNS.map((column) => lines(HEADER.replace(column, canary), aCase())),
  lines(HEADER, `${aCase()},${canary}`),
  lines(HEADER, canary),
  lines(HEADER, `"${canary}"`),
  lines(HEADER, aCase({ state: `"${canary}"` })),
  lines(HEADER, aCase({ recovered: `=cmd|' ${canary}'!A0` })),
  lines(`${HEADER},${canary}`, `${aCase()},x`),
  lines(`\uFEFF${HEADER}`, aCase({ npi: canary })),
  lines(`# ${canary}`, HEADER, aCase()),
  lines(HEADER, `${aCase()}\r${canary}`),
  lines(HEADER, `${aCase()}\u0000${canary}`),
  lines(HEADER, `${canary.repeat(200)}`),
  canary,
  // The first lines stand in the store already when this one is met.
  lines(HEADER, ...cases(6000), aCase({ certified_mail: canary })),
]
const spoiltNames = (canary: string, known: string): string[] => [
  lines('case_ref', known, canary),
  lines('case_ref', `${known},${canary}`),
  lines(`case_ref,${canary}`, `${known},x`),
  lines(canary, known),
]
const spoiltDirectory = (canary: string): string[] => [
  lines('npi,entity_type', `${canary},2`),
  lines('npi,entity_type', `${NPI},${canary}`),
  lines('npi,entity_type', `${NPI},2,${canary}`),
  lines(`npi,entity_type,${canary}`, `${NPI},2,x`),
]

test('personal data in any place of a file is refused, and found nowhere afterwards', async () => {
  await using app = await testApp()
  const { db, figuresLog: log, cosign } = app.installation
  const now = () => app.clock.now
  await insertProviders(db, [NPI])
  const sound = aSoundLedger({ npi: NPI })
  await importOutcomes(db, bytes(lines(HEADER, ...sound)), { now })
  await releaseFigures({ db, log, now, cosign, dice: systemDice() })
  const known = sound[0]?.slice(0, 36) as string
  const said: string[] = []
  const refused = (taken: Promise<unknown>): Promise<unknown> =>
    taken.then(
      (done) => expect(done).toBe('refused'),
      (error) => said.push(toldBy(error)),
    )
  for (const canary of CANARIES) {
    for (const text of spoiltOutcomes(canary, known)) {
      await refused(importOutcomes(db, bytes(text), { now }))
      await refused(correctOutcomes(db, bytes(text), { now }))
    }
    for (const text of spoiltNames(canary, known)) await refused(deleteOutcomes(db, bytes(text), { now }))
    for (const text of spoiltDirectory(canary)) await refused(importProviders(db, bytes(text)))
  }
  app.clock.now += 93 * 86_400_000
  await releaseFigures({ db, log, now, cosign, dice: systemDice() })
  const everywhere = `${said.join('\n')}\n${bytesUnder(app.folder.path)}`
  expectNone(everywhere)
  // The check itself can see what is in the store.
  expect(everywhere).toContain(known)
  expect(await db.query('SELECT COUNT(*) AS n FROM outcome')).toEqual([{ n: 100 }])
})

const HEADERS = [
  'user-agent',
  'referer',
  'cookie',
  'origin',
  'accept',
  'accept-language',
  'authorization',
  'x-agent-key',
  'x-agent-rails',
  'x-request-id',
  'x-forwarded-for',
  'forwarded',
  'traceparent',
  'if-none-match',
  'if-modified-since',
  'range',
  'content-type',
  'host',
]

/** Every operation and page, with a canary in each place of a request in turn. */
function* requestsWith(app: TestApp, canary: string, rails: Record<string, string>): Generator<[string, RequestInit]> {
  const sent = encodeURIComponent(canary)
  for (const { http, input } of app.app.operations) {
    const path = http.path.replaceAll(/\{\w+\}/g, NPI)
    const send = (target: string, init: RequestInit = {}): [string, RequestInit] => [
      target,
      { method: http.method, ...init, headers: { ...rails, ...(init.headers as object) } },
    ]
    if (path !== http.path) yield send(http.path.replaceAll(/\{\w+\}/g, sent))
    yield send(`${path}/${sent}`)
    yield send(`${path}?${sent}=${sent}`)
    for (const header of HEADERS) yield send(path, { headers: { [header]: canary } })
    const names = Object.keys(input.shape)
    if (http.method === 'GET') {
      // A day is what `as_of` asks for, and the links of a page repeat it.
      const takesDay = (name: string): boolean => name === 'as_of' && canary === DAY
      for (const name of names) if (!takesDay(name)) yield send(`${path}?${name}=${sent}`)
      continue
    }
    const json = { 'content-type': 'application/json' }
    for (const name of names) {
      yield send(path, { headers: json, body: JSON.stringify({ [name]: canary }) })
      yield send(path, { headers: json, body: JSON.stringify({ [name]: [canary, { [canary]: canary }] }) })
    }
    yield send(path, { headers: json, body: JSON.stringify({ [canary]: 1 }) })
    yield send(path, { headers: json, body: `{"nonce": ${canary}` })
    yield send(path, { headers: { 'content-type': `text/plain; charset=${canary}` }, body: canary })
  }
  for (const { path } of app.app.resources) {
    const target = path.replaceAll(/\{\w+\}|\*/g, sent)
    yield [`${target}?${sent}=${sent}`, { headers: { ...rails, 'user-agent': canary } }]
    yield [target, { headers: rails }]
  }
  yield [`/${sent}`, {}]
  for (const method of ['PUT', 'DELETE', 'OPTIONS', canary.replaceAll(/[^A-Za-z0-9]/g, '')])
    yield [`/api/figures?${sent}`, { method, headers: { 'access-control-request-headers': canary } }]
}

test('personal data in any place of a request is found in no answer, no log line and no file', async () => {
  await using app = await testApp({ sample: true })
  await insertProviders(app.installation.db, [NPI])
  const said: string[] = []
  let asked = 0
  for (const canary of CANARIES) {
    const rails = await app.railsHeaders(SCOPE_NAMES)
    for (const [path, init] of requestsWith(app, canary, rails)) {
      const response = await app.app.fetch(new Request(`https://registry.example${path}`, init), '192.0.2.1')
      expect(response.status).toBeLessThan(500)
      said.push(JSON.stringify([...response.headers]), await response.text())
      asked++
    }
  }
  expect(asked).toBeGreaterThan(2000)
  said.push(JSON.stringify(app.lines.map(({ error, ...line }) => ({ ...line, error: error && toldBy(error) }))))
  expect(app.lines.length).toBeGreaterThanOrEqual(asked)
  expectNone(`${said.join('\n')}\n${bytesUnder(app.folder.path)}`)
})

/** Bytes that no client library would send. */
const raw = (port: number, text: string): Promise<string> =>
  new Promise((done) => {
    let heard = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(text))
    socket.setTimeout(500, () => socket.destroy())
    socket.on('data', (chunk) => {
      heard += chunk.toString('latin1')
    })
    socket.on('error', () => done(heard))
    socket.on('close', () => done(heard))
  })

test('nor in what a running service and the commands write, print and export', async () => {
  await using service = await DemoService.startNew({ LOG_LEVEL: 'debug' })
  const port = Number(new URL(service.url).port)
  const stderr = new Response(service.child.stderr).text()
  const said: string[] = []
  const run = async (expected: number, ...args: string[]): Promise<void> => {
    const { code, out, err } = await service.atr(args)
    expect([args[0], code]).toEqual([args[0], expected])
    said.push(out, err)
  }
  for (const [i, canary] of CANARIES.entries()) {
    const sent = encodeURIComponent(canary)
    said.push(await (await fetch(`${service.url}/reference?cpt=${sent}&region=${sent}`)).text())
    const line = canary.replaceAll(/[\r\n]/g, '')
    for (const text of [
      `GET /${sent}?${sent} HTTP/1.1\r\nHost: ${line}\r\nX-${sent}: ${line}\r\nConnection: close\r\n\r\n`,
      `${line} / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
      `GET /api/figures ${line}\r\n\r\n`,
      `POST /api/agent-rails/attest HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\nX-Agent-Key: ${line}\r\nConnection: close\r\n\r\n${line.slice(0, 9)}`,
    ])
      said.push(await raw(port, text))
    // The name of a file is the operator's own; what is in it is somebody's.
    const file = join(service.folder.path, '..', `${i}-${process.pid}.csv`)
    writeFileSync(file, i % 2 === 0 ? lines(HEADER, aCase({ state: canary })) : lines(canary))
    await run(1, 'outcomes', ['import', 'correct', 'delete'][i % 3] as string, file, '--json')
    if (i < 2) await run(1, 'load', 'providers', file)
    await Bun.file(file).delete()
    await run(1, 'outcomes', 'import', canary)
    if (i < 2) await run(2, 'outcomes', canary, file)
    if (i < 2) await run(1, 'export', canary, '--format', 'csv', '--out', service.folder.path)
  }
  await run(0, 'figures', 'release', '--dry-run')
  await run(0, 'figures', 'release')
  await run(0, 'figures', 'audit', '--json')
  await run(0, 'fsck', '--json')
  const { out } = await service.atr(['release', 'list', '--json'])
  const id = /"release_id":"([^"]+)"/.exec(out)?.[1] ?? ''
  for (const format of ['ndjson', 'csv', 'parquet'])
    await run(0, 'export', id, '--format', format, '--out', service.folder.path)
  await service.stop()
  said.push(await stderr)
  // The log was read, and says what it says.
  expect(said.at(-1)).toContain('"level":"info"')
  expectNone(`${said.join('\n')}\n${bytesUnder(service.folder.path)}`)
})
