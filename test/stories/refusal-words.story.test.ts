// What a refusal says must be true of the question that was asked, and lead on from it.

import { expect, test } from 'bun:test'
import { z } from 'zod'
import type { Row } from '../../src/proof/price/row.ts'
import { aPlace } from '../../src/proof/registry-fixture.ts'
import { anAbsence, aPrice, aRelease } from '../support/builders.ts'
import { BASE_URL, type TestApp, testApp } from '../support/harness.ts'
import { ask, holdTheRest } from '../support/lookup.ts'
import { connect } from '../support/mcp.ts'

const page = async ({ app }: TestApp, path: string): Promise<string> =>
  (await app.fetch(new Request(`${BASE_URL}${path}`, { headers: { accept: 'text/html' } }), '192.0.2.1')).text()

test('a schedule without the indicator of a modifier is not said to rule the modifier out', async () => {
  await using app = await testApp()
  const indicators = { status: 'A', bilateral: '0', assistant: '0', co_surgeon: '0' }
  await app.publish(aRelease({ rows: [aPrice({ code: '66984', indicators })] }))
  for (const [chart, basis, setting] of [
    ['cms-asc', 'medicare_asc', 'asc'],
    ['cms-opps', 'medicare_opps', 'outpatient'],
  ] as const) {
    await app.publish(aRelease({ chart, rows: [aPrice({ code: '66984', basis, setting })] }))
    for (const modifier of ['50', 'LT-RT', '62', '80']) {
      const { code, detail, agent_hint } = await ask(app, { cpt: '66984', setting, modifier })
      expect([basis, modifier, code]).toEqual([basis, modifier, 'modifier_not_allowed'])
      expect(detail).toMatch(/does not state what it pays/)
      expect(`${detail} ${agent_hint}`).not.toMatch(/indicator|rules it out|do not adjust|paid as one/)
    }
    const shown = await page(app, `/price/66984?setting=${setting}&modifier=50`)
    expect(shown).not.toContain('does not change the amount')
  }
  const ruledOut = await ask(app, { cpt: '66984', modifier: '50' })
  expect([ruledOut.detail, ruledOut.agent_hint]).toEqual([
    expect.stringContaining('both sides are paid as one'),
    expect.stringContaining('do not adjust the amount'),
  ])
  const lines = '66984,50,1,2000.00,2026-11-15'
  const bill = await app.app.fetch(
    new Request(`${BASE_URL}/bill`, {
      method: 'POST',
      headers: { accept: 'text/markdown' },
      body: new URLSearchParams({ lines }),
    }),
    '192.0.2.1',
  )
  const sheet = await bill.text()
  expect(sheet).toContain('66984-50')
  expect(sheet).not.toContain('not paid')
})

test('a modifier that an indicator rules out is explained by that indicator alone', async () => {
  await using app = await testApp()
  const indicators = { status: 'A', bilateral: '0', assistant: '1', co_surgeon: '0' }
  const ofNone = { status: 'A', bilateral: '9', assistant: '9', co_surgeon: '9' }
  await app.publish(
    aRelease({ rows: [aPrice({ code: '71046', indicators }), aPrice({ code: '71047', indicators: ofNone })] }),
  )
  const client = await connect(app, 'modern')
  for (const [modifier, why] of [
    ['50', 'bilateral indicator 0, both sides are paid as one.'],
    ['62', 'co-surgeon indicator 0, a second surgeon is not paid.'],
    ['AS', 'assistant indicator 1, an assistant is not paid.'],
  ] as const) {
    const { detail, agent_hint } = await ask(app, { cpt: '71046', modifier })
    expect(detail).toContain(`is not adjusted for modifier ${modifier}: ${why}`)
    expect(agent_hint).toStartWith(
      modifier === '50'
        ? 'Ask without the modifier, and do not adjust the amount.'
        : 'Medicare pays no assistant or second surgeon for this service.',
    )
    expect((await ask(app, { cpt: '71047', modifier })).detail).toContain('the indicator on its row rules it out')
    const { content } = await client.callTool({ name: 'lookup_price', arguments: { cpt: '71046', modifier } })
    expect(content[0]?.text).toContain(why)
  }
})

