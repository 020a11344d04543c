// Figures logs whose entries follow from those before them, and some of operators who lie.

import type { FiguresState } from '../../src/proof/figures.ts'
import { aFigure, aNoisedState, aState, aStateOfNothing, firstRelease } from '../../src/proof/figures-fixture.ts'
import type { VectorOf } from './vector.ts'

const LATER = '2026-11-03T00:00:00.000Z'
const after = (time: string, ms: number): string => new Date(Date.parse(time) + ms).toISOString()
const { metrics, ...state } = aState()
const first = firstRelease(1)
/** A later release at which one rate moved, as the tenth entry and the one after it. */
const moved = {
  ...(first[0] as object),
  seq: 9,
  release_id: '2026-11-03.1',
  released_at: LATER,
  old: 0.48,
  old_as_of: state.as_of,
  new: 0.5,
  new_as_of: LATER,
  reason: 'scheduled',
}
const later = aState({
  release_id: '2026-11-03.1',
  as_of: LATER,
  metrics: { ...metrics, w: aFigure(0.5, { as_of: LATER }) },
  recorded_at: after(LATER, 1_000),
})
const log: readonly object[] = [aStateOfNothing(), ...first, moved, later]

const { length } = log
const QUIET = '2026-12-01T00:00:00.000Z'
const quiet = aState({ ...later, release_id: '2026-12-01.1', as_of: QUIET, recorded_at: after(QUIET, 1_000) })
/** The log with one more state; and the log whose last release is another one. */
const ending = (last: Partial<FiguresState>): readonly object[] => [...log, { ...quiet, ...last }]
const moving = (last: Partial<FiguresState>, change: object = {}): readonly object[] => [
  ...log.slice(0, 9),
  { ...moved, ...change },
  { ...later, ...last },
]
const w = later.metrics.w
const defined = (given: object) => ({ metrics: { ...later.metrics, ...given } }) as Partial<FiguresState>
const NEW_RULE = { sdc_rule_version: '2.0.0' }
const REDEFINED = defined({ w: { ...w, definition: 'Another thing' } })
const NOISE = { mechanism: 'discrete_laplace', epsilon: '1.0', windows: 'disjoint' }
const noised = firstRelease(1, aState({ noise: NOISE }))

/** A release at which each figure is decided anew: what stands before it, and its first place. */
function wholeRelease(before: FiguresState, state: FiguresState, place: number): object[] {
  const olds = firstRelease(place, before) as { new: unknown; new_as_of: string }[]
  return firstRelease(place, state).map((entry, i) => {
    if (entry === state) return entry
    const metric = (entry as { metric: keyof FiguresState['metrics'] }).metric
    const old_as_of = before.metrics[metric]?.as_of ?? before.metrics.r.as_of
    return { ...entry, old: olds[i]?.new, old_as_of, reason: 'method_change' }
  })
}
const dated = (state: FiguresState, as_of: string, release_id: string): FiguresState => ({
  ...state,
  release_id,
  as_of,
  metrics: Object.fromEntries(
    Object.entries(state.metrics).map(([metric, figure]) => [metric, { ...figure, as_of }]),
  ) as unknown as FiguresState['metrics'],
  recorded_at: after(as_of, 1_000),
})
const NEXT = '2027-01-05T00:00:00.000Z'
const AFTER_NEXT = '2027-04-06T00:00:00.000Z'
const series = dated(aNoisedState(), NEXT, '2027-01-05.1')
const begun = [...log, ...wholeRelease(later, series, length)]
const second = dated(aNoisedState(), AFTER_NEXT, '2027-04-06.1')
const continued = (given: Partial<FiguresState>): readonly object[] => [
  ...begun,
  ...wholeRelease(series, { ...second, ...given }, begun.length),
]
const exact = dated(aState({ exact: true }), AFTER_NEXT, '2027-04-06.1')
const ended = begun.length + 7

