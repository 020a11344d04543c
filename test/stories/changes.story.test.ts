import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { aSoundLedger, fileOf } from '../../src/figures/fixture.ts'
import { importOutcomes } from '../../src/figures/ledger/ledger.ts'
import { releaseFigures } from '../../src/figures/release.ts'
import { systemDice } from '../../src/figures/window/dice.ts'
import { formatPolicy } from '../../src/proof/note/policy.ts'
import { type TestApp, testApp } from '../support/harness.ts'
import { atr } from '../support/service.ts'

/** Longer than any quarter, so that each release closes a window. */
const QUARTER_MS = 93 * 86_400_000

type Entry = Record<string, unknown> & { seq: number; proof: { log: { checkpoint: string } } }
interface ChangesPage {
  data: Entry[]
  states: Entry[]
  page: object
  links: object
}

/** A service with some releases of seven changes and a state each, and what a follower keeps on disk. */
async function aFollower(app: TestApp, releases: number) {
  const { db, figuresLog: log, cosign, registryLog } = app.installation
  const now = () => app.clock.now
  const grow = async (times = 1): Promise<void> => {
    for (let i = 0; i < times; i++) {
      app.clock.now += QUARTER_MS
      await importOutcomes(db, fileOf(aSoundLedger()), { now })
      await releaseFigures({ db, log, now, cosign, dice: systemDice() })
    }
  }
  await grow(releases)
  /** A token does not outlive a month. */
  const headers = () => app.railsHeaders(['audit:read'])
  const put = (name: string, text: string): string => {
    const path = join(app.folder.path, name)
    writeFileSync(path, text)
    return path
  }
  const policy = put('policy.txt', formatPolicy([...registryLog.signers, ...log.signers]))
  return {
    grow,
    put,
    headers,
    policy,
    checkpoint: async (): Promise<string> => (await log.head(db)).note,
    page: async (query = ''): Promise<ChangesPage> =>
      (await app.getJson(`/api/figure-changes?limit=200${query}`, await headers())) as ChangesPage,
    /** What `atr verify` says of an answer: `ok`, or the fault. */
    async verify(given: readonly string[], ...options: string[]): Promise<string> {
      const { code, out, err } = await atr(['verify', ...given, '--policy', policy, ...options, '--json'])
      if (out === '') throw new Error(err)
      const said = JSON.parse(out) as { ok: boolean; reason?: string; changes?: number }
      expect(code).toBe(said.ok ? 0 : 1)
      return said.ok ? `ok ${said.changes ?? '-'}` : (said.reason as string)
    },
  }
}

test('a page of changes since a pinned checkpoint verifies, and nothing can be left out, added, moved or altered', async () => {
  await using app = await testApp()
  const follower = await aFollower(app, 1)
  const older = follower.put('older.txt', await follower.checkpoint())
  await follower.grow(2)
  const whole = await follower.page('&after_seq=8')
  const { data, states } = whole
  expect(data.map(({ seq }) => seq)).toEqual([9, 10, 11, 12, 13, 14, 15, 17, 18, 19, 20, 21, 22, 23])
  const [a, b] = data.slice(3, 5) as [Entry, Entry]
  const stale = await follower.page()
  await follower.grow()
  const later = await follower.page('&after_seq=8')
  const cases: [string, Entry[], string, Entry[]?][] = [
    ['as it came', data, 'ok 14'],
    ['newest first', data.toReversed(), 'ok 14'],
    ['newest first and reaching back before the pin', stale.data, 'ok 14', stale.states],
    ['one removed', data.toSpliced(5, 1), 'entries_missing'],
    ['the first removed', data.slice(1), 'entries_missing'],
    ['the tail cut', data.slice(0, -3), 'entries_missing'],
    ['nothing left of it but the states', [], 'entries_missing'],
    ['nothing left of it', [], 'nothing_proved', []],
    ['a state removed', data, 'entries_missing', states.slice(1)],
    ['two that changed places', data.with(3, b).with(4, a), 'entries_out_of_order'],
    ['one twice', data.toSpliced(4, 0, a), 'repeated_item'],
    ['one in the place of another', data.with(4, a), 'repeated_item'],
    ['a value altered', data.with(3, { ...a, new: 0.99 }), 'entry_not_in_log'],
    ['a number altered', data.with(3, { ...a, seq: 99 }), 'entry_not_in_log'],
    ['the ledger root altered', data.with(3, { ...a, ledger_root: `${'A'.repeat(43)}=` }), 'entry_not_in_log'],
    ['a proof of another entry', data.with(3, { ...a, proof: b.proof }), 'entry_not_in_log'],
    ['a word added', data.with(3, { ...a, note: 'x' }), 'entry_malformed'],
    ['the tail of a later page', [...data, ...later.data.slice(-1)], 'mixed_checkpoints'],
  ]
  for (const [what, entries, expected, between = states] of cases) {
    const file = follower.put('page.json', JSON.stringify({ ...whole, data: entries, states: between }))
    expect([what, await follower.verify([file], '--since', older)]).toEqual([what, expected])
  }
})

