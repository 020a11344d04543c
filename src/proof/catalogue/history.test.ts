import { expect, test } from 'bun:test'
import { type Fault, failed } from '../fault.ts'
import { aSigner, keyOf } from '../fixture.ts'
import type { Period } from '../price/release.ts'
import { aFee, aPlace, aRow, MemoryRegistry, MemoryRelease } from '../registry-fixture.ts'
import { type TrustPolicy, verifyBody } from '../verify-lists.ts'
import type { HistoryQuestion } from './history.ts'
import { historyOf, stretchOf } from './history-fixture.ts'

const signer = await aSigner('registry.example/log/registry')
const policy: TrustPolicy = { logs: [{ key: keyOf(signer) }], retired: [], witnesses: [], groups: [], quorum: 'none' }
const NPI = '1234567893'
const QUARTERS = [
  ['2026A', '2026-01-01', '2026-03-31'],
  ['2026B', '2026-04-01', '2026-06-30'],
  ['2026C', '2026-07-01', '2026-09-30'],
] as const

/** Three quarters of fees, two of ZIP codes in which one moved, a laboratory schedule and a hospital. */
function aRegistry(): MemoryRegistry {
  const registry = new MemoryRegistry(signer)
  for (const [edition, effective_from, effective_to] of QUARTERS) {
    const days = { edition, effective_from, effective_to }
    const fees = [
      aFee({ code: '99213', effective_from, amount: `9${days.edition.charCodeAt(4) % 10}.00` }),
      aFee({ code: '99213', region: 'US-IL-15', effective_from, amount: '80.00' }),
      aFee({ code: '99213', region: 'US-IL-16', effective_from, amount: '81.00' }),
      aFee({ code: '99214', effective_from }),
    ]
    registry.publish(fees, { chart: 'cms-pfs', ...days })
    const moved = edition === '2026C' ? 'US-IL-16' : 'US-IL-15'
    if (edition !== '2026A')
      registry.publish([{ ...aPlace('60611', moved), effective_from }], { chart: 'zip-locality', ...days })
  }
  registry.publish([aRow({ code: '80053', effective_from: '2026-01-01' })], {
    chart: 'cms-clfs',
    effective_from: '2026-01-01',
    effective_to: '2026-12-31',
  })
  const charge = { npi: NPI, basis: 'hospital_cash', setting: 'outpatient', class: 'facility' }
  const derivation = { method: 'verbatim/1', inputs: { amount: '10.56' } }
  registry.publish([aRow({ code: '99213', ...charge, derivation })], {
    chart: `hospital-mrf:${NPI}`,
    providers: [NPI],
  })
  return registry
}
const registry = aRegistry()
const { periods } = registry.standing

const check = (body: unknown, asked: HistoryQuestion | 'any' = { cpt: '99213' }) =>
  verifyBody(JSON.stringify(body), policy, asked === 'any' ? { anyQuestion: true } : { history: asked })
const refused = (reason: string, at?: number) => ({ ...failed(reason as Fault), ...(at ? { at } : {}) }) as never
const of = (chart: string): Period[] => periods.filter((period) => period.chart === chart).toReversed()

test('every history of every question is proved, page by page, and passes for no other question', async () => {
  const questions: HistoryQuestion[] = [
    { cpt: '99213' },
    { cpt: '99213', region: 'US-IL-16' },
    { cpt: '99213', region: '60611' },
    { cpt: '99213', region: 'US-IL' },
    { cpt: '99213', modifier: '26' },
    { cpt: '80053' },
    { cpt: '99999' },
    { cpt: '99213', setting: 'outpatient' },
    { cpt: '99213', basis: 'medicare_clfs' },
    { cpt: '99213', npi: NPI },
    { cpt: '99214', npi: NPI },
  ]
  const bodies = await Promise.all(questions.map((asked) => historyOf(registry, asked)))
  for (const [i, asked] of questions.entries()) {
    const body = bodies[i] as (typeof bodies)[number]
    expect([asked, await check(body, asked)]).toMatchObject([asked, { ok: true, entries: body.data.length }])
    for (const offset of [1, 3]) {
      const page = await historyOf(registry, { ...asked, offset }, {}, 2)
      if (page.data.length === 0) continue
      expect([asked, await check(page, { ...asked, offset })]).toMatchObject([asked, { ok: true }])
      expect(await check(page, asked)).toEqual(refused('answers_another_question'))
    }
  }
  for (const [i, body] of bodies.slice(0, 6).entries())
    for (const [k, asked] of questions.slice(0, 6).entries())
      if (i !== k) expect([i, k, await check(body, asked)]).toMatchObject([i, k, { ok: false }])
})

