// A body proves some things, and even an operator who signs cannot make it prove others.

import { describe, expect, test } from 'bun:test'
import { toBase64, utf8 } from './bytes.ts'
import { canonical } from './canonical-json.ts'
import type { Proof, RowPointer } from './envelope.ts'
import { failed } from './fault.ts'
import { aSigner, MemoryLog } from './fixture.ts'
import { pageOf } from './list-fixture.ts'
import { formatPolicy, parsePolicy, type TrustPolicy } from './note/policy.ts'
import type { Manifest, Period, Provider } from './price/release.ts'
import type { AnyRow, Row } from './price/row.ts'
import { stateOf } from './price/timeline.ts'
import { setOf } from './proof-fixture.ts'
import { aFee, aPlace, aRow, MemoryRegistry, MemoryRelease, RECORDED, shortProof } from './registry-fixture.ts'
import type { Members } from './shape.ts'
import { HashTree } from './tree/hash-tree.ts'
import { leafHash } from './tree/merkle.ts'
import { verifyBody } from './verify-lists.ts'

const signer = await aSigner('registry.example/log/registry')
const plain = parsePolicy(formatPolicy([signer])) as TrustPolicy
const DAY = '2026-07-15'
const NPI = '1234567893'

const fees = (...codes: string[]): Row[] => codes.map((code) => aFee({ code }))

/** A registry with one release. */
function published(rows: AnyRow[], given: Partial<Manifest> = {}) {
  const registry = new MemoryRegistry(signer)
  return { registry, release: registry.publish(rows, { chart: 'cms-pfs', ...given }) }
}

const check = (body: unknown, policy = plain) => verifyBody(JSON.stringify(body), policy, { anyQuestion: true })

describe('a row is refused', () => {
  const misfits: [string, AnyRow, Partial<Manifest> & { chart: string }][] = [
    ['of another basis than its chart', aFee({ code: '99213' }), { chart: 'cms-clfs' }],
    [
      'of another method than its basis',
      aRow({ code: '99213', derivation: { method: 'opps-status/1', inputs: {} } }),
      { chart: 'cms-clfs' },
    ],
    ['of a provider in a schedule', aRow({ code: '99213', npi: NPI }), { chart: 'cms-clfs' }],
    ['of a class in a schedule', aRow({ code: '99213', class: 'facility' }), { chart: 'cms-clfs' }],
    ['of a setting that its chart does not have', aRow({ code: '99213', setting: 'asc' }), { chart: 'cms-clfs' }],
    ['of a place in a national chart', aRow({ code: '99213', region: 'US-IL-16' }), { chart: 'cms-clfs' }],
    ['of a state in a chart by locality', aFee({ code: '99213', region: 'US-IL' }), { chart: 'cms-pfs' }],
    [
      'of a locality in a chart by state',
      aRow({ code: 'A4253', basis: 'medicare_dmepos', region: 'US-IL-16', setting: 'rural' }),
      { chart: 'cms-dmepos' },
    ],
    ['that is a rate on a price schedule', aRow({ code: '99213', kind: 'rate' }), { chart: 'cms-clfs' }],
    [
      'that is a price among factors',
      aRow({ code: '00100', basis: 'medicare_anesthesia' }),
      { chart: 'cms-anesthesia' },
    ],
    ['that begins after its edition', aRow({ code: '99213', effective_from: '2026-10-01' }), { chart: 'cms-clfs' }],
    ['that is a place among prices', aPlace('60611', null), { chart: 'cms-clfs' }],
    ['that is a price among places', aRow({ code: '60611' }), { chart: 'zip-locality' }],
    ['of a chart that nobody knows', aRow({ code: '99213' }), { chart: 'cms-other' }],
    [
      'of a hospital that does not name its provider',
      aRow({ code: '99213', npi: '1679576722', basis: 'hospital_cash' }),
      { chart: `hospital-mrf:${NPI}`, providers: [NPI] },
    ],
    [
      'of a hospital without a provider',
      aRow({ code: '99213', basis: 'hospital_cash' }),
      { chart: `hospital-mrf:${NPI}`, providers: [NPI] },
    ],
  ]
  test.each(misfits)('%s', async (_, row, given) => {
    const { registry, release } = published([row], given)
    expect(await check(await registry.cite(release, 0))).toEqual(failed('row_not_of_release'))
  })

  test('that cites no file, or one that is not there', async () => {
    for (const locator of [[], [{ citation: 1, line: 1 }]]) {
      const { registry, release } = published([aFee({ code: '99213', locator })])
      expect(await check(await registry.cite(release, 0))).toEqual(failed('locator_not_cited'))
    }
  })

  test('that is too large, shown or among the leaves', async () => {
    const inputs = Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`a${i}`, 'x'.repeat(64)]))
    const large = aRow({ code: '99213', derivation: { method: 'verbatim/1', inputs } })
    const { registry, release } = published([large, aRow({ code: '99214' })], { chart: 'cms-clfs' })
    expect(await check(await registry.cite(release, 0))).toEqual(failed('row_too_large'))
    const page = await pageOf(registry, DAY, [{ release, from: 0, to: 1 }])
    expect(await check(page)).toEqual({ ...failed('row_too_large'), at: 1 })
    const { proof, ...other } = (await registry.cite(release, 1)) as { proof: Proof }
    const releases = [{ release: release.manifest, rows: { leaves: [[0, large]] } }]
    expect(await check({ ...other, proof: { ...proof, releases } })).toEqual(failed('row_too_large'))
  })

  test('whose amount does not follow from its inputs, wherever it is shown', async () => {
    const wrong = aFee({ code: '99213', price: { amount: '0.01', currency: 'USD', per: null } })
    const { registry, release } = published([aFee({ code: '99212' }), wrong])
    expect(await check(await registry.cite(release, 1))).toEqual(failed('price_mismatch'))
    const page = await pageOf(registry, DAY, [{ release, from: 0, to: 2 }])
    expect(await check(page)).toMatchObject({ ok: false, class: 'arithmetic' })
    expect(await check(await pageOf(registry, DAY, [{ release, from: 0, to: 1 }]))).toMatchObject({ ok: true })
  })
})

