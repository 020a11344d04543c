import type { Db } from '../../db/db.ts'
import { reasonForRule } from '../../proof/price/derivation.ts'
import { type Basis, isOfPrices, isPerPayer, type PricedRow, type Row, rowKey } from '../../proof/price/row.ts'
import { CHARTS, type Charts, type Comparable, chartOf, comparables, providerBases, schedulesFor } from '../charts.ts'
import { openRelease } from '../rows/release-file-store.ts'
import type { Release } from '../store.ts'
import * as store from '../store.ts'
import { besideMedicare, type ComparedRow, isDrug, type MedicareRow, ratiosTo } from './medicare-comparison.ts'
import { type Ends, endsOf } from './price-ends.ts'
import { type Findings, findingOf, note, type RuleId } from './rules.ts'
import type { Stageable } from './staging.ts'

type PriceRow = PricedRow & { kind: 'price' }
const isPrice = (row: Row): row is PriceRow => row.kind === 'price'

/** Prices to compare with. Both are asked once for each code, in the order of the codes. */
export interface Comparison {
  /** Medicare's national rows for a code, from the schedules in force. */
  medicare: (cpt: string) => Promise<readonly MedicareRow[]>
  /** Prices that other hospitals in force state for a code, one list for each of them. */
  peers: (cpt: string) => Promise<readonly (readonly Row[])[]>
  /**
   * Which of Medicare's rows a hospital's outpatient price is comparable with, the first that there is: its payment to
   * hospitals, else the laboratory's, else the whole fee where no hospital bills beside the physician. Medicare pays
   * for inpatients by the stay and not by the code: with that, nothing.
   */
  comparable: readonly Comparable[]
}

/**
 * Judges rows by R04 to R08 on their way into a release, before they are hashed. What a rule finds is counted, and the
 * row passes: one far from Medicare's price is marked so. Only what contradicts itself is withheld: in its place goes
 * the statement that it is.
 */
export async function* applyRules(rows: Stageable, comparison: Comparison, findings: Findings): AsyncGenerator<Row> {
  let known: ComparisonRows | undefined
  for await (const group of inGroups(rows)) {
    const cpt = (group[0] as Row).code
    if (known?.cpt !== cpt)
      known = { cpt, medicare: await comparison.medicare(cpt), peers: await comparison.peers(cpt) }
    yield* judge(group, known, comparison.comparable, findings)
  }
}

interface ComparisonRows {
  cpt: string
  medicare: readonly MedicareRow[]
  peers: readonly (readonly Row[])[]
}

/** The rows of one code and provider: they stand next to each other, and those of one modifier do not. */
async function* inGroups(rows: Stageable): AsyncGenerator<Row[]> {
  let group: Row[] = []
  for await (const row of rows) {
    if (!isOfPrices(row)) throw new Error('the rules are for prices')
    const first = group[0]
    if (first && !isSameService(first, row)) {
      yield group
      group = []
    }
    group.push(row)
  }
  if (group.length > 0) yield group
}

const isSameService = (a: Row, b: Row): boolean => a.code === b.code && a.region === b.region && a.npi === b.npi

function judge(
  group: readonly Row[],
  known: ComparisonRows,
  comparable: readonly Comparable[],
  findings: Findings,
): Row[] {
  const crossed = crossedRows(group, findings)
  return group.map((row) => {
    // What a payer allowed is history, and no price to be judged.
    if (!isPrice(row) || row.basis.startsWith('hospital_allowed_')) return row
    const verdict = (id: RuleId, failed: boolean): boolean => {
      weigh(findings, id, failed, row)
      return failed
    }
    if (crossed.has(row)) return withheld(row)
    const beside = besideMedicare(row, known.medicare, comparable)
    const ratios = beside && ratiosTo(row, beside)
    // Medicare's own price is the measure, and for a gene therapy that is millions.
    const far = row.npi !== null && verdict('R05', isFar(ratios) || endsOf(row.price).high > MOST)
    if (ratios && !far) verdict('R04', ratios.low < 0.2 || ratios.high > 10)
    if (!isDrug(row.code)) verdict('R06', endsOf(row.price).low < DOLLAR)
    const distance = distanceFromPeers(row, known.peers)
    if (distance !== undefined) verdict('R07', distance > 5)
    return beside && isFar(ratios) ? marked(row, beside) : row
  })
}

