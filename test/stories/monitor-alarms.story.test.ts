// One lie for every alarm. Before it the same operator is honest, and nothing is found.

import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { toBase64, utf8 } from '../../src/proof/bytes.ts'
import { canonical } from '../../src/proof/canonical-json.ts'
import { firstRelease } from '../../src/proof/figures-fixture.ts'
import { STATE_SCHEMA } from '../../src/proof/price/release.ts'
import { aRow } from '../../src/proof/registry-fixture.ts'
import { ALARMS, type AlarmCode } from '../../tools/monitor/alarm.ts'
import { days, LAB, rows, smuggle } from '../support/lie.ts'
import { LOG_LIES } from '../support/log-lies.ts'
import { Operator } from '../support/operator.ts'
import { ROW_LIES } from '../support/row-lies.ts'
import { provedBy, type Seen, Watcher } from '../support/watcher.ts'

const LIES = [...LOG_LIES, ...ROW_LIES]

/** Enough rounds that what is asked at random is asked for. */
async function until(watcher: Watcher, code: AlarmCode): Promise<Seen> {
  for (let round = 0; ; round++) {
    const seen = await watcher.read()
    if (seen.alarms.includes(code) || round === 8) return seen
  }
}

test.each(LIES)('%s: %s', async (code, _, lie, proves) => {
  await using operator = await Operator.start()
  using watcher = Watcher.of(operator)
  const first = operator.registry.publish(rows, LAB)
  expect(await watcher.read()).toMatchObject({ code: 0, alarms: [] })

  await lie(operator, first)
  const seen = await until(watcher, code)
  expect([seen.code, seen.alarms]).toEqual([1, expect.arrayContaining([code])])
  const [file = ''] = watcher.evidence.filter((name) => name.startsWith(`state.alarm.${code}.`))
  const { sentence, advice, evidence } = watcher.kept(file)
  expect(seen.out).toContain(`alarm ${code}: ${sentence}\n  what to do: ${advice}\n`)
  expect(await provedBy(evidence, operator.policy)).toEqual(proves)
  expect(readFileSync(watcher.file(file), 'utf8')).not.toContain('atr_any')
})

/** States whose clock went back, more than are shown: an operator calls it an accident. */
function oldFaults(operator: Operator): void {
  for (let i = 0; i < 25; i++) {
    operator.registry.now = new Date(Date.parse(operator.registry.now) - 6_000).toISOString()
    days(operator, 1)
  }
}

const HIDDEN = ['log_forked', 'state_wrong', 'time_backwards', 'figures_wrong', 'rows_unsorted']
test.each(LIES.filter(([code], i) => HIDDEN.includes(code) && LIES.findIndex(([other]) => other === code) === i))(
  'old faults of the log do not hide a new one: %s, %s',
  async (code, _, lie) => {
    await using operator = await Operator.start()
    using watcher = Watcher.of(operator)
    const first = operator.registry.publish(rows, LAB)
    oldFaults(operator)
    const before = await watcher.read()
    expect(new Set(before.alarms)).toEqual(new Set(['time_backwards']))
    expect(before.err).toContain('note: time_backwards: 5 more were found and are not shown')
    await lie(operator, first)
    // Another history that is longer than this one.
    if (operator.shown !== operator.registry) for (let i = 0; i < 30; i++) operator.shown.append()
    const [told = ''] = (await until(watcher, code)).out.match(new RegExp(`^alarm ${code}: .*$`, 'm')) ?? []
    expect([told.startsWith(`alarm ${code}: `), before.out.includes(told)]).toEqual([true, false])
  },
)

test('figures from before a release are found without a token once the release is known for long', async () => {
  await using operator = await Operator.start()
  using watcher = Watcher.of(operator)
  operator.registry.publish(rows, LAB)
  operator.release(...firstRelease(1))
  operator.figuresAt = { index: 0, size: 1 }
  // Caches may have it for so long.
  expect((await watcher.look()).alarms).toEqual([])
  const state = JSON.parse(readFileSync(watcher.file('state'), 'utf8')) as { figures: { since: number } }
  state.figures.since -= 16 * 60_000
  writeFileSync(watcher.file('state'), JSON.stringify(state))
  expect((await watcher.look()).alarms).toEqual(['answer_stale'])
})

test('head_stale: nothing was published for a day', async () => {
  await using operator = await Operator.start(27 * 60)
  using watcher = Watcher.of(operator)
  operator.registry.publish(rows, LAB)
  expect((await watcher.read()).alarms).toEqual(['head_stale'])
  const { evidence } = watcher.kept(watcher.evidence[0] ?? '')
  expect(await provedBy(evidence, operator.policy)).toEqual(['entry'])
  expect(JSON.parse(evidence['entry'] ?? '')).toMatchObject({ schema: STATE_SCHEMA })
})

test('every alarm has a lie that raises it', () => {
  const lied = new Set([...LIES.map(([code]) => code), 'not_at_source', 'left_out_of_release', 'head_stale'])
  expect(Object.keys(ALARMS).filter((code) => !lied.has(code))).toEqual([])
})

test('a token or key that the service sends back is in no evidence, in whatever form', async () => {
  await using operator = await Operator.start()
  using watcher = Watcher.of(operator)
  operator.registry.publish(rows, LAB)
  const [key, token] = ['atk_the_key_of_this_monitor', 'atr_the_token_it_was_given']
  writeFileSync(watcher.file('token'), key)
  let asEntry = false
  operator.tamper = (path, response) => {
    if (path.endsWith('/challenge')) return Response.json({ nonce: 'atn_any' })
    if (path.endsWith('/attest')) return Response.json({ rails_token: token })
    if (path.startsWith('/rows/')) return new Response(`{"you":"${token}"}`)
    if (path.startsWith('/reference')) return new Response(`{"you":"${key}"}`)
    const body = utf8(`{"${key}":"${token}"}`)
    return asEntry && path.includes('/releases/') && path.includes('entries')
      ? new Response(Uint8Array.of(0, body.length, ...body))
      : response
  }
  expect((await watcher.read()).alarms).toContain('answer_unverified')
  asEntry = true
  smuggle(operator, [aRow({ code: '80053' })])
  expect((await watcher.read()).alarms).toContain('row_altered')
  const files = [...watcher.evidence, 'state'].map((name) => readFileSync(watcher.file(name), 'utf8'))
  for (const secret of [key, token])
    for (const text of files)
      expect([secret, toBase64(utf8(secret)).slice(4, -4)].some((each) => text.includes(each))).toBe(false)
})

test('a registry with a schedule of its own is followed with the facts of that schedule', async () => {
  await using operator = await Operator.start()
  using watcher = Watcher.of(operator)
  operator.registry.publish(rows, { chart: 'state-lab' })
  expect((await watcher.read()).alarms).toContain('row_not_of_release')
  writeFileSync(
    watcher.file('charts'),
    canonical({ 'state-lab': { bases: ['medicare_clfs'], speaks: 'national', settings: [null] } }),
  )
  const read = await watcher.read('--charts', watcher.file('charts'))
  expect(read.alarms.filter((code) => code !== 'answer_unverified')).toEqual([])
  for (const wrong of ['{', '[]', '{"a":{"bases":["x"]}}']) {
    writeFileSync(watcher.file('charts'), wrong)
    expect(await watcher.read('--charts', watcher.file('charts'))).toMatchObject({ code: 2 })
  }
})