test('where only the table of ZIP codes has no edition for the day, the state or locality is asked for and not another day', async () => {
  await using app = await testApp()
  const elsewhere = anAbsence({ code: '80053', reason: 'paid_elsewhere' })
  await app.publish(aRelease({ rows: [aPrice({ code: '99213', region: 'US-NY-01' }), elsewhere] }))
  const past = { effective_from: '2026-01-01', effective_to: '2026-03-31' }
  await app.publish(aRelease({ chart: 'zip-locality', ...past, rows: [aPlace('10016', 'US-NY-01')] }))
  const { code, charts, agent_hint } = await ask(app, { cpt: '99213', region: '10016' })
  expect([code, charts[0]?.chart]).toEqual(['no_edition_for_day', 'zip-locality'])
  expect(agent_hint).toContain('ask with the state of the address')
  expect(agent_hint).not.toContain('Ask for a day')
  const client = await connect(app, 'modern')
  const { content } = await client.callTool({ name: 'lookup_price', arguments: { cpt: '99213', region: '10016' } })
  expect(content[0]?.text).toContain('ask with the state of the address')
  // What has no price at any place has none at this one either.
  for (const cpt of ['99999', '80053'])
    expect((await ask(app, { cpt, region: '10016' })).agent_hint).toContain('Ask for a day')
})

test('a modifier that the code has in another setting is not said to be missing', async () => {
  await using app = await testApp()
  const rented = { basis: 'medicare_dmepos', region: 'US-IA' } as const
  const rows = [
    aPrice({ code: 'E2325', ...rented, setting: 'rural', modifier: 'KE-RR' }),
    aPrice({ code: 'E2325', ...rented, setting: 'rural', modifier: 'RR' }),
    aPrice({ code: 'E2325', ...rented, setting: 'non_rural', modifier: 'RR' }),
  ]
  await app.publish(aRelease({ chart: 'cms-dmepos', rows }))
  await holdTheRest(app, 'cms-dmepos')
  const asked = { cpt: 'E2325', region: 'IA', modifier: 'RR-KE' }
  expect(await ask(app, asked)).toMatchObject({ setting: 'rural' })
  const { code, detail, agent_hint } = await ask(app, { ...asked, setting: 'non_rural' })
  expect(code).toBe('modifier_not_priced')
  expect(detail).toContain('with this modifier too, but not for this setting')
  expect(agent_hint).toContain('Under another basis or setting there is a price')
  // The same list without the setting is the nearest of all.
  const named = await ask(app, { ...asked, setting: 'non_rural', basis: 'medicare_dmepos' })
  expect(named.agent_hint).toContain('ask the same with basis=medicare_dmepos and without setting')
  const missing = await ask(app, { ...asked, modifier: 'NU' })
  expect(missing.detail).toBe('The code is listed, but not with this modifier. Its modifiers: KE-RR, RR.')
  expect(missing.agent_hint).toStartWith('Without a modifier it has no price either: ask with one that it has')
})

test('whoever is sent to the list that has the price with the modifier is not told to leave it out', async () => {
  await using app = await testApp()
  const indicators = { status: 'A', pc_tc: '1' }
  const tissue = [null, '26', 'TC'].map((modifier) => aPrice({ code: '88305', modifier, indicators }))
  await app.publish(aRelease({ rows: tissue }))
  const hospital = aPrice({ code: '88305', basis: 'medicare_opps', setting: 'outpatient' })
  await app.publish(aRelease({ chart: 'cms-opps', rows: [hospital] }))
  await holdTheRest(app, 'cms-pfs', 'cms-opps')
  for (const modifier of ['26', '26-GA']) {
    const { agent_hint } = await ask(app, { cpt: '88305', modifier, basis: 'medicare_opps' })
    expect(agent_hint).toMatch(/ask the same with basis=medicare_pfs, and say which basis it is\.$/)
  }
  const nowhere = await ask(app, { cpt: '88305', modifier: 'ZZ', basis: 'medicare_opps' })
  expect(nowhere.agent_hint).toStartWith('Ask without the modifier')
})

