// The quick way to a first answer beside the general way, which is its oracle: wherever it answers, every byte, header, quota
// and log line must be the same, and wherever it does not, nothing may be lost or counted twice.

import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { closeSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { answerText, type Operation, withoutEmpty } from '../../src/operation.ts'
import type { Row } from '../../src/proof/price/row.ts'
import { makeGate } from '../../src/rails/admission.ts'
import { makeLimiter, ownTables } from '../../src/rails/limit/limits.ts'
import type { Soon } from '../../src/soon.ts'
import type { HttpParts } from '../../src/surfaces/http/exchange.ts'
import { etagOf } from '../../src/surfaces/http/response.ts'
import { httpSurface, type RequestLine } from '../../src/surfaces/http/router.ts'
import type { ReadyBytes } from '../../src/transport/answer.ts'
import { anAbsence, aPrice, aRelease } from '../support/builders.ts'
import { BASE_URL, type TestApp, testApp } from '../support/harness.ts'

const DAY = '2026-08-15'
const REGIONS = ['national', 'US-AL-00', 'US-CA-05', 'US-CA-18', 'US-IL-16', 'US-NY-01', 'US-TX-28']
const CODES = Array.from({ length: 60 }, (_, i) => String(20_000 + 7 * i))
const EDITION = { effective_from: '2026-01-01', effective_to: '2026-12-31' }
const amount = (n: number) => ({ amount: `${1 + (n % 997)}.37`, currency: 'USD', per: null }) as const

/** Some codes with modifiers, in one setting only, without a price, or with one that begins later. */
function physicianRows(): Row[] {
  return CODES.flatMap((cpt, i) => {
    if (i % 13 === 5) return [anAbsence({ cpt, region: 'national', setting: null })]
    return REGIONS.flatMap((region, j) =>
      (['non_facility', 'facility'] as const).flatMap((setting, k) => {
        if (i % 7 === 3 && setting === 'facility') return []
        const effective_from = i % 11 === 4 ? '2026-09-01' : '2026-01-01'
        const row = { cpt, region, setting, effective_from, price: amount(i * 31 + j * 7 + k) }
        const withModifiers = i % 5 === 0 ? ['26', 'TC', '53', 'NU'] : []
        return [null, ...withModifiers].map((modifier) => aPrice({ ...row, modifier }))
      }),
    )
  })
}

let app: TestApp
let op: Operation
let following: { stop: () => Promise<void> }
beforeAll(async () => {
  app = await testApp({ today: DAY })
  await app.publish(aRelease({ ...EDITION, rows: physicianRows() }))
  const laboratory = CODES.filter((_, i) => i % 3 === 0).map((cpt, i) =>
    aPrice({ cpt, basis: 'medicare_clfs', price: amount(i) }),
  )
  await app.publish(aRelease({ ...EDITION, chart: 'cms-clfs', rows: laboratory }))
  const outpatient = CODES.filter((_, i) => i % 4 === 0).map((cpt, i) =>
    aPrice({ cpt, basis: 'medicare_opps', price: amount(i) }),
  )
  await app.publish(aRelease({ ...EDITION, chart: 'cms-opps', rows: outpatient }))
  following = app.app.followHeads(({ fault }) => {
    throw fault
  })
  op = app.app.operations.find(({ name }) => name === 'lookup_reference') as Operation
  while (op.stamp?.() === undefined) await Bun.sleep(1)
}, 60_000)
afterAll(async () => {
  await following.stop()
  await app[Symbol.asyncDispose]()
})

/** The answer by the general way, or the code of its refusal. */
async function generally(query: string): Promise<string> {
  try {
    const input = op.input.parse(withoutEmpty(Object.fromEntries(new URLSearchParams(query))))
    return answerText(await op.run(input, {}))
  } catch (error) {
    return `refused: ${(error as { code?: string }).code ?? 'no question'}`
  }
}

const quickly = (query: string): string | undefined => {
  const bytes = op.first?.(query)
  return bytes && Buffer.from(bytes).toString()
}

/** mulberry32 */
function dice(seed: number): (sides: number) => number {
  let state = seed
  return (sides) => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) % sides
  }
}

const SOMETIMES = {
  region: [...REGIONS, 'US-CA', 'CA', '94102', 'us-ca-05', 'US-ZZ-01', 'US-CA-99', 'nowhere', ''],
  as_of: [DAY, '2026-10-01', '2026-01-01', '2025-12-31', '2026-02-30', '2099-01-01', 'today', ''],
  modifier: ['26', 'TC', '53', 'NU', '59', '50', 'LT', '26-TC', '26-59', 'tc', 'ZZ', '2', ''],
  setting: ['non_facility', 'facility', 'outpatient', 'asc', 'rural', 'inpatient', 'elsewhere', ''],
  basis: ['medicare_pfs', 'medicare_clfs', 'medicare_opps', 'medicare_asc', 'hospital_cash', 'x', ''],
  npi: ['1234567893', '1', ''],
  proof: ['full', 'ref'],
}

