// What is in force after the entries of a log. The periods stand here by hand; hashes and roots are computed apart
// from the verifier.

import { createHash } from 'node:crypto'
import { canonical } from '../../src/proof/canonical-json.ts'
import { type Manifest, MOVE_SCHEMA, type RegistryEntry, WITHDRAWAL_SCHEMA } from '../../src/proof/price/release.ts'
import { MemoryRelease, RECORDED } from '../../src/proof/registry-fixture.ts'
import { chartOf, NPI, world } from './registry.ts'
import type { VectorOf } from './vector.ts'

type Timeline = VectorOf<'timeline'>
const sha256 = (...parts: (string | Buffer)[]): Buffer => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}
const leaf = (value: unknown): Buffer => sha256('\x00', canonical(value))
function root(leaves: readonly Buffer[]): Buffer {
  if (leaves.length === 0) return sha256('')
  if (leaves.length === 1) return leaves[0] as Buffer
  let half = 1
  while (half * 2 < leaves.length) half *= 2
  return sha256('\x01', root(leaves.slice(0, half)), root(leaves.slice(half)))
}

type Stretch = [release: Manifest, from: string, to: string]
const timeline = (
  name: string,
  entries: readonly RegistryEntry[],
  stretches: readonly Stretch[],
  speaking: readonly [npi: string, chart: string][] = [],
): Timeline => {
  const periods = stretches.map(([release, from, to]) => ({
    chart: release.chart,
    from,
    to,
    release: leaf(release).toString('base64'),
  }))
  const providers = speaking.map(([npi, chart]) => ({ npi, chart }))
  return {
    name,
    kind: 'timeline',
    entries: entries.map((entry) => canonical(entry)),
    expect: {
      ok: true,
      periods,
      providers,
      timeline_root: root(periods.map(leaf)).toString('base64'),
      providers_root: root(providers.map(leaf)).toString('base64'),
    },
  }
}

const release = (
  chart: string,
  revision: number,
  effective_from: string,
  effective_to: string,
  providers?: string[],
  edition = effective_from,
) =>
  new MemoryRelease([], {
    chart,
    edition,
    release_id: `${chart}:${edition}:${revision}`,
    effective_from,
    effective_to,
    ...(providers ? { providers } : {}),
  }).manifest
const withdrawal = ({ release_id, chart }: Manifest): RegistryEntry => ({
  schema: WITHDRAWAL_SCHEMA,
  release_id,
  chart,
  reason: 'wrong_source',
  recorded_at: RECORDED,
})
const move = (npi: string, to: string): RegistryEntry => ({
  schema: MOVE_SCHEMA,
  npi,
  chart: chartOf(to),
  reason: 'operator_decision',
  recorded_at: RECORDED,
})

const PFS = 'cms-pfs'
const first = release(PFS, 1, '2026-01-01', '2026-03-31')
const second = release(PFS, 1, '2026-04-01', '2026-06-30')
const again = release(PFS, 2, '2026-04-01', '2026-06-30')
const earlier = release(PFS, 3, '2026-03-15', '2026-06-30', undefined, '2026-04-01')
const later = release(PFS, 4, '2026-05-01', '2026-06-30', undefined, '2026-04-01')
const twin = release(PFS, 1, '2026-04-01', '2026-05-31', undefined, 'twin')
const third = release(PFS, 1, '2026-07-01', '2026-09-30')
const long = release(PFS, 1, '2026-02-01', '2026-12-31')
const oneDay = release(PFS, 1, '2026-02-02', '2026-02-02')
const year = release('cms-clfs', 1, '2026-01-01', '2026-12-31')
const qpp = release('cms-pfs-qpp', 1, '2026-01-01', '2026-12-31')
const leap = release(PFS, 1, '2028-03-01', '2028-03-31')
const beforeLeap = release(PFS, 1, '2028-01-01', '2028-12-31')
const a = release(chartOf(NPI.A), 1, '2026-01-01', '2026-12-31', [NPI.A, NPI.MOVED])
const a2 = release(chartOf(NPI.A), 1, '2026-06-01', '2027-05-31', [NPI.A])
const b = release(chartOf(NPI.B), 1, '2026-01-01', '2026-12-31', [NPI.MOVED, NPI.B])
const YEAR = ['2026-01-01', '2026-12-31'] as const
const [ofA, ofB] = [chartOf(NPI.A), chartOf(NPI.B)]
const states = world.entries.filter((entry) => 'timeline_root' in entry).slice(0, 2)

