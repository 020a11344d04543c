import { expect, test } from 'bun:test'
import { utf8 } from '../bytes.ts'
import { canonical } from '../canonical-json.ts'
import { type Fault, failed } from '../fault.ts'
import { aSigner, keyOf, MemoryLog } from '../fixture.ts'
import { stateOf } from '../price/timeline.ts'
import { aFee, aRow, MemoryRegistry, RECORDED, shortProof } from '../registry-fixture.ts'
import { type CoverageQuestion, isNextPage, type TrustPolicy, verifyBody } from '../verify-lists.ts'
import { coverageList, coverageOf } from './catalogue-fixture.ts'

const DAY = '2026-07-15'
const signer = await aSigner('registry.example/log/registry')
const policy: TrustPolicy = { logs: [{ key: keyOf(signer) }], retired: [], witnesses: [], groups: [], quorum: 'none' }

/** The places in the timeline: 0 asp (spring), 1 clfs, 2 and 3 pfs-qpp, 4, 5 and 6 pfs. In July 1, 3 and 5 are in force. */
function aRegistry(): MemoryRegistry {
  const registry = new MemoryRegistry(signer)
  const quarter = (chart: string, edition: string, from: string, to: string) =>
    registry.publish([aFee({ code: '99213' })], { chart, edition, effective_from: from, effective_to: to })
  for (const chart of ['cms-pfs', 'cms-pfs-qpp']) {
    quarter(chart, '2026B', '2026-04-01', '2026-06-30')
    quarter(chart, '2026C', '2026-07-01', '2026-09-30')
  }
  quarter('cms-pfs', '2026D', '2026-10-01', '2026-12-31')
  registry.publish([aRow({ code: '80053' })], { chart: 'cms-clfs' })
  quarter('cms-asp', '2026B', '2026-04-01', '2026-06-30')
  return registry
}
const registry = aRegistry()
const { length } = registry.standing.periods

const check = (body: unknown, asked: Partial<CoverageQuestion> | 'any' = {}) =>
  verifyBody(
    JSON.stringify(body),
    policy,
    asked === 'any' ? { anyQuestion: true } : { coverage: { as_of: DAY, ...asked } },
  )
const refused = (reason: string, at?: number) => ({ ...failed(reason as Fault), ...(at ? { at } : {}) }) as never

test('coverage proves which editions are in force on the day', async () => {
  const body = await coverageList(registry, { as_of: DAY })
  expect(body.data.map(({ release_id }) => release_id)).toEqual([
    'cms-clfs:2026C:1',
    'cms-pfs-qpp:2026C:1',
    'cms-pfs:2026C:1',
  ])
  const verdict = await check(body)
  expect(verdict).toMatchObject({ ok: true, entries: 3 })
  if (verdict.ok) expect(verdict.editions.map(({ release }) => release.row_count)).toEqual([1, 1, 1])
})

test('every page of coverage, by every size, day and chart, is proved', async () => {
  for (const as_of of [DAY, '2026-05-01', '2026-11-01', '2020-01-01'])
    for (const chart of [undefined, 'cms-pfs', 'cms-pfs-qpp', 'cms-asp', 'cms-asc', 'zip-locality'])
      for (const limit of [1, 2, 50])
        for (const offset of [0, 1, 2]) {
          const asked = { as_of, chart, offset }
          const all = await coverageList(registry, { as_of, chart })
          if (offset >= all.data.length && offset > 0) continue
          const body = await coverageList(registry, asked, limit)
          expect([asked, await check(body, asked)]).toMatchObject([asked, { ok: true, entries: body.data.length }])
          expect(await check(body, { ...asked, offset: offset + 1 })).toMatchObject({ ok: false })
        }
})

test('no stretch of the timeline hides an edition of the day, or adds another', async () => {
  for (let shown = 0; shown < 2 ** length; shown++) {
    const places = Array.from({ length }, (_, i) => i).filter((i) => (shown >> i) % 2 === 1)
    const body = await coverageOf(registry, DAY, places, [0, length])
    expect(await check(body)).toMatchObject({ ok: places.join() === '1,3,5' })
  }
  for (let from = 0; from < length; from++)
    for (let to = from; to <= length; to++) {
      const places = [1, 3, 5].filter((place) => place >= from && place < to)
      const body = await coverageOf(registry, DAY, places, [from, to])
      expect([from, to, await check(body)]).toMatchObject([from, to, { ok: from === 0 && to === length }])
    }
})

