import { expect, test } from 'bun:test'
import { type Fault, failed } from '../fault.ts'
import { aSigner, keyOf } from '../fixture.ts'
import { MemoryProof } from '../proof-fixture.ts'
import { aFee, MemoryRegistry, type MemoryRelease } from '../registry-fixture.ts'
import { type ReleasesQuestion, type TrustPolicy, verifyBody } from '../verify-lists.ts'
import { itemOf, knownOf, placesIn, releaseList } from './catalogue-fixture.ts'
import { replacementOf } from './releases.ts'

const signer = await aSigner('registry.example/log/registry')
const policy: TrustPolicy = { logs: [{ key: keyOf(signer) }], retired: [], witnesses: [], groups: [], quorum: 'none' }

function aRegistry() {
  const registry = new MemoryRegistry(signer)
  const of = (release_id: string, effective_from: string): MemoryRelease => {
    const [chart = '', edition = ''] = release_id.split(':')
    const rows = [aFee({ code: '99213', effective_from })]
    return registry.publish(rows, { chart, edition, release_id, effective_from, effective_to: '2026-12-31' })
  }
  return { registry, of }
}

const check = (body: unknown, asked: ReleasesQuestion = {}) =>
  verifyBody(JSON.stringify(body), policy, { releases: asked })
const refused = (reason: string, at: number) => ({ ...failed(reason as Fault), at }) as never

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
  const all = registry.releases.map((release) => knownOf(registry, release))
  const replacedBy = (id: string) => {
    const known = all.find(({ release }) => release.release_id === id)
    return known && replacementOf(known, all)?.release.release_id
  }
  expect(data.map(({ release_id, state }) => [release_id, state, replacedBy(release_id)])).toEqual([
    ['cms-pfs:2026A:1', 'replaced', 'cms-pfs:2026A:3'],
    ['cms-pfs:2026A:2', 'replaced', 'cms-pfs:2026A:3'],
    ['cms-pfs:2026B:1', 'published', undefined],
    ['cms-pfs:2026A:3', 'replaced', 'cms-pfs:2026B:1'],
    ['cms-pfs:2026A:4', 'withdrawn', undefined],
  ])
})

/** A list of one release, with these entries of the log and this stretch of the timeline. */
async function listOf(
  registry: MemoryRegistry,
  item: object,
  entries: readonly MemoryRelease[],
  stretch: readonly [number, number] = [0, registry.standing.periods.length],
) {
  const proof = new MemoryProof(registry)
  proof.addEntries(entries.map((release) => knownOf(registry, release).log_index))
  proof.addPeriods(placesIn(registry, stretch))
  const page = { offset: 0, has_more: false }
  return { data: [item], page, links: {}, from: 0, proof: await proof.member() }
}

test('what is shown as replaced is shown with a later release of its edition, or with the one in force from its day on', async () => {
  const { registry, of } = aRegistry()
  const first = of('cms-pfs:2026A:1', '2026-01-01')
  const replaced = of('cms-pfs:2026B:1', '2026-04-01')
  const second = of('cms-pfs:2026B:2', '2026-04-01')
  registry.withdraw(of('cms-pfs:2026C:1', '2026-07-01'))
  const last = of('cms-pfs:2026D:1', '2026-10-01')
  const other = of('cms-pfs-qpp:2026B:1', '2026-04-01')
  const asReplaced = async (...beside: MemoryRelease[]) => {
    const body = await listOf(registry, itemOf(registry, replaced), [replaced, ...beside])
    return check(body, { state: 'replaced' })
  }
  expect(await asReplaced(second)).toMatchObject({ ok: true })
  expect(await asReplaced(first, second, last)).toMatchObject({ ok: true })
  for (const wrong of [[], [first], [last], [other], [first, last, other]])
    expect(await asReplaced(...wrong)).toEqual(refused('body_contradicts_proof', 1))
  // Nor by one before it in the log.
  const lie = { ...itemOf(registry, second), state: 'replaced' as const }
  const { in_force: _, ...silent } = lie
  expect(await check(await listOf(registry, silent, [replaced, second]), { state: 'replaced' })).toEqual(
    refused('body_contradicts_proof', 1),
  )
})

test('a release that is in force is not shown as replaced beside another stretch of the timeline', async () => {
  const { registry, of } = aRegistry()
  const first = of('cms-pfs:2026A:1', '2026-01-01')
  of('cms-pfs:2026B:1', '2026-04-01')
  of('cms-clfs:2026:1', '2026-01-01')
  const revision = of('cms-pfs:2026A:2', '2026-01-15')
  registry.withdraw(revision)
  const { in_force: _, ...item } = itemOf(registry, first)
  const lie = { ...item, state: 'replaced' }
  const { length } = registry.standing.periods
  for (let from = 0; from < length; from++)
    for (let to = from; to <= length; to++) {
      const body = await listOf(registry, lie, [first, revision], [from, to])
      expect(await check(body, { state: 'replaced' })).toEqual(refused('body_contradicts_proof', 1))
    }
})

test('that a release was withdrawn before a later revision came is not proved by its absence', async () => {
  const { registry, of } = aRegistry()
  const first = of('cms-pfs:2026A:1', '2026-01-01')
  registry.withdraw(first)
  const later = of('cms-pfs:2026A:2', '2026-01-01')
  const { withdrawn_at: _, withdrawn_reason: _r, withdrawn_log_index: _i, ...item } = itemOf(registry, first)
  expect(item.state).toBe('withdrawn')
  // It is in force on no day either way, and the timeline does not say why.
  const silent = await listOf(registry, { ...item, state: 'replaced' }, [first, later])
  expect(await check(silent, { state: 'replaced' })).toMatchObject({ ok: true })
})
