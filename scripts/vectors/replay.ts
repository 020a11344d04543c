// Figures logs whose entries follow from those before them, and some of operators who lie: which entries are faults.

import { NOISE, NOISED, NOTHING, released, STATE } from './figures-log.ts'
import { changed, type Members, membersIn } from './operators.ts'
import { type Line, named, tableOf, vectorsOf, wordsIn } from './table.ts'

type Entries = readonly object[]
/** Words of the tables may have members set after a colon: `STATE:w=1`. */
const set = (entry: object, members: string): object => (members === '' ? entry : changed(entry, membersIn(members)))

const NO_COUNTS = { cases_floor10: null, settlements_floor10: null }
const FIRST = changed(STATE, NO_COUNTS)
const BLURRED = changed(NOISED, { ...NO_COUNTS, counts_standard_error: null })
const RELEASED: Record<string, object> = {
  FIRST,
  NOISY: changed(FIRST, { noise: NOISE }),
  BLURRED,
  EXACT: changed(FIRST, { exact: true }),
  SAMPLE: changed(FIRST, { data_class: 'sample' }),
}
/** A log of seven entries: nothing, a change of each of the five figures, and this state. */
const five = (state: object): Entries => [NOTHING, ...released(state, 1).toSpliced(5, 2)]
const dayOf = (i: number): string => `2026-12-${i + 10}`
const dated = (state: object, day: string): object =>
  changed(state, { release_id: `${day}.1`, as_of: `${day}T00:00:00Z`, recorded_at: `${day}T00:00:01Z` })

/** Members that later states have too, as they are not of changes and times. */
const LASTING = /definition|reason|noise|unit|exact|class|rule/
/** Goes on after a release with states at which nothing moved: one for each line, with these members otherwise. */
function quiet(state: object, lines: readonly string[][]): Entries {
  let before = state
  const states = lines.map(([, members = ''], i) => {
    const made = set(dated(before, dayOf(i)), members)
    const lasting = members.split('&').filter((each) => LASTING.test(each))
    before = set(before, lasting.join('&'))
    return made
  })
  return [...five(state), ...states]
}

/** Goes on after a release with releases at which `w` moved: its change and its state have these members otherwise. */
function moving(state: object, lines: readonly string[][]): Entries {
  const entries: object[] = [...five(state)]
  let before: Members = { new: 0.48, new_as_of: '2026-10-06T00:00:00Z' }
  for (const [i, [, ofChange = '', ofState = '']] of lines.entries()) {
    const [value, as_of] = [0.5 + i / 100, `${dayOf(i)}T00:00:00Z`]
    before = {
      ...{ seq: entries.length, release_id: `${dayOf(i)}.1`, released_at: as_of, metric: 'w', old: before['new'] },
      ...{
        old_as_of: before['new_as_of'],
        new: value,
        new_as_of: as_of,
        reason: 'scheduled',
        sdc_rule_version: '1.0.0',
      },
      ...membersIn(ofChange),
    }
    entries.push(
      before,
      set(changed(dated(state, dayOf(i)), { 'metrics.w.value': value, 'metrics.w.as_of': as_of }), ofState),
    )
  }
  return entries
}

/** The log that a table makes: the first cell of each of its lines says which of the entries of the line is a fault. */
function logBy(what: string, after: string, goes: typeof quiet, text: string): Line<Entries> {
  const lines = text
    .trim()
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()))
  const step = goes === quiet ? 1 : 2
  const faults = lines.flatMap(([marks = ''], i) =>
    wordsIn(marks).map((mark) => 7 + step * i + (mark === 'state' ? step - 1 : 0)),
  )
  return [what, goes(named(RELEASED, after), lines), { faults }]
}

/** A release at which each figure and count is decided anew, from the place 7 on. */
function series(state: object, before: object): Entries {
  const as_of = '2027-01-05T00:00:00Z'
  const figures = Object.fromEntries(Object.keys(STATE.metrics).map((name) => [`metrics.${name}.as_of`, as_of]))
  const olds = released(before, 7)
  return released(changed(dated(state, '2027-01-05'), figures), 7).map((entry, i) => {
    const old_as_of = i < 5 ? '2026-10-06T00:00:00Z' : null
    return i === 7 ? entry : { ...entry, old: olds[i]?.['new'], old_as_of, reason: 'method_change' }
  })
}

