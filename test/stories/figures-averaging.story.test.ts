// Someone who asks again and again, as everyone he can be, in the hope that the answers differ and can be averaged.

import { expect, test } from 'bun:test'
import { aCase, aSoundLedger, fileOf, NPI } from '../../src/figures/fixture.ts'
import { insertProviders } from '../../src/figures/ledger/directory.ts'
import { importOutcomes } from '../../src/figures/ledger/ledger.ts'
import { releaseFigures } from '../../src/figures/release.ts'
import { systemDice } from '../../src/figures/window/dice.ts'
import { SCOPE_NAMES, type Scope } from '../../src/operation.ts'
import { dice } from '../attack/dice.ts'
import { type TestApp, testApp } from '../support/harness.ts'

const HOUR_MS = 3_600_000
const QUARTER_MS = 93 * 86_400_000

/** Headers that ask for the same thing in other words. */
const WORDS: Record<string, string>[] = [
  {},
  { accept: 'application/json' },
  { accept: '*/*;q=0.1' },
  { accept: 'application/json;q=0.9, text/html' },
  { 'accept-language': 'fr' },
  { 'accept-encoding': 'gzip, br' },
  { 'cache-control': 'no-cache', pragma: 'no-cache' },
  { range: 'bytes=0-10' },
  { 'if-none-match': '"something-else"' },
  { 'if-modified-since': 'Thu, 01 Jan 2015 00:00:00 GMT' },
  { 'x-forwarded-for': '203.0.113.9' },
  { origin: 'https://agent.example' },
  { 'user-agent': 'another/1.0' },
  { cookie: 'session=1' },
]

const SCOPES: Scope[][] = [
  ['figures:read'],
  ['audit:read'],
  ['provider:read', 'registry:read'],
  ['integrity:read'],
  [...SCOPE_NAMES],
]

/** Every combination of caller and words, from another address each. */
async function ask(app: TestApp, path: string, callers: readonly Record<string, string>[]): Promise<Set<string>> {
  const heard = new Set<string>()
  let address = 0
  for (const caller of callers)
    for (const words of WORDS) {
      const headers = { ...words, ...caller }
      const from = address++ % 2 === 0 ? `198.51.100.${address % 250}` : `2001:db8:${address}::1`
      const got = await app.request(path, { headers }, from)
      const etag = got.headers.get('etag')
      heard.add(`${got.status} ${etag} ${got.headers.get('cache-control')} ${await got.text()}`)
      const head = await app.request(path, { method: 'HEAD', headers }, from)
      expect([head.headers.get('etag'), await head.text()]).toEqual([etag, ''])
      if (!etag) continue
      const again = await app.request(path, { headers: { ...headers, 'if-none-match': etag } }, from)
      expect([again.status, again.headers.get('etag'), await again.text()]).toEqual([304, etag, ''])
    }
  return heard
}

test('whoever asks, however, from wherever and whenever between two releases: every byte is the same', async () => {
  await using app = await testApp()
  const { db, figuresLog: log, cosign } = app.installation
  const now = () => app.clock.now
  const { below } = dice(5)
  const some = (n: number): string[] =>
    Array.from({ length: n }, () =>
      aCase({
        recurring: String(below(2)),
        certified_mail: String(below(2)),
        recovered: String(below(2000)),
        npi: NPI,
      }),
    )
  await insertProviders(db, [NPI])
  await importOutcomes(db, fileOf([...aSoundLedger(), ...some(150)]), { now })
  const releases: string[] = []
  for (let quarter = 0; quarter < 2; quarter++) {
    await releaseFigures({ db, log, now, cosign, dice: systemDice() })
    const figures = new Set<string>()
    const provider = new Set<string>()
    for (let turn = 0; turn < 3; turn++) {
      const keys = await Promise.all(SCOPES.map((scopes) => app.railsHeaders(scopes)))
      for (const answer of await ask(app, '/api/figures', [{}, ...keys])) figures.add(answer)
      const mayAsk = keys.filter((_, i) => SCOPES[i]?.includes('provider:read'))
      for (const answer of await ask(app, `/api/provider/${NPI}`, mayAsk)) provider.add(answer)
      // The ledger moves between one time of asking and the next; what is told of it does not.
      await importOutcomes(db, fileOf(some(20 + below(40))), { now })
      app.clock.now += (1 + below(40)) * HOUR_MS
    }
    expect([...figures]).toHaveLength(1)
    expect([...provider]).toHaveLength(1)
    expect([...figures][0]).toStartWith('200 "')
    releases.push([...figures][0] as string)
    app.clock.now += QUARTER_MS
  }
  // Or the attacker would have had nothing to average.
  expect(releases[0]).not.toBe(releases[1] as string)
})