test('a modifier that is missing, or has no price, is told before a place is chosen', async () => {
  await using app = await testApp()
  const rented = ['US-IA', 'US-IL'].map((region) =>
    aPrice({ code: 'E2325', basis: 'medicare_dmepos', region, setting: 'non_rural', modifier: 'RR' }),
  )
  await app.publish(aRelease({ chart: 'cms-dmepos', rows: rented }))
  const visits = ['US-CA-05', 'US-CA-18', 'national'].map((region) => aPrice({ code: '99213', region }))
  await app.publish(aRelease({ chart: 'cms-pfs', rows: visits }))
  await holdTheRest(app, 'cms-dmepos', 'cms-pfs')
  const said = async (modifier?: string) => (await ask(app, { cpt: 'E2325', ...(modifier && { modifier }) })).detail
  expect(await said('NU')).toMatch(/choose one .* prices there, but not with this modifier. Its modifiers: RR\.$/)
  expect(await said()).toMatch(/choose one .* prices there, but only with modifiers. Its modifiers: RR\.$/)
  expect(await said('RR')).toMatch(/choose one of US-IA, US-IL\.$/)
  // Of a state with several localities a price without the modifier is there, once one of them is chosen.
  const { code, agent_hint } = await ask(app, { cpt: '99213', region: 'CA', modifier: '26' })
  expect([code, agent_hint]).toEqual(['modifier_not_priced', 'Ask without the modifier, and say so beside the amount.'])
})

test('of several modifiers the advice leaves out the one without a price, and says of which parts a code has none', async () => {
  await using app = await testApp()
  const part = (pc_tc: string) => ({ indicators: { status: 'A', pc_tc } as never })
  const rows = [
    aPrice({ code: '70450', ...part('1') }),
    aPrice({ code: '70450', modifier: '26', ...part('1') }),
    ...[null, '26', 'TC', '53'].map((modifier) => aPrice({ code: '70470', modifier, ...part('1') })),
    ...['2', '3', '4'].map((indicator) => aPrice({ code: `9300${indicator}`, ...part(indicator) })),
  ]
  await app.publish(aRelease({ rows }))
  await holdTheRest(app, 'cms-pfs')
  const advice = async (cpt: string, modifier: string) => (await ask(app, { cpt, modifier })).agent_hint
  // To ask without any would give the price of the whole service.
  for (const both of ['26-KF', 'KF-26'])
    expect(await advice('70450', both)).toStartWith('Ask with modifier=26: it is KF')
  // Each has a price of its own: neither is to blame.
  for (const both of ['26-TC', 'TC-26'])
    expect(await advice('70470', both)).toBe(
      '26 and TC are the two parts of the service, and together the whole: ask without a modifier.',
    )
  expect(await advice('70470', '26-53')).toStartWith(
    'Only together there is no price: ask with modifier=53 or modifier=26,',
  )
  expect(await advice('70450', 'KF')).toStartWith('Ask without the modifier, or with one that it has')
  expect(await advice('93002', '26')).toStartWith('The code is for the professional part alone')
  expect(await advice('93003', 'TC')).toStartWith('The code is for the technical part alone')
  expect(await advice('93004', '26')).toContain('its parts have codes of their own')
  // A fee that is not divided has no part of surgery to show.
  for (const modifier of ['54', '55', '78'])
    expect(await advice('93004', modifier)).toContain('Do not show the amount without the modifier')
  expect(await advice('93004', 'GZ')).toContain('do not show it as paid for this line')
  // With each of these it pays less: the amount for the whole service would be too high for most.
  for (const modifier of ['52', '53', '73', 'AD', 'FB', 'FC', 'PN', 'QK', 'QX', 'QY'])
    expect([modifier, await advice('70450', modifier)]).toEqual([
      modifier,
      expect.stringMatching(
        /^Ask without the modifier, and say .*most often pays less,.*without it is more than that\. Do not show/,
      ),
    ])
  expect(await advice('70450', '26-52')).toMatch(/^Ask with modifier=26: it is 52 .* most often pays less/)
  // These change nothing here, or are taken off the whole bill: there is a price.
  for (const modifier of ['51', '74', 'PO', 'TB'])
    expect([modifier, await advice('70450', modifier)]).toEqual([modifier, undefined as never])
  // Not less: by report.
  for (const modifier of ['22', '66'])
    expect(await advice('93004', modifier)).toMatch(/^Ask without the modifier, .* by the report .* Do not show it/)
  expect(await advice('93004', '22')).not.toContain('less')
  for (const modifier of ['PA', 'PB', 'PC']) expect(await advice('93004', modifier)).toContain('Medicare never pays it')
  expect(await advice('93004', 'KF')).toBe('Ask without the modifier, and say so beside the amount.')
})

