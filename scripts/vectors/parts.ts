// The parts of a proof alone: sets of leaves, rows, and what the entries of a registry log come to.

import { toBase64, utf8 } from '../../src/proof/bytes.ts'
import { canonical } from '../../src/proof/canonical-json.ts'
import type { RegistryEntry } from '../../src/proof/price/release.ts'
import { leafOf, standingAfter, stateOf } from '../../src/proof/price/timeline.ts'
import { setOf } from '../../src/proof/proof-fixture.ts'
import { aFee, aPlace, aRow, MemoryRelease } from '../../src/proof/registry-fixture.ts'
import { HashTree } from '../../src/proof/tree/hash-tree.ts'
import { leafHash } from '../../src/proof/tree/merkle.ts'
import { changed, flipped, membersIn, respelled } from './operators.ts'
import { all, type Line, named, tableOf, vectorsOf, wordsIn } from './table.ts'
import { charge, NPI, SHORT } from './world.ts'

interface Shown {
  size: number
  root: string
  leaves: [number, unknown][]
  hashes: string[]
}
/** A tree whose leaves are the numbers up to its size, and some of them. */
function shown(size: number, ...indexes: number[]): Shown {
  const numbers = Array.from({ length: size }, (_, i) => i)
  const tree = new HashTree(numbers.map(leafOf))
  const { leaves = [], hashes = [] } = setOf(tree, numbers, indexes) ?? {}
  return { size, root: toBase64(tree.root), leaves, hashes }
}
const sizes = Array.from({ length: 20 }, (_, i) => i + 1)
const SEVEN = shown(7, 2, 5)
const [H0 = '', ...HS] = SEVEN.hashes
export const sets = vectorsOf(
  'set',
  [
    ...all(
      {},
      Object.fromEntries(sizes.map((size) => [`one leaf of ${size}`, shown(size, (size * 7) % size || size - 1)])),
    ),
    ...all(
      {},
      Object.fromEntries(
        sizes.slice(2).map((size) => [`three leaves of ${size}`, shown(size, 0, size >> 1, size - 1)]),
      ),
    ),
    ...all({}, { 'all leaves of 5': shown(5, 0, 1, 2, 3, 4), 'leaves 1 and 4 of 5': shown(5, 1, 4) }),
    ...all('row_not_in_release', {
      'another size': { ...SEVEN, size: 6 },
      'another root': { ...SEVEN, root: shown(8).root },
      'a root in another spelling': { ...SEVEN, root: respelled(SEVEN.root) },
      'another leaf': {
        ...SEVEN,
        leaves: [
          [2, 3],
          [5, 5],
        ] as Shown['leaves'],
      },
      'another index': {
        ...SEVEN,
        leaves: [
          [2, 2],
          [4, 5],
        ] as Shown['leaves'],
      },
      'leaves backwards': { ...SEVEN, leaves: SEVEN.leaves.toReversed() },
      'a leaf twice': { ...SEVEN, leaves: [[2, 2], ...SEVEN.leaves] as Shown['leaves'] },
      'a leaf past the end': { ...SEVEN, leaves: [...SEVEN.leaves, [7, 7]] as Shown['leaves'] },
      'no leaf': { ...SEVEN, leaves: [] },
      'no leaf of no tree': { size: 0, root: toBase64(new HashTree([]).root), leaves: [], hashes: [] },
      'hashes backwards': { ...SEVEN, hashes: SEVEN.hashes.toReversed() },
      'one hash too few': { ...SEVEN, hashes: HS },
      'one hash too many': { ...SEVEN, hashes: [...SEVEN.hashes, H0] },
      'one bit of a hash': { ...SEVEN, hashes: [flipped(H0), ...HS] },
      'a hash in another spelling': { ...SEVEN, hashes: [respelled(H0), ...HS] },
    }),
  ],
  (given) => given,
)

