import { expect, test } from 'bun:test'
import { aSigner, keyOf } from '../fixture.ts'
import { aFee, MemoryRegistry, type MemoryRelease } from '../registry-fixture.ts'
import { type ReleasesQuestion, type TrustPolicy, verifyBody } from '../verify-lists.ts'
import { itemOf, releaseList, releasesOf } from './catalogue-fixture.ts'

const signer = await aSigner('registry.example/log/registry')
const policy: TrustPolicy = { logs: [{ key: keyOf(signer) }], retired: [], witnesses: [], groups: [], quorum: 'none' }

function aRegistry() {
  const registry = new MemoryRegistry(signer)
  const of = (release_id: string, effective_from: string): MemoryRelease => {
    const [chart = '', edition = ''] = release_id.split(':')
    const rows = [aFee({ cpt: '99213', effective_from })]
    return registry.publish(rows, { chart, edition, release_id, effective_from, effective_to: '2026-12-31' })
  }
  return { registry, of }
}

const check = (body: unknown, asked: ReleasesQuestion = {}) =>
  verifyBody(JSON.stringify(body), policy, { releases: asked })
const refused = (reason: string, at: number) => ({ ok: false as const, reason, at }) as never

test('a revision may take effect on another day than the one it replaces, and both are listed with their proof', async () => {
  const { registry, of } = aRegistry()
  of('cms-pfs:2026A:1', '2026-01-01')
  of('cms-pfs:2026A:2', '2026-01-15')
  of('cms-pfs:2026A:3', '2026-02-01')
  // An edition that begins with the last revision is in force in its place; that one still replaces those before it.
  of('cms-pfs:2026B:1', '2026-02-01')
  registry.withdraw(of('cms-pfs:2026A:4', '2026-03-01'))
  for (const limit of [1, 2, 50])
    for (const state of [undefined, 'replaced'] as const)
      for (let offset = 0; offset < 3; offset++) {
        const body = await releaseList(registry, { offset, state }, limit)
        expect([limit, offset, await check(body, { offset, state })]).toMatchObject([limit, offset, { ok: true }])
      }
  const { data } = await releaseList(registry)
  expect(
    data.map(({ release_id, state, proof }) => [release_id, state, proof.replaced_by?.release.release_id]),
  ).toEqual([
    ['cms-pfs:2026A:1', 'replaced', 'cms-pfs:2026A:3'],
    ['cms-pfs:2026A:2', 'replaced', 'cms-pfs:2026A:3'],
    ['cms-pfs:2026B:1', 'published', undefined],
    ['cms-pfs:2026A:3', 'replaced', 'cms-pfs:2026B:1'],
    ['cms-pfs:2026A:4', 'withdrawn', undefined],
  ])
})

test('what is shown as replaced is shown with a later release of its edition, or with the one in force from its day on', async () => {
  const { registry, of } = aRegistry()
  const first = of('cms-pfs:2026A:1', '2026-01-01')
  const replaced = of('cms-pfs:2026B:1', '2026-04-01')
  const second = of('cms-pfs:2026B:2', '2026-04-01')
  registry.withdraw(of('cms-pfs:2026C:1', '2026-07-01'))
  const last = of('cms-pfs:2026D:1', '2026-10-01')
  const other = of('cms-pfs-qpp:2026B:1', '2026-04-01')
  const body = await releaseList(registry)
  const at = body.data.findIndex(({ state }) => state === 'replaced')
  const by = (release: MemoryRelease) => {
    const { proof, log_index } = itemOf(registry, release)
    return { release: release.manifest, index: log_index, inclusion: proof.inclusion }
  }
  const shownBy = (replaced_by: unknown, i = at) =>
    check({
      ...body,
      data: body.data.with(i, { ...body.data[i], proof: { ...body.data[i]?.proof, replaced_by } } as never),
    })
  expect(await shownBy(by(second))).toMatchObject({ ok: true })
  for (const wrong of [null, by(first), by(replaced), by(last), by(other)])
    expect(await shownBy(wrong)).toEqual(refused('body_contradicts_proof', at + 1))
  expect(await shownBy({ ...by(second), index: by(last).index })).toEqual(refused('release_not_in_log', at + 1))
  expect(await shownBy(undefined)).toEqual(refused('proof_malformed', at + 1))
  // Neither what is in force nor what was withdrawn has been replaced too.
  for (const state of ['published', 'withdrawn']) {
    const i = body.data.findIndex((each) => each.state === state)
    expect(await shownBy(by(second), i)).toEqual(refused('body_contradicts_proof', i + 1))
  }
})

test('a release that is in force is not shown as replaced beside another stretch of the timeline', async () => {
  const { registry, of } = aRegistry()
  const first = of('cms-pfs:2026A:1', '2026-01-01')
  of('cms-pfs:2026B:1', '2026-04-01')
  of('cms-clfs:2026:1', '2026-01-01')
  const revision = of('cms-pfs:2026A:2', '2026-01-15')
  registry.withdraw(revision)
  const { log_index, proof } = itemOf(registry, revision)
  const { proof: own, ...item } = itemOf(registry, first)
  const replaced_by = { release: revision.manifest, index: log_index, inclusion: proof.inclusion }
  const lie = { ...item, state: 'replaced', in_force: null, proof: { ...own, replaced_by } }
  const { length } = registry.standing.periods
  for (let from = 0; from < length; from++)
    for (let to = from; to <= length; to++) {
      const honest = await releasesOf(registry, [], [from, to])
      expect(await check({ ...honest, data: [lie] }, { state: 'replaced' })).toMatchObject({ ok: false, at: 1 })
    }
})

test('of a release that is in force, or that was withdrawn, no other is said to have replaced it', async () => {
  const { registry, of } = aRegistry()
  const first = of('cms-pfs:2026A:1', '2026-01-01')
  const second = of('cms-pfs:2026A:2', '2026-01-15')
  const third = of('cms-pfs:2026A:3', '2026-01-20')
  registry.withdraw(second)
  registry.withdraw(third)
  const { log_index: index, proof } = itemOf(registry, third)
  const replaced_by = { release: third.manifest, index, inclusion: proof.inclusion }
  const { length } = registry.standing.periods
  for (const [release, state] of [
    [first, 'published'],
    [second, 'withdrawn'],
  ] as const) {
    const page = await releasesOf(registry, [release], [0, length])
    const [item] = page.data
    expect(item?.state).toBe(state)
    expect(await check(page, { state })).toMatchObject({ ok: true })
    const lie = { ...item, proof: { ...item?.proof, replaced_by } }
    expect(await check({ ...page, data: [lie] }, { state })).toEqual(refused('body_contradicts_proof', 1))
  }
})

test('that a release was withdrawn before a later revision came is not proved by its absence', async () => {
  const { registry, of } = aRegistry()
  registry.withdraw(of('cms-pfs:2026A:1', '2026-01-01'))
  const later = of('cms-pfs:2026A:2', '2026-01-01')
  const body = await releaseList(registry)
  const at = body.data.findIndex(({ state }) => state === 'withdrawn')
  const item = body.data[at]
  const { log_index, proof } = itemOf(registry, later)
  const replaced_by = { release: later.manifest, index: log_index, inclusion: proof.inclusion }
  const nothing = { withdrawn_at: null, withdrawn_reason: null, withdrawn_log_index: null }
  const silent = { ...item, state: 'replaced', ...nothing, proof: { ...item?.proof, withdrawal: null, replaced_by } }
  // It is in force on no day either way, and the timeline does not say why: docs/spec/proof.md, Releases.
  expect(await check({ ...body, data: body.data.with(at, silent as never) })).toMatchObject({ ok: true })
})
