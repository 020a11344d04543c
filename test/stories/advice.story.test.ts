// What those are told whose question gets no price: in the text alone, for that is all that many agents read.

import { expect, test } from 'bun:test'
import type { Members } from '../../src/proof/shape.ts'
import { anAbsence, aPrice, aRelease } from '../support/builders.ts'
import { BASE_URL, type TestApp, testApp } from '../support/harness.ts'
import { holdTheRest } from '../support/lookup.ts'
import { connect } from '../support/mcp.ts'

const usd = (amount: string) => ({ price: { amount, currency: 'USD' as const } })

/** The text of a tool. */
async function textOf(app: TestApp, name: string, args: Members): Promise<string> {
  const client = await connect(app, 'modern')
  return (await client.callTool({ name, arguments: args })).content[0]?.text ?? ''
}
const lookedUp = (app: TestApp, args: Members): Promise<string> => textOf(app, 'lookup_price', args)

/** The text of the same over A2A. */
async function askedInWords(app: TestApp, text: string): Promise<string> {
  const message = { messageId: 'm1', role: 'ROLE_USER', parts: [{ text }] }
  const response = await app.app.fetch(
    new Request(`${BASE_URL}/a2a`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } }),
    }),
    '192.0.2.1',
  )
  const { result } = (await response.json()) as { result: { task: { status: { message: { parts: Members[] } } } } }
  return String(result.task.status.message.parts[0]?.['text'])
}

test('a price that has run out is told with its last day, and not as the price of the day', async () => {
  await using app = await testApp()
  const period = { effective_from: '2026-07-01', effective_to: '2026-09-30' }
  const indicators = { status: 'A', bilateral: '1', assistant: '2', co_surgeon: '0' }
  const rows = [
    aPrice({ code: '99213', effective_from: period.effective_from, ...usd('95.19') }),
    aPrice({ code: '27447', effective_from: period.effective_from, indicators, ...usd('1000.00') }),
  ]
  await app.publish(aRelease({ edition: 'RVU26C', ...period, rows }))
  const was = 'For 99213 (national, non-facility) it was $95.19 until 2026-09-30 (cms-pfs:RVU26C:1).'
  const told = await lookedUp(app, { cpt: '99213' })
  expect(told).toContain(was)
  expect(told).toContain('say that it is another day')
  expect(await askedInWords(app, 'price of 99213')).toContain(was)
  // The amount is that of the row, so the row is named, and not the code with a modifier that adjusts it.
  expect(await lookedUp(app, { cpt: '27447', modifier: '80' })).toContain(
    'For 27447 (national, non-facility) it was $1000',
  )
  const { agent_hint } = (await app.problem('/reference?cpt=99213')) as Members
  expect(agent_hint).toContain('`last_known`')
  // Before the first edition there is nothing to tell.
  expect(await lookedUp(app, { cpt: '99213', as_of: '2026-06-30' })).not.toContain('it was')
})

test('all places to choose from are named, up to twelve, and nobody is told of a ZIP code that was not given', async () => {
  await using app = await testApp()
  const localities = (count: number) =>
    Array.from({ length: count }, (_, at) => `US-TX-${String(at + 1).padStart(2, '0')}`)
  const rows = (edition: string, day: string, count: number) =>
    app.publish(
      aRelease({
        edition,
        effective_from: day,
        rows: ['national', ...localities(count)].map((region) =>
          aPrice({ code: '99213', region, effective_from: day }),
        ),
      }),
    )
  await rows('A', '2026-01-01', 8)
  await rows('B', '2026-07-01', 14)
  const few = await lookedUp(app, { cpt: '99213', region: 'TX', as_of: '2026-03-01' })
  expect(few).toContain(`choose one of ${localities(8).join(', ')}. `)
  expect(await askedInWords(app, '99213 in Texas on 2026-03-01')).toContain(
    `choose one of ${localities(8).join(', ')}. `,
  )
  expect(await lookedUp(app, { cpt: '99213', region: 'TX' })).toContain('US-TX-12, or one of 2 more. ')
  const { agent_hint } = (await app.problem('/reference?cpt=99213&region=TX')) as Members
  expect(agent_hint).not.toContain('nine digits')
})