test('over thousands of random questions the quick way gives the bytes of the general way, or leaves the question to it', async () => {
  const roll = dice(20_260_815)
  const any = <T>(list: readonly T[]): T => list[roll(list.length)] as T
  const counts = { quick: 0, aside: 0, prices: 0 }
  for (let i = 0; i < 2_000; i++) {
    const parts: [string, string][] = [['cpt', roll(20) === 0 ? any(['99999', 'x', 'g0101', '']) : any(CODES)]]
    for (const [name, values] of Object.entries(SOMETIMES)) {
      const chance = name === 'region' ? 1 : name === 'npi' || name === 'proof' ? 12 : 3
      if (roll(chance) === 0) parts.push([name, roll(4) === 0 ? any(values) : (values[roll(2)] as string)])
    }
    const query = parts
      .sort(() => roll(2) - 0.5)
      .map((part) => part.join('='))
      .join('&')
    const [quick, general] = [quickly(query), await generally(query)]
    if (quick === undefined) counts.aside++
    else {
      counts.quick++
      expect([query, quick]).toEqual([query, general])
    }
    if (general.startsWith('{')) counts.prices++
  }
  expect(counts.quick).toBeGreaterThan(500)
  expect(counts.prices).toBeGreaterThan(counts.quick)
  expect(counts.aside).toBeGreaterThan(250)
})

test('every price of the schedule that is asked first is answered quickly, wherever it stands in its file', async () => {
  for (const cpt of CODES)
    for (const region of REGIONS)
      for (const rest of ['', '&setting=facility', '&modifier=26', '&modifier=TC&setting=facility']) {
        const query = `cpt=${cpt}&region=${region}&as_of=${DAY}${rest}`
        const general = await generally(query)
        const { because } = general.startsWith('{') ? JSON.parse(general) : { because: 'no price' }
        expect([query, quickly(query)]).toEqual([query, because === undefined ? general : undefined])
      }
})

test('what is no plain question is left to the general way: twice the same name, escapes, other names, nothing at all', () => {
  const plain = `cpt=${CODES[0]}&region=national`
  expect(quickly(plain)).toBeDefined()
  for (const odd of [
    '',
    '&',
    'cpt',
    'cpt=',
    `${plain}&cpt=${CODES[0]}`,
    `${plain}&`,
    `&${plain}`,
    `${plain}&region=`,
    `${plain}&x=1`,
    `${plain}&proof=ref`,
    `${plain}&as_of=2026-08-15%20`,
    `cpt=%32${CODES[0]?.slice(1)}`,
    `cpt=${CODES[0]}+`,
    `${plain}#x`,
    `${plain}=`,
    'constructor=1',
    '__proto__=1',
  ])
    expect([odd, quickly(odd)]).toEqual([odd, undefined])
})

/** The same service with the quick way and without it, each with counts and log lines of its own. */
function surface(isQuick: boolean, rpm = 100_000, door: HttpParts['door'] = undefined) {
  const { db, pepper } = app.installation
  const lines: RequestLine[] = []
  let requests = 0
  const limits = { default_rpm: rpm, reference_rpm: rpm, log_rpm: rpm, enabled: true }
  const bare = ({ first: _, ...rest }: Operation): Operation => rest as Operation
  const made = httpSurface({
    operations: app.app.operations.map((each) => (isQuick ? each : bare(each))),
    resources: [],
    gate: makeGate(
      { db, pepper, now: async () => app.clock.now },
      makeLimiter(
        limits,
        ownTables(() => 0),
      ),
    ),
    baseUrl: () => BASE_URL,
    observe: (line) => lines.push({ ...line, ms: 0 }),
    randomId: () => `id-${String(++requests).padStart(8, '0')}`,
    cacheBytes: 4 * 1024 * 1024,
    ...(door && { door }),
  })
  const seen = async (path: string, init: RequestInit) => {
    const response = await made.fetch(new Request(`${BASE_URL}${path}`, init), '192.0.2.1')
    return { status: response.status, headers: Object.fromEntries(response.headers), body: await response.text() }
  }
  /** What a socket can send and a request object cannot have, because its address is encoded first. */
  const left = async (target: string): Promise<[number, string | undefined]> => {
    const request = (): Request => new Request(`${BASE_URL}${target}`)
    const head = { method: 'GET', target, headerBytes: 0, get: () => null }
    const { status, lines: text } = (await made.answer({ head, request }, '192.0.2.1')) as ReadyBytes
    return [status, /^ratelimit: (.*);t/m.exec(text)?.[1]]
  }
  /** As the transport asks. */
  const answer = (target: string, headers: Record<string, string> = {}): Soon<ReadyBytes | Response> => {
    const head = { method: 'GET', target, headerBytes: 0, get: (name: string) => headers[name] ?? null }
    const request = (): Request => new Request(`${BASE_URL}${target}`, { headers })
    return made.answer({ head, request }, '192.0.2.1')
  }
  return { seen, left, answer, lines, cacheFigures: made.cacheFigures }
}