test('of a chart, the neighbours on both sides must be shown', async () => {
  const asked = { chart: 'cms-pfs-qpp' }
  expect(await check(await coverageOf(registry, DAY, [3], [1, 5], { from: 2 }), asked)).toMatchObject({ ok: true })
  expect(await check(await coverageOf(registry, DAY, [3], [2, 5], { from: 2 }), asked)).toEqual(
    refused('releases_left_out'),
  )
  expect(await check(await coverageOf(registry, DAY, [3], [1, 4], { from: 2 }), asked)).toEqual(
    refused('releases_left_out'),
  )
  expect(await check(await coverageOf(registry, DAY, [], [1, 3], { from: 2 }), asked)).toEqual(
    refused('releases_left_out'),
  )
})

test('with a code or a provider only that the listed editions are in force is proved', async () => {
  const some = await coverageOf(registry, DAY, [1, 5], [1, 6])
  expect(await check(some, { cpt: '99213' })).toMatchObject({ ok: true, entries: 2 })
  expect(await check(some, { npi: '1234567893' })).toMatchObject({ ok: true })
  expect(await check(some, 'any')).toMatchObject({ ok: true })
  expect(await check(some)).toEqual(refused('releases_left_out'))
  const none = await coverageOf(registry, DAY, [], [0, 0])
  expect(await check(none, { cpt: '99213' })).toEqual(refused('nothing_proved'))
})

test('what is proved of an edition is compared, what it holds is not, and other members are refused', async () => {
  const body = await coverageList(registry, { as_of: DAY })
  const [item] = body.data
  for (const name of Object.keys(item ?? {})) {
    const data = body.data.with(0, { ...item, [name]: 'x' } as never)
    expect([name, await check({ ...body, data })]).toMatchObject([name, { ok: name === 'about' }])
  }
  expect(await check({ ...body, data: body.data.with(0, { ...item, price: '1.00' } as never) })).toEqual(
    refused('body_contradicts_proof', 1),
  )
  expect(await check({ ...body, data: [body.data[1], item, body.data[2]] })).toEqual(refused('entries_out_of_order', 2))
})

test('an edition of another day, and a page of another day or chart, are refused', async () => {
  const body = await coverageList(registry, { as_of: DAY })
  expect(await check(body, { as_of: '2026-07-16' })).toEqual(refused('answers_another_question'))
  expect(await check({ ...body, as_of: '2026-07-16' })).toEqual(refused('answers_another_question'))
  expect(await check(body, { chart: 'cms-pfs' })).toEqual(refused('answers_another_question'))
  expect(await check(await coverageOf(registry, DAY, [1, 4], [0, length]))).toEqual(refused('release_not_in_force', 2))
  const forged = { ...body.data[0], release_id: body.data[1]?.release_id }
  expect(await check({ ...body, data: body.data.with(0, forged as never) })).toEqual(
    refused('body_contradicts_proof', 1),
  )
  const strange = { ...body.data[0], release_id: 'cms-clfs:2026D:1' }
  expect(await check({ ...body, data: body.data.with(0, strange as never) })).toEqual(
    refused('release_not_in_force', 1),
  )
  const { proof: _, ...bare } = body
  expect(await check(bare)).toEqual(refused('proof_missing'))
})

test('a timeline whose own signer broke its order is refused', async () => {
  const { proof, ...rest } = await coverageList(registry, { as_of: DAY })
  const { periods } = registry.standing
  for (const [lie, reason] of [
    [periods.toReversed(), 'periods_contradict'],
    [periods.map((period) => ({ ...period, to: '2026-12-31' })), 'periods_contradict'],
    [periods.map((period) => ({ ...period, to: '2025-12-31' })), 'periods_contradict'],
  ] as const) {
    const state = stateOf({ periods: lie, providers: [] }, RECORDED)
    const log = shortProof(await new MemoryLog(signer).append(utf8(canonical(state))).prove(0))
    const timeline = { leaves: lie.map((period, i) => [i, period]) }
    expect(await check({ ...rest, proof: { ...proof, timeline, state, log } })).toEqual(refused(reason))
  }
})

