import { beforeAll, describe, expect, test } from 'bun:test'
import { canonical } from '../../src/proof/canonical-json.ts'
import { aSigner } from '../../src/proof/fixture.ts'
import type { NoteSigner } from '../../src/proof/note/signed-note.ts'
import type { RegistryEntry } from '../../src/proof/price/release.ts'
import { aRow, MemoryRegistry, RECORDED } from '../../src/proof/registry-fixture.ts'
import { replay } from './registry.ts'

let signer: NoteSigner
beforeAll(async () => {
  signer = await aSigner('registry.example/log/registry')
})

const LAB = { chart: 'cms-clfs' }
const NPI = '1234567893'
const HOSPITAL = { chart: `hospital-mrf:${NPI}`, providers: [NPI] }
const rows = [aRow({ code: '80053' })]

const textsOf = ({ entries }: MemoryRegistry): string[] => entries.map(canonical)
const codesOf = (registry: MemoryRegistry, from = 0): string[] =>
  replay(textsOf(registry), from).faults.map(({ code }) => code)

describe('a log is replayed entry by entry', () => {
  test('and has no fault where each entry follows from those before it', () => {
    const registry = new MemoryRegistry(signer)
    const first = registry.publish(rows, LAB)
    const second = registry.publish(rows, { ...LAB, release_id: 'cms-clfs:2026C:2', supersedes: 'cms-clfs:2026C:1' })
    registry.publish(rows, { ...LAB, edition: '2026B', effective_from: '2026-04-01', effective_to: '2026-06-30' })
    registry.withdraw(second).append().publish(rows, HOSPITAL)
    registry.move(NPI, HOSPITAL.chart).withdraw(first)
    expect(replay(textsOf(registry), 0)).toEqual({ entries: registry.entries, standing: registry.standing, faults: [] })
  })

  const cases: [string, (registry: MemoryRegistry) => unknown][] = [
    ['release_id_reused', (registry) => [registry.publish(rows, LAB), registry.publish([], LAB)]],
    [
      'revision_out_of_order',
      (registry) => [
        registry.publish(rows, { ...LAB, release_id: 'cms-clfs:2026C:2' }),
        registry.publish(rows, { ...LAB, supersedes: 'cms-clfs:2026C:2' }),
      ],
    ],
    ['supersedes_wrong', (registry) => registry.publish(rows, { ...LAB, supersedes: 'cms-clfs:2026B:1' })],
    [
      'supersedes_wrong',
      (registry) => {
        registry.withdraw(registry.publish(rows, LAB))
        registry.publish(rows, { ...LAB, release_id: 'cms-clfs:2026C:2', supersedes: 'cms-clfs:2026C:1' })
      },
    ],
    [
      'withdrawal_unfounded',
      (registry) => {
        const release = registry.publish(rows, LAB)
        registry.withdraw(release).withdraw(release)
      },
    ],
    ['move_unfounded', (registry) => registry.move(NPI, HOSPITAL.chart)],
    ['move_unfounded', (registry) => registry.withdraw(registry.publish(rows, HOSPITAL)).move(NPI, HOSPITAL.chart)],
    [
      'time_backwards',
      (registry) => {
        registry.now = '2026-10-01T23:59:54Z'
        registry.append()
      },
    ],
    [
      'state_missing',
      (registry) => {
        registry.publish(rows, LAB)
        registry.entries.splice(2, 1)
        registry.append({
          ...(registry.entries[1] as RegistryEntry & object),
          release_id: 'cms-clfs:2026C:2',
          supersedes: 'cms-clfs:2026C:1',
        } as RegistryEntry)
      },
    ],
    [
      'state_wrong',
      (registry) => {
        registry.publish(rows, LAB)
        registry.entries.push({ ...registry.state, timeline_size: 2 })
      },
    ],
  ]
  test.each(cases)('%s', (code, lie) => {
    const registry = new MemoryRegistry(signer)
    lie(registry)
    expect(codesOf(registry)).toEqual([code])
    // Entries that were replayed before are not judged again.
    expect(codesOf(registry, registry.entries.length)).toEqual([])
  })

  test('a clock may be a few seconds behind', () => {
    const registry = new MemoryRegistry(signer)
    registry.now = new Date(Date.parse(RECORDED) - 4_000).toISOString()
    registry.append()
    expect(codesOf(registry)).toEqual([])
  })

  test('what is no entry, or is not spelled as it is hashed, is left out', () => {
    const registry = new MemoryRegistry(signer)
    const [state = ''] = textsOf(registry)
    const others = ['', '{}', '{"a":1,"a":1}', ` ${state}`, state.replace('registry-state/2', 'registry-state/3')]
    for (const text of others)
      expect(replay([state, text, state], 1)).toMatchObject({
        entries: [registry.state, undefined, registry.state],
        faults: [{ code: 'entry_unknown', entry: 1 }],
      })
  })
})