const LOG = five(FIRST)
const [MOVED, AFTER] = moving(FIRST, [[]]).slice(7) as [Members, object]
const BEGUN = series(BLURRED, FIRST)
const ONE: Record<string, object> = { NOTHING, STATE, NOISED, MOVED, AFTER }
ONE['QUIET'] = dated(FIRST, dayOf(0))
ONE['CHANGE'] = LOG[1] as object
ONE['UNKNOWN'] = { schema: 'registry-state/1' }
const AGAIN = 'seq=8&old=0.5&old_as_of="2026-12-10T00:00:00Z"&new=0.6'
const MANY: Record<string, Entries> = {
  LOG,
  SAMPLE: five(named(RELEASED, 'SAMPLE')),
  ALL: released(changed(STATE, { 'metrics.w.definition': 'B' }), 1),
  BEGUN,
  'BEGUN-BUT-ONE': BEGUN.toSpliced(6, 1),
  'BEGUN-UNDER-THE-SAME-RULE': series(changed(BLURRED, { sdc_rule_version: '1.0.0' }), FIRST),
  BLURRED: five(BLURRED),
  EXACT: series(changed(named(RELEASED, 'EXACT'), { sdc_rule_version: '3.0.0' }), BLURRED),
  // The second, third and fourth change of one release name other ones.
  MIXED: LOG.with(2, set(LOG[2] as object, 'release_id="2026-10-06.2"'))
    .with(3, set(LOG[3] as object, 'sdc_rule_version="2.0.0"'))
    .with(4, set(LOG[4] as object, 'released_at="2026-10-05T00:00:00Z"&new_as_of="2026-10-05T00:00:00Z"')),
}

/** A state that cannot be the first is a fault at the place 0. If it is no state at all, the log has no end either. */
const TABLE = `
= {"faults":[]}
a log without entries |
nothing was released yet | NOTHING
a first release with all its counts, and with another definition | NOTHING ALL
a change of what is no figure of a state | LOG MOVED:metric="other"&old=null&old_as_of=null QUIET
a series with noise begins: another rule, and a change of every figure | LOG BEGUN
a series of exact figures begins | BLURRED EXACT
= {"faults":[0]}
a log begins with a release | STATE
a log begins with a release under rule 2 | NOISED
such a state with | NOISED:$1 | for unit="person" median_band.high=null cases_floor10=null&settlements_floor10=null&counts_standard_error=null
= {"faults":[0,1]}
a log begins with a change | CHANGE:seq=0
a state without | STATE:$1= | for schema release_id as_of data_class sdc_rule_version metrics cases_floor10 recorded_at metrics.w.value metrics.w.suppressed metrics.w.as_of
a state with | STATE:$1 | for more=1 metrics.w.more=1 metrics.cases=null cases_floor10=725 metrics.w.value=1.01 metrics.savings_total.value=126000 metrics.savings_total.value="126000" metrics.p.value=0.8 metrics.w.reason="small_cell" metrics.p.reason=null metrics.w.definition="a\\nb" release_id=null data_class=null schema="figures-state/2" exact=false noise={"mechanism":"a","epsilon":"1"} metrics.w.standard_error=0.01 recorded_at="2026-02-30T00:00:00Z" recorded_at="2026-10-06T00:00:00+00:00"
a state of rule 2 with | NOISED:$1 | for unit= metrics.w.standard_error= metrics.w.standard_error=null metrics.p.standard_error=0.1 unit="household" noise= counts_standard_error=null exact=true cases_floor10=null&settlements_floor10=null
nothing with | NOTHING:$1 | for cases_floor10=10 as_of="2026-10-06T00:00:00Z"
= {"faults":[1]}
nothing was released, again | NOTHING NOTHING:recorded_at="2026-10-06T00:00:01Z"
= {"faults":[2,3,4,6]}
changes of one release that name others | MIXED
= {"faults":[7]}
a value moves without a change | LOG AFTER
sample figures become published figures | SAMPLE QUIET
= {"faults":[7,8]}
an entry of another kind at the end | LOG UNKNOWN
a state of another shape at the end | LOG QUIET:cases_floor10=725
= {"faults":[8]}
a release has no state | LOG MOVED
a figure moves twice in one release | LOG MOVED MOVED:${AGAIN} AFTER:metrics.w.value=0.6
an entry of another kind before the state of a release, which ends nothing | LOG MOVED UNKNOWN AFTER
= {"faults":[13]}
a series begins, and one figure did not move | LOG BEGUN-BUT-ONE
= {"faults":[14]}
a series begins under the same rule | LOG BEGUN-UNDER-THE-SAME-RULE
`
const entriesOf = (cell = ''): Entries =>
  wordsIn(cell).flatMap((word) => {
    const [part = '', members = ''] = word.split(/:(.*)/)
    return members === '' && part in MANY ? named(MANY, part) : [set(named(ONE, part), members)]
  })

