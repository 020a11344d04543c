// A registry in memory with schedules and tables of edits for bills, and the answer of an honest service to a bill. Amounts, limits and
// pairs are invented.

import { type AdmittedLeaves, everything, SeenRegistry } from '../answer-fixture.ts'
import { aSigner } from '../fixture.ts'
import { formatPolicy, parsePolicy, type TrustPolicy } from '../note/policy.ts'
import type { NoteSigner } from '../note/signed-note.ts'
import { CHARTS } from '../price/charts.ts'
import type { AddOnRow, EditsRow, LimitRow, Pair, Primary } from '../price/edit-row.ts'
import type { Manifest } from '../price/release.ts'
import type { AnyRow } from '../price/row.ts'
import { MemoryProof } from '../proof-fixture.ts'
import { aFee, aRow, MemoryRegistry } from '../registry-fixture.ts'
import { verifyBody } from '../verify-lists.ts'
import { isBill, parseBill, type StatedBill, type StatedLine } from './bill.ts'
import { bodyOf, prolongedIn } from './body.ts'
import { type BillCheck, checkBill } from './check.ts'

export const DAY = '2026-07-15'

const common = { effective_from: '2026-07-01', locator: [{ citation: 0, line: 7 }] }

export const aLimit = (code: string, units: number, adjudication: LimitRow['adjudication'] = 3): LimitRow => ({
  kind: 'limit',
  code,
  units,
  adjudication,
  rationale: 3,
  ...common,
})

/** Pairs without a first day are in force since long ago. */
export const somePairs = (
  code: string,
  ...pairs: ([string, 0 | 1 | 9] | [string, 0 | 1 | 9, string, string | null])[]
): EditsRow => ({
  kind: 'edits',
  code,
  edits: pairs
    .map(([other, indicator, from = '2020-01-01', to = null]): Pair => [other, indicator, from, to, 1])
    .sort((a, b) => (a[0] + a[2] < b[0] + b[2] ? -1 : 1)),
  ...common,
})

export const anAddOn = (code: string, ...primaries: [string, 1 | 2 | 3][]): AddOnRow => ({
  kind: 'add_on',
  code,
  primaries: primaries.map(([primary, type]): Primary => [primary, type, '2020-01-01', null, null]).sort(),
  ...common,
})

/** A code of the outpatient schedule: with an amount, or without one where its status has none. */
export function aService(code: string, status: string, amount?: string): AnyRow {
  const members = {
    code,
    basis: 'medicare_opps',
    setting: 'outpatient',
    indicators: { status_indicator: status },
  } as const
  if (amount !== undefined) return aRow({ ...members, amount })
  const reasons: { [status: string]: string } = { N: 'bundled', Q4: 'conditionally_packaged', A: 'paid_elsewhere' }
  const derivation = { method: 'opps-status/1', inputs: { status_indicator: status } }
  return aRow({ ...members, kind: 'absence', reason: reasons[status] ?? 'not_valid', derivation })
}

export const aTest = (code: string, amount: string): AnyRow => aRow({ code, amount })

/** A service of the physician schedule with the indicators that the rules read. */
export const anOperation = (
  code: string,
  amount: string,
  indicators: { [name: string]: string } = {},
  more: Partial<Parameters<typeof aFee>[0]> = {},
): AnyRow =>
  aFee({
    code,
    amount,
    indicators: {
      status: 'A',
      bilateral: '1',
      assistant: '2',
      co_surgeon: '1',
      multiple_procedure: '2',
      pc_tc: '0',
      ...indicators,
    },
    ...more,
  })

/** The rows of each chart. A chart that is left out is not held. */
export type Shelf = { readonly [chart: string]: readonly AnyRow[] }

export const EVERY_CHART: Shelf = {
  'cms-pfs': [],
  'cms-clfs': [],
  'cms-asp': [],
  'cms-dmepos': [],
  'cms-opps': [],
  'cms-asc': [],
  'ncci-mue-practitioner': [],
  'ncci-mue-outpatient': [],
  'ncci-mue-dme': [],
  'ncci-ptp-practitioner': [],
  'ncci-ptp-outpatient': [],
  'ncci-add-on': [],
}

