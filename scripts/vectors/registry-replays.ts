// Registry logs whose entries follow from those before them, and some of operators who lie.

import { canonical } from '../../src/proof/canonical-json.ts'
import { type RegistryEntry, type RegistryState, WITHDRAWAL_SCHEMA } from '../../src/proof/price/release.ts'
import { MemoryRegistry, RECORDED } from '../../src/proof/registry-fixture.ts'
import type { VectorOf } from './vector.ts'

const NPI = '1234567893'
const LAB = { chart: 'cms-clfs' } as const
const NEXT = { ...LAB, edition: '2026D', effective_from: '2026-10-01', effective_to: '2026-12-31' } as const
const [FIRST, SECOND, THIRD] = ['cms-clfs:2026C:1', 'cms-clfs:2026C:2', 'cms-clfs:2026C:3'] as const
const HOSPITAL = { chart: `hospital-mrf:${NPI}`, providers: [NPI] }

type Faults = VectorOf<'registry-replay'>['expect']['faults']
type Case = [name: string, lie: (registry: MemoryRegistry) => unknown, faults: Faults]

const later = (ms: number): string => new Date(Date.parse(RECORDED) + ms).toISOString()
const withdrawalOf = (release_id: string, chart = 'cms-clfs'): RegistryEntry => ({
  schema: WITHDRAWAL_SCHEMA,
  release_id,
  chart,
  reason: 'wrong_source',
  recorded_at: RECORDED,
})
const push = ({ entries }: MemoryRegistry, ...added: readonly object[]): unknown =>
  entries.push(...(added as readonly RegistryEntry[]))
/** A state that says something else than it should. */
const wrong = ({ state }: MemoryRegistry, given: Partial<RegistryState>): RegistryState => ({ ...state, ...given })

