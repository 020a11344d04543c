// Places and modifiers as people write them on a bill.

import { expect, test } from 'bun:test'
import type { PlaceRow } from '../../src/proof/price/row.ts'
import { aPlace } from '../../src/proof/registry-fixture.ts'
import { releaseOf } from '../../src/proof/shown.ts'
import { verifyBody } from '../../src/proof/verify-lists.ts'
import { GRAMMAR } from '../../src/surfaces/a2a/question.ts'
import { readText } from '../../src/surfaces/a2a/text.ts'
import { aPrice, aRelease } from '../support/builders.ts'
import { type TestApp, testApp } from '../support/harness.ts'
import { ask, hiding, holdTheRest, mustBeProved, questionOf, refusalOf, told } from '../support/lookup.ts'

const usd = (amount: string) => ({ price: { amount, currency: 'USD' as const } })

const DIVIDED = [
  aPlace('60999', null),
  aPlace('60999', 'US-IL-12', '0001-4999'),
  aPlace('60999', 'US-IL-16', '5000-9999'),
]

/** A visit that has a price for the country and for three localities, and where some ZIP codes lie. */
async function illinois(app: TestApp, more: readonly PlaceRow[] = DIVIDED): Promise<void> {
  const prices = { national: '95.00', 'US-IL-12': '96.00', 'US-IL-16': '99.00', 'US-AL-00': '90.00' }
  const visits = Object.entries(prices).map(([region, amount]) => aPrice({ code: '99213', region, ...usd(amount) }))
  const lab = aPrice({ code: '80053', basis: 'medicare_clfs', ...usd('10.56') })
  const places = [aPlace('35004', 'US-AL-00'), aPlace('60611', 'US-IL-16'), ...more]
  await app.publish(aRelease({ rows: visits }))
  await app.publish(aRelease({ chart: 'cms-clfs', rows: [lab] }))
  await app.publish(aRelease({ chart: 'zip-locality', effective_from: '2026-07-01', rows: places }))
  await holdTheRest(app, 'cms-pfs', 'cms-clfs')
}

test('a region is understood however people write it', async () => {
  await using app = await testApp()
  await illinois(app)
  const expected: [string | undefined, string, string][] = [
    [undefined, 'national', '95.00'],
    ['', 'national', '95.00'],
    ['national', 'national', '95.00'],
    ['NATIONAL', 'national', '95.00'],
    ['US-IL-16', 'US-IL-16', '99.00'],
    ['us-il-16', 'US-IL-16', '99.00'],
    ['US-AL', 'US-AL-00', '90.00'],
    ['AL', 'US-AL-00', '90.00'],
    ['al', 'US-AL-00', '90.00'],
    ['60611', 'US-IL-16', '99.00'],
    ['ZIP-60611', 'US-IL-16', '99.00'],
    ['zip-60611', 'US-IL-16', '99.00'],
    ['60611-1234', 'US-IL-16', '99.00'],
    ['ZIP-60611-1234', 'US-IL-16', '99.00'],
    ['60999-0001', 'US-IL-12', '96.00'],
    ['60999-4999', 'US-IL-12', '96.00'],
    ['60999-5000', 'US-IL-16', '99.00'],
  ]
  for (const [region, locality, amount] of expected) {
    const answer = await ask(app, { cpt: '99213', region })
    expect([region, answer.region, answer.price]).toMatchObject([region, locality, { amount }])
  }
})

test('of a ZIP code in thousands of parts an answer shows the one that holds the digits', async () => {
  await using app = await testApp()
  const part = (n: number): PlaceRow => {
    const digits = String(2 * n).padStart(4, '0')
    const region = n % 2 === 0 ? 'US-IL-12' : 'US-IL-16'
    return { ...aPlace('60999', region), plus_four: `${digits}-${digits}` }
  }
  const parts = Array.from({ length: 4_999 }, (_, n) => part(n))
  // Of the ZIP codes around it those are looked at that lie in one place: the parts of others would be as many again.
  const around = [aPlace('60997', 'US-IL-16'), aPlace('60998', null), aPlace('60998', 'US-AL-00', '0000-9999')]
  await illinois(app, [...around, { ...aPlace('60999', null), state: 'IL' }, ...parts])
  for (const [region, said] of [
    ['60999-0002', '99.00'],
    ['60999-9996', '96.00'],
    ['60999-0003', 'region_ambiguous'],
    ['60999-9999', 'region_ambiguous'],
    ['60999', 'region_ambiguous'],
  ] as const) {
    const asked = { cpt: '99213', region }
    const response = await app.request(`/reference?${new URLSearchParams(asked)}`)
    const text = await response.text()
    const { code, price, about } = JSON.parse(text)
    expect([region, price?.amount ?? code, text.length < 10_000]).toEqual([region, said, true])
    if (!price) expect(about.choices.map((each: { region: string }) => each.region)).toEqual(['US-IL-12', 'US-IL-16'])
    expect(await verifyBody(text, app.policy, { question: questionOf(app, asked) })).toMatchObject({ ok: true })
  }
})

