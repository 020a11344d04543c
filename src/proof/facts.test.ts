import { describe, expect, test } from 'bun:test'
import { toBase64, utf8 } from './bytes.ts'
import { canonical } from './canonical-json.ts'
import { type Facts, noFacts } from './facts.ts'
import { aSigner, MemoryLog } from './fixture.ts'
import { pageOf } from './list-fixture.ts'
import { formatPolicy, parsePolicy, type TrustPolicy } from './note/policy.ts'
import type { CitedRow } from './price/proofs.ts'
import type { Manifest } from './price/release.ts'
import type { AnyRow, Row } from './price/row.ts'
import { leafOf, stateOf } from './price/timeline.ts'
import { aFee, aPlace, aRow, MemoryRegistry, MemoryRelease, RECORDED } from './registry-fixture.ts'
import { HashTree } from './tree/hash-tree.ts'
import { verifyBody, verifyRow } from './verify-lists.ts'

const signer = await aSigner('registry.example/log/registry')
const plain = parsePolicy(formatPolicy([signer])) as TrustPolicy
const DAY = '2026-07-15'
const NPI = '1234567893'

const fees = (...codes: string[]): Row[] => codes.map((cpt) => aFee({ cpt }))

/** A registry with one release. */
function published(rows: AnyRow[], given: Partial<Manifest> = {}) {
  const registry = new MemoryRegistry(signer)
  return { registry, release: registry.publish(rows, { chart: 'cms-pfs', ...given }) }
}

const check = (body: unknown) => verifyBody(JSON.stringify(body), plain, { anyQuestion: true })