const cases: Case[] = [
  ['a log that begins with a state of nothing', () => undefined, []],
  [
    'publications, a withdrawal, a move and a daily state',
    (registry) => {
      const first = registry.publish([], LAB)
      registry.publish([], { ...LAB, release_id: SECOND, supersedes: FIRST })
      registry.publish([], { ...NEXT, supersedes: SECOND })
      registry.publish([], HOSPITAL)
      registry.move(NPI, HOSPITAL.chart).append().withdraw(first)
    },
    [],
  ],
  [
    'the predecessor is the revision before it, also where that begins later',
    (registry) => {
      registry.publish([], { ...LAB, edition: '2026B', effective_from: '2026-04-01', effective_to: '2026-06-30' })
      registry.publish([], { ...LAB, supersedes: 'cms-clfs:2026B:1' })
      registry.publish([], { ...LAB, release_id: SECOND, effective_from: '2026-06-15', supersedes: FIRST })
    },
    [],
  ],
  [
    'a clock that is five seconds behind',
    (registry) => {
      registry.now = later(-5_000)
      registry.append()
    },
    [],
  ],
  [
    'a clock that is more than five seconds behind',
    (registry) => {
      registry.now = later(-5_001)
      registry.append()
    },
    [{ entry: 1, code: 'time_backwards' }],
  ],
  [
    'a clock that goes back in small steps',
    (registry) => {
      for (const ms of [-5_000, -10_000, -5_000, -5_001, 1_000, -4_000]) {
        registry.now = later(ms)
        registry.append()
      }
    },
    [
      { entry: 2, code: 'time_backwards' },
      { entry: 4, code: 'time_backwards' },
    ],
  ],
  [
    'a name that is used again, and a state that follows from both',
    (registry) => [registry.publish([], LAB), registry.publish([], { ...LAB, effective_to: '2026-08-31' })],
    [{ entry: 3, code: 'release_id_reused' }],
  ],
  [
    'a name that is used again after a withdrawal',
    (registry) => {
      registry.withdraw(registry.publish([], LAB))
      registry.publish([], { ...LAB, effective_to: '2026-08-31' })
    },
    [{ entry: 5, code: 'release_id_reused' }],
  ],
  [
    'revision 2 after revision 3',
    (registry) => {
      registry.publish([], { ...LAB, release_id: THIRD })
      registry.publish([], { ...LAB, release_id: SECOND, supersedes: THIRD })
    },
    [{ entry: 3, code: 'revision_out_of_order' }],
  ],
  [
    'revision 10 after revision 9 is in order',
    (registry) => {
      registry.publish([], { ...LAB, release_id: 'cms-clfs:2026C:9' })
      registry.publish([], { ...LAB, release_id: 'cms-clfs:2026C:10', supersedes: 'cms-clfs:2026C:9' })
    },
    [],
  ],
  [
    'no predecessor is named',
    (registry) => [registry.publish([], LAB), registry.publish([], NEXT)],
    [{ entry: 3, code: 'supersedes_wrong' }],
  ],
  [
    'a predecessor that was withdrawn',
    (registry) => {
      registry.withdraw(registry.publish([], LAB))
      registry.publish([], { ...NEXT, supersedes: FIRST })
    },
    [{ entry: 5, code: 'supersedes_wrong' }],
  ],
  [
    'a predecessor that begins later',
    (registry) => [registry.publish([], NEXT), registry.publish([], { ...LAB, supersedes: 'cms-clfs:2026D:1' })],
    [{ entry: 3, code: 'supersedes_wrong' }],
  ],
  [
    'a release is withdrawn twice',
    (registry) => {
      const first = registry.publish([], LAB)
      registry.withdraw(first).withdraw(first)
    },
    [{ entry: 5, code: 'withdrawal_unfounded' }],
  ],
  [
    'a release that is not there is withdrawn',
    (registry) => registry.append(withdrawalOf(FIRST)),
    [{ entry: 1, code: 'withdrawal_unfounded' }],
  ],
  [
    'a release is withdrawn under another chart',
    (registry) => {
      registry.publish([], LAB)
      registry.append(withdrawalOf(FIRST, 'cms-opps'))
    },
    [{ entry: 3, code: 'withdrawal_unfounded' }],
  ],
  [
    'a provider is moved to a chart that does not name it',
    (registry) => registry.move(NPI, HOSPITAL.chart),
    [{ entry: 1, code: 'move_unfounded' }],
  ],
  [
    'a provider is moved to a chart whose only release that names it was withdrawn',
    (registry) => registry.withdraw(registry.publish([], HOSPITAL)).move(NPI, HOSPITAL.chart),
    [{ entry: 5, code: 'move_unfounded' }],
  ],
  [
    'a withdrawal after which the state stays as it was',
    (registry) => {
      registry.publish([], LAB)
      push(registry, withdrawalOf(FIRST), registry.state)
    },
    [{ entry: 4, code: 'state_wrong' }],
  ],
  [
    'a wrong state that is said again, and then the right one',
    (registry) => {
      const { state } = registry
      push(registry, wrong(registry, { timeline_size: 1 }))
      push(registry, wrong(registry, { recorded_at: later(1_000) }), { ...state, recorded_at: later(2_000) })
    },
    [{ entry: 1, code: 'state_wrong' }],
  ],
  [
    'two entries before one state',
    (registry) => {
      registry.publish([], LAB)
      const state = registry.entries.pop() as RegistryState
      push(registry, withdrawalOf(FIRST))
      registry.append()
      registry.entries.splice(-1, 1, { ...registry.state, recorded_at: state.recorded_at })
    },
    [{ entry: 2, code: 'state_missing' }],
  ],
  [
    'a log that begins with a release',
    (registry) => {
      registry.publish([], LAB)
      registry.entries.shift()
    },
    [{ entry: 0, code: 'state_missing' }],
  ],
  [
    'an entry of another kind is left out of what follows',
    (registry) => {
      push(registry, { schema: 'price-gift/1' })
      registry.publish([], LAB)
    },
    [{ entry: 1, code: 'entry_unknown' }],
  ],
  [
    'a state of another version',
    (registry) => push(registry, { ...registry.state, schema: 'registry-state/2' }),
    [{ entry: 1, code: 'entry_unknown' }],
  ],
  [
    'an old entry without a state behind it, and of a time before',
    (registry) => {
      registry.publish([], LAB)
      const state = registry.entries.pop() as RegistryState
      push(registry, { ...withdrawalOf('cms-clfs:2026B:1'), recorded_at: later(-60_000) }, state)
    },
    [
      { entry: 2, code: 'time_backwards' },
      { entry: 2, code: 'state_missing' },
      { entry: 2, code: 'withdrawal_unfounded' },
    ],
  ],
]

/** Nothing of a log is signed here. */
const signer = { name: 'none', publicKey: new Uint8Array(32), sign: async () => new Uint8Array(64) }

export const registryReplays: VectorOf<'registry-replay'>[] = cases.map(([name, lie, faults]) => {
  const registry = new MemoryRegistry(signer)
  lie(registry)
  return { name, kind: 'registry-replay', entries: registry.entries.map(canonical), expect: { ok: true, faults } }
})