test('a modifier that no place has is told before a place is chosen', async () => {
  await using app = await testApp()
  const indicators = { status: 'A', bilateral: '0', assistant: '1', co_surgeon: '0' }
  const rows = ['national', 'US-TX-01', 'US-TX-02'].map((region) => aPrice({ code: '54162', region, indicators }))
  await app.publish(aRelease({ rows }))
  await holdTheRest(app, 'cms-pfs')
  const refused = (await app.problem('/reference?cpt=54162&region=TX&modifier=80')) as Members
  expect(refused).toMatchObject({
    code: 'region_ambiguous',
    detail: expect.stringContaining('not adjusted for modifier 80: assistant indicator 1, an assistant is not paid.'),
    agent_hint: expect.stringMatching(/^Medicare pays no assistant or second surgeon for this service/),
  })
  const rented = ['US-IA', 'US-IL'].map((region) =>
    aPrice({ code: 'L3350', basis: 'medicare_dmepos', region, setting: 'non_rural', modifier: 'NU' }),
  )
  await app.publish(aRelease({ chart: 'cms-dmepos', edition: 'B', effective_from: '2026-07-01', rows: rented }))
  expect(await app.problem('/reference?cpt=L3350&modifier=26&basis=medicare_dmepos')).toMatchObject({
    code: 'region_ambiguous',
    agent_hint: expect.stringMatching(/^Whichever place you choose, there is no price as asked/),
  })
  const { agent_hint } = (await app.problem('/reference?cpt=54162&region=TX')) as Members
  expect(agent_hint).toStartWith('Ask again with the ZIP code')
})

test('a service that is not performed in an office is asked for in a facility', async () => {
  await using app = await testApp()
  const code = { code: '42815' }
  await app.publish(
    aRelease({
      rows: [
        aPrice({ ...code, setting: 'facility' }),
        anAbsence({ ...code, setting: 'non_facility', reason: 'not_applicable_in_setting' }),
      ],
    }),
  )
  const center = aPrice({ ...code, basis: 'medicare_asc', setting: 'asc' })
  await app.publish(aRelease({ chart: 'cms-asc', rows: [center] }))
  const { code: refused, agent_hint } = (await app.problem('/reference?cpt=42815&setting=non_facility')) as Members
  expect([refused, agent_hint]).toEqual([
    'absent_not_applicable_in_setting',
    expect.stringMatching(/^In the other setting there is a price on this day: ask with setting=facility, and say/),
  ])
})

test('a code that no list has is looked at again for a typing error', async () => {
  await using app = await testApp()
  await app.publish(aRelease({ rows: [aPrice({ code: '99213' })] }))
  await holdTheRest(app, 'cms-pfs')
  for (const cpt of ['99999', 'O9213'])
    for (const path of ['/reference', '/reference/sheet']) {
      const { code, agent_hint } = (await app.problem(`${path}?cpt=${cpt}`)) as Members
      expect([path, code, agent_hint]).toEqual([
        path,
        'not_on_schedule',
        expect.stringMatching(/^No price list that is held here has this code .* the letter O for a zero/),
      ])
    }
  expect(await lookedUp(app, { cpt: 'O9213' })).toContain('Check it for a typing error')
})

test('a code that is there for reports alone is said to be never paid', async () => {
  await using app = await testApp()
  const derivation = (status_code: string) =>
    ({ derivation: { method: 'cms-status/1', inputs: { status_code } } }) as const
  const stated = (code: string, status: string) => anAbsence({ code, reason: 'no_price_stated', ...derivation(status) })
  await app.publish(aRelease({ rows: [stated('M1006', 'M'), stated('G0102', 'A')] }))
  await holdTheRest(app, 'cms-pfs')
  expect(await lookedUp(app, { cpt: 'M1006' })).toContain('for reports about quality alone: Medicare never pays it.')
  expect(await lookedUp(app, { cpt: 'G0102' })).toContain('lists this code without a price.')
})

test('lines that are no list are what is wrong, also where something is said once for all of them', async () => {
  await using app = await testApp()
  const text = await textOf(app, 'price_bill', { lines: '99213, 85025', region: 'TX' })
  expect(text).toStartWith('invalid_parameter: ')
  expect(text).toContain('with a list as lines')
  expect(text).not.toContain('not known here')
})