const RELEASES: Record<string, object> = Object.fromEntries(
  ['cms-pfs', 'cms-clfs', 'zip-locality', `hospital-mrf:${NPI}`, 'cms-other'].map((chart) => [
    chart.split(':')[0] as string,
    new MemoryRelease([], { ...SHORT, chart, ...(chart.includes(':') && { providers: [NPI] }) }).manifest,
  ]),
)
const ROWS: Record<string, object> = {
  FEE: aFee({ code: '99213' }),
  LAB: aRow({ code: '80053', modifier: 'QW' }),
  DRUG: aRow({ code: 'J0881', basis: 'medicare_asp', price: { amount: '5.375', currency: 'USD', per: '0.5 MG' } }),
  ABSENCE: aRow({ code: '99070', kind: 'absence', basis: 'medicare_pfs' }),
  FACTOR: aRow({ code: '00000', kind: 'rate', basis: 'medicare_anesthesia' }),
  CHARGE: charge('99213', '150.00', {
    basis: 'hospital_payer',
    payer: 'aetna/commercial',
    modifier: '25-50',
    setting: 'outpatient',
    class: 'facility',
  }),
  RANGE: charge('0001U', '1.00', { price: { low: '9.00', high: '10.00', currency: 'USD', per: null } }),
  PLACE: aPlace('60611', 'US-IL-16'),
  PART: { ...aPlace('60701', null, '0001-0499'), rural: true, bidding_area: 'CBA-1A2B3C4D' },
}
/** Name, row with members set after a colon, and the release that it is said to be of. What follows `=` is its key. */
const ROW_TABLE = `
= {"key":"99213|national||medicare_pfs|||non_facility|"}
a fee | FEE
a fee of its release | FEE | cms-pfs
= {"key":"80053|national||medicare_clfs||QW||"}
a laboratory fee with a modifier | LAB
= {"key":"J0881|national||medicare_asp||||"}
a drug by its unit | DRUG
= {"key":"99070|national||medicare_pfs||||"}
an absence | ABSENCE
= {"key":"00000|national||medicare_anesthesia||||"}
a factor | FACTOR
= {"key":"99213|national|${NPI}|hospital_payer|aetna/commercial|25-50|outpatient|facility"}
a charge of a hospital, by its payer and class | CHARGE | hospital-mrf
= {"key":"0001U|national|${NPI}|hospital_cash||||"}
a range | RANGE
= {"key":"60611|"}
a place | PLACE | zip-locality
= {"key":"60701|0001-0499"}
a part of a ZIP code | PART
= row_malformed
a fee without | FEE:$1= | for kind code region npi basis payer modifier setting class effective_from flags derivation indicators locator price
a fee with | FEE:$1 | for more=1 cpt="99213" kind="rates" code="99213A" code="992" code="g0101" region="US" region="us-il" region="US-IL-1" npi="3234567893" basis="medicare" payer="" payer="Aetna/commercial" payer="aetna" modifier="" modifier="26-" modifier="2" setting="office" class="x" effective_from="2026-02-29" effective_from="2026-7-1" flags=["A"] flags={} reason="bundled" locator=[{"citation":0}] locator=[{"citation":0,"line":0}] indicators={"x":"1"} indicators={"status":1} derivation={} price.currency="EUR" price.per="month" price.amount="0.00" price.amount="01.00" price.amount="1.0" price.amount="1.000" price.amount="1.2500" price.amount=1 price.amount="-1.00" price.low="1.00"
a range with | RANGE:$1 | for price.low="10.00" price.low="11.00" price.high= price.amount="9.50"
an absence with | ABSENCE:$1 | for price={"amount":"1.00","currency":"USD","per":null} reason="unknown" reason=
a place with | PLACE:$1 | for zip="6061" zip=60611 plus_four="1-2" region="US-IL" state="Illinois" rural=null rural="true" bidding_area="CBA-1a2b3c4d" plus_four= state= more=1
= row_not_of_release
a row of another chart: | $1 | $2 | for FEE:cms-clfs FEE:zip-locality FEE:cms-other PLACE:cms-pfs CHARGE:cms-pfs FEE:hospital-mrf
a row with | FEE:$1 | cms-pfs | for effective_from="2026-10-01" npi="${NPI}" class="facility" kind="rate" derivation.method="verbatim/1"
a charge of another provider | CHARGE:npi="1679576722" | hospital-mrf
= locator_not_cited
a row with a locator of | FEE:locator=$1 | cms-pfs | for [] [{"citation":1,"line":1}]
`
export const rows = vectorsOf(
  'row',
  tableOf(ROW_TABLE).map(([name, [cell = '', of = ''], expected]): Line<object> => {
    const [word = '', members = ''] = cell.split(/:(.*)/)
    const row = members === '' ? named(ROWS, word) : changed(named(ROWS, word), membersIn(members))
    const leaf_hash = toBase64(leafHash(utf8(canonical(row))))
    const said = typeof expected === 'string' ? expected : { ...expected, leaf_hash }
    return [name, { row: JSON.stringify(row), ...(of && { release: JSON.stringify(named(RELEASES, of)) }) }, said]
  }),
  (given) => given,
)

const AT = '2026-07-01T00:00:00Z'
const HERE = `hospital-mrf:${NPI}`
const manifest = (chart: string, given: object): object =>
  new MemoryRelease([], { ...SHORT, chart, recorded_at: AT, ...given }).manifest
