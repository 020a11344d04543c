// Small registries with a history, made by dice: editions, corrections, withdrawals and moves, and every head there was.

import {
  type AdmittedLeaves,
  answerOf,
  type DecidedAnswer,
  type PlacedLeaf,
  placed,
} from '../../src/proof/answer-fixture.ts'
import { MemoryLog } from '../../src/proof/fixture.ts'
import { sheetOf } from '../../src/proof/list-fixture.ts'
import { parseQuestion, type Question } from '../../src/proof/lookup/question.ts'
import { formatPolicy, parsePolicy, type TrustPolicy } from '../../src/proof/note/policy.ts'
import type { NoteSigner } from '../../src/proof/note/signed-note.ts'
import { CHARTS, type ChartFacts, canHold, PLACE_CHART } from '../../src/proof/price/charts.ts'
import { type AnyRow, type Basis, CLASSES } from '../../src/proof/price/row.ts'
import { aFee, aPlace, aRow, MemoryRegistry, type MemoryRelease } from '../../src/proof/registry-fixture.ts'
import { signerOf } from '../support/vector-keys.ts'
import type { Dice } from './dice.ts'

export type Members = Record<string, unknown>

/** Copies as from the wire: nothing is shared, and members that are undefined are gone. */
export const copyOf = <T>(value: T): T => (value === undefined ? value : (JSON.parse(JSON.stringify(value)) as T))

export interface World {
  questions: Question[]
  /** Every public view of the registry, oldest first. */
  heads: MemoryRegistry[]
  newest: MemoryRegistry
  /** Another registry of the same name, under a key that nobody pinned. */
  twin: MemoryRegistry
  /** A log of another kind under the same policy. At worst it holds the very same entries. */
  figures: MemoryLog
  policy: TrustPolicy
}

/** Every object and list inside a value, itself included. */
export function* insides(value: unknown): Generator<Members | unknown[]> {
  if (typeof value !== 'object' || value === null) return
  yield value as Members
  for (const member of Object.values(value)) yield* insides(member)
}

const ORIGIN = 'registry.example/log'
export const NPIS = ['1234567893', '1679576722', '1245319599']
const HOSPITALS = NPIS.slice(0, 2).map((npi) => `hospital-mrf:${npi}`)
const CODES = ['99213', '80053', 'J0585', 'E0601', '00100']
const EDITIONS = [
  { edition: '2026C', effective_from: '2026-07-01', effective_to: '2026-09-30' },
  { edition: '2026D', effective_from: '2026-10-01', effective_to: '2026-12-31' },
  { edition: '2027A', effective_from: '2027-01-01', effective_to: '2027-03-31' },
]
/** The last day of an edition by its publisher, of those that the operator prolonged. */
const PUBLISHER_UNTIL = ['2026-08-31', '2026-10-31', '2027-01-31']
const DAYS = ['2026-06-30', '2026-07-01', '2026-08-15', '2026-09-30', '2026-10-01', '2026-11-20', '2027-01-05']
const REGIONS = [
  ...['national', 'IL', 'US-AL', 'GU', 'HI', 'US-IL-16', 'US-IL-15', 'US-AL-00', 'US-HI-01', 'US-ME-03'],
  ...['60611', 'cba-0a1b2c3d', '60701', '60701-0500', '60701-1500', '35004', '96910', '99999'],
]
const MODIFIERS = ['25', '26', '50', '80', 'RR', '22', '25-26', '50-62']
/** A former bidding area. */
const AREA = 'CBA-0A1B2C3D'
const SETTINGS = ['non_facility', 'facility', 'outpatient', 'asc', 'rural', 'non_rural', 'inpatient']

export const oneOf = <T>(dice: Dice, items: readonly T[]): T => items[dice.below(items.length)] as T
export const some = <T>(dice: Dice, items: readonly T[], share: number): T[] => items.filter(() => dice.chance(share))

interface Keys {
  registry: NoteSigner
  other: NoteSigner
  figures: NoteSigner
}
/** Always the same, so that a seed is enough to see an attempt again. */
export const makeKeys = (): Keys => ({
  registry: signerOf(`${ORIGIN}/registry`, 1),
  other: signerOf(`${ORIGIN}/registry`, 3),
  figures: signerOf(`${ORIGIN}/figures`, 2),
})

