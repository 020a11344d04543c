import { aState, aStateOfNothing, firstRelease } from '../../src/proof/figures-fixture.ts'
import { aSigner } from '../../src/proof/fixture.ts'
import { signNote } from '../../src/proof/note/signed-note.ts'
import { formatTreeHead } from '../../src/proof/note/tree-head.ts'
import { type RegistryEntry, WITHDRAWAL_SCHEMA } from '../../src/proof/price/release.ts'
import { aRow, MemoryRegistry, MemoryRelease } from '../../src/proof/registry-fixture.ts'
import type { AlarmCode } from '../../tools/monitor/alarm.ts'
import { days, edited, FIRST, flipped, gone, LAB, type Lie, NEXT, type Proves, rows, serving } from './lie.ts'

/** Lies about the logs and their entries. */
export const LOG_LIES: [AlarmCode, string, Lie, Proves][] = [
  ['unreachable', 'rows are refused', (operator) => serving(operator, '/rows/', gone), []],
  [
    'checkpoint_invalid',
    'another key signs',
    async (operator) => {
      const note = await signNote(await operator.registry.log.text(), [await aSigner(operator.registry.signer.name)])
      serving(operator, '/log/registry/checkpoint', () => new Response(note))
    },
    [],
  ],
  [
    'log_not_the_same',
    'the figures are shown as the registry',
    async (operator) => {
      const note = await operator.figures.checkpoint()
      serving(operator, '/log/registry/checkpoint', () => new Response(note))
    },
    [],
  ],
  [
    'log_rolled_back',
    'the last entries are gone',
    (operator) => {
      operator.shown = operator.registry.snapshot()
      operator.shown.log.leaves.pop()
      operator.shown.entries.pop()
    },
    [],
  ],
  [
    'log_forked',
    'another history that goes on longer',
    async (operator) => {
      const other = new MemoryRegistry(operator.registry.signer, [], operator.registry.now)
      other.publish([aRow({ code: '80053' })], LAB)
      other.append()
      operator.shown = other
    },
    ['fork'],
  ],
  [
    'log_too_large',
    'millions of entries',
    async (operator) => {
      const { signer } = operator.registry
      const text = formatTreeHead({ origin: signer.name, size: 5_000_000, root: new Uint8Array(32) })
      const note = await signNote(text, [signer])
      serving(operator, '/log/registry/checkpoint', () => new Response(note))
    },
    [],
  ],
  [
    'tiles_wrong',
    'a leaf hash is altered',
    (operator) => {
      days(operator, 1)
      serving(operator, '/log/registry/tile/0/', flipped)
    },
    [],
  ],
  [
    'tiles_wrong',
    'a tile is not served',
    (operator) => {
      days(operator, 1)
      serving(operator, '/log/registry/tile/0/', gone)
    },
    [],
  ],
  [
    'tiles_wrong',
    'a tile above the leaves is altered',
    (operator) => {
      days(operator, 260)
      serving(operator, '/log/registry/tile/1/', flipped)
    },
    [],
  ],
  [
    'entry_missing',
    'entries are not served',
    (operator) => {
      days(operator, 1)
      serving(operator, '/log/registry/tile/entries/', gone)
    },
    [],
  ],
  [
    'entry_altered',
    'an entry is altered',
    (operator) => {
      days(operator, 1)
      serving(operator, '/log/registry/tile/entries/', flipped)
    },
    [],
  ],
  [
    'entry_unknown',
    'an entry of no known kind',
    (operator) => operator.append({ schema: 'price-gift/1' } as unknown as RegistryEntry, operator.registry.state),
    ['entry'],
  ],
  [
    'entry_unknown',
    'bytes that are not text, in the figures log',
    (operator) => operator.release(Uint8Array.of(255, 254), aStateOfNothing()),
    ['entry'],
  ],
  [
    'figures_wrong',
    'a figure moves without a change',
    (operator) =>
      operator.release(
        ...firstRelease(1)
          .toSpliced(2, 1)
          .map((entry, i) => ('seq' in entry ? { ...entry, seq: 1 + i } : entry)),
      ),
    ['entry'],
  ],
  [
    'figures_wrong',
    'a release of figures that does not end',
    (operator) => {
      operator.figuresAt = { index: 0, size: 1 }
      operator.release(...firstRelease(1).slice(0, -1))
    },
    ['entry'],
  ],
  [
    'figures_wrong',
    'sample figures become published figures',
    (operator) => {
      operator.release(...firstRelease(1, aState({ data_class: 'sample' })))
      operator.release(aState({ release_id: '2026-10-07.1' }))
    },
    ['entry'],
  ],
  [
    'answer_stale',
    'figures from before the last release',
    (operator) => {
      operator.figuresAt = { index: 0, size: 1 }
      operator.release(...firstRelease(1))
    },
    ['entry'],
  ],
  [
    'head_from_future',
    'figures of a year that has not come',
    (operator) => operator.release(...firstRelease(1, aState({ recorded_at: '2099-01-01T00:00:00.000Z' }))),
    ['entry'],
  ],
  [
    'answer_unverified',
    'another figure than the one that stands',
    (operator) => {
      operator.release(...firstRelease(1))
      serving(operator, '/api/figures', edited('"w":0.48', '"w":0.84'))
    },
    [],
  ],
  ['release_id_reused', 'a second release of one name', ({ registry }) => registry.publish([], LAB), ['entry']],
  [
    'revision_out_of_order',
    'revision 2 after revision 3',
    ({ registry }) => {
      registry.publish(rows, { ...LAB, release_id: 'cms-clfs:2026C:3', supersedes: FIRST })
      registry.publish(rows, { ...LAB, release_id: 'cms-clfs:2026C:2', supersedes: 'cms-clfs:2026C:3' })
    },
    ['entry'],
  ],
  [
    'withdrawal_unfounded',
    'a release is withdrawn twice',
    ({ registry }, first) => registry.withdraw(first).withdraw(first),
    ['entry'],
  ],
  [
    'move_unfounded',
    'a provider is moved to a file that does not name it',
    ({ registry }) => registry.move('1234567893', 'hospital-mrf:1234567893'),
    ['entry'],
  ],
  ['supersedes_wrong', 'no predecessor is named', ({ registry }) => registry.publish(rows, NEXT), ['entry']],
  [
    'state_wrong',
    'a withdrawal has no effect',
    (operator) => {
      const { state } = operator.registry
      const { recorded_at } = state
      const withdrawn = { release_id: FIRST, chart: LAB.chart, reason: 'wrong_source', recorded_at }
      operator.append({ schema: WITHDRAWAL_SCHEMA, ...withdrawn }, state)
    },
    ['entry'],
  ],
  [
    'state_missing',
    'a release without a state',
    (operator) =>
      operator.append({
        ...new MemoryRelease(rows, { ...NEXT, supersedes: FIRST }).manifest,
        recorded_at: operator.registry.now,
      }),
    ['entry'],
  ],
  [
    'time_backwards',
    'a state of an hour before',
    (operator) => {
      const { registry } = operator
      registry.now = new Date(Date.parse(registry.now) - 3_600_000).toISOString()
      days(operator, 1)
    },
    ['entry'],
  ],
  [
    'time_backwards',
    'a clock that goes back five seconds at a time',
    (operator) => {
      const { registry } = operator
      for (let i = 0; i < 2; i++) {
        registry.now = new Date(Date.parse(registry.now) - 5_000).toISOString()
        days(operator, 1)
      }
    },
    ['entry'],
  ],
  [
    'head_from_future',
    'a state of tomorrow',
    (operator) => {
      operator.registry.now = new Date(Date.now() + 86_400_000).toISOString()
      days(operator, 1)
    },
    ['entry'],
  ],
]