const move = { schema: 'provider-move/1', npi: NPI, chart: HERE, reason: 'wrong_file', recorded_at: AT }
/** Entries by their words. A quarter follows the word of a chart's edition, and a revision after that. */
const ENTRIES: Record<string, object> = {
  A: manifest('cms-pfs', { edition: 'A', effective_from: '2026-01-01', effective_to: '2026-06-30' }),
  A2: manifest('cms-pfs', {
    ...{ edition: 'A', release_id: 'cms-pfs:A:2', supersedes: 'cms-pfs:A:1' },
    ...{ effective_from: '2026-02-01', effective_to: '2026-06-30' },
  }),
  B: manifest('cms-pfs', {
    edition: 'B',
    effective_from: '2026-04-01',
    effective_to: '2026-09-30',
    supersedes: 'cms-pfs:A:1',
  }),
  Q: manifest('cms-pfs-qpp', { edition: 'A', effective_from: '2026-01-01', effective_to: '2026-06-30' }),
  HERE: manifest(HERE, { edition: 'A', providers: [NPI], effective_from: '2026-01-01', effective_to: '2026-12-31' }),
  MOVE: move,
  'NOT-A': {
    schema: 'price-withdrawal/2',
    release_id: 'cms-pfs:A:1',
    chart: 'cms-pfs',
    reason: 'wrong_source',
    recorded_at: AT,
  },
  'NOT-B': {
    schema: 'price-withdrawal/2',
    release_id: 'cms-pfs:B:1',
    chart: 'cms-pfs',
    reason: 'wrong_source',
    recorded_at: AT,
  },
}
const entriesOf = (cell: string): object[] =>
  wordsIn(cell).map((word) => {
    const [name = '', members = ''] = word.split(/:(.*)/)
    return members === '' ? named(ENTRIES, name) : changed(named(ENTRIES, name), membersIn(members))
  })

/** Name, entries, periods (entry, first and last day), and the charts of the providers. */
const TIMELINES = `
nothing | | |
one edition | A | A 2026-01-01 2026-06-30 |
an edition that the next one ends | A B | A 2026-01-01 2026-03-31 B 2026-04-01 2026-09-30 |
in another order of the log | B A | A 2026-01-01 2026-03-31 B 2026-04-01 2026-09-30 |
a revision | A A2 | A2 2026-02-01 2026-06-30 |
an edition that was withdrawn | A B NOT-B | A 2026-01-01 2026-06-30 |
the first of two that was withdrawn | A B NOT-A | B 2026-04-01 2026-09-30 |
charts by their bytes | A Q | Q 2026-01-01 2026-06-30 A 2026-01-01 2026-06-30 |
a hospital and its provider | HERE | HERE 2026-01-01 2026-12-31 | ${HERE}
`
const standingOf = (cell: string, charts: string) => {
  const said = wordsIn(cell)
  const periods = Array.from({ length: said.length / 3 }, (_, i) => {
    const [word = '', from = '', to = ''] = said.slice(3 * i)
    const release = named(ENTRIES, word) as { chart: string }
    return { chart: release.chart, from, to, release: toBase64(leafOf(release)) }
  })
  const providers = wordsIn(charts).map((chart) => ({ npi: NPI, chart }))
  const { timeline_root, providers_root } = stateOf({ periods, providers }, AT)
  return { periods, providers, timeline_root, providers_root }
}
export const timelines = vectorsOf(
  'timeline',
  tableOf(TIMELINES).map(([name, [cell = '', periods = '', charts = '']]): Line<object> => {
    const made = standingOf(periods, charts)
    return [name, { entries: entriesOf(cell).map((each) => canonical(each)) }, made]
  }),
  (given) => given,
)

/** Name, entries, and their faults: the place of an entry, and its code. `+` is the state that follows. */
const REPLAYS = `
a log that begins | + | |
an edition, and the next | + A + B + | |
no state at the beginning | A + | | 0 state_missing
two entries without a state between them | + A B + | | 2 state_missing
the name of a release again | + A + A:row_count=1 + | | 3 release_id_reused
a revision | + A + A2 + | |
a predecessor that is none | + A:supersedes="cms-pfs:0:1" + | | 1 supersedes_wrong
no predecessor where there is one | + A + B:supersedes=null + | | 3 supersedes_wrong
a revision before another | + A2:supersedes=null + A:supersedes="cms-pfs:A:2" + | | 3 revision_out_of_order
a withdrawal of what was never published | + NOT-A + | | 1 withdrawal_unfounded
a withdrawal twice | + A + NOT-A + NOT-A + | | 5 withdrawal_unfounded
a move to a chart that does not name the provider | + MOVE + | | 1 move_unfounded
a move | + HERE + MOVE + | |
a clock that goes back | + A + B:recorded_at="2026-06-30T23:59:54Z" + | | 3 time_backwards
a clock that goes back a little | + A + B:recorded_at="2026-06-30T23:59:55Z" + | |
an entry that nobody knows | + A:schema="price-release/2" | | 1 entry_unknown
a state that does not follow | + A ! | | 2 state_wrong
the same state again | + A ! ! | | 2 state_wrong
`
export const registryReplays = vectorsOf(
  'registry-replay',
  tableOf(REPLAYS).map(([name, [cell = '', , faults = '']]): Line<object> => {
    const entries: object[] = []
    for (const word of wordsIn(cell)) {
      const state = stateOf(standingAfter(entries as RegistryEntry[]), AT)
      entries.push(...(word === '+' ? [state] : word === '!' ? [{ ...state, timeline_size: 9 }] : entriesOf(word)))
    }
    const [entry, code] = wordsIn(faults)
    const found = code === undefined ? [] : [{ entry: Number(entry), code }]
    return [name, { entries: entries.map((each) => canonical(each)) }, { faults: found }]
  }),
  (given) => given,
)
