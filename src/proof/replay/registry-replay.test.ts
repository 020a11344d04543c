import { expect, test } from 'bun:test'
import { utf8 } from '../bytes.ts'
import { canonical } from '../canonical-json.ts'
import {
  type Manifest,
  MOVE_SCHEMA,
  OLDER_RELEASE_SCHEMA,
  OLDER_STATE_SCHEMA,
  type RegistryEntry,
  WITHDRAWAL_SCHEMA,
} from '../price/release.ts'
import { standingAfter, stateOf } from '../price/timeline.ts'
import { MemoryRelease } from '../registry-fixture.ts'
import { Replay, registryEntryOf } from './registry-replay.ts'

const AT = (seconds: number): string => new Date(Date.UTC(2026, 6, 1, 0, 0, seconds)).toISOString()
const NPI = '1234567893'
const [HERE, THERE] = ['hospital-mrf:1234567893', 'hospital-mrf:1679576722']

const release = (given: Partial<Manifest> & { chart: string }): Manifest =>
  new MemoryRelease([], { recorded_at: AT(0), ...given }).manifest

/** The codes of what is wrong with the last of these entries, each followed by a right state. */
function faultsOfLast(entries: readonly RegistryEntry[]): string[] {
  const replay = new Replay()
  const log: RegistryEntry[] = []
  let faults: string[] = []
  replay.add(stateOf({ periods: [], providers: [] }, AT(0)))
  for (const entry of entries) {
    faults = replay.add(entry).map(({ code }) => code)
    log.push(entry)
    const state = stateOf(standingAfter(log), entry.recorded_at)
    expect(replay.add(state).filter(({ code }) => code !== 'time_backwards')).toEqual([])
  }
  return faults
}

test('an entry is the canonical text of one that is known, as bytes or as text', () => {
  const entry = release({ chart: 'cms-pfs' })
  const text = canonical(entry)
  expect(registryEntryOf(text)).toEqual(entry)
  expect(registryEntryOf(utf8(text))).toEqual(entry)
  for (const other of [`${text} `, text.replace(':', ': '), '{}', 'null', 'x', `${text.slice(0, -1)},"x":1}`])
    expect(registryEntryOf(other)).toBeUndefined()
})

test('a clock that goes back is noticed against the latest entry, not the first or the last', () => {
  const entries = [0, 60, 58, 54].map((seconds, i) =>
    release({ chart: `cms-${'abcd'[i]}`, recorded_at: AT(seconds), supersedes: null }),
  )
  expect(faultsOfLast(entries.slice(0, 3))).toEqual([])
  expect(faultsOfLast(entries)).toEqual(['time_backwards'])
  expect(
    faultsOfLast([entries[0] as Manifest, entries[1] as Manifest, release({ chart: 'x', recorded_at: AT(10) })]),
  ).toEqual(['time_backwards'])
})

test('revisions of an edition rise: one below any before it is out of order', () => {
  const revision = (number: number, supersedes: number | null): Manifest =>
    release({
      chart: 'cms-pfs',
      release_id: `cms-pfs:2026C:${number}`,
      supersedes: supersedes === null ? null : `cms-pfs:2026C:${supersedes}`,
    })
  expect(faultsOfLast([revision(1, null), revision(2, 1)])).toEqual([])
  expect(faultsOfLast([revision(1, null), revision(3, 1), revision(2, 3)])).toEqual(['revision_out_of_order'])
  expect(faultsOfLast([revision(3, null), revision(1, 3), revision(2, 1)])).toEqual(['revision_out_of_order'])
  expect(faultsOfLast([revision(1, null), revision(1, 1)])).toEqual(['release_id_reused'])
})

const withdrawal = (release_id: string, chart: string): RegistryEntry => ({
  schema: WITHDRAWAL_SCHEMA,
  release_id,
  chart,
  reason: 'wrong_source',
  recorded_at: AT(0),
})

test('a withdrawal is of a release of that chart, by the first that had its name, and only once', () => {
  const first = release({ chart: 'cms-pfs', release_id: 'cms-pfs:2026C:1' })
  const again = { ...first, unreadable_lines: 1 }
  expect(faultsOfLast([first, withdrawal(first.release_id, 'cms-pfs')])).toEqual([])
  expect(faultsOfLast([first, withdrawal(first.release_id, 'cms-clfs')])).toEqual(['withdrawal_unfounded'])
  expect(faultsOfLast([first, again, withdrawal(first.release_id, 'cms-pfs')])).toEqual([])
  expect(faultsOfLast([first, again, withdrawal(first.release_id, 'cms-clfs')])).toEqual(['withdrawal_unfounded'])
  const twice = [first, withdrawal(first.release_id, 'cms-pfs'), withdrawal(first.release_id, 'cms-pfs')]
  expect(faultsOfLast(twice)).toEqual(['withdrawal_unfounded'])
})

test('a provider is moved to a chart that names it in a release that stands, whatever was claimed before', () => {
  const move: RegistryEntry = { schema: MOVE_SCHEMA, npi: NPI, chart: THERE, reason: 'wrong_file', recorded_at: AT(0) }
  const [here, there] = [release({ chart: HERE, providers: [NPI] }), release({ chart: THERE, providers: [NPI] })]
  expect(faultsOfLast([here, there, move])).toEqual([])
  expect(faultsOfLast([here, move])).toEqual(['move_unfounded'])
  expect(faultsOfLast([here, move, move])).toEqual(['move_unfounded'])
  expect(faultsOfLast([here, there, withdrawal(there.release_id, THERE), move])).toEqual(['move_unfounded'])
})

test('an entry that is not judged is added all the same', () => {
  const replay = new Replay()
  expect(replay.add(withdrawal('cms-pfs:2026C:1', 'cms-pfs'), false)).toEqual([])
  const entry = release({ chart: 'cms-pfs' })
  expect(replay.add(entry, false)).toEqual([])
  expect(replay.add(entry).map(({ code }) => code)).toEqual(['state_missing', 'release_id_reused'])
  expect(replay.standing).toEqual(standingAfter([withdrawal('cms-pfs:2026C:1', 'cms-pfs'), entry, entry]))
})

test('entries of the older form begin a log: their names stay taken, nothing is in force by them, and none comes later', () => {
  const older = ({ schema: _, ...entry }: Manifest): RegistryEntry => ({ ...entry, schema: OLDER_RELEASE_SCHEMA })
  const { schema: _, tables: __, ...counted } = stateOf({ periods: [], providers: [] }, AT(0))
  const state: RegistryEntry = { ...counted, schema: OLDER_STATE_SCHEMA }
  const move: RegistryEntry = { schema: MOVE_SCHEMA, npi: NPI, chart: HERE, reason: 'wrong_file', recorded_at: AT(0) }
  const first = release({ chart: HERE, providers: [NPI] })
  const replay = new Replay()
  const added = (entry: RegistryEntry): string[] => replay.add(entry).map(({ code }) => code)
  for (const entry of [state, older(first), state, move, state]) expect(added(entry)).toEqual([])
  expect(replay.standing).toEqual({ periods: [], providers: [] })
  expect(added(older(first))).toEqual(['release_id_reused'])
  expect(added(withdrawal(first.release_id, HERE))).toEqual(['state_missing'])
  expect(added(state)).toEqual([])
  expect(added(stateOf(replay.standing, AT(0)))).toEqual([])
  expect(added(first)).toEqual(['release_id_reused'])
  expect(added(state)).toEqual(['entry_unknown'])
  expect(added(move)).toEqual(['move_unfounded'])
  expect(registryEntryOf(canonical({ ...state, npi: NPI }))).toBeUndefined()
})