const cases: [name: string, entries: readonly object[], faults: number[]][] = [
  ['a log without entries', [], []],
  ['nothing was released yet', [aStateOfNothing()], []],
  ['a release, and one at which one figure moved', log, []],
  ['a release at which nothing moved', [...log, quiet], []],
  ['a value moves without a change', log.toSpliced(9, 1), [9]],
  ['a state keeps a value that was changed', log.with(10, { ...later, metrics }), [10]],
  ['a count moves without a change', log.with(10, { ...later, cases_floor10: 730 }), [10]],
  ['a change forgets what was before', log.with(9, { ...moved, old: 0.47 }), [9]],
  ['a change forgets when that was', log.with(9, { ...moved, old_as_of: LATER }), [9]],
  ['a change is dated back', log.with(9, { ...moved, new_as_of: state.as_of }), [9, 10]],
  ['a change is of another release than its state', log.with(9, { ...moved, release_id: '2026-11-03.2' }), [10]],
  ['a change is of another rule than its state', log.with(9, { ...moved, sdc_rule_version: '2.0.0' }), [10]],
  ['a change is at another place than it says', log.with(9, { ...moved, seq: 8 }), [9]],
  [
    'a figure moves twice in one release',
    [...log.slice(0, 10), { ...moved, seq: 10, old: 0.5, old_as_of: LATER }, later],
    [10],
  ],
  ['a release has no state', log.slice(0, -1), [length - 1]],
  ['a log begins with a change', log.slice(1), [0, 1, 2, 3, 4, 5, 6, 7, 8]],
  ['nothing was released, again', [...log, { ...aStateOfNothing(), recorded_at: quiet.recorded_at }], [length]],
  ['a release twice', [...log, later], [length]],
  ['a release goes back in time', [...log, aState({ ...later, release_id: 'x', as_of: state.as_of })], [length]],
  ['a state is five seconds behind the one before it', ending({ as_of: LATER, recorded_at: after(LATER, -4_000) }), []],
  [
    'a state is more than five seconds behind the one before it',
    ending({ as_of: LATER, recorded_at: after(LATER, -4_001) }),
    [length],
  ],
  [
    'a clock goes back in small steps',
    [
      ...log,
      { ...quiet, as_of: LATER, recorded_at: after(LATER, -4_000) },
      { ...quiet, as_of: LATER, release_id: '2026-12-01.2', recorded_at: after(LATER, -4_001) },
    ],
    [length + 1],
  ],
  ['a state is five seconds behind its release', ending({ recorded_at: after(QUIET, -5_000) }), []],
  ['a state is more than five seconds behind its release', ending({ recorded_at: after(QUIET, -5_001) }), [length]],
  ['published figures become sample figures', ending({ data_class: 'sample' }), []],
  ['sample figures become published figures', [...log.with(10, { ...later, data_class: 'sample' }), quiet], [length]],
  ['the rule is another one, and nothing moved', ending(NEW_RULE), []],
  ['a definition is another one, and nothing moved', ending(REDEFINED), [length]],
  ['a definition is another one with the rule, and nothing moved', ending({ ...REDEFINED, ...NEW_RULE }), [length]],
  ['a definition is another one with the figure alone', moving(REDEFINED), [10]],
  ['a definition is another one with the rule and the figure', moving({ ...REDEFINED, ...NEW_RULE }, NEW_RULE), []],
  [
    'a definition of another figure is another one with the rule',
    moving({ ...defined({ r: { ...later.metrics.r, definition: 'Another thing' } }), ...NEW_RULE }, NEW_RULE),
    [10],
  ],
  [
    'a definition is another one at the first release',
    [aStateOfNothing(), ...firstRelease(1, aState({ metrics: { ...metrics, w: { ...metrics.w, definition: 'W' } } }))],
    [],
  ],
  [
    'a reason is another one, and nothing moved',
    ending(defined({ p: { ...metrics.p, reason: 'dominance' } })),
    [length],
  ],
  [
    'a reason is another one, and a change says so',
    [
      ...log,
      {
        ...moved,
        seq: length,
        metric: 'p',
        old: null,
        new: null,
        release_id: quiet.release_id,
        released_at: QUIET,
        new_as_of: QUIET,
      },
      { ...quiet, ...defined({ p: { ...metrics.p, reason: 'dominance', as_of: QUIET } }) },
    ],
    [],
  ],
  ['noise begins at a later release', moving({ noise: NOISE }), [10]],
  ['noise is there from the first release on', [aStateOfNothing(), ...noised, moved, { ...later, noise: NOISE }], []],
  ['noise ends', [aStateOfNothing(), ...noised, moved, later], [10]],
  [
    'noise is another one with a change',
    [aStateOfNothing(), ...noised, moved, { ...later, noise: { ...NOISE, epsilon: '2.0' } }],
    [],
  ],
  [
    'noise is another one, and nothing moved',
    [
      aStateOfNothing(),
      ...noised,
      moved,
      { ...later, noise: NOISE },
      { ...quiet, noise: { ...NOISE, epsilon: '2.0' } },
    ],
    [length],
  ],
  ['a series with noise begins: another rule, and a change of every figure', begun, []],
  [
    'a series with noise begins, and one figure did not move',
    [...log, ...wholeRelease(later, series, length).toSpliced(6, 1)],
    [length + 6],
  ],
  [
    'noise begins with a change of every figure, under the same rule',
    [...log, ...wholeRelease(later, { ...series, sdc_rule_version: '1.0.0' }, length)],
    [length + 7],
  ],
  ['a series with noise continues', continued({}), []],
  ['the unit is another one within a series', continued({ unit: 'person' }), [ended]],
  [
    'noise ends without a new rule',
    [...begun, ...wholeRelease(series, { ...exact, sdc_rule_version: '2.0.0' }, begun.length)],
    [ended],
  ],
  ['a series of exact figures begins', [...begun, ...wholeRelease(series, exact, begun.length)], []],
  ['exact figures are marked from some release on', ending({ exact: true }), []],
  [
    'exact figures lose their mark',
    [...ending({ exact: true }), { ...quiet, release_id: 'x', as_of: NEXT, recorded_at: after(NEXT, 1_000) }],
    [length + 1],
  ],
  ['an entry of another kind at the end', [...log, { schema: 'registry-state/1' }], [length, length + 1]],
  ['a state of another shape at the end', [...log, { ...quiet, cases_floor10: 725 }], [length, length + 1]],
  ['an entry of another kind', [...log, { schema: 'registry-state/1' }, later], [length, length + 1]],
]

export const replays: VectorOf<'replay'>[] = cases.map(([name, entries, faults]) => ({
  name,
  kind: 'replay',
  entries: entries.map((entry) => JSON.stringify(entry)),
  expect: { ok: true, faults },
}))
