import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { TABLES_DIGEST } from '../../tables/digest.ts'
import { toBase64 } from '../bytes.ts'
import { MemoryRelease } from '../registry-fixture.ts'
import { RunningStanding } from '../replay/running-standing.ts'
import { HashTree } from '../tree/hash-tree.ts'
import {
  type Manifest,
  MOVE_SCHEMA,
  periodKey,
  type RegistryEntry,
  STATE_SCHEMA,
  WITHDRAWAL_SCHEMA,
} from './release.ts'
import { dayBefore, indexOfKey, leafOf, periodOn, predecessorsIn, standingAfter, stateOf } from './timeline.ts'

const AT = '2026-07-01T00:00:00Z'
// The end of February and the turn of a year are among them.
const DAYS = Array.from({ length: 100 }, (_, i) => new Date(Date.UTC(2027, 11, 1 + i)).toISOString().slice(0, 10))
const NPIS = ['1234567893', '1679576722']
const CHARTS = ['cms-pfs', 'cms-pfs-qpp', `hospital-mrf:${NPIS[0]}`, `hospital-mrf:${NPIS[1]}`]

type Event =
  | { what: 'publish'; chart: number; edition: string; from: number; days: number; providers: number }
  | { what: 'withdraw'; which: number }
  | { what: 'move'; npi: number; chart: number }
  | { what: 'state' }
const event: fc.Arbitrary<Event> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      what: fc.constant('publish' as const),
      chart: fc.nat(3),
      edition: fc.constantFrom('2026A', '2026B', '2026C'),
      // Few days, so that several editions begin on the same one.
      from: fc.constantFrom(0, 1, 10, 30, 31, 60, 88, 89),
      days: fc.constantFrom(0, 1, 5, 31, 200),
      providers: fc.integer({ min: 1, max: 3 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('withdraw' as const), which: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('move' as const), npi: fc.nat(1), chart: fc.nat(1) }) },
  { weight: 1, arbitrary: fc.constant({ what: 'state' as const }) },
)

const state = {
  schema: STATE_SCHEMA,
  timeline_root: '',
  timeline_size: 0,
  providers_root: '',
  providers_size: 0,
} as const

function entriesOf(events: readonly Event[]): RegistryEntry[] {
  const entries: RegistryEntry[] = []
  const releases: Manifest[] = []
  for (const each of events) {
    if (each.what === 'publish') {
      const chart = CHARTS[each.chart] as string
      const from = Date.parse(DAYS[each.from] as string)
      const { manifest } = new MemoryRelease([], {
        chart,
        edition: each.edition,
        release_id: `${chart}:${each.edition}:${releases.length + 1}`,
        effective_from: DAYS[each.from] as string,
        effective_to: new Date(from + each.days * 86_400_000).toISOString().slice(0, 10),
        ...(chart.startsWith('hospital') ? { providers: NPIS.filter((_, i) => each.providers & (1 << i)) } : {}),
      })
      releases.push(manifest)
      entries.push(manifest)
    }
    const release = each.what === 'withdraw' ? releases[each.which] : undefined
    if (release)
      entries.push({
        schema: WITHDRAWAL_SCHEMA,
        release_id: release.release_id,
        chart: release.chart,
        reason: 'wrong_source',
        recorded_at: AT,
      })
    if (each.what === 'move')
      entries.push({
        schema: MOVE_SCHEMA,
        npi: NPIS[each.npi] as string,
        chart: CHARTS[2 + each.chart] as string,
        reason: 'wrong_source',
        recorded_at: AT,
      })
    if (each.what === 'state') entries.push({ ...state, tables: TABLES_DIGEST, recorded_at: AT })
  }
  return entries
}

const isManifest = (entry: RegistryEntry): entry is Manifest => 'rows_root' in entry
const isWithdrawn = (entries: readonly RegistryEntry[], { release_id }: Manifest): boolean =>
  entries.some((entry) => entry.schema === WITHDRAWAL_SCHEMA && entry.release_id === release_id)

/** Day by day, as the rule is told in words. */
function naiveEdition(entries: readonly RegistryEntry[], chart: string, day: string): Manifest | undefined {
  const published = entries.filter(
    (entry): entry is Manifest => isManifest(entry) && entry.chart === chart && !isWithdrawn(entries, entry),
  )
  let best: Manifest | undefined
  for (const [i, release] of published.entries()) {
    const isReplaced = published.slice(i + 1).some(({ edition }) => edition === release.edition)
    if (isReplaced || release.effective_from > day) continue
    if (!best || release.effective_from >= best.effective_from) best = release
  }
  return best && best.effective_to >= day ? best : undefined
}