describe('a row is refused', () => {
  const at = async () => {
    const { registry, release } = published(fees('99211', '99213', '99215'))
    return { registry, release, row: (await registry.cite(release, 1)) as CitedRow<Row> }
  }
  type Change = (row: CitedRow<Row>, registry: MemoryRegistry, release: MemoryRelease) => unknown
  const changes: [string, string, Change][] = [
    [
      'whose price was changed',
      'leaf_hash_mismatch',
      (row) => ({ ...row, price: { amount: '1.00', currency: 'USD', per: null } }),
    ],
    [
      'at another place',
      'row_not_in_release',
      ({ proof, ...row }) => ({ ...row, proof: { ...proof, row: { ...proof.row, index: 2 } } }),
    ],
    [
      'with the path of another',
      'row_not_in_release',
      ({ proof, ...row }, _, release) => ({
        ...row,
        proof: { ...proof, row: { ...proof.row, path: release.neighbour(0).path } },
      }),
    ],
    [
      'of a manifest that was changed',
      'release_not_in_force',
      ({ proof, ...row }) => ({ ...row, proof: { ...proof, release: { ...proof.release, data_class: 'published' } } }),
    ],
    [
      'with a longer period',
      'period_not_in_timeline',
      ({ proof, ...row }) => ({
        ...row,
        proof: { ...proof, in_force: { ...proof.in_force, period: { ...proof.in_force?.period, to: '2026-09-29' } } },
      }),
    ],
    [
      'with a period past its edition',
      'release_not_in_force',
      ({ proof, ...row }) => ({
        ...row,
        proof: { ...proof, in_force: { ...proof.in_force, period: { ...proof.in_force?.period, to: '2026-12-31' } } },
      }),
    ],
    [
      'under a state of its own making',
      'state_not_in_log',
      ({ proof, ...row }) => ({
        ...row,
        proof: { ...proof, in_force: { ...proof.in_force, state: { ...proof.in_force?.state, timeline_size: 2 } } },
      }),
    ],
    [
      'that says it is in force on no day, with the proof of the state',
      'release_not_in_log',
      ({ proof, ...row }) => ({ ...row, proof: { ...proof, in_force: null } }),
    ],
    ['without a proof', 'proof_missing', ({ proof: _, ...row }) => row],
    [
      'whose proof is a reference',
      'proof_malformed',
      ({ proof: _, ...row }) => ({
        ...row,
        proof: { type: 'agent-trust-registry/proof-ref@v2', release_id: 'a:b:1', index: 0, leaf_hash: 'x', href: '/' },
      }),
    ],
  ]
  test.each(changes)('%s', async (_, reason, change) => {
    const { registry, release, row } = await at()
    expect(await verifyRow(row, plain)).toEqual({ ok: true })
    expect(await verifyRow(change(row, registry, release), plain)).toEqual({ ok: false, reason } as never)
  })

  const misfits: [string, AnyRow, Partial<Manifest> & { chart: string }][] = [
    ['of another basis than its chart', aFee({ cpt: '99213' }), { chart: 'cms-clfs' }],
    [
      'of another method than its basis',
      aRow({ cpt: '99213', derivation: { method: 'opps-status/1', inputs: {} } }),
      { chart: 'cms-clfs' },
    ],
    ['of a provider in a schedule', aRow({ cpt: '99213', npi: NPI }), { chart: 'cms-clfs' }],
    ['of a class in a schedule', aRow({ cpt: '99213', class: 'facility' }), { chart: 'cms-clfs' }],
    ['of a setting that its chart does not have', aRow({ cpt: '99213', setting: 'asc' }), { chart: 'cms-clfs' }],
    ['of a place in a national chart', aRow({ cpt: '99213', region: 'US-IL-16' }), { chart: 'cms-clfs' }],
    ['of a state in a chart by locality', aFee({ cpt: '99213', region: 'US-IL' }), { chart: 'cms-pfs' }],
    [
      'of a locality in a chart by state',
      aRow({ cpt: 'A4253', basis: 'medicare_dmepos', region: 'US-IL-16', setting: 'rural' }),
      { chart: 'cms-dmepos' },
    ],
    ['that is a rate on a price schedule', aRow({ cpt: '99213', kind: 'rate' }), { chart: 'cms-clfs' }],
    [
      'that is a price among factors',
      aRow({ cpt: '00100', basis: 'medicare_anesthesia' }),
      { chart: 'cms-anesthesia' },
    ],
    ['that begins after its edition', aRow({ cpt: '99213', effective_from: '2026-10-01' }), { chart: 'cms-clfs' }],
    ['that is a place among prices', aPlace('60611', null), { chart: 'cms-clfs' }],
    ['that is a price among places', aRow({ cpt: '60611' }), { chart: 'zip-locality' }],
    ['of a chart that nobody knows', aRow({ cpt: '99213' }), { chart: 'cms-other' }],
    [
      'of a hospital that does not name its provider',
      aRow({ cpt: '99213', npi: '1679576722', basis: 'hospital_cash' }),
      { chart: `hospital-mrf:${NPI}`, providers: [NPI] },
    ],
    [
      'of a hospital without a provider',
      aRow({ cpt: '99213', basis: 'hospital_cash' }),
      { chart: `hospital-mrf:${NPI}`, providers: [NPI] },
    ],
  ]
  test.each(misfits)('%s', async (_, row, given) => {
    const { registry, release } = published([row], given)
    expect(await verifyRow(await registry.cite(release, 0), plain)).toEqual({ ok: false, reason: 'row_not_of_release' })
  })

  test('that cites no file, or one that is not there', async () => {
    for (const locator of [[], [{ citation: 1, line: 1 }]]) {
      const { registry, release } = published([aFee({ cpt: '99213', locator })])
      expect(await verifyRow(await registry.cite(release, 0), plain)).toEqual({
        ok: false,
        reason: 'locator_not_cited',
      })
    }
  })

  test('that is too large', async () => {
    const inputs = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`a${i}`, 'x'.repeat(60)]))
    const { registry, release } = published([aRow({ cpt: '99213', derivation: { method: 'verbatim/1', inputs } })], {
      chart: 'cms-clfs',
    })
    expect(await verifyRow(await registry.cite(release, 0), plain)).toEqual({ ok: false, reason: 'row_too_large' })
    const page = await pageOf(registry, DAY, [{ release, from: 0, to: 1 }])
    expect(await check(page)).toEqual({ ok: false, reason: 'row_too_large' })
  })
})

test('leaves that contradict each other are refused, though the operator signed them', async () => {
  const registry = new MemoryRegistry(signer)
  const release = new MemoryRelease(fees('99211', '99213'), { chart: 'cms-pfs' })
  // Rows in the wrong order: an operator who does not sort can hide one.
  const unsorted = new MemoryRelease([], { chart: 'cms-pfs' })
  unsorted.rows.push(...release.rows.toReversed())
  const leaves = unsorted.rows.map((row) => utf8(canonical(row)))
  const tree = new MemoryLog(signer).append(...leaves)
  const rows_root = toBase64(await tree.root())
  const manifest = { ...release.manifest, rows_root }
  registry.releases.push(release)
  registry.append(manifest)
  const period = registry.periodProof(0)
  expect(period.period.release).toBe(toBase64(leafOf(manifest)))
  const row = async (index: number) => ({
    release: 0,
    row: unsorted.rows[index],
    index,
    path: (await tree.prove(index)).inclusion,
  })
  const because = {
    releases: [{ release: manifest, in_force: period }],
    rows: [await row(0), await row(1)],
    periods: [],
    providers: [],
    state: registry.state,
    log: await registry.proof(),
  }
  expect(await check({ code: 'not_on_schedule', because })).toEqual({ ok: false, reason: 'leaves_contradict' })
  expect(await check({ code: 'not_on_schedule', because: { ...because, rows: [await row(0)] } })).toMatchObject({
    ok: true,
  })
})