test('where a ZIP code lies is proved with the price, and another place is noticed', async () => {
  await using app = await testApp()
  await illinois(app)
  const asked = { cpt: '99213', region: '60611' }
  const answer = await ask(app, asked)
  expect(answer.place).toMatchObject({ kind: 'place', zip: '60611', region: 'US-IL-16' })
  expect(releaseOf(answer, answer.place.proof)).toMatchObject({ chart: 'zip-locality' })
  expect((await ask(app, { cpt: '99213', region: '60999-0001' })).place).toMatchObject({ plus_four: '0001-4999' })
  const elsewhere = { ...answer, place: (await ask(app, { ...asked, region: '35004' })).place }
  const question = questionOf(app, asked)
  expect(await verifyBody(JSON.stringify(elsewhere), app.policy, { question })).toMatchObject({ ok: false })
  const { place, ...without } = answer
  const hidden = { ...without, proof: hiding(answer.proof, place) }
  expect(await verifyBody(JSON.stringify(without), app.policy, { question })).toMatchObject({ class: 'not_in_release' })
  expect(await verifyBody(JSON.stringify(hidden), app.policy, { question })).toMatchObject({ class: 'not_the_answer' })
  // What holds for the whole country needs no place.
  expect(await ask(app, { cpt: '80053', region: '60611', basis: 'medicare_clfs' })).not.toHaveProperty('place')
})

test('a ZIP code that its last four digits decide lists the localities around it, and so does a state', async () => {
  await using app = await testApp()
  await illinois(app)
  for (const region of ['60999', '60999-0000', 'IL', 'US-IL']) {
    const { code, about, agent_hint } = await ask(app, { cpt: '99213', region })
    expect([region, code, about.choices.map((each) => each.region)]).toEqual([
      region,
      'region_ambiguous',
      ['US-IL-12', 'US-IL-16'],
    ])
    expect(agent_hint).toContain('choices')
    expect(JSON.stringify(about.choices)).not.toMatch(/\d\.\d\d/)
    for (const { region: chosen, href } of about.choices)
      expect(await app.getJson(href)).toMatchObject({ region: chosen })
  }
  const lines = ['60999', '60611', '99999', '60999-0001'].map((region) => ({ cpt: '99213', region }))
  const headers = { 'content-type': 'application/json' }
  const response = await app.request('/reference/batch', { method: 'POST', headers, body: JSON.stringify({ lines }) })
  const questions = lines.map((line) => questionOf(app, line))
  const { decisions } = await mustBeProved(app, await response.text(), { questions })
  expect(decisions.map(({ outcome }) => outcome)).toEqual(['region_ambiguous', 'price', 'unknown_zip', 'price'])
})

test('a place that does not exist is refused with a hint that is true', async () => {
  await using app = await testApp()
  await illinois(app)
  for (const region of ['60611-12', 'ZZ', 'US-ZZ', '6061', '606111', 'US-IL-1', 'Illinois', 'ZIP 60611']) {
    const problem = await app.problem(`/reference?${new URLSearchParams({ cpt: '99213', region })}`)
    expect([region, problem]).toMatchObject([region, { status: 400, code: 'invalid_region' }])
    // Every form that the hint names is taken.
    for (const form of ['national', 'US-IL-16', 'US-AL', 'AL', '60611', '60611-1234'])
      expect((await app.request(`/reference?cpt=99213&region=${form}`)).status).toBe(200)
    const hint = String(problem['agent_hint'])
    for (const form of ['national', 'US-CA', 'US-CA-05', '94102', '94102-1234']) expect(hint).toContain(form)
  }
  const unknown = await ask(app, { cpt: '99213', region: '99999' })
  expect(unknown).toMatchObject({ status: 404, code: 'unknown_zip' })
  expect(unknown.about.available.regions).toContain('US-IL-16')
})

