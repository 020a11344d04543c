import { expect, test } from 'bun:test'
import { type Fault, failed } from '../fault.ts'
import { aSigner, keyOf } from '../fixture.ts'
import { WITHDRAWAL_SCHEMA } from '../price/release.ts'
import { aFee, aRow, MemoryRegistry, MemoryRelease, RECORDED } from '../registry-fixture.ts'
import { type Inquiry, isNextPage, type TrustPolicy, verifyBody } from '../verify-lists.ts'
import { type itemOf, knownOf, releaseList, releasesOf } from './catalogue-fixture.ts'
import type { ReleasesQuestion } from './releases.ts'

const signer = await aSigner('registry.example/log/registry')
const policy: TrustPolicy = { logs: [{ key: keyOf(signer) }], retired: [], witnesses: [], groups: [], quorum: 'none' }

/** Two charts; of the first a quarter that was replaced, one that was withdrawn, and one that follows. */
function aRegistry() {
  const registry = new MemoryRegistry(signer)
  const of = (edition: string, effective_from: string, given: object = {}) =>
    registry.publish([aFee({ code: '99213', effective_from })], {
      chart: 'cms-pfs',
      edition,
      effective_from,
      effective_to: '2026-12-31',
      ...given,
    })
  const first = of('2026A', '2026-01-01')
  const replaced = of('2026B', '2026-04-01')
  const second = of('2026B', '2026-04-01', { release_id: 'cms-pfs:2026B:2' })
  const withdrawn = of('2026C', '2026-07-01')
  registry.withdraw(withdrawn)
  const last = of('2026D', '2026-10-01')
  const clfs = registry.publish([aRow({ code: '80053' })], { chart: 'cms-clfs' })
  return { registry, first, replaced, second, withdrawn, last, clfs }
}

const check = (body: unknown, asked: ReleasesQuestion | 'any' = {}) =>
  verifyBody(JSON.stringify(body), policy, asked === 'any' ? { anyQuestion: true } : { releases: asked })
const refused = (reason: string, at?: number) => ({ ...failed(reason as Fault), ...(at ? { at } : {}) }) as never

test('a list of releases says what is in force, what was replaced and what was withdrawn', async () => {
  const { registry, clfs, first, second, replaced, withdrawn, last } = aRegistry()
  const body = await releaseList(registry)
  expect(body.data.map(({ release_id, state }) => [release_id, state])).toEqual([
    ['cms-clfs:2026C:1', 'published'],
    ['cms-pfs:2026A:1', 'published'],
    ['cms-pfs:2026B:2', 'published'],
    ['cms-pfs:2026B:1', 'replaced'],
    ['cms-pfs:2026C:1', 'withdrawn'],
    ['cms-pfs:2026D:1', 'published'],
  ])
  const verdict = await check(body)
  if (!verdict.ok) throw new Error(verdict.reason)
  expect(verdict.entries).toBe(6)
  expect(verdict.editions.map(({ release, period }) => [release.release_id, period?.to])).toEqual([
    [clfs.manifest.release_id, '2026-09-30'],
    [first.manifest.release_id, '2026-03-31'],
    [second.manifest.release_id, '2026-09-30'],
    [replaced.manifest.release_id, undefined],
    [withdrawn.manifest.release_id, undefined],
    [last.manifest.release_id, '2026-12-31'],
  ])
})

test('every page of a list, by every size and filter, is proved, and no page passes for another', async () => {
  const { registry } = aRegistry()
  for (const chart of [undefined, 'cms-pfs', 'cms-asc', 'zip-locality'])
    for (const state of [undefined, 'published', 'replaced', 'withdrawn'] as const)
      for (const limit of [1, 2, 50])
        for (const offset of [0, 1, 3]) {
          const asked = { chart, state, offset }
          const body = await releaseList(registry, asked, limit)
          const isNothing = body.data.length === 0 && (state ?? 'published') !== 'published'
          expect([asked, await check(body, asked)]).toMatchObject([
            asked,
            isNothing ? refused('nothing_proved') : { ok: true, entries: body.data.length },
          ])
          if (!isNothing) expect(await check(body, { ...asked, offset: offset + 1 })).toMatchObject({ ok: false })
        }
})

test('a release that was left out is noticed, wherever it stood', async () => {
  const { registry } = aRegistry()
  const body = await releaseList(registry)
  for (const [i, { state }] of body.data.entries()) {
    const verdict = await check({ ...body, data: body.data.toSpliced(i, 1) })
    expect(verdict).toMatchObject(state === 'published' ? refused('releases_left_out') : { ok: true })
  }
})