test('a pin moves with every page that leaves nothing out, and with no other', async () => {
  await using app = await testApp()
  const follower = await aFollower(app, 1)
  const pin = join(app.folder.path, 'figures.pin')
  const first = follower.put('first.json', JSON.stringify(await follower.page()))
  expect(await follower.verify([first], '--pin', pin)).toBe('ok -')
  const pinned = await follower.checkpoint()
  expect(readFileSync(pin, 'utf8')).toBe(pinned)

  await follower.grow(2)
  const short = follower.put('short.json', JSON.stringify(await follower.page('&after_seq=10')))
  expect(await follower.verify([short], '--pin', pin)).toBe('entries_missing')
  expect(readFileSync(pin, 'utf8')).toBe(pinned)
  // The same in three files, as whoever pages would have it.
  const pages = await Promise.all(
    [0, 5, 10].map(async (offset) =>
      follower.put(
        `${offset}.json`,
        JSON.stringify(
          await app.getJson(`/api/figure-changes?after_seq=8&limit=5&offset=${offset}`, await follower.headers()),
        ),
      ),
    ),
  )
  expect(await follower.verify(pages.toSpliced(1, 1), '--pin', pin)).toBe('entries_missing')
  expect(await follower.verify(pages, '--pin', pin)).toBe('ok 14')
  expect(readFileSync(pin, 'utf8')).toBe(await follower.checkpoint())
  // The same again is nothing new; an older answer goes back.
  expect(await follower.verify(pages, '--pin', pin)).toBe('ok 0')
  expect(await follower.verify([first], '--pin', pin)).toBe('log_rolled_back')
})

test('changes are read from an address, page after page, and from standard input', async () => {
  await using app = await testApp()
  const follower = await aFollower(app, 1)
  const older = follower.put('older.txt', await follower.checkpoint())
  await follower.grow(2)
  const rails = follower.put('rails', `${(await follower.headers())['x-agent-rails']}\n`)
  const asked: string[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: (request) => {
      asked.push(new URL(request.url).search)
      return app.app.fetch(request, '192.0.2.1')
    },
  })
  try {
    const url = `http://127.0.0.1:${server.port}/api/figure-changes`
    for (const query of ['?limit=4', '?limit=1&after_seq=8', '?after_seq=8'])
      expect([query, await follower.verify([`${url}${query}`], '--since', older, '--rails', rails)]).toEqual([
        query,
        'ok 14',
      ])
    expect(asked).toHaveLength(4 + 14 + 1)
    expect(await follower.verify([`${url}?metric=w`], '--since', older, '--rails', rails)).toBe('entries_missing')
    await expect(follower.verify([url], '--since', older)).rejects.toThrow('that address answered 401')
  } finally {
    await server.stop()
  }
  const text = JSON.stringify(await follower.page('&after_seq=8'))
  const { code, out } = await atr(['verify', '-', '--policy', follower.policy, '--since', older], {}, text)
  expect([code, out]).toEqual([0, expect.stringMatching(/^ok\n/)])
})