test('rows in another order than that of their keys are refused, though the operator signed them', async () => {
  const registry = new MemoryRegistry(signer)
  // An operator who does not sort can hide a row.
  const unsorted = new MemoryRelease(fees('99213', '99211'), { chart: 'cms-pfs' }, false)
  registry.releases.push(unsorted)
  registry.append(unsorted.manifest)
  expect(await check(await registry.cite(unsorted, 0))).toMatchObject({ ok: true })
  expect(await check(await pageOf(registry, DAY, [{ release: unsorted, from: 0, to: 2 }]))).toEqual(
    failed('rows_contradict'),
  )
  const same = new MemoryRelease(fees('99213', '99213'), { chart: 'cms-clfs' }, false)
  registry.releases.push(same)
  registry.append(same.manifest)
  const twice = await pageOf(registry, DAY, [{ release: same, from: 0, to: 2 }])
  expect(await check(twice)).toMatchObject({ ok: false, class: 'not_in_release' })
})

test('a row that is shown twice is one row, and two rows are never at one place', async () => {
  const { registry, release } = published(fees('99211', '99213'))
  const page = (await pageOf(registry, DAY, [{ release, from: 0, to: 2 }])) as { data: { proof: RowPointer }[] }
  const [first, second] = page.data as [{ proof: RowPointer }, { proof: RowPointer }]
  expect(await check({ ...page, data: [first, { ...second, proof: { ...second.proof, index: 0 } }] })).toEqual(
    failed('rows_contradict'),
  )
})

test('a registry log is one whose origin ends as such', async () => {
  for (const name of [
    'registry.example/log/registry2',
    'registry.example/log/registry/old',
    'registry.example/registry',
    'registry.example/log/figures',
  ]) {
    const other = await aSigner(name)
    const registry = new MemoryRegistry(other)
    const release = registry.publish(fees('99213'), { chart: 'cms-pfs' })
    const policy = parsePolicy(formatPolicy([other])) as TrustPolicy
    expect([name, await check(await registry.cite(release, 0), policy)]).toEqual([name, failed('log_of_other_kind')])
  }
})

test('what stands in about is the word of the server: anything may, but for a checkpoint', async () => {
  const { registry, release } = published(fees('99213'))
  const row = await registry.cite(release, 0)
  for (const about of [{}, null, 'x', { related: [{ href: 'a b' }], price: { amount: '1.00' } }, [[{ proof: {} }]]])
    expect([about, await check({ ...row, about })]).toMatchObject([about, { ok: true }])
  const { checkpoint } = (row['proof'] as Proof).log
  const page = await pageOf(registry, DAY, [{ release, from: 0, to: 1 }])
  for (const body of [row, page])
    for (const about of [{ checkpoint }, { deep: [{ checkpoint: `${checkpoint}x` }] }])
      expect([about, await check({ ...body, about })]).toEqual([about, failed('mixed_checkpoints')])
})