test('what a history says of each edition is what it was then, the place too', async () => {
  const verdict = await check(await historyOf(registry, { cpt: '99213', region: '60611' }), {
    cpt: '99213',
    region: '60611',
  })
  if (!verdict.ok) throw new Error(verdict.reason)
  expect(verdict.decisions.map((decision) => ('row' in decision ? decision.row.region : decision.outcome))).toEqual([
    'US-IL-16',
    'US-IL-15',
    'not_on_schedule',
    'no_edition',
  ])
})

test('an edition left out is noticed, whatever stretches are shown', async () => {
  const fees = of('cms-pfs')
  const asked = { cpt: '99213', basis: 'medicare_pfs' }
  for (const hidden of fees) {
    const some = fees.filter((period) => period !== hidden)
    for (let from = 0; from < periods.length; from++)
      for (let to = from + 1; to <= periods.length; to++) {
        const body = await historyOf(registry, asked, { periods: some, stretches: [[from, to]], has_more: false })
        expect(await check(body, asked)).toMatchObject({ ok: false })
      }
  }
  const [from, to] = stretchOf(registry, 'cms-pfs')
  const body = await historyOf(registry, asked, { stretches: [[from, to]] })
  expect(await check(body, asked)).toMatchObject({ ok: true })
  expect(await check({ ...body, page: { ...body.page, has_more: true } }, asked)).toEqual(refused('releases_left_out'))
})

test('a chart that may answer cannot be left out, and no other can be added', async () => {
  const asked = { cpt: '99213' }
  const body = await historyOf(registry, asked)
  expect(await check(body, asked)).toMatchObject({ ok: true })
  // Without the neighbours of what is listed, there may be other editions between.
  expect(await check(await historyOf(registry, asked, { stretches: [] }), asked)).toEqual(refused('releases_left_out'))
  const { timeline: _, ...proof } = body.proof
  expect(await check({ ...body, proof }, asked)).toMatchObject({ ok: false, class: 'not_in_force' })
  expect(await check({ ...body, data: body.data.toReversed() }, asked)).toEqual(refused('entries_out_of_order', 2))
  const labs = await historyOf(registry, asked, { periods: of('cms-pfs'), has_more: false })
  expect(await check(labs, asked)).toEqual(refused('releases_left_out'))
  const hospital = await historyOf(registry, { cpt: '99213', npi: NPI })
  expect(await check(hospital, asked)).toEqual(refused('answers_another_question'))
})

test('the members of an edition are compared, and further ones are refused', async () => {
  const body = await historyOf(registry, { cpt: '99213' })
  const [item] = body.data
  for (const name of Object.keys(item ?? {})) {
    const data = body.data.with(0, { ...item, [name]: 'x' } as never)
    expect([name, await check({ ...body, data })]).toMatchObject([name, { ok: false, at: 1 }])
  }
  expect(await check({ ...body, data: body.data.with(0, { ...item, price: '1' } as never) })).toEqual(
    refused('body_contradicts_proof', 1),
  )
  expect(await check({ ...body, as_of: '2026-07-15' })).toEqual(refused('answers_another_question'))
  expect(await check({ ...body, note: 'x' })).toEqual(refused('not_recognised'))
  const silent = { ...item, answer: { status: 400, problem: { code: 'invalid_cpt' } } }
  expect(await check({ ...body, data: body.data.with(0, silent as never) })).toEqual(refused('not_recognised', 1))
  expect(await check({ ...body, timeline: 'x' })).toEqual(refused('not_recognised'))
  expect(await check({ ...body, data: [] }, 'any')).toMatchObject({ ok: false })
  expect(await check(body, 'any')).toMatchObject({ ok: true, entries: 4 })
  expect(await check(body, { cpt: 'x' })).toEqual(refused('question_malformed'))
})

test('a history of many editions is proved', async () => {
  const many = new MemoryRegistry(signer)
  const manifests = Array.from({ length: 70 }, (_, i) => {
    const day = `${1950 + i}-01-01`
    const release = new MemoryRelease([aFee({ code: '99213', effective_from: day })], {
      chart: 'cms-pfs',
      edition: `${1950 + i}`,
      effective_from: day,
      effective_to: '2026-12-31',
    })
    many.releases.push(release)
    return release.manifest
  })
  many.append(...manifests)
  const asked = { cpt: '99213', basis: 'medicare_pfs' }
  expect(await check(await historyOf(many, asked, {}, 200), asked)).toMatchObject({ ok: true, entries: 70 })
})

test('a page of as many editions as it should have, others among them, is not the page', async () => {
  const fees = of('cms-pfs')
  const asked = { cpt: '99213', basis: 'medicare_pfs', offset: 1 }
  const page = async (shown: Period[], has_more: boolean) =>
    check(await historyOf(registry, asked, { periods: shown, has_more }), asked)
  expect(await page(fees.slice(1, 2), true)).toMatchObject({ ok: true })
  expect(await page(fees.slice(0, 1), true)).toEqual(refused('releases_left_out'))
  expect(await page(fees.slice(0, 2), false)).toEqual(refused('releases_left_out'))
})