/** The statement that takes the place of a price that contradicts itself: where it stands, and by which rule. */
function withheld({ price: _, ...row }: PriceRow): Row {
  const rule = 'R08_min_max'
  return {
    ...row,
    kind: 'absence',
    reason: reasonForRule(rule),
    flags: [],
    indicators: {},
    derivation: { method: 'row-rule/1', inputs: { rule } },
  }
}

/** The row with what its price was compared with, so that anyone can see how far it is from that. */
const marked = (row: PriceRow, { release_id, row: { price } }: ComparedRow): Row => ({
  ...row,
  flags: [...row.flags, FAR_FLAG],
  indicators: { ...row.indicators, compared_release: release_id, compared_amount: price.amount },
})
export const FAR_FLAG = 'far_from_medicare'

const DOLLAR = 10_000
const MOST = 1_000_000 * DOLLAR

/** Rule R05. */
const isFar = (ratios: Ends | undefined): boolean => ratios !== undefined && (ratios.low < 0.05 || ratios.high > 50)

const FEWEST_PEERS = 11
/** The scale factor that makes a median deviation comparable with a standard deviation. */
const MAD_SCALE = 1.4826
/** Peers that all agree have no spread to measure by: five per cent is taken for it. */
const LEAST_SPREAD = 0.05

/** Rule R07: how many deviations a price is from the middle of its peers'; nothing when they are too few. */
function distanceFromPeers(row: PriceRow, peers: readonly (readonly Row[])[]): number | undefined {
  if (row.npi === null || row.payer !== null || peers.length < FEWEST_PEERS) return undefined
  const logs = peers.flatMap((rows) => {
    const same = rows.find(
      (each): each is PriceRow =>
        each.kind === 'price' &&
        each.basis === row.basis &&
        each.modifier === row.modifier &&
        each.setting === row.setting &&
        each.class === row.class &&
        each.price.per === row.price.per,
    )
    return same ? [middle(same)] : []
  })
  if (logs.length < FEWEST_PEERS) return undefined
  const centre = median(logs)
  const spread = Math.max(LEAST_SPREAD, median(logs.map((log) => Math.abs(log - centre))))
  return Math.abs(middle(row) - centre) / (MAD_SCALE * spread)
}

/** The logarithm of a price, of a range that of its middle. */
function middle(row: PriceRow): number {
  const { low, high } = endsOf(row.price)
  return (Math.log(Math.max(1, low)) + Math.log(Math.max(1, high))) / 2
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const half = sorted.length >> 1
  const [below = 0, above = 0] = [sorted[half - 1], sorted[half]]
  return sorted.length % 2 === 1 ? above : (below + above) / 2
}

/** Rule R08. The rows whose range cannot be: every lowest negotiated price is above every highest one. */
function crossedRows(group: readonly Row[], findings: Findings): Set<Row> {
  const crossed = new Set<Row>()
  const own = group.filter(({ payer }) => payer === null)
  for (const rows of Map.groupBy(own, (row) => `${row.modifier}|${row.setting}|${row.class}`).values()) {
    const find = (basis: Basis): PriceRow | undefined =>
      rows.find((row): row is PriceRow => isPrice(row) && row.basis === basis)
    const [cash, gross] = [find('hospital_cash'), find('hospital_gross')]
    const [lowest, highest] = [find('hospital_negotiated_low'), find('hospital_negotiated_high')]
    for (const row of [lowest, highest]) if (row) weigh(findings, 'R08', row.flags.includes('rate_outside_range'), row)
    if (cash && gross) weigh(findings, 'R08', isAbove(cash, gross), cash)
    if (!lowest || !highest) continue
    const impossible = endsOf(lowest.price).low > endsOf(highest.price).high
    for (const row of [lowest, highest]) weigh(findings, 'R08_min_max', impossible, row)
    if (impossible) crossed.add(lowest).add(highest)
    else weigh(findings, 'R08', isAbove(lowest, highest), lowest)
  }
  return crossed
}