export function stocked(signer: NoteSigner, shelf: Shelf, given: Partial<Manifest> = {}): MemoryRegistry {
  const registry = new MemoryRegistry(signer)
  for (const [chart, rows] of Object.entries(shelf)) publishEdits(registry, rows, { chart, ...given })
  return registry
}

export const publishEdits = (
  registry: MemoryRegistry,
  rows: readonly AnyRow[],
  given: Partial<Manifest> & { chart: string },
) => registry.publish(rows, { ...(given.chart.startsWith('ncci-ptp-') && { edits_left_out: 0 }), ...given })

export interface CheckedBody {
  check: BillCheck
  body: Record<string, unknown>
}

/** The answer of an honest service, or of one that admits less than it has. */
export async function billAnswer(
  registry: MemoryRegistry,
  stated: StatedBill,
  view: AdmittedLeaves = everything(registry),
): Promise<CheckedBody> {
  const bill = parseBill(stated)
  if (!isBill(bill)) throw new RangeError(`not a bill: ${JSON.stringify(bill)}`)
  const proof = new MemoryProof(registry)
  const days = new Map<string, SeenRegistry>()
  const seenOn = (day: string): SeenRegistry => {
    const known = days.get(day) ?? new SeenRegistry(proof, day, view)
    days.set(day, known)
    return known
  }
  const check = checkBill(bill, (day) => seenOn(day).registry, CHARTS)
  const answer = bodyOf(check, ({ chart, day, row }) => {
    const { release, index } = seenOn(day).find(chart, row)
    proof.addRows(release, [index])
    return { release: proof.release(release), index }
  })
  const member = await proof.member()
  const prolonged = prolongedIn((member.releases ?? []).map(({ release }) => release))
  return { check, body: { ...answer, ...prolonged, proof: member } }
}

/** A line in a few words: `80053-59 x2 10.00`. */
export function lineOf(text: string): StatedLine {
  const [, code = '', modifiers, units, billed] = /^(\w{5})((?:-\w\w)*)(?: x(\d+))?(?: (\d+\.\d\d))?$/.exec(text) ?? []
  return {
    code,
    ...(modifiers && { modifiers: modifiers.slice(1).split('-') }),
    ...(units && { units }),
    ...(billed && { billed }),
  }
}

export const aBill = (kind: StatedBill['kind'], ...lines: string[]): StatedBill => ({
  kind,
  day: DAY,
  lines: lines.map(lineOf),
})

/** What a body says, in a few words: each finding, and the sums of Medicare. */
export function saidOf({ body }: CheckedBody): { found: string[]; sums: unknown } {
  const findings = body['findings'] as { rule: string; certainty: string; lines: number[] }[]
  const sums = body['sums'] as { medicare?: { listed: string; at_most: string; by_rules: string } }
  return {
    found: findings.map(({ rule, certainty, lines }) => `${rule} ${certainty} ${lines.join('+')}`),
    sums: sums.medicare && `${sums.medicare.listed} ${sums.medicare.at_most} ${sums.medicare.by_rules}`,
  }
}

const signer = await aSigner('registry.example/log/registry')
export const policy = parsePolicy(formatPolicy([signer])) as TrustPolicy

/** A registry with every chart, and these rows in some of them. */
export const registryWith = (shelf: Shelf): MemoryRegistry => stocked(signer, { ...EVERY_CHART, ...shelf })
/** A registry with these charts and no others. */
export const registryOf = (shelf: Shelf): MemoryRegistry => stocked(signer, shelf)

/** What is said of a bill, in a few words. That the verifier says the same of it is checked, too. */
export async function said(registry: MemoryRegistry, bill: StatedBill): Promise<{ found: string[]; sums: unknown }> {
  const answer = await billAnswer(registry, bill)
  const verdict = await verifyBody(JSON.stringify(answer.body), policy, { bill })
  if (!verdict.ok) throw new Error(`the verifier refuses an honest answer: ${verdict.reason}`)
  return saidOf(answer)
}

/** What was not checked: rule, chart, reason and lines. */
export async function skippedOf(registry: MemoryRegistry, bill: StatedBill): Promise<string[]> {
  const { body } = await billAnswer(registry, bill)
  const skipped = body['skipped'] as { rule: string; chart: string; why?: string; lines: number[] }[]
  return skipped.map(({ rule, chart, why = 'no_edition', lines }) => `${rule} ${chart} ${why} ${lines.join('+')}`)
}
