// A question that one list does not answer, about a code that another list prices: the refusal names the next call.

import { expect, test } from 'bun:test'
import { aPlace } from '../../src/proof/registry-fixture.ts'
import { anAbsence, aPrice, aRelease } from '../support/builders.ts'
import { type TestApp, testApp } from '../support/harness.ts'
import { type AskedOf, ask, holdTheRest, ledTo } from '../support/lookup.ts'
import { call, type ToolResult } from '../support/mcp.ts'

const usd = (amount: string) => ({ price: { amount, currency: 'USD' as const } })
const NPI = '1234567893'
const LIST = { basis: 'medicare_opps', cpt: 'G0463' } as const
const { cpt: CODE, ...OUTPATIENT } = LIST

/** A clinic visit, which the outpatient schedule alone prices; the doctors' schedule begins half a year later. */
async function aClinic(): Promise<TestApp> {
  const app = await testApp()
  await app.publish(aRelease({ chart: 'cms-opps', rows: [aPrice({ ...OUTPATIENT, code: CODE, ...usd('129.86') })] }))
  await app.publish(
    aRelease({
      effective_from: '2026-07-01',
      rows: [
        aPrice({ effective_from: '2026-07-01', ...usd('95.19') }),
        anAbsence({ code: 'G0463', reason: 'not_valid', effective_from: '2026-07-01' }),
      ],
    }),
  )
  await app.publish(
    aRelease({ chart: 'zip-locality', rows: [aPlace('90001', 'US-CA-18')], effective_from: '2026-07-01' }),
  )
  await app.publish(
    aRelease({
      chart: `hospital-mrf:${NPI}`,
      rows: [aPrice({ code: '99999', npi: NPI, basis: 'hospital_negotiated_high', ...usd('900.00') })],
    }),
  )
  await holdTheRest(app, 'cms-pfs')
  return app
}

const QUESTIONS: [AskedOf, string, AskedOf][] = [
  [{ cpt: 'G0463' }, 'absent_not_valid', LIST],
  [{ cpt: 'G0463', as_of: '2026-03-01' }, 'no_edition_for_day', LIST],
  [{ cpt: 'G0463', as_of: '2026-03-01', region: '90001' }, 'no_edition_for_day', LIST],
  [{ cpt: 'G0463', region: '90001' }, 'absent_not_valid', LIST],
  [{ cpt: 'G0463', region: 'CA' }, 'absent_not_valid', LIST],
  [{ cpt: 'G0463', modifier: '25' }, 'absent_not_valid', LIST],
  [{ cpt: 'G0463', setting: 'facility' }, 'absent_not_valid', LIST],
  [{ cpt: 'G0463', basis: 'medicare_pfs' }, 'absent_not_valid', LIST],
  [{ cpt: 'G0463', basis: 'medicare_clfs' }, 'not_on_schedule', LIST],
  [
    { cpt: '99999', npi: NPI, setting: 'inpatient' },
    'not_on_schedule',
    { cpt: '99999', basis: 'hospital_negotiated_high' },
  ],
  [{ cpt: 'G0101', npi: NPI }, 'not_on_schedule', { cpt: 'G0101' }],
]

test('a refusal names the basis under which the code has a price, and asking so gets it', async () => {
  await using app = await aClinic()
  for (const [asked, code, next] of QUESTIONS) {
    const refused = await ask(app, asked)
    expect([asked, refused.code]).toEqual([asked, code])
    const [led, ...more] = ledTo(asked, refused.agent_hint)
    expect([asked, led, more]).toMatchObject([asked, next, []])
    expect(await ask(app, led as AskedOf)).toHaveProperty('price')
    expect(refused.agent_hint).not.toMatch(/129|900|95\.19/)
  }
  const { agent_hint } = await ask(app, { cpt: 'G0999' })
  expect(agent_hint).not.toContain('basis=')
})

test('the same is said over MCP and in a batch, and the price page links to it', async () => {
  await using app = await aClinic()
  const { result } = (await (await call(app, 'lookup_price', { cpt: 'G0463' })).json()) as { result: ToolResult }
  expect(result.content[0]?.text).toContain(
    'Next: Under another basis there is a price on this day: ask the same with basis=medicare_opps',
  )
  const batch = (await (
    await app.request('/reference/batch', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ lines: [{ cpt: 'G0463' }] }),
    })
  ).json()) as { results: { problem: { agent_hint: string } }[] }
  expect(batch.results[0]?.problem.agent_hint).toContain('basis=medicare_opps')
  for (const accept of ['text/html', 'text/markdown']) {
    const page = await (await app.request('/price/G0463?as_of=2026-03-01', { headers: { accept } })).text()
    expect(page.replaceAll('\\', '').replaceAll('&amp;', '&')).toMatch(
      /There is another price[^<]*(<a href="|\[[^\]]*\]\()\/price\/G0463\?region=national&as_of=2026-03-01&[^" )]*basis=medicare_opps/,
    )
  }
})

test('whoever asks for a list that is not loaded is led to each list of the sample that prices the code', async () => {
  await using app = await testApp({ sample: true })
  const headers = await app.railsHeaders(['registry:read'])
  const { data } = (await app.getJson('/api/registry?limit=200', headers)) as {
    data: { kind: string; code: string; region: string; npi: string | null; modifier: string | null; basis: string }[]
  }
  const rows = [...new Map(data.map((row) => [`${row.code} ${row.basis}`, row])).values()]
  const bases = new Set<string>()
  for (const { kind, code: cpt, region, npi, modifier, basis } of rows) {
    if (kind !== 'price' || npi !== null) continue
    bases.add(basis)
    const asked = { cpt, region, ...(modifier ? { modifier } : {}), basis: 'medicare_asc' }
    const { code, agent_hint } = await ask(app, asked)
    expect([asked, code]).toEqual([asked, 'no_edition_for_day'])
    expect([asked, ledTo(asked, agent_hint)]).toEqual([asked, expect.arrayContaining([{ ...asked, basis }])])
  }
  expect(bases.size).toBeGreaterThan(2)
})