test('no other stretch of the timeline hides a release that is in force', async () => {
  const { registry, first, second, last, clfs } = aRegistry()
  const listed = [clfs, first, second, last]
  const { length } = registry.standing.periods
  for (const hidden of listed) {
    const shown = listed.filter((release) => release !== hidden)
    for (let from = 0; from < length; from++)
      for (let to = from; to <= length; to++) {
        const body = await releasesOf(registry, shown, [from, to])
        expect(await check(body)).toMatchObject({ ok: false })
      }
  }
  expect(await check(await releasesOf(registry, listed, [0, length]))).toMatchObject({ ok: true })
})

test('what is added, said twice or put elsewhere is noticed', async () => {
  const { registry, first, clfs } = aRegistry()
  const body = await releaseList(registry)
  const { manifest } = new MemoryRelease([aFee({ code: '99213' })], { chart: 'cms-asc' })
  const [item] = body.data
  const forged = { ...item, release_id: manifest.release_id, chart: manifest.chart }
  const added = [forged, ...body.data]
  expect(await check({ ...body, data: added })).toEqual(refused('body_contradicts_proof', 1))
  for (const log_index of [999, -1, 0, 'x', null, body.data[4]?.withdrawn_log_index])
    expect(await check({ ...body, data: [{ ...forged, log_index }, ...body.data] })).toEqual(
      refused('proof_missing', 1),
    )
  const { entries } = body.proof
  const leaves = entries?.leaves?.map(([at, entry]) => [at, at === item?.log_index ? manifest : entry])
  const proof = { ...body.proof, entries: { ...entries, leaves } }
  expect(await check({ ...body, data: added, proof })).toEqual(refused('entry_not_in_log'))
  expect(await check({ ...body, data: [item, ...body.data] })).toEqual(refused('entries_out_of_order', 2))
  expect(await check({ ...body, data: body.data.toReversed() })).toEqual(refused('entries_out_of_order', 2))
  expect(await check(await releasesOf(registry, [clfs, first], [0, 2]))).toEqual(refused('releases_left_out'))
})

test('every member of a listed release is compared with what is proved of it', async () => {
  const { registry } = aRegistry()
  const body = await releaseList(registry)
  for (const [i, item] of body.data.entries())
    for (const name of Object.keys(item).filter((each) => each !== 'proof')) {
      const data = body.data.with(i, { ...item, [name]: 'x' } as never)
      expect([name, await check({ ...body, data })]).toMatchObject([name, { ok: false, at: i + 1 }])
    }
})

test('a release that is in force cannot be shown as replaced or withdrawn, nor the other way round', async () => {
  const { registry, first, replaced, withdrawn } = aRegistry()
  const body = await releaseList(registry)
  const at = (edition: string, revision = 1) =>
    body.data.findIndex(({ release_id }) => release_id === `cms-pfs:${edition}:${revision}`)
  const shownAs = async (edition: string, change: (item: ReturnType<typeof itemOf>) => object) => {
    const item = body.data[at(edition)] as ReturnType<typeof itemOf>
    const verdict = await check({ ...body, data: body.data.with(at(edition), change(item) as never) })
    return verdict.ok ? 'ok' : verdict.reason
  }
  const { withdrawn_at, withdrawn_reason, withdrawn_log_index } = body.data[at('2026C')] ?? {}
  const withdrawal = { state: 'withdrawn', withdrawn_at, withdrawn_reason, withdrawn_log_index }
  const notInForce = ({ in_force: _, ...item }: ReturnType<typeof itemOf>) => item
  expect(await shownAs('2026A', (item) => item)).toBe('ok')
  expect(await shownAs('2026A', (item) => ({ ...notInForce(item), state: 'replaced' }))).toBe('body_contradicts_proof')
  expect(await shownAs('2026A', (item) => ({ ...item, ...withdrawal }))).toBe('body_contradicts_proof')
  expect(await shownAs('2026A', (item) => ({ ...notInForce(item), ...withdrawal }))).toBe('body_contradicts_proof')
  // Nor a replaced one as withdrawn, by the withdrawal of another, or as in force.
  expect(await shownAs('2026B', (item) => ({ ...item, ...withdrawal }))).toBe('body_contradicts_proof')
  const in_force = { from: '2026-04-01', to: '2026-09-30' }
  expect(await shownAs('2026B', (item) => ({ ...item, state: 'published', in_force }))).toBe('body_contradicts_proof')
  // A withdrawn one without its withdrawal is explained by nothing.
  const silent = ({
    withdrawn_at: _,
    withdrawn_reason: _r,
    withdrawn_log_index: _i,
    ...item
  }: ReturnType<typeof itemOf>) => item
  expect(await shownAs('2026C', (item) => ({ ...silent(item), state: 'replaced' }))).toBe('body_contradicts_proof')
  expect([first, replaced, withdrawn].map((release) => knownOf(registry, release).period !== undefined)).toEqual([
    true,
    false,
    false,
  ])
})