const histories = fc.array(event, { maxLength: 14 }).map(entriesOf)

test('on every day the edition in force is the last one that began by then, if it has not run out', () => {
  fc.assert(
    fc.property(histories, (entries) => {
      const { periods } = standingAfter(entries)
      for (const chart of CHARTS)
        for (const day of ['2027-11-30', ...DAYS]) {
          const naive = naiveEdition(entries, chart, day)
          const found = periodOn(periods, chart, day)?.release
          if (found !== (naive && toBase64(leafOf(naive)))) throw new Error(`${chart} on ${day}`)
        }
    }),
    { numRuns: 150 },
  )
})

test('a revision that begins earlier, or later, replaces the one before it on every day', () => {
  const revision = (edition: string, number: number, effective_from: string, effective_to: string) =>
    new MemoryRelease([], {
      ...{ chart: 'cms-pfs', edition, release_id: `cms-pfs:${edition}:${number}`, effective_from, effective_to },
    }).manifest
  const B = revision('RVU26B', 1, '2026-04-01', '2026-06-30')
  const C = revision('RVU26C', 1, '2026-07-01', '2026-09-30')
  const days = (entries: readonly RegistryEntry[]) =>
    standingAfter(entries).periods.map(({ from, to, release }) => {
      const { release_id } = entries.filter(isManifest).find((each) => toBase64(leafOf(each)) === release) as Manifest
      return `${release_id.slice(8)} ${from} ${to}`
    })
  const earlier = revision('RVU26C', 2, '2026-06-15', '2026-09-30')
  expect(days([B, C, earlier])).toEqual(['RVU26B:1 2026-04-01 2026-06-14', 'RVU26C:2 2026-06-15 2026-09-30'])
  const later = revision('RVU26C', 3, '2026-08-01', '2026-09-30')
  expect(days([B, C, earlier, later])).toEqual(['RVU26B:1 2026-04-01 2026-06-30', 'RVU26C:3 2026-08-01 2026-09-30'])
  // Published again, an edition of before stands after one that begins on the same day.
  const same = revision('X', 1, '2026-04-01', '2026-05-31')
  expect(days([B, same])).toEqual(['X:1 2026-04-01 2026-05-31'])
  expect(days([B, same, revision('RVU26B', 2, '2026-04-01', '2026-06-30')])).toEqual(['RVU26B:2 2026-04-01 2026-06-30'])
})

test('a release takes the place of the revision before it, else of the edition that begins last before it', () => {
  const at = (edition: string, effective_from: string, nth = 1) => ({ chart: 'cms-pfs', edition, effective_from, nth })
  const [A, B, B2] = [at('A', '2026-01-01'), at('B', '2026-04-01'), at('B', '2026-02-01', 2)]
  expect(predecessorsIn([], B)).toEqual({ revision: undefined, edition: undefined })
  expect(predecessorsIn([A, B], at('C', '2026-07-01'))).toEqual({ revision: undefined, edition: B })
  expect(predecessorsIn([B, A], at('C', '2026-03-01'))).toEqual({ revision: undefined, edition: A })
  expect(predecessorsIn([A, B], B2)).toEqual({ revision: B, edition: A })
  // The first revision of B does not count any more.
  expect(predecessorsIn([A, B, B2], at('C', '2026-07-01'))).toEqual({ revision: undefined, edition: B2 })
  const twin = at('T', '2026-01-01')
  expect(predecessorsIn([A, twin], at('C', '2026-07-01')).edition).toBe(twin)
  expect(predecessorsIn([twin, A], at('C', '2026-07-01')).edition).toBe(A)
})

test('periods are sorted, do not overlap, and stay within their editions', () => {
  fc.assert(
    fc.property(histories, (entries) => {
      const { periods } = standingAfter(entries)
      const keys = periods.map(periodKey)
      expect(keys).toEqual([...new Set(keys)].sort())
      for (const [i, { chart, from, to, release }] of periods.entries()) {
        const manifest = entries.filter(isManifest).find((each) => toBase64(leafOf(each)) === release)
        expect(manifest).toMatchObject({ chart, effective_from: from })
        expect(from <= to && to <= (manifest as Manifest).effective_to).toBe(true)
        const next = periods[i + 1]
        if (next?.chart === chart) expect(to < next.from).toBe(true)
      }
    }),
    { numRuns: 200 },
  )
})