export function makeWorld(dice: Dice, { registry: signer, other, figures: figuresSigner }: Keys): World {
  const registry = new MemoryRegistry(signer)
  // All codes of a world are procedures.
  const schedules = Object.keys(CHARTS).filter((chart) => canHold(CHARTS[chart] as ChartFacts, '99213'))
  const charts = [...schedules, PLACE_CHART, ...HOSPITALS]
  const heads: MemoryRegistry[] = []
  let seconds = 0
  const event = (happen: () => unknown): void => {
    seconds += 1 + dice.below(9)
    registry.now = new Date(Date.UTC(2026, 9, 2) + seconds * 1000).toISOString()
    happen()
    heads.push(registry.snapshot())
  }
  const publish = (chart: string, at: number, from: MemoryRegistry = registry): MemoryRelease => {
    const edition = EDITIONS[at] as (typeof EDITIONS)[number]
    const revision = 1 + from.releases.filter(({ manifest }) => manifest.chart === chart).length
    // Every hospital's file names the first NPI too, so that it can be moved.
    const providers = chart.startsWith('hospital')
      ? [...new Set([chart.split(':')[1] as string, NPIS[0] as string])]
      : []
    return from.publish(rowsOf(dice, chart, edition.effective_from, providers), {
      chart,
      ...edition,
      release_id: `${chart}:${edition.edition}:${revision}`,
      ...(providers.length > 0 ? { providers } : {}),
      ...(dice.chance(0.2) ? { period_by: 'operator', publisher_until: PUBLISHER_UNTIL[at] as string } : {}),
    })
  }
  event(() => {
    for (const chart of some(dice, charts, 0.9)) publish(chart, 0)
  })
  event(() => {
    for (const chart of some(dice, charts, 0.7)) publish(chart, 1)
  })
  for (let left = 3 + dice.below(3); left > 0; left--)
    event(() => {
      const what = dice.below(5)
      const inForce = registry.releases.filter((release) => registry.isInForce(release))
      if (what < 2) for (const chart of some(dice, charts, 0.3)) publish(chart, 1 + dice.below(2))
      else if (what === 2) for (const { manifest } of some(dice, inForce, 0.3)) publish(manifest.chart, 0)
      else if (what === 3 && inForce.length > 0) registry.withdraw(oneOf(dice, inForce))
      else registry.move(NPIS[0] as string, oneOf(dice, HOSPITALS))
    })
  const twin = new MemoryRegistry(other)
  for (const chart of charts) publish(chart, 0, twin)
  const figures = new MemoryLog(figuresSigner)
  figures.leaves.push(...registry.log.leaves)
  const policy = parsePolicy(formatPolicy([signer, figuresSigner])) as TrustPolicy
  const questions = Array.from({ length: 60 }, () => aQuestion(dice))
  return { questions, heads, newest: heads.at(-1) as MemoryRegistry, twin, figures, policy }
}