test('an older list is true of its time, and is refused where that is too long ago', async () => {
  const { registry } = aRegistry()
  const old = registry.snapshot()
  registry.now = '2026-11-01T00:00:00Z'
  const added = registry.publish([aFee({ code: '99213' })], {
    chart: 'cms-pfs-qpp',
    effective_from: '2026-10-01',
    effective_to: '2026-12-31',
  })
  const body = await releaseList(old)
  const text = JSON.stringify(body)
  const asked: Inquiry = { releases: {} }
  expect(await verifyBody(text, policy, asked)).toMatchObject({ ok: true, recorded_at: '2026-10-02T00:00:00Z' })
  expect(await verifyBody(text, policy, asked, { notBefore: '2026-10-03T00:00:00Z' })).toEqual(refused('state_too_old'))
  // Parts of two views are not one list.
  const newer = await releaseList(registry)
  expect(newer.data.some(({ release_id }) => release_id === added.manifest.release_id)).toBe(true)
  expect(await check({ ...newer, proof: body.proof })).toMatchObject({ ok: false })
  expect(await check({ ...body, proof: newer.proof })).toMatchObject({ ok: false })
  expect(await check({ ...newer, proof: { ...newer.proof, timeline: body.proof.timeline } })).toEqual(
    refused('period_not_in_timeline'),
  )
})

test('a registry without releases proves that nothing is in force', async () => {
  const registry = new MemoryRegistry(signer)
  expect(await check(await releaseList(registry))).toMatchObject({ ok: true, entries: 0 })
  expect(await check(await releaseList(registry), 'any')).toEqual(refused('nothing_proved'))
  const { registry: full } = aRegistry()
  expect(await check(await releasesOf(full, [], [0, 0]))).toEqual(refused('releases_left_out'))
})

test('a list without its proof, of another kind or with further members is refused', async () => {
  const { registry } = aRegistry()
  const { proof, ...bare } = await releaseList(registry)
  expect(await check(bare)).toEqual(refused('proof_missing'))
  expect(await check({ ...bare, proof: null })).toEqual(refused('proof_malformed'))
  expect(await check({ ...bare, proof, total: '1.00' })).toEqual(refused('not_recognised'))
  expect(await check({ ...bare, proof, page: {} })).toEqual(refused('not_recognised'))
  expect(await check({ ...bare, proof, as_of: '2026-07-15' })).toEqual(refused('answers_another_question'))
  const asked: Inquiry = { question: { cpt: '99213', as_of: '2026-07-15' } }
  expect(await verifyBody(JSON.stringify({ ...bare, proof }), policy, asked)).toEqual(
    refused('answers_another_question'),
  )
})

test('an empty page that says that there is more cannot hide a release', async () => {
  const { registry } = aRegistry()
  const { length } = registry.standing.periods
  for (const chart of ['cms-pfs', undefined])
    for (let from = 0; from < length; from++)
      for (let to = from; to <= length; to++) {
        const body = await releasesOf(registry, [], [from, to], { has_more: true })
        expect(await check(body, { chart })).toEqual(refused('releases_left_out'))
      }
  const none = await releasesOf(new MemoryRegistry(signer), [], [0, 0], { has_more: true })
  expect(await check(none)).toEqual(refused('releases_left_out'))
})

test('each page of a list goes on where the page before ends, and a page further on does not', async () => {
  const { registry } = aRegistry()
  for (const chart of [undefined, 'cms-pfs'])
    for (const limit of [1, 2, 3]) {
      const total = (await releaseList(registry, { chart })).data.length
      const pages = []
      for (let offset = 0; offset < total; offset += limit) {
        const verdict = await check(await releaseList(registry, { chart, offset }, limit), { chart, offset })
        if (!verdict.ok) throw new Error(verdict.reason)
        pages.push(verdict)
      }
      for (const [i, page] of pages.slice(1).entries()) expect(isNextPage(page, pages[i] as never)).toBe(true)
    }
  const first = await check(await releaseList(registry, {}, 1))
  const third = await check(await releaseList(registry, { offset: 2 }, 1), { offset: 2 })
  expect(first.ok && third.ok && isNextPage(third, first)).toBe(false)
})

test('a withdrawal that names another chart than the release is none of it', async () => {
  const { registry, last } = aRegistry()
  const { release_id } = last.manifest
  registry.append({
    ...{ schema: WITHDRAWAL_SCHEMA, release_id, chart: 'cms-clfs' },
    ...{ reason: 'wrong_source', recorded_at: RECORDED },
  })
  const lie = await releasesOf(registry, [last], [0, registry.standing.periods.length])
  expect(lie.data[0]).toMatchObject({ state: 'withdrawn', withdrawn_reason: 'wrong_source' })
  expect(await check(lie, { state: 'withdrawn' })).toEqual(refused('body_contradicts_proof', 1))
})