const HEADERS: Record<string, string>[] = [
  {},
  { accept: 'application/json', 'accept-encoding': 'gzip, br' },
  { accept: 'image/png' },
  { accept: 'application/problem+json' },
  { 'if-none-match': '*' },
  { 'if-match': '"other"' },
  { 'content-length': '3' },
  { 'x-agent-key': 'nonsense' },
  { authorization: 'Bearer one', 'x-agent-rails': 'two' },
  { 'x-large': 'x'.repeat(17_000) },
]

test('over HTTP the quick way has the same bytes, headers, quotas, log lines and cache as the general way', async () => {
  const [quick, general] = [surface(true), surface(false)]
  const ask = async (path: string, init: RequestInit) => {
    const wanted = await general.seen(path, init)
    expect([path, init, await quick.seen(path, init)]).toEqual([path, init, wanted])
    expect(quick.lines.at(-1)).toEqual(general.lines.at(-1) as RequestLine)
  }
  const [one, other] = CODES
  for (const path of [
    `/reference?cpt=${one}&region=US-CA-05`,
    `/reference?cpt=${one}&region=US-CA-05`,
    `/reference?cpt=${one}&region=US-CA-05`,
    `/reference?cpt=${one}`,
    `/reference?cpt=${other}&region=94102`,
    '/reference?cpt=99999',
    '/reference?cpt=x',
    '/reference?',
    '/reference',
    `/reference?cpt=${one}&region=${'x'.repeat(5_000)}`,
  ]) {
    for (const headers of HEADERS) await ask(path, { headers })
    await ask(path, { method: 'HEAD' })
    await ask(path, { method: 'POST' })
  }
  await ask(`/reference?cpt=${CODES[2]}`, { headers: await app.railsHeaders() })
  expect(quick.cacheFigures()).toEqual(general.cacheFigures())
})

const bodyOf = (made: ReadyBytes | Response): string =>
  made instanceof Response ? 'a response' : Buffer.from(made.body ?? []).toString()

test('an answer that is not sent at once keeps its bytes while others are made', async () => {
  const queries = CODES.flatMap((cpt) => ['US-CA-05', 'US-NY-01'].map((region) => `cpt=${cpt}&region=${region}`))
  const general = await Promise.all(queries.map(generally))
  const prices = queries.filter((_, i) => general[i]?.startsWith('{'))
  const wanted = general.filter((text) => text.startsWith('{'))
  const later = async <T>(_: string, make: () => T | Promise<T>): Promise<T> => {
    await Bun.sleep(1)
    return make()
  }
  const credential = Object.fromEntries(
    Object.entries(await app.railsHeaders()).map(([name, value]) => [name.toLowerCase(), value]),
  )
  for (const [name, { answer }, headers] of [
    ['in line', surface(true, 100_000, { isOpen: () => false, inLine: later }), {}],
    ['with a credential', surface(true), credential],
    ['with both', surface(true, 100_000, { isOpen: () => false, inLine: later }), credential],
  ] as const) {
    const made = await Promise.all(prices.map((query) => answer(`/reference?${query}`, headers)))
    expect([name, made.map(bodyOf)]).toEqual([name, wanted])
    // The heads are those of their bodies too.
    for (const [i, { head, lines }] of (made as ReadyBytes[]).entries())
      expect(Buffer.from(head).toString() + lines).toContain(`etag: ${etagOf(Buffer.from(wanted[i] ?? ''))}\r\n`)
  }
  // What is kept for the next caller is asked for again after all the others.
  const { answer, cacheFigures } = surface(true)
  for (let times = 0; times < 3; times++)
    for (const [i, query] of prices.entries())
      expect(bodyOf((await answer(`/reference?${query}`)) as ReadyBytes)).toBe(wanted[i] as string)
  expect(cacheFigures().hits).toBe(prices.length)
})

test('a question is counted once, whichever way answers it, and refused past the quota', async () => {
  const { seen } = surface(true, 6)
  const left: unknown[] = []
  for (const query of ['cpt=20000', 'cpt=99999', 'cpt=x', 'cpt=20007', 'region=x', 'cpt=20014', 'cpt=20021', 'cpt=x']) {
    const { status, headers } = await seen(`/reference?${query}`, {})
    left.push([status, headers['ratelimit']?.split(';')[1]])
  }
  expect(left).toEqual([
    [200, 'r=5'],
    [404, 'r=4'],
    [400, 'r=3'],
    [200, 'r=2'],
    [400, 'r=1'],
    [200, 'r=0'],
    [429, 'r=0'],
    [429, 'r=0'],
  ])
})