/** A row under a state that the operator signed over these leaves. */
async function underTrees(periods: readonly Period[], providers: readonly Provider[], shown?: readonly number[]) {
  const release = new MemoryRelease(fees('99213'), { chart: 'cms-pfs' })
  const own = { chart: 'cms-pfs', from: '2026-07-01', to: '2026-09-30', release: release.name }
  const all = [...periods, own]
  const state = stateOf({ periods: all, providers: [...providers] }, RECORDED)
  const log = shortProof(await new MemoryLog(signer).append(utf8(canonical(state))).prove(0))
  const leafOf = (value: unknown) => leafHash(utf8(canonical(value)))
  const places = shown ?? [...all.keys()]
  const proof = {
    type: 'agent-trust-registry/proof@v3',
    ...{ log, state },
    timeline: setOf(new HashTree(all.map(leafOf)), all, places),
    ...(providers.length > 0 && { providers: setOf(new HashTree(providers.map(leafOf)), providers, providers.keys()) }),
    releases: [{ release: release.manifest }],
  }
  const pointer = { release: 0, index: 0, leaf_hash: release.leafHash(0) }
  return check({ ...release.rows[0], row: pointer, proof } as Members)
}

test('periods of a chart may last a day and follow each other, and share no day, though the operator signed them', async () => {
  const period = (chart: string, from: string, to: string): Period => ({
    ...{ chart, from, to },
    release: toBase64(new Uint8Array(32)),
  })
  const day = '2026-06-30'
  for (const good of [
    [],
    [period('cms-pfs', day, day)],
    [period('cms-clfs', '2026-01-01', '2026-12-31'), period('cms-pfs', '2026-04-01', day)],
  ])
    expect([good, await underTrees(good, [])]).toMatchObject([good, { ok: true }])
  for (const lie of [
    [period('cms-pfs', day, '2026-06-29')],
    [period('cms-pfs', '2026-04-01', '2026-07-01')],
    [period('cms-pfs', '2026-07-01', '2026-07-01')],
    [period('cms-pfs', '2026-10-01', '2026-12-31')],
    [period('zip-locality', '2026-01-01', '2026-12-31')],
  ])
    expect([lie, await underTrees(lie, [])]).toEqual([lie, failed('periods_contradict')])
  // Rows that are not shown contradict nothing.
  expect(await underTrees([period('cms-pfs', '2026-04-01', '2026-07-01')], [], [1])).toMatchObject({ ok: true })
})

test('a provider has one chart, though the operator signed two', async () => {
  const of = (npi: string, chart: string): Provider => ({ npi, chart: `hospital-mrf:${chart}` })
  const [other, another] = ['1679576722', '1245319599']
  expect(await underTrees([], [of(NPI, NPI), of(other, NPI)])).toMatchObject({ ok: true })
  for (const lie of [
    [of(NPI, NPI), of(NPI, other)],
    [of(other, NPI), of(NPI, NPI)],
    [of(NPI, another), of(NPI, another)],
  ])
    expect([lie, await underTrees([], lie)]).toEqual([lie, failed('periods_contradict')])
})

test('a period that names a release and is not of it is a lie', async () => {
  const { release } = published(fees('99213'))
  const own = { chart: 'cms-pfs', from: '2026-07-01', to: '2026-09-30', release: release.name }
  const told = async (change: Partial<Period>) => {
    const periods = [{ ...own, ...change }]
    const state = stateOf({ periods, providers: [] }, RECORDED)
    const log = shortProof(await new MemoryLog(signer).append(utf8(canonical(state))).prove(0))
    const proof = {
      type: 'agent-trust-registry/proof@v3',
      ...{ log, state, timeline: { leaves: [[0, periods[0]]] }, releases: [{ release: release.manifest }] },
    }
    return check({ ...release.rows[0], row: { release: 0, index: 0, leaf_hash: release.leafHash(0) }, proof })
  }
  for (const good of [{}, { to: '2026-07-01' }]) expect([good, await told(good)]).toMatchObject([good, { ok: true }])
  for (const lie of [
    { to: '2026-10-01' },
    { to: '2099-12-31' },
    { from: '2026-06-30' },
    { from: '2026-07-02' },
    { chart: 'cms-asp' },
  ])
    expect([lie, await told(lie)]).toEqual([lie, failed('release_not_in_force')])
})