/** Who speaks for whom while the provider that both name stays with the first. */
const UNMOVED: [npi: string, chart: string][] = [
  [NPI.A, ofA],
  [NPI.B, ofB],
  [NPI.MOVED, ofA],
]

export const timelines: Timeline[] = [
  timeline('nothing', [], []),
  timeline('states only, which change nothing', states, []),
  timeline('one release', [first], [[first, '2026-01-01', '2026-03-31']]),
  timeline(
    'three quarters',
    [first, second, third],
    [
      [first, '2026-01-01', '2026-03-31'],
      [second, '2026-04-01', '2026-06-30'],
      [third, '2026-07-01', '2026-09-30'],
    ],
  ),
  timeline(
    'quarters published in another order',
    [third, first, second],
    [
      [first, '2026-01-01', '2026-03-31'],
      [second, '2026-04-01', '2026-06-30'],
      [third, '2026-07-01', '2026-09-30'],
    ],
  ),
  timeline(
    'a quarter that is missing',
    [first, third],
    [
      [first, '2026-01-01', '2026-03-31'],
      [third, '2026-07-01', '2026-09-30'],
    ],
  ),
  timeline(
    'a long edition, cut short',
    [long, second],
    [
      [long, '2026-02-01', '2026-03-31'],
      [second, '2026-04-01', '2026-06-30'],
    ],
  ),
  timeline(
    'a long edition that does not come back after a short one',
    [long, oneDay],
    [
      [long, '2026-02-01', '2026-02-01'],
      [oneDay, '2026-02-02', '2026-02-02'],
    ],
  ),
  timeline(
    'an edition of before, published after a long one',
    [long, first],
    [
      [first, '2026-01-01', '2026-01-31'],
      [long, '2026-02-01', '2026-12-31'],
    ],
  ),
  timeline(
    'cut short on a leap day',
    [beforeLeap, leap],
    [
      [beforeLeap, '2028-01-01', '2028-02-29'],
      [leap, '2028-03-01', '2028-03-31'],
    ],
  ),
  timeline('a revision', [second, again], [[again, '2026-04-01', '2026-06-30']]),
  timeline(
    'a revision published before, which does not count',
    [again, second],
    [[second, '2026-04-01', '2026-06-30']],
  ),
  timeline(
    'a revision that begins earlier replaces the one before it',
    [first, second, earlier, third],
    [
      [first, '2026-01-01', '2026-03-14'],
      [earlier, '2026-03-15', '2026-06-30'],
      [third, '2026-07-01', '2026-09-30'],
    ],
  ),
  timeline(
    'a revision that begins later replaces the one before it, on every day',
    [first, second, later],
    [
      [first, '2026-01-01', '2026-03-31'],
      [later, '2026-05-01', '2026-06-30'],
    ],
  ),
  timeline(
    'of three revisions the last counts',
    [first, earlier, third, second, later],
    [
      [first, '2026-01-01', '2026-03-31'],
      [later, '2026-05-01', '2026-06-30'],
      [third, '2026-07-01', '2026-09-30'],
    ],
  ),
  timeline(
    'a revision that begins earlier, withdrawn',
    [first, second, earlier, withdrawal(earlier)],
    [
      [first, '2026-01-01', '2026-03-31'],
      [second, '2026-04-01', '2026-06-30'],
    ],
  ),
  timeline('two editions that begin on one day', [second, twin], [[twin, '2026-04-01', '2026-05-31']]),
  timeline(
    'two editions that begin on one day, the first of them revised',
    [second, twin, again],
    [[again, '2026-04-01', '2026-06-30']],
  ),
  timeline(
    'an edition of another chart with the same name is another edition',
    [first, release('cms-clfs', 2, '2026-02-01', '2026-12-31', undefined, '2026-01-01')],
    [
      [release('cms-clfs', 2, '2026-02-01', '2026-12-31', undefined, '2026-01-01'), '2026-02-01', '2026-12-31'],
      [first, '2026-01-01', '2026-03-31'],
    ],
  ),
  timeline('a withdrawal', [first, second, withdrawal(second)], [[first, '2026-01-01', '2026-03-31']]),
  timeline(
    'a revision withdrawn: the one before is back',
    [second, again, withdrawal(again)],
    [[second, '2026-04-01', '2026-06-30']],
  ),
  timeline(
    'a withdrawal that lengthens the edition before',
    [long, second, withdrawal(second)],
    [[long, '2026-02-01', '2026-12-31']],
  ),
  timeline(
    'a withdrawal before its release',
    [withdrawal(first), first, second],
    [[second, '2026-04-01', '2026-06-30']],
  ),
  timeline('a withdrawal of nothing', [withdrawal(third), first], [[first, '2026-01-01', '2026-03-31']]),
  timeline('all withdrawn', [first, withdrawal(first)], []),
  timeline(
    'charts in the order of their bytes',
    [qpp, year, first],
    [
      [year, ...YEAR],
      [qpp, ...YEAR],
      [first, '2026-01-01', '2026-03-31'],
    ],
  ),
  timeline(
    'states between the others',
    [...states, first, ...states, year, ...states],
    [
      [year, ...YEAR],
      [first, '2026-01-01', '2026-03-31'],
    ],
  ),
  timeline(
    'a hospital and its providers',
    [a],
    [[a, ...YEAR]],
    [
      [NPI.A, ofA],
      [NPI.MOVED, ofA],
    ],
  ),
  timeline(
    'two files name one provider: the first has it',
    [b, a],
    [
      [a, ...YEAR],
      [b, ...YEAR],
    ],
    [
      [NPI.A, ofA],
      [NPI.B, ofB],
      [NPI.MOVED, ofB],
    ],
  ),
  timeline(
    'a move',
    [a, b, move(NPI.MOVED, NPI.B)],
    [
      [a, ...YEAR],
      [b, ...YEAR],
    ],
    [
      [NPI.A, ofA],
      [NPI.B, ofB],
      [NPI.MOVED, ofB],
    ],
  ),
  timeline(
    'a move there and back',
    [a, b, move(NPI.MOVED, NPI.B), move(NPI.MOVED, NPI.A)],
    [
      [a, ...YEAR],
      [b, ...YEAR],
    ],
    UNMOVED,
  ),
  timeline(
    'a move to a file that does not name the provider',
    [a, b, move(NPI.A, NPI.B)],
    [
      [a, ...YEAR],
      [b, ...YEAR],
    ],
    UNMOVED,
  ),
  timeline(
    'a move before the file that names the provider',
    [a, move(NPI.MOVED, NPI.B), b],
    [
      [a, ...YEAR],
      [b, ...YEAR],
    ],
    UNMOVED,
  ),
  timeline(
    'the file of a provider withdrawn',
    [a, b, withdrawal(a)],
    [[b, ...YEAR]],
    [
      [NPI.B, ofB],
      [NPI.MOVED, ofB],
    ],
  ),
  timeline(
    'a move to a file that was withdrawn',
    [a, b, move(NPI.MOVED, NPI.B), withdrawal(b)],
    [[a, ...YEAR]],
    [
      [NPI.A, ofA],
      [NPI.MOVED, ofA],
    ],
  ),
  timeline(
    'a later file that no longer names a provider, who stays',
    [a, a2],
    [
      [a, '2026-01-01', '2026-05-31'],
      [a2, '2026-06-01', '2027-05-31'],
    ],
    [
      [NPI.A, ofA],
      [NPI.MOVED, ofA],
    ],
  ),
]