const lines: Line<Entries>[] = [
  ...tableOf(TABLE).map(([name, [cell], expected]): Line<Entries> => [name, entriesOf(cell), expected]),
  logBy(
    'states at which nothing moved: values, times and releases',
    'FIRST',
    quiet,
    `
    fault | cases_floor10=720
    fault | settlements_floor10=0
    fault | metrics.w.value=0.49
    fault | metrics.w.as_of="2026-10-06T00:00:00.000Z"
    fault | as_of="2026-12-12T00:00:00Z"
    fault | release_id="2026-12-14.1"
    | recorded_at="2026-12-15T23:59:55Z"
    fault | recorded_at="2026-12-16T23:59:54.999Z"
    | as_of="2026-12-18T00:00:00Z"&recorded_at="2026-12-19T00:00:06.5Z"
    fault | as_of="2026-12-18T00:00:00.000Z"&recorded_at="2026-12-19T00:00:06Z"
    | as_of="2026-12-18T00:00:00Z"&recorded_at="2026-12-19T00:00:01.5Z"
    fault | as_of="2026-12-18T00:00:00Z"&recorded_at="2026-12-19T00:00:01.499Z"
    | recorded_at="2026-12-21T24:00:00Z"`,
  ),
  logBy(
    'states at which nothing moved: what figures mean',
    'FIRST',
    quiet,
    `
    fault | metrics.w.definition="B"
    fault | metrics.w.definition="C"&sdc_rule_version="2.0.0"
    | sdc_rule_version="3.0.0"
    fault | metrics.p.reason="dominance"
    | exact=true
    fault | exact=
    fault | noise={"mechanism":"a","epsilon":"1","windows":"b"}
    fault | noise={"mechanism":"a","epsilon":"2","windows":"b"}
    fault | noise=
    | data_class="sample"
    fault | data_class="published"`,
  ),
  logBy(
    'states at which nothing moved: rule 2',
    'BLURRED',
    quiet,
    `
    fault | unit="person"
    fault | unit="case"&sdc_rule_version="3.0.0"
    fault | noise.epsilon="2"
    fault | metrics.p.reason="dominance"`,
  ),
  logBy(
    'releases of one change',
    'FIRST',
    moving,
    `
    | |
    change | seq=8 |
    change | old=0.47 |
    change | old=null |
    change | old_as_of="2026-10-05T00:00:00Z" |
    change | old_as_of=null |
    change state | new_as_of="2026-11-30T00:00:00Z" |
    state | release_id="2026-12-16.2" |
    state | sdc_rule_version="2.0.0" |
    state | released_at="2026-12-18T00:00:01Z"&new_as_of="2026-12-18T00:00:01Z" | metrics.w.as_of="2026-12-18T00:00:01Z"
    state | new="many" |
    state | | metrics.w.value=0.7
    | new=null | metrics.w.value=null&metrics.w.suppressed=true&metrics.w.reason="dominance"
    state | | cases_floor10=720
    | sdc_rule_version="2.0.0" | sdc_rule_version="2.0.0"&metrics.w.definition="B"
    | |
    change state | metric={} |`,
  ),
  logBy(
    'releases of one change: what figures mean',
    'NOISY',
    moving,
    `
    | | noise.epsilon="1"
    state | | metrics.w.definition="B"
    | sdc_rule_version="2.0.0" | sdc_rule_version="2.0.0"&metrics.w.definition="C"&noise.mechanism="a"
    state | | noise=`,
  ),
  logBy(
    'releases of one change: what another figure means',
    'FIRST',
    moving,
    `
    state | sdc_rule_version="2.0.0" | sdc_rule_version="2.0.0"&metrics.r.definition="B"`,
  ),
]

export const replays = vectorsOf('replay', lines, (entries) => ({
  entries: entries.map((entry) => JSON.stringify(entry)),
}))