function rowsOf(dice: Dice, chart: string, effective_from: string, providers: readonly string[]): AnyRow[] {
  const from = (): string =>
    dice.chance(0.1) ? `${effective_from.slice(0, 5)}${effective_from.slice(5, 7)}-20` : effective_from
  if (chart === PLACE_CHART)
    return some(
      dice,
      [
        aPlace('60611', 'US-IL-16'),
        { ...aPlace('60701', dice.chance(0.5) ? null : 'US-IL-15'), state: dice.chance(0.5) ? null : 'IL' },
        aPlace('60701', 'US-IL-15', '0001-0499'),
        aPlace('60701', 'US-IL-16', '0500-0999'),
        // The same ZIP code in a neighbouring state, and a territory whose locality is another's.
        ...(dice.chance(0.3) ? [aPlace('60701', 'US-AL-00', '1000-1999')] : []),
        aPlace('35004', 'US-AL-00'),
        { ...aPlace('96910', 'US-HI-01'), state: 'GU' },
      ],
      0.8,
    ).map((row) => ({
      ...row,
      ...(dice.chance(0.5) ? { rural: dice.chance(0.5) } : {}),
      ...(dice.chance(0.5) ? { bidding_area: dice.chance(0.3) ? null : AREA } : {}),
      effective_from: from(),
    }))
  const rows: AnyRow[] = []
  const amount = (): string => `${1 + dice.below(900)}.${String(dice.below(100)).padStart(2, '0')}`
  const facts = CHARTS[chart]
  const bases: readonly Basis[] = facts?.bases ?? ['hospital_cash', 'hospital_gross', 'hospital_negotiated_low']
  const settings = facts?.settings ?? ['outpatient', null]
  const regions = {
    national: ['national'],
    state: [AREA, 'US-IL', 'US-AL', 'US-GU'],
    locality: ['national', 'US-IL-15', 'US-IL-16', 'US-AL-00', 'US-HI-01'],
  }
  // One row of the anesthesia schedule stands for many codes.
  for (const code of chart === 'cms-anesthesia' ? ['00000'] : CODES)
    for (const npi of providers.length > 0 ? providers : [null])
      for (const basis of bases)
        for (const region of regions[facts?.speaks ?? 'national'])
          for (const modifier of [null, '26', 'RR'])
            for (const setting of settings) {
              if (!dice.chance(modifier === null ? 0.5 : 0.15)) continue
              const billingClass = npi === null ? null : oneOf(dice, [null, ...CLASSES])
              const key = { code, npi, basis, region, modifier, setting, class: billingClass, effective_from: from() }
              const isAbsent = dice.chance(0.25)
              if (basis.startsWith('medicare_pfs'))
                rows.push(isAbsent ? notThere(key) : aFee({ ...key, amount: amount(), indicators: allowing(dice) }))
              else if (isAbsent) rows.push(oneOf(dice, ABSENT[basis] ?? [unreadable])(key))
              else if (npi !== null && dice.chance(0.2)) rows.push(aRange(key, oneOf(dice, [null, '10 MG'])))
              else
                rows.push(aRow({ ...key, kind: basis === 'medicare_anesthesia' ? 'rate' : 'price', amount: amount() }))
            }
  // What the physician schedule says of a code as a whole.
  if (facts?.bases[0]?.startsWith('medicare_pfs'))
    for (const code of some(dice, CODES, 0.3)) {
      const [status_code, reason] = oneOf(dice, STATUSES)
      const derivation = { method: 'cms-status/1', inputs: { status_code } }
      rows.push(aRow({ code, basis: facts.bases[0], kind: 'absence', effective_from, reason, derivation }))
    }
  return rows
}

const STATUSES = [
  ['B', 'bundled'],
  ['X', 'paid_elsewhere'],
  ['I', 'not_valid'],
  ['N', 'not_covered'],
  ['C', 'carrier_priced'],
] as const

/** What modifiers may do to a fee. */
const allowing = (dice: Dice): Record<string, string> => ({
  status: 'A',
  bilateral: oneOf(dice, ['0', '1', '2', '3', '9']),
  assistant: oneOf(dice, ['0', '1', '2']),
  co_surgeon: oneOf(dice, ['0', '1', '2']),
})

type Key = Parameters<typeof aRow>[0]
const notThere = (key: Key): AnyRow =>
  aRow({
    ...key,
    kind: 'absence',
    reason: 'not_applicable_in_setting',
    derivation: { method: 'pfs-na/1', inputs: { na_indicator: 'NA' } },
  })
const absentBy =
  (reason: string, method: string, inputs: Record<string, string>) =>
  (key: Key): AnyRow =>
    aRow({ ...key, kind: 'absence', reason, derivation: { method, inputs } })