test('a code that another list pays, which is not held, is not said to be found elsewhere', async () => {
  await using app = await testApp()
  const rows = ['A0427', 'E2325'].map((cpt) => anAbsence({ code: cpt, reason: 'paid_elsewhere' }))
  await app.publish(aRelease({ rows }))
  const rented = aPrice({
    code: 'E2325',
    basis: 'medicare_dmepos',
    region: 'US-IA',
    setting: 'non_rural',
    modifier: 'RR',
  })
  await app.publish(aRelease({ chart: 'cms-dmepos', rows: [rented] }))
  await holdTheRest(app, 'cms-pfs', 'cms-dmepos')
  const advice = async (cpt: string) => (await ask(app, { cpt, basis: 'medicare_pfs' })).agent_hint
  expect(await advice('A0427')).toStartWith('None of Medicare\u2019s lists that are held here has a price')
  // It has one, for other places and with a modifier.
  expect(await advice('E2325')).not.toContain('None of the lists')
})

test('a ZIP code that is divided across a border says that its neighbours do not decide', async () => {
  await using app = await testApp()
  const rows = ['US-KY-00', 'US-TN-35'].map((region) => aPrice({ code: '99213', region }))
  await app.publish(aRelease({ rows }))
  const places = [aPlace('42222', 'US-KY-00'), aPlace('42223', null)]
  await app.publish(aRelease({ chart: 'zip-locality', effective_from: '2026-07-01', rows: places }))
  await holdTheRest(app, 'cms-pfs')
  for (const region of ['42223', '42223-1234']) {
    const { code, detail, agent_hint, about } = await ask(app, { cpt: '99213', region })
    expect([code, about.choices.map((each) => each.region)]).toEqual(['region_ambiguous', ['US-KY-00']])
    expect(detail).not.toMatch(/choose one/)
    expect(agent_hint).toMatch(/across a state border/)
    // Who has given all nine digits is not told to give them.
    expect(/nine digits may decide/.test(detail)).toBe(region === '42223')
    expect(await page(app, `/price/99213?region=${region}`)).toContain('If the address is across a state border')
  }
})

test('what a refused parameter takes is said in one sentence', async () => {
  await using app = await testApp()
  for (const { name, input } of app.app.operations)
    for (const [field, schema] of Object.entries(input.shape as Record<string, z.ZodType>)) {
      const { type, format, enum: words } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
      // Of numbers, days and closed lists the refusal says the form by itself.
      if (!['string', 'array'].includes(String(type)) || format === 'date' || words !== undefined) continue
      expect([name, field, schema.description ?? '']).toEqual([name, field, expect.not.stringMatching(/^[A-Z][a-z]/)])
    }
  const batch = await app.app.fetch(
    new Request(`${BASE_URL}/reference/batch`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ lines: [{ cpt: 'G0101', billed: '9000' }] }),
    }),
    '192.0.2.1',
  )
  expect(await batch.text()).toContain(
    'the parameter billed takes what the bill asks for this line, in dollars and cents',
  )
  const client = await connect(app, 'modern')
  const { content } = await client.callTool({ name: 'lookup_price', arguments: { cpt: '99213-25', modifier: 'none' } })
  expect(content[0]?.text).toContain('`modifier`')
})