/** Whether the first of two ranges reaches higher than the second on either side. */
function isAbove(a: PriceRow, b: PriceRow): boolean {
  const [first, second] = [endsOf(a.price), endsOf(b.price)]
  return first.low > second.low || first.high > second.high
}

/** Counts one judgement of a rule, and where it failed. */
function weigh(findings: Findings, id: RuleId, failed: boolean, row: Row): void {
  const finding = findingOf(findings, id)
  finding.evaluated = (finding.evaluated ?? 0) + 1
  if (failed) note(findings, id, row.locator[0]?.line, rowKey(row))
}

/** So many hospitals are compared with, the last published first: each costs a look for every code. */
const MOST_PEERS = 40

export interface CheckedRows {
  rows: Stageable
  /** The schedules that the rows would be compared with and that are not in force. */
  without: string[]
}

/**
 * The rows of a source as they may be staged: judged by the rules for rows, with the prices in force on `day` beside
 * them. The physician schedule passes as it is: nothing stands beside it, and its two million rows are the formula's.
 */
export async function judged(
  db: Db,
  chart: string,
  rows: Stageable,
  findings: Findings,
  day: string,
  charts: Charts = CHARTS,
): Promise<CheckedRows> {
  const rules = chartOf(chart, charts)?.rowRules ?? 'alone'
  if (rules === 'none') return { rows, without: [] }
  if (rules === 'alone') return { rows: applyRules(rows, NOTHING, findings), without: [] }
  const schedules = schedulesFor(undefined, charts).flatMap(({ chart, comparable }) => (comparable ? [chart] : []))
  const releases = await store.releasesInForce(db, day)
  return {
    rows: applyRules(rows, inForce(db, chart, charts, releases), findings),
    without: schedules.filter((schedule) => !releases.some((release) => release.chart === schedule)),
  }
}

const NOTHING: Comparison = { medicare: async () => [], peers: async () => [], comparable: [] }

function inForce(db: Db, chart: string, charts: Charts, releases: readonly Release[]): Comparison {
  const isPerProvider = ({ chart: id }: Release): boolean => chartOf(id, charts)?.perProvider === true
  const medicare = releases.filter(({ chart: id }) => (chartOf(id, charts)?.comparable ?? null) !== null)
  const hospitals = releases
    .filter((release) => release.chart !== chart && isPerProvider(release))
    .sort((a, b) => b.log_index - a.log_index)
    .slice(0, MOST_PEERS)
  const rowsUnder = (release: Release, prefix: string): Row[] =>
    openRelease(db, release)
      .rowsUnder(prefix)
      .map(({ body }) => JSON.parse(body) as Row)
  const rowsOf = (release: Release, cpt: string): Row[] => rowsUnder(release, `${cpt}|national|`)
  // A hospital has few amounts of its own and hundreds of rates of payers.
  const ownBases = providerBases(charts).filter((basis) => !isPerPayer(basis))
  const ownRowsOf = (release: Release, cpt: string): Row[] => {
    const npi = release.chart.split(':')[1]
    return ownBases.flatMap((basis) => rowsUnder(release, `${cpt}|national|${npi}|${basis}|`))
  }
  const compared = (release: Release, cpt: string): MedicareRow[] =>
    rowsOf(release, cpt).map((row) => ({ row, release_id: release.release_id }))
  return {
    medicare: async (cpt) => medicare.flatMap((release) => compared(release, cpt)),
    peers: async (cpt) => hospitals.map((release) => ownRowsOf(release, cpt)),
    comparable: comparables(charts),
  }
}