test('facts stand under one checkpoint: neither a state nor a release may come with another one', async () => {
  const { registry, release } = published(fees('99213'))
  const [manifest, old] = [release.manifest, await registry.proof()]
  const index = registry.log.leaves.length - 2
  const before = { state: registry.state, log: old, published: await registry.log.prove(index) }
  registry.publish(fees('99214'), { chart: 'cms-pfs-qpp' })
  const after = { state: registry.state, log: await registry.proof(), published: await registry.log.prove(index) }
  const reasonOf = async (work: (facts: Facts) => Promise<void>): Promise<string | undefined> =>
    work(noFacts(plain)).then(
      () => undefined,
      (error: Error) => error.message,
    )
  const facts = (one: typeof before, other: typeof before) => async (all: Facts) => {
    await all.addPublished(manifest, one.published)
    await all.addState(other.state, other.log)
  }
  expect(await reasonOf(facts(after, after))).toBeUndefined()
  expect(await reasonOf(facts(before, after))).toBe('mixed_checkpoints')
  const reversed = (one: typeof before, other: typeof before) => async (all: Facts) => {
    await all.addState(one.state, one.log)
    await all.addPublished(manifest, other.published)
  }
  expect(await reasonOf(reversed(after, after))).toBeUndefined()
  expect(await reasonOf(reversed(after, before))).toBe('mixed_checkpoints')
})

test('a registry log is one whose origin ends as such, and pointers beside a row are plain words', async () => {
  for (const name of [
    'registry.example/log/registry2',
    'registry.example/log/registry/old',
    'registry.example/registry',
  ]) {
    const other = await aSigner(name)
    const registry = new MemoryRegistry(other)
    const release = registry.publish(fees('99213'), { chart: 'cms-pfs' })
    const policy = parsePolicy(formatPolicy([other])) as TrustPolicy
    expect([name, (await verifyRow(await registry.cite(release, 0), policy)).ok]).toEqual([name, false])
  }
  const { registry, release } = published(fees('99213'))
  const row = await registry.cite(release, 0)
  const pointer = {
    basis: 'medicare_pfs',
    setting: 'facility',
    class: null,
    modifier: '26',
    href: '/reference?cpt=99213',
  }
  expect(await check({ ...row, related: [pointer] })).toMatchObject({ ok: true })
  for (const lie of [
    { basis: 'pay 1.00' },
    { setting: ' facility' },
    { modifier: '26\n' },
    { class: '<b>' },
    { href: 'a b' },
  ])
    expect([lie, (await check({ ...row, related: [{ ...pointer, ...lie }] })).ok]).toEqual([lie, false])
})

test('periods of a chart may last a day and follow each other, and share no day, though the operator signed them', async () => {
  const period = (from: string, to: string) => ({ chart: 'cms-pfs', from, to, release: toBase64(new Uint8Array(32)) })
  const reasonOf = async (order: readonly number[], ...periods: ReturnType<typeof period>[]) => {
    const state = stateOf({ periods, providers: [] }, RECORDED)
    const log = await new MemoryLog(signer).append(utf8(canonical(state))).prove(0)
    const facts = noFacts(plain)
    await facts.addState(state, log)
    const tree = new HashTree(periods.map(leafOf))
    try {
      for (const index of order)
        facts.addPeriod({ period: periods[index] as never, index, path: tree.path(index).map(toBase64) })
      return undefined
    } catch (error) {
      return (error as Error).message
    }
  }
  const day = '2026-07-01'
  for (const order of [
    [0, 1],
    [1, 0],
  ]) {
    expect(await reasonOf(order, period('2026-04-01', '2026-06-30'), period(day, day))).toBeUndefined()
    expect(await reasonOf(order, period('2026-04-01', day), period(day, '2026-09-30'))).toBe('leaves_contradict')
  }
  expect(await reasonOf([0], period(day, '2026-06-30'))).toBe('leaves_contradict')
})