const unreadable = absentBy('unreadable', 'row-rule/1', { rule: 'R02' })
/** What else the line of a basis may state in place of a price. */
const ABSENT: { [basis in Basis]?: ((key: Key) => AnyRow)[] } = {
  medicare_clfs: [unreadable, absentBy('carrier_priced', 'clfs-indicator/1', { indicator: 'L' })],
  medicare_opps: [
    unreadable,
    absentBy('paid_elsewhere', 'opps-status/1', { status_indicator: 'A' }),
    absentBy('not_valid', 'opps-status/1', { status_indicator: 'B' }),
  ],
  medicare_asp: [unreadable, absentBy('no_price_stated', 'no-amount/1', { rate: 'NA' })],
  medicare_dmepos: [absentBy('no_price_stated', 'dmepos-blank/1', { non_rural: 'blank', rural: 'blank' })],
}
/** What a hospital states for a unit of its own is not multiplied with the units of a bill. */
const aRange = (key: Key, per: string | null): AnyRow =>
  aRow({
    ...key,
    price: { low: '40.00', high: '90.50', currency: 'USD', per },
    derivation: { method: 'range/1', inputs: { low: '40.00', high: '90.50' } },
  })
/** A question that has a meaning. */
function aQuestion(dice: Dice): Question {
  for (;;) {
    const npi = dice.chance(0.25) ? oneOf(dice, NPIS) : undefined
    const question: Question = {
      cpt: oneOf(dice, CODES),
      as_of: oneOf(dice, DAYS),
      region: dice.chance(0.6) ? oneOf(dice, REGIONS) : undefined,
      npi,
      modifier: dice.chance(0.3) ? oneOf(dice, MODIFIERS) : undefined,
      setting: dice.chance(0.4) ? oneOf(dice, SETTINGS) : undefined,
      basis: dice.chance(0.25) ? basisFor(dice, npi) : undefined,
    }
    if (typeof parseQuestion(question) !== 'string') return question
  }
}

const basisFor = (dice: Dice, npi: string | undefined): string =>
  npi === undefined
    ? oneOf(
        dice,
        Object.values(CHARTS).flatMap(({ bases }) => bases),
      )
    : oneOf(dice, ['hospital_cash', 'hospital_gross'])

/** Hides leaves, and shows the ones on either side of them as if they were neighbours. */
export function hiding(
  { standing }: MemoryRegistry,
  isHidden: (kind: 'row' | 'period' | 'provider', leaf: unknown) => boolean,
): AdmittedLeaves {
  const left = <T>(kind: 'row' | 'period' | 'provider', leaves: readonly T[]): PlacedLeaf<T>[] =>
    placed(leaves).filter(({ leaf }) => !isHidden(kind, leaf))
  const seen = new Map<object, PlacedLeaf<unknown>[]>()
  return {
    rows: (release) => {
      const rows = seen.get(release) ?? left('row', release.rows)
      seen.set(release, rows)
      return rows as ReturnType<AdmittedLeaves['rows']>
    },
    periods: left('period', standing.periods),
    providers: left('provider', standing.providers),
  }
}

export const randomlyHiding = (dice: Dice, head: MemoryRegistry, { cpt, region }: Question): AdmittedLeaves => {
  const [rows, periods, providers] = [0.1 + dice.below(6) / 10, dice.below(3) / 10, dice.below(4) / 10]
  const zip = region?.slice(0, 5)
  return hiding(head, (kind, leaf) => {
    if (kind === 'period') return dice.chance(periods)
    if (kind === 'provider') return dice.chance(providers)
    const row = leaf as { code?: string; zip?: string }
    return (row.code === cpt || row.zip === zip) && dice.chance(rows)
  })
}

/** The sheet that a head has for a question, as it follows from a view; undefined if there is none. */
export async function findSheet(
  head: MemoryRegistry,
  { cpt, as_of, region, npi }: Question,
  view?: AdmittedLeaves,
): Promise<Members | undefined> {
  try {
    const sheet = await sheetOf(head, copyOf({ cpt, as_of, region, npi }), view)
    return (sheet['data'] as unknown[]).length > 0 ? sheet : undefined
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

const known = new WeakMap<MemoryRegistry, Map<string, Promise<DecidedAnswer>>>()

/** The honest answer of a head, kept for the next time: copy it before changing it. */
export function honestAnswer(head: MemoryRegistry, question: Question): Promise<DecidedAnswer> {
  const answers = known.get(head) ?? new Map<string, Promise<DecidedAnswer>>()
  known.set(head, answers)
  const name = JSON.stringify(question)
  const answer = answers.get(name) ?? answerOf(head, question)
  answers.set(name, answer)
  return answer
}