test('a target that is too long only when it is encoded is refused and counted once, as by the general way', async () => {
  const [quick, general] = [surface(true), surface(false)]
  const long = `/reference?cpt=${CODES[0]}&region=${'"'.repeat(2_000)}`
  for (const target of [long, '/reference?cpt=x', '/nowhere'])
    expect([target, await quick.left(target)]).toEqual([target, await general.left(target)])
})

test('where the file of another schedule is lost or says that it has other rows, prices are told without what it has', async () => {
  const { db } = app.installation
  const [other] = await db.query<{ file: string }>('SELECT file FROM release WHERE chart = $1', ['cms-clfs'])
  const digest = other?.file ?? ''
  const path = db.files.pathOf(digest)
  const whole = readFileSync(path)
  const query = `cpt=${CODES[9]}&region=US-CA-05`
  const honest = await generally(query)
  expect(honest).toContain('medicare_clfs')
  const lies: (() => void)[] = [
    () => rmSync(path),
    () => {
      using file = new Database(path)
      file.run('UPDATE header SET row_count = 16')
      file.run(`DELETE FROM total WHERE kind = 'code' AND item >= '${CODES[48]}'`)
    },
  ]
  for (const lie of lies) {
    lie()
    db.files.forget(digest)
    const [quick, general] = [quickly(query), await generally(query)]
    expect([quick ?? general, general.includes('medicare_clfs')]).toEqual([general, false])
    expect(general.slice(0, general.indexOf(',"related"'))).toBe(honest.slice(0, honest.indexOf(',"related"')))
    writeFileSync(path, whole)
    db.files.forget(digest)
  }
  expect([quickly(query), await generally(query)]).toEqual([honest, honest])
})

/** Before it is what SQLite itself reads when it opens a file. */
const FIRST_BYTE = 100
const FLIPS = 250

test('a row that is damaged on disk is no quick answer: bytes of its file are flipped here and there', async () => {
  await using other = await testApp({ today: DAY })
  await other.publish(aRelease({ ...EDITION, rows: physicianRows() }))
  const following = other.app.followHeads(() => undefined)
  const ask = other.app.operations.find(({ name }) => name === 'lookup_reference') as Operation
  while (ask.stamp?.() === undefined) await Bun.sleep(1)
  const query = `cpt=${CODES[1]}&region=US-CA-05&as_of=${DAY}`
  const wanted = Buffer.from(ask.first?.(query) ?? []).toString()
  expect(wanted).toStartWith('{"basis"')
  const { files } = other.installation.db
  const [name = ''] = readdirSync(files.path)
  const path = join(files.path, name)
  const whole = readFileSync(path)
  const [digest = ''] = name.split('.')
  const seen = new Set<string>()
  for (let at = FIRST_BYTE; at < whole.length; at += Math.ceil(whole.length / FLIPS)) {
    const file = openSync(path, 'r+')
    writeSync(file, Uint8Array.of((whole[at] as number) ^ 1), 0, 1, at)
    closeSync(file)
    files.forget(digest)
    const found = ask.first?.(query)
    seen.add(found === undefined ? 'left to the general way' : 'answered')
    if (found) expect([at, Buffer.from(found).toString()]).toEqual([at, wanted])
    const again = openSync(path, 'r+')
    writeSync(again, whole.subarray(at, at + 1), 0, 1, at)
    closeSync(again)
  }
  expect([...seen].sort()).toEqual(['answered', 'left to the general way'])
  await following.stop()
}, 60_000)

test('where a schedule has the price of a hospital too, the question is left to the general way, which points to its row', async () => {
  await using other = await testApp({ today: DAY })
  const npi = '1234567893'
  const hospital = aPrice({ cpt: '20000', npi, basis: 'hospital_cash', setting: 'outpatient' })
  const own = (['facility', 'non_facility'] as const).map((setting) => aPrice({ cpt: '20000', setting }))
  const free = aPrice({ cpt: '20001', setting: 'non_facility' })
  await other.publish(aRelease({ ...EDITION, rows: [...own, hospital, free], providers: null }))
  await other.publish(aRelease({ ...EDITION, chart: `hospital-mrf:${npi}`, rows: [hospital] }))
  const heads = other.app.followHeads(({ fault }) => {
    throw fault
  })
  const { first, stamp } = other.app.operations.find(({ name }) => name === 'lookup_reference') as Operation
  while (stamp?.() === undefined) await Bun.sleep(1)
  expect(first?.('cpt=20000&setting=non_facility')).toBeUndefined()
  expect(first?.('cpt=20001&setting=non_facility')).toBeDefined()
  await heads.stop()
})
