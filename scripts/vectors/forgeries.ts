// Registries whose own operator lies: trees that are out of order, periods that overlap. Each leaf is in its tree.

import { toBase64, utf8 } from '../../src/proof/bytes.ts'
import { canonical } from '../../src/proof/canonical-json.ts'
import type { Because } from '../../src/proof/price/proofs.ts'
import type { Period } from '../../src/proof/price/release.ts'
import { type AnyRow, rowText } from '../../src/proof/price/row.ts'
import { leafOf, type Standing, standingAfter, stateOf } from '../../src/proof/price/timeline.ts'
import { aFee, MemoryRegistry, MemoryRelease, RECORDED } from '../../src/proof/registry-fixture.ts'
import { HashTree } from '../../src/proof/tree/hash-tree.ts'
import { leafHash } from '../../src/proof/tree/merkle.ts'
import { ask, type Body, bad, good } from './body.ts'
import { changed } from './edit.ts'
import { registry } from './keys.ts'
import { NPI, world } from './registry.ts'

/** A registry whose last state commits to whatever is wanted. */
export class Forged extends MemoryRegistry {
  #standing: Standing | undefined

  forge(change: (standing: Standing) => Standing): this {
    this.#standing = change(standingAfter(this.entries))
    const state = stateOf(this.#standing, RECORDED)
    this.entries.push(state)
    this.log.append(utf8(canonical(state)))
    return this
  }
  override get standing(): Standing {
    return this.#standing ?? super.standing
  }
  /** A release whose rows stand in the order given. */
  publishAs(rows: readonly AnyRow[], chart = 'cms-pfs'): MemoryRelease {
    const tree = new HashTree(rows.map((row) => leafHash(utf8(rowText(row)))))
    const made = new MemoryRelease(rows, { chart, rows_root: toBase64(tree.root) })
    const release: MemoryRelease = Object.assign(Object.create(MemoryRelease.prototype), { ...made, rows, tree })
    this.releases.push(release)
    this.append(release.manifest)
    return release
  }
}

const [a, b, c] = ['99211', '99213', '99215'].map((cpt) => aFee({ cpt })) as [AnyRow, AnyRow, AnyRow]
const evidence = (release: MemoryRelease, ...places: number[]): Because => ({
  releases: [],
  rows: places.map((index) => ({ release: null, ...release.neighbour(index) })),
  periods: [],
  providers: [],
})

const unsorted = new Forged(registry)
const upsideDown = unsorted.publishAs([c, b, a])
const twice = new Forged(registry)
const doubled = twice.publishAs([a, b, aFee({ cpt: '99213', amount: '1.00' }), c])

const spring = (chart: string) => ({ chart, edition: '2026B', effective_from: '2026-04-01' })
const overlapping = new Forged(registry)
const before = overlapping.publish([b], spring('cms-pfs'))
const after = overlapping.publish([b], { chart: 'cms-pfs' })
overlapping.forge(({ periods, providers }) => ({
  periods: periods.map((period) => (period.from === '2026-04-01' ? { ...period, to: '2026-09-30' } : period)),
  providers,
}))
const backwards = new Forged(registry)
const lab = backwards.publish([b], { chart: 'cms-pfs' })
backwards.forge(({ periods, providers }) => ({
  periods: [
    {
      ...(periods[0] as Period),
      chart: 'cms-asp',
      from: '2026-09-30',
      to: '2026-07-01',
      release: toBase64(leafOf('x')),
    },
    ...periods,
  ],
  providers,
}))
const disordered = new Forged(registry)
const schedule = disordered.publish([b], { chart: 'cms-pfs' })
disordered.publish([b], { chart: 'cms-pfs-qpp' })
disordered.forge(({ periods, providers }) => ({ periods: periods.toReversed(), providers }))

const files = new Forged(registry)
const own = files.publish([b], { chart: 'cms-pfs' })
files.publish([], { chart: `hospital-mrf:${NPI.A}`, providers: [NPI.A, NPI.B] })
files.forge(({ periods, providers }) => ({ periods, providers: providers.toReversed() }))
const named = files.standing.providers.map((provider, index) => ({
  provider,
  index,
  path: new HashTree(files.standing.providers.map(leafOf)).path(index).map(toBase64),
}))

/** A log whose last entry is no state that follows a manifest, but the one of an empty registry. */
const empty = new MemoryRegistry(registry)
const nothing = {
  code: 'unknown_provider',
  because: { ...evidence(upsideDown), state: empty.state, log: await empty.proof() },
}
const noEdition = {
  code: 'no_edition_for_day',
  charts: ['cms-pfs', 'cms-clfs', 'cms-asp', 'cms-dmepos'].map((chart) => ({ chart })),
  because: nothing.because,
}
const missing = (await world.answer(ask({ cpt: '12345' }).question)).body as { because: object }
const absence = await world.absence(world.releases[0] as MemoryRelease, '12345|')
const falsely = changed(absence, { 'in_force.state.timeline_size': 1 })

export const forgeries: Body[] = [
  good(
    'one row of a release that is out of order',
    await unsorted.cite(upsideDown, 1),
    { rows: 1 },
    { asked: ask({}) },
  ),
  bad(
    'two rows out of order',
    { ...(await unsorted.cite(upsideDown, 1)), because: evidence(upsideDown, 0) },
    'leaves_contradict',
  ),
  bad('two rows of one key', { ...(await twice.cite(doubled, 1)), because: evidence(doubled, 2) }, 'leaves_contradict'),
  good(
    'one row shown twice',
    { ...(await twice.cite(doubled, 1)), because: evidence(doubled, 1, 0, 1, 0) },
    { rows: 1 },
    { asked: ask({}) },
  ),
  bad(
    'two periods of one chart that share days',
    {
      ...(await overlapping.cite(after, 0)),
      because: { ...evidence(after), releases: [overlapping.share(before)] },
    },
    'leaves_contradict',
  ),
  good('one of two periods that share days', await overlapping.cite(after, 0), { rows: 1 }),
  bad(
    'a period that ends before it begins',
    { ...(await backwards.cite(lab, 0)), because: { ...evidence(lab), periods: [backwards.periodProof(0)] } },
    'leaves_contradict',
  ),
  bad(
    'periods out of order',
    {
      ...(await disordered.cite(schedule, 0)),
      because: { ...evidence(schedule), periods: [disordered.periodProof(1)] },
    },
    'leaves_contradict',
  ),
  bad(
    'providers out of order',
    { ...(await files.cite(own, 0)), because: { ...evidence(own), providers: named } },
    'leaves_contradict',
  ),
  good(
    'one of two providers out of order',
    { ...(await files.cite(own, 0)), because: { ...evidence(own), providers: named.slice(1) } },
    { rows: 1 },
  ),
  good('nobody speaks for a hospital in an empty registry', nothing, {}, { asked: ask({ npi: NPI.A }) }),
  good('no edition of anything in an empty registry', noEdition, {}, { asked: ask({}) }),
  bad('an unknown hospital in an empty registry, for a schedule', nothing, 'answers_another_question', {
    asked: ask({}),
  }),
  bad(
    'two registries in one answer',
    { ...(await unsorted.cite(upsideDown, 1)), because: nothing.because },
    'mixed_checkpoints',
  ),
  bad('a false state before the right one', { ...missing, absence: [falsely] }, 'state_not_in_log'),
  bad(
    'a false state after the right one',
    { ...missing, because: { ...missing.because, state: falsely.in_force.state }, absence: [absence] },
    'mixed_checkpoints',
  ),
]