test('beside a modifier that changes nothing, it is still said what the one without a price means', async () => {
  await using app = await testApp()
  const part = (pc_tc: string) => ({ indicators: { status: 'A', pc_tc } as never })
  const rows = [
    aPrice({ code: '66984', ...part('0') }),
    aPrice({ code: '93010', ...part('2') }),
    ...[null, '26', 'TC'].map((modifier) => aPrice({ code: '71046', modifier, ...part('1') })),
  ]
  await app.publish(aRelease({ rows }))
  await holdTheRest(app, 'cms-pfs')
  for (const [cpt, modifier, says] of [
    ['66984', 'LT-GZ', /^Ask with modifier=LT: .* Medicare will not pay/],
    ['66984', 'RT-PC', /^Ask with modifier=RT: .* never pays it/],
    ['66984', 'RT-52', /^Ask with modifier=RT: .* most often pays less/],
    ['93010', '26-59', /^The code is for the professional part alone/],
    ['71046', '26-TC-59', /^26 and TC are the two parts of the service, and together the whole/],
  ] as const) {
    const { code, agent_hint } = await ask(app, { cpt, modifier })
    expect([cpt, modifier, code]).toEqual([cpt, modifier, 'modifier_not_priced'])
    expect(agent_hint).toMatch(says)
  }
  // A part of surgery is worked out from the row, or is not paid alone.
  for (const modifier of ['RT-55', '79-54']) {
    const { code, agent_hint } = await ask(app, { cpt: '66984', modifier })
    expect([modifier, code]).toEqual([modifier, 'modifier_not_allowed'])
    expect(agent_hint).toMatch(/^The fee is not divided .* no part of it is paid alone/)
  }
})

test('where no place that could be chosen has a price, it is said before one is chosen', async () => {
  await using app = await testApp()
  const places = ['US-TX-09', 'US-TX-18']
  const inOffice = places.map((region) => aPrice({ code: '71046', region, setting: 'non_facility' }))
  const inHospital = anAbsence({ code: '71046', setting: 'facility', reason: 'not_applicable_in_setting' })
  await app.publish(aRelease({ rows: [...inOffice, inHospital] }))
  const blank = ['US-AK', 'US-TX'].map((region) =>
    anAbsence({
      code: 'E2511',
      modifier: 'RR',
      basis: 'medicare_dmepos',
      region,
      setting: 'non_rural',
      reason: 'no_price_stated',
      derivation: { method: 'dmepos-blank/1', inputs: { non_rural: '0.00', rural: '0.00' } },
    }),
  )
  await app.publish(aRelease({ chart: 'cms-dmepos', rows: blank }))
  await holdTheRest(app, 'cms-pfs', 'cms-dmepos')
  const office = await ask(app, { cpt: '71046', region: 'TX', setting: 'facility' })
  expect([office.code, office.detail]).toEqual([
    'region_ambiguous',
    expect.stringMatching(/choose one of US-TX-09, US-TX-18\. None of them has a price: /),
  ])
  expect(office.agent_hint).toMatch(/^Whichever place you choose.* ask with setting=non_facility/)
  const equipment = await ask(app, { cpt: 'E2511', modifier: 'RR' })
  expect(equipment.agent_hint).toBe('Whichever place you choose, there is no price as asked. Do not invent a price.')
  expect(await page(app, '/price/71046?region=TX&setting=facility')).not.toContain('Several prices')
  // Where the reasons differ, none of them is told of all places.
  const [alaska, texas] = blank
  const refused = { reason: 'unreadable' as const, derivation: { method: 'row-rule/1', inputs: { rule: 'R02' } } }
  await using other = await testApp()
  await other.publish(aRelease({ chart: 'cms-dmepos', rows: [alaska as Row, { ...texas, ...refused } as Row] }))
  await holdTheRest(other, 'cms-dmepos')
  expect((await ask(other, { cpt: 'E2511', modifier: 'RR' })).detail).not.toContain('None of them')
})