test('an empty page that says that there is more cannot hide a chart that is in force', async () => {
  for (const chart of ['cms-pfs', undefined])
    for (let from = 0; from < length; from++)
      for (let to = from; to <= length; to++) {
        const body = await coverageOf(registry, DAY, [], [from, to], { has_more: true })
        expect(await check(body, { chart })).toEqual(refused('releases_left_out'))
      }
  const none = await coverageOf(new MemoryRegistry(signer), DAY, [], [0, 0], { has_more: true })
  expect(await check(none)).toEqual(refused('releases_left_out'))
})

test('pages that were read one after the other show whether an edition is on neither', async () => {
  const page = async (body: unknown, offset = 0) => {
    const verdict = await check(body, { offset })
    if (!verdict.ok) throw new Error(verdict.reason)
    return verdict
  }
  const first = await page(await coverageList(registry, { as_of: DAY }, 1))
  const second = await page(await coverageList(registry, { as_of: DAY, offset: 1 }, 1), 1)
  const third = await page(await coverageList(registry, { as_of: DAY, offset: 2 }, 1), 2)
  expect([first, second, third].map(({ page }) => [page?.has_more, page?.from, page?.to])).toEqual([
    [true, 0, 2],
    [true, 2, 4],
    [false, 4, length],
  ])
  expect([isNextPage(second, first), isNextPage(third, second)]).toEqual([true, true])
  // The last edition, said to be the second one: it is proved by itself, and does not go on where the first page ends.
  const skipping = await page(await coverageOf(registry, DAY, [5], [3, length], { offset: 1, from: 5 }), 1)
  expect([isNextPage(skipping, first), isNextPage(first, first), isNextPage(first, third)]).toEqual([
    false,
    false,
    false,
  ])
  const later = registry.snapshot()
  later.publish([aRow({ code: '80053' })], { chart: 'cms-dmepos' })
  const newer = await page(await coverageList(later, { as_of: DAY, offset: 1 }, 1), 1)
  expect(isNextPage(newer, first)).toBe(false)
  const some = await verifyBody(JSON.stringify(await coverageOf(registry, DAY, [3], [1, 4])), policy, {
    anyQuestion: true,
  })
  expect(some).toMatchObject({ ok: true, page: { has_more: false } })
  expect(some.ok && isNextPage(some, first)).toBe(false)
})

test('an edition is in force on the day on which it begins and on the day on which it ends', async () => {
  for (const day of ['2026-07-01', '2026-09-30'])
    expect(await check(await coverageOf(registry, day, [1, 3, 5], [0, length]), { as_of: day })).toMatchObject({
      ok: true,
      entries: 3,
    })
  for (const day of ['2026-06-30', '2026-10-01'])
    expect(await check(await coverageOf(registry, day, [1, 3, 5], [0, length]), { as_of: day })).toMatchObject({
      ok: false,
    })
})

test('a later page lists what follows the page before: neither nothing, nor as many of the others', async () => {
  const at = (from: number, places: number[], stretch: [number, number]) =>
    coverageOf(registry, DAY, places, stretch, { offset: 1, from }).then((body) => check(body, { offset: 1 }))
  expect(await at(2, [3, 5], [1, length])).toMatchObject({ ok: true, entries: 2 })
  expect(await at(2, [1, 3], [1, length])).toEqual(refused('releases_left_out'))
  expect(await at(2, [], [1, length])).toEqual(refused('releases_left_out'))
  expect(await at(5, [], [5, length])).toEqual(refused('releases_left_out'))
  // A page past the end proves that it is past the end, and goes on from no page that ends before.
  const past = await at(length, [], [0, 0])
  expect(past).toMatchObject({ ok: true, entries: 0, page: { from: length, to: length } })
  const first = await check(await coverageList(registry, { as_of: DAY }, 1))
  expect(past.ok && first.ok && isNextPage(past, first)).toBe(false)
})
