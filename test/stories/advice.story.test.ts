// What those are told whose question gets no price: in the text alone, for that is all that many agents read.

import { expect, test } from 'bun:test'
import type { Members } from '../../src/proof/shape.ts'
import { aPrice, aRelease } from '../support/builders.ts'
import { BASE_URL, type TestApp, testApp } from '../support/harness.ts'
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
    aPrice({ cpt: '99213', effective_from: period.effective_from, ...usd('95.19') }),
    aPrice({ cpt: '27447', effective_from: period.effective_from, indicators, ...usd('1000.00') }),
  ]
  await app.publish(aRelease({ edition: 'RVU26C', ...period, rows }))
  const was = 'For 99213 (national, non-facility) it was $95.19 until 2026-09-30 (cms-pfs:RVU26C:1).'
  const told = await lookedUp(app, { cpt: '99213' })
  expect(told).toContain(was)
  expect(told).toContain('only if you say that the price is of another day')
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