test('an NPI belongs to the first file that named it, until it is moved to another that named it too', () => {
  fc.assert(
    fc.property(histories, (entries) => {
      const { providers } = standingAfter(entries)
      const naive = NPIS.flatMap((npi) => {
        let owner: string | undefined
        for (const [i, entry] of entries.entries()) {
          const names = (chart: string): boolean =>
            entries
              .slice(0, i)
              .some(
                (each) =>
                  isManifest(each) &&
                  each.chart === chart &&
                  each.providers?.includes(npi) &&
                  !isWithdrawn(entries, each),
              )
          if (isManifest(entry) && entry.providers?.includes(npi) && !isWithdrawn(entries, entry)) owner ??= entry.chart
          if (entry.schema === MOVE_SCHEMA && entry.npi === npi && names(entry.chart)) owner = entry.chart
        }
        return owner === undefined ? [] : [{ npi, chart: owner }]
      })
      expect(providers).toEqual(naive.sort((a, b) => (a.npi < b.npi ? -1 : 1)))
    }),
    { numRuns: 300 },
  )
})

test('a state commits to the roots of both trees', () => {
  fc.assert(
    fc.property(histories, (entries) => {
      const standing = standingAfter(entries)
      expect(stateOf(standing, AT)).toEqual({
        schema: STATE_SCHEMA,
        timeline_root: toBase64(new HashTree(standing.periods.map(leafOf)).root),
        timeline_size: standing.periods.length,
        providers_root: toBase64(new HashTree(standing.providers.map(leafOf)).root),
        providers_size: standing.providers.length,
        tables: TABLES_DIGEST,
        recorded_at: AT,
      })
    }),
    { numRuns: 50 },
  )
})

test('a log that is read entry by entry comes to the same state after each', () => {
  fc.assert(
    fc.property(histories, fc.boolean(), (entries, isReused) => {
      // A name that is used twice must not, but may stand in a log.
      const log = isReused
        ? entries.map((each) => (isManifest(each) ? { ...each, release_id: renamed(each) } : each))
        : entries
      const running = new RunningStanding()
      for (const [i, entry] of log.entries()) {
        running.add(entry)
        const standing = standingAfter(log.slice(0, i + 1))
        expect(running.standing).toEqual(standing)
        expect(running.stateAt({ recorded_at: AT, tables: TABLES_DIGEST })).toEqual(stateOf(standing, AT))
      }
    }),
    { numRuns: 100 },
  )
})
const renamed = ({ release_id }: Manifest): string => release_id.replace(/[0-9]+$/, (n) => String(Number(n) % 3))

test('the day before is the day before, also across months, years and leap days', () => {
  for (const [day, before] of [
    ['2028-03-01', '2028-02-29'],
    ['2027-03-01', '2027-02-28'],
    ['2027-01-01', '2026-12-31'],
    ['2026-11-02', '2026-11-01'],
  ] as const)
    expect(dayBefore(day)).toBe(before)
})

test('a place in a sorted list is that of the first key that is not before', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), fc.string(), (texts, key) => {
      const sorted = texts.sort()
      const at = sorted.findIndex((each) => each >= key)
      expect(indexOfKey(sorted, key, (each) => each)).toBe(at < 0 ? sorted.length : at)
    }),
  )
})

test('the edition before another is the last that begins by its day, of other editions, whatever order the log has them in', () => {
  const of = (edition: string, effective_from: string) => ({ chart: 'cms-pfs', edition, effective_from })
  const [january, february] = [of('A', '2026-01-01'), of('B', '2026-02-01')]
  const before = (published: ReturnType<typeof of>[], next: ReturnType<typeof of>) => predecessorsIn(published, next)
  expect(before([february, january], of('C', '2026-03-01')).edition).toBe(february)
  expect(before([january], of('C', '2026-01-01')).edition).toBe(january)
  expect(before([january], of('C', '2025-12-31')).edition).toBeUndefined()
  expect(before([january, february], of('B', '2026-02-01'))).toEqual({ revision: february, edition: january })
  // The later one in the log counts if two begin on one day.
  const twin = of('D', '2026-02-01')
  expect(before([february, twin, january], of('C', '2026-03-01')).edition).toBe(twin)
})