test('the places that hints and texts have as examples are answered by the sample', async () => {
  await using app = await testApp({ sample: true })
  const { agent_hint: hint } = await app.problem('/reference?cpt=99213&region=ZZ')
  const named = [...String(hint).matchAll(/`([^`]+)`/g)].map(([, form]) => form ?? '')
  expect(named).toHaveLength(6)
  for (const region of named) {
    // A state with several areas is answered with these.
    const expected = /^(US-)?CA$/.test(region) ? 'region_ambiguous' : undefined
    expect([region, refusalOf(await ask(app, { cpt: '99213', region }))]).toEqual([region, expected])
  }
  const texts = [...GRAMMAR.matchAll(/"([^"{}:]* in [^"]*)"/g)].map(([, text]) => text ?? '')
  expect(texts).toHaveLength(2)
  for (const text of texts) {
    const { result } = readText(text)
    expect(await ask(app, { cpt: '', ...('input' in result && result.input) })).toHaveProperty('price')
  }
})

test('an empty parameter is as if it had not been sent', async () => {
  await using app = await testApp()
  await illinois(app)
  const plain = await app.getJson('/reference?cpt=99213')
  for (const query of ['region=', 'modifier=', 'npi=', 'setting=', 'basis=', 'as_of=', 'proof=', 'region=&modifier='])
    expect([query, await app.getJson(`/reference?cpt=99213&${query}`)]).toEqual([query, plain])
})

test('a code may have spaces around it and small letters, and nothing else', async () => {
  await using app = await testApp()
  await app.publish(aRelease({ rows: [aPrice()] }))
  for (const cpt of ['g0101', ' G0101', 'G0101  ']) expect(await told(app, { cpt })).toBe('12.34')
  for (const cpt of ['G0101%0A', '%09G0101', 'G0101%00', 'G%200101', 'G0101%C2%A0'])
    expect([cpt, await app.problem(`/reference?cpt=${cpt}`)]).toMatchObject([cpt, { status: 400, code: 'invalid_cpt' }])
})

test('modifiers that change no payment are left out of account, and the answer says so', async () => {
  await using app = await testApp()
  await app.publish(aRelease({ rows: [aPrice(usd('10.00')), aPrice({ modifier: '26', ...usd('4.00') })] }))
  const expected: [string, string, string[]][] = [
    ['25', '10.00', ['25']],
    ['59', '10.00', ['59']],
    ['xs', '10.00', ['XS']],
    ['RT', '10.00', ['RT']],
    ['F5-59', '10.00', ['59', 'F5']],
    ['26-59', '4.00', ['59']],
    ['59-26-LT', '4.00', ['59', 'LT']],
  ]
  for (const [modifier, amount, modifiers_ignored] of expected) {
    const answer = await ask(app, { cpt: 'G0101', modifier })
    expect([modifier, answer]).toMatchObject([modifier, { price: { amount }, modifiers_ignored }])
    const { modifiers_ignored: _, ...silent } = answer
    const question = questionOf(app, { cpt: 'G0101', modifier })
    expect(await verifyBody(JSON.stringify(silent), app.policy, { question })).toMatchObject({
      reason: 'answers_another_question',
    })
  }
  expect(await ask(app, { cpt: 'G0101', modifier: '26' })).not.toHaveProperty('modifiers_ignored')
  // These change the payment, and no rule says by how much.
  for (const modifier of ['52', '22', '66', 'QK', '50-62'])
    expect(await ask(app, { cpt: 'G0101', modifier })).toMatchObject({
      code: 'modifier_not_priced',
      about: { available: { modifiers: ['26'] } },
    })
})

test('modifiers that change the amount by a rule are worked out from the row, to the cent', async () => {
  await using app = await testApp()
  const surgery = (code: string, amount: string, bilateral: string, assistant: string, co_surgeon: string) =>
    aPrice({ code, ...usd(amount), indicators: { status: 'A', bilateral, assistant, co_surgeon } })
  await app.publish(
    aRelease({
      rows: [
        surgery('10001', '100.01', '1', '2', '1'),
        surgery('10002', '33.33', '2', '0', '2'),
        surgery('10003', '33.33', '3', '1', '0'),
        surgery('10004', '0.02', '0', '9', '9'),
        surgery('10005', '0.02', '1', '2', '1'),
      ],
    }),
  )
  const expected: [string, string, string, string, string][] = [
    // 100.01 x 1.5 = 150.015; x 0.625 = 62.50625; x 0.16 = 16.0016; x 0.136 = 13.60136
    ['10001', '50', 'bilateral/1', '1.500', '150.02'],
    ['10001', '62', 'co-surgeon/1', '0.625', '62.51'],
    ['10001', '80', 'assistant/1', '0.160', '16.00'],
    ['10001', '81', 'assistant/1', '0.160', '16.00'],
    ['10001', '82', 'assistant/1', '0.160', '16.00'],
    ['10001', 'as', 'assistant-non-physician/1', '0.136', '13.60'],
    // 33.33 x 0.625 = 20.83125; x 0.16 = 5.3328; x 0.136 = 4.53288; x 2 = 66.66
    ['10002', '50', 'bilateral/1', '1.000', '33.33'],
    ['10002', '62', 'co-surgeon/1', '0.625', '20.83'],
    ['10002', '80', 'assistant/1', '0.160', '5.33'],
    ['10002', 'AS', 'assistant-non-physician/1', '0.136', '4.53'],
    ['10003', '50', 'bilateral/1', '2.000', '66.66'],
    // 0.02 x 1.5 = 0.03; x 0.625 = 0.0125; x 0.16 = 0.0032
    ['10005', '50', 'bilateral/1', '1.500', '0.03'],
    ['10005', '62', 'co-surgeon/1', '0.625', '0.01'],
    ['10005', '80', 'assistant/1', '0.160', '0.00'],
  ]
  for (const [cpt, modifier, rule, factor, amount] of expected) {
    const answer = await ask(app, { cpt, modifier })
    expect([cpt, modifier, answer.adjustment]).toEqual([
      cpt,
      modifier,
      { modifier: modifier.toUpperCase(), rule, factor, amount },
    ])
    const more = { ...answer, adjustment: { ...answer.adjustment, amount: '999.99' } }
    const question = questionOf(app, { cpt, modifier })
    expect(await verifyBody(JSON.stringify(more), app.policy, { question })).toMatchObject({
      reason: 'body_contradicts_proof',
    })
  }
  expect(await ask(app, { cpt: '10001', modifier: '50-59-RT' })).toMatchObject({
    adjustment: { modifier: '50', amount: '150.02' },
    modifiers_ignored: ['59', 'RT'],
  })
  for (const [cpt, modifier] of [
    ['10004', '50'],
    ['10004', '62'],
    ['10004', '80'],
    ['10004', 'AS'],
    ['10003', '81'],
    ['10003', 'AS'],
    ['10003', '62'],
  ] as const)
    expect([cpt, modifier, await ask(app, { cpt, modifier })]).toMatchObject([
      cpt,
      modifier,
      { status: 404, code: 'modifier_not_allowed', row: { code: cpt }, detail: expect.stringContaining(modifier) },
    ])
})

test('beside a price for the whole country, others are pointed to at the place that was asked', async () => {
  await using app = await testApp()
  const rows = ['national', 'US-CA-05'].map((region) => aPrice({ region, ...usd('77.77') }))
  await app.publish(aRelease({ rows }))
  await app.publish(aRelease({ chart: 'cms-opps', rows: [aPrice({ basis: 'medicare_opps', ...usd('88.88') })] }))
  const asked = ['US-CA-05', 'CA', '94102', '94102-1234', 'national', undefined]
  const pointed = ['US-CA-05', 'US-CA', '94102', '94102-1234', 'national', 'national']
  for (const [i, region] of asked.entries()) {
    const { about } = await ask(app, { cpt: 'G0101', setting: 'outpatient', ...(region && { region }) })
    expect([region, about.related.map(({ href }) => new URLSearchParams(href.split('?')[1]).get('region'))]).toEqual([
      region,
      [pointed[i] as string],
    ])
  }
})

test('an answer points to at most eight others, without their amounts, and each of them is there', async () => {
  await using app = await testApp()
  const modifiers = [null, '26', 'TC', '53', 'AU', 'AV', 'KF', 'MS']
  const rows = modifiers.flatMap((modifier) =>
    (['non_facility', 'facility'] as const).map((setting) => aPrice({ modifier, setting, ...usd('77.77') })),
  )
  await app.publish(aRelease({ rows }))
  await app.publish(aRelease({ chart: 'cms-opps', rows: [aPrice({ basis: 'medicare_opps', ...usd('77.77') })] }))
  const { related } = (await ask(app, { cpt: 'G0101' })).about
  expect(related).toHaveLength(8)
  expect(related[0]).toMatchObject({ basis: 'medicare_pfs', setting: 'facility', modifier: null })
  expect(JSON.stringify(related)).not.toMatch(/77\.77|amount/)
  for (const { href, basis, setting, modifier } of related)
    expect(await app.getJson(href)).toMatchObject({ basis, setting, modifier })
  const few = await ask(app, { cpt: 'G0101', basis: 'medicare_opps' })
  expect(few.about.related.every(({ basis }) => basis === 'medicare_pfs')).toBe(true)
})
