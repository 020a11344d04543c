import { expect, test } from 'bun:test'
import { aSigner } from '../fixture.ts'
import { pageOf } from '../list-fixture.ts'
import { formatPolicy, parsePolicy, type TrustPolicy } from '../note/policy.ts'
import { aFee, aPlace, MemoryRegistry } from '../registry-fixture.ts'
import { type Inquiry, verifyBody } from '../verify-lists.ts'

const signer = await aSigner('registry.example/log/registry')
const policy = parsePolicy(formatPolicy([signer])) as TrustPolicy
const DAY = '2026-07-15'

const registry = new MemoryRegistry(signer)
const places = registry.publish([aPlace('60611', 'US-IL-16')], { chart: 'zip-locality' })
const fees = registry.publish([aFee({ code: '99213', region: 'US-IL-16' })], { chart: 'cms-pfs' })

const said = async (body: unknown, page: Record<string, unknown>): Promise<string> => {
  const verdict = await verifyBody(JSON.stringify(body), policy, { page } as unknown as Inquiry)
  return verdict.ok ? 'ok' : verdict.reason
}

test('places are on a page that asks for no code, region or provider, and on no other', async () => {
  const body = await pageOf(registry, DAY, [{ release: places, from: 0, to: 1 }])
  expect(await said(body, { as_of: DAY })).toBe('ok')
  expect(await said(body, { as_of: DAY, chart: 'zip-locality' })).toBe('ok')
  for (const more of [{ cpt: '60611' }, { region: 'US-IL-16' }, { npi: '1234567893' }, { chart: 'cms-pfs' }])
    expect([more, await said(body, { as_of: DAY, ...more })]).toEqual([more, 'answers_another_question'])
  const prices = await pageOf(registry, DAY, [{ release: fees, from: 0, to: 1 }])
  expect(await said(prices, { as_of: DAY, region: 'US-IL-16' })).toBe('ok')
  expect(await said(prices, { as_of: DAY, region: 'US-IL-15' })).toBe('answers_another_question')
})

test('a page is asked for with a day, and has a list of rows', async () => {
  const body = await pageOf(registry, DAY, [{ release: fees, from: 0, to: 1 }])
  expect(await said(body, {})).toBe('question_malformed')
  expect(await said(body, { as_of: DAY, cpt: 99213 })).toBe('question_malformed')
  for (const data of [{}, { 0: {} }, 'x', null, 1]) expect(await said({ ...body, data }, { as_of: DAY })).not.toBe('ok')
})
