// What one schedule says of one code with one modifier, from the lines of its file.

import type { Asked, Published } from './naive-model.ts'
import {
  EQUIPMENT_STATES,
  type EquipmentLine,
  type Physician,
  type PhysicianLine,
  type TableLine,
} from './naive-world.ts'

export type Place =
  | { is: 'national' }
  | { is: 'state'; state: string }
  /** A locality may lie in several states, and a ZIP code of it too. */
  | ({ is: 'locality'; region: string; state: string | undefined } & Listed)
  /** In several localities; in one state or in several. */
  | ({ is: 'split'; state: string | undefined } & Listed)
  | { is: 'not_held' | 'unknown' }

/** What the lists of the equipment schedule say of a place. */
export interface Listed {
  /** Undefined if there is no list. */
  isRural: boolean | undefined
  /** The name of the former bidding area. */
  area: string | undefined
}

/** Without zeros at the end, but with two decimals. */
export function money(value: bigint, places: number): string {
  const digits = String(value).padStart(places + 1, '0')
  const fraction = digits.slice(-places).replace(/0+$/, '').padEnd(2, '0')
  return `${digits.slice(0, -places)}.${fraction}`
}

interface Stated {
  modifier: string | null
  region: string
  setting: string | null
}
export type Price = Stated & { is: 'price'; amount: string; line?: PhysicianLine; mark?: string }
export type Absent = Stated & { is: 'absent'; reason: string }
export type Looked = Price | Absent | { is: 'ambiguous' | 'not_covered' | 'unpriced' | 'nothing' }

const STATUS: Readonly<Record<string, string>> = {
  ...{ B: 'bundled', P: 'bundled', C: 'carrier_priced', N: 'not_covered', E: 'paid_elsewhere', X: 'paid_elsewhere' },
  ...{ I: 'not_valid', J: 'anesthesia' },
}
const OUTPATIENT: Readonly<Record<string, string>> = {
  ...{ N: 'bundled', Q1: 'conditionally_packaged', A: 'paid_elsewhere', C: 'inpatient_only', E1: 'not_covered' },
  ...{ B: 'not_valid', E2: 'no_price_stated' },
}
const SURGERY: Readonly<Record<string, string>> = {
  ...{ N1: 'bundled', C5: 'inpatient_only', E5: 'not_covered', D5: 'not_valid' },
}

const SETTINGS = ['non_facility', 'facility'] as const
type FeeSetting = (typeof SETTINGS)[number]

function fee({ places, factor }: Physician, line: PhysicianLine, setting: FeeSetting, region: string): string {
  const [work, practice, malpractice] = places.find((place) => place.region === region)?.indices ?? [1000, 1000, 1000]
  const cents = (practiceValue: number, malpracticeValue: number): bigint => {
    const sum = line.work * work + practiceValue * practice + malpracticeValue * malpractice
    return (BigInt(sum) * BigInt(factor) + 5_000_000n) / 10_000_000n
  }
  const full = cents(line.practice[setting], line.malpractice)
  if (line.cap[setting] === 0) return money(full, 2)
  const cap = cents(line.cap[setting], line.cap.malpractice)
  const [lower = full] = [full, cap].sort((a, b) => (a < b ? -1 : 1))
  return money(lower, 2)
}

const hasValue = (line: PhysicianLine, setting: FeeSetting): boolean =>
  line.work + line.practice[setting] + line.malpractice > 0

/** Why a line has no price anywhere, if it has none. */
function statusOf(line: PhysicianLine): string | undefined {
  if (line.fault === 'unreadable') return 'unreadable'
  if (line.fault === 'contradicted') return 'withheld_conflict'
  const isPayable = 'ART'.includes(line.status) && SETTINGS.some((setting) => hasValue(line, setting))
  return isPayable ? undefined : (STATUS[line.status] ?? 'no_price_stated')
}

const paidIn = (line: PhysicianLine): FeeSetting[] =>
  statusOf(line) === undefined ? SETTINGS.filter((setting) => hasValue(line, setting) && !line.na[setting]) : []

function inPhysician(data: Physician, modifier: string | null, asked: Asked, place: Place): Looked {
  const lines = data.lines.filter(({ cpt }) => cpt === asked.cpt)
  const line = lines.find((each) => each.modifier === (modifier ?? ''))
  const tried = SETTINGS.filter((setting) => !asked.setting || asked.setting === setting)
  const status = line && statusOf(line)
  if (status) return { is: 'absent', modifier, region: 'national', setting: null, reason: status }
  // Localities have rows for prices only.
  const held = lines.some((each) => paidIn(each).length > 0) ? data.places.map(({ region }) => region) : []
  const state = 'state' in place && place.state === 'US-GU' ? 'US-HI' : 'state' in place ? place.state : ''
  const fitting = held.filter((region) =>
    'region' in place ? region === place.region : place.is === 'state' && region.startsWith(`${state}-`),
  )
  const isDivided = ['US-CA', 'US-IL'].includes(state ?? '')
  if (line && place.is === 'state' && (fitting.length > 1 || (fitting.length === 1 && isDivided)))
    return { is: 'ambiguous' }
  const region = place.is === 'national' ? 'national' : fitting[0]
  const paid = line && paidIn(line).find((setting) => tried.includes(setting))
  if (line && paid) {
    if (region) return { is: 'price', modifier, region, setting: paid, amount: fee(data, line, paid, region), line }
    return { is: place.is === 'split' ? 'ambiguous' : 'not_covered' }
  }
  const [setting] = tried
  if (line && setting) {
    const reason = line.na[setting] ? 'not_applicable_in_setting' : 'no_price_stated'
    return { is: 'absent', modifier, region: 'national', setting, reason }
  }
  return otherwise(lines, modifier)
}

/** The code is there, but not with this modifier; or it is there and in other settings only. */
const otherwise = (lines: readonly { modifier: string }[], modifier: string | null): Looked => ({
  is: lines.length > 0 && (modifier !== null || lines.every((each) => each.modifier !== '')) ? 'unpriced' : 'nothing',
})

/** What is packaged on conditions may have a rate for when it is not. */
const isPackagedWithRate = ({ mark, amount }: TableLine): boolean => mark === 'Q1' && amount !== null

function inTable(chart: string, data: readonly TableLine[], modifier: string | null, asked: Asked): Looked {
  const lines = data.filter(({ cpt }) => cpt === asked.cpt)
  const own = chart === 'cms-opps' ? 'outpatient' : chart === 'cms-asc' ? 'asc' : null
  const line = lines.find((each) => each.modifier === (modifier ?? ''))
  if (!line) return otherwise(lines, modifier)
  const stated = { modifier, region: 'national', setting: own }
  const absent = (reason: string): Absent => ({ is: 'absent', ...stated, reason })
  if (chart === 'cms-clfs' && line.mark === 'L') return absent('carrier_priced')
  const unpaid =
    chart === 'cms-opps' && !isPackagedWithRate(line)
      ? OUTPATIENT[line.mark]
      : chart === 'cms-asc'
        ? SURGERY[line.mark]
        : undefined
  // The outpatient reader does not say of which setting a line is that it cannot read: it stands in the way of any.
  const isOfAll = chart === 'cms-opps' && line.fault === 'unreadable' && !unpaid
  if (own && asked.setting && asked.setting !== own && !isOfAll) return otherwise(lines, modifier)
  if (unpaid) return absent(unpaid)
  if (line.fault === 'contradicted') return absent('withheld_conflict')
  if (line.fault === 'unreadable') return { ...absent('unreadable'), setting: chart === 'cms-opps' ? null : own }
  if (!line.amount) return absent('no_price_stated')
  return { is: 'price', ...stated, amount: money(BigInt(line.amount), 3), mark: line.mark }
}

/** What rows call a former bidding area. */
const nameOf = (area: string): string => {
  const letters = area.toUpperCase().replaceAll(/[^A-Z0-9]/g, '')
  return `CBA-${new Bun.CryptoHasher('sha256').update(letters).digest('hex').slice(0, 8).toUpperCase()}`
}

const keyOf = ({ modifiers }: EquipmentLine): string => [...modifiers].sort().join('-')

function inEquipment(data: readonly EquipmentLine[], modifier: string | null, asked: Asked, place: Place): Looked {
  const lines = data.filter(({ cpt }) => cpt === asked.cpt)
  const line = lines.find((each) => keyOf(each) === (modifier ?? ''))
  if (lines.length === 0) return { is: 'nothing' }
  const { setting } = asked
  const isUnknownSetting = ['outpatient', 'asc', 'inpatient', 'super_rural'].includes(setting ?? '')
  const area = 'area' in place && !isUnknownSetting && setting !== 'rural' ? place.area : undefined
  const inArea = (of: EquipmentLine | undefined): number => (area && of?.inAreas[area]) || 0
  if (area && inArea(line) > 0) {
    const amount = money(BigInt(inArea(line)), 2)
    return { is: 'price', modifier, region: nameOf(area), setting: 'non_rural', amount }
  }
  const state = 'state' in place ? place.state : undefined
  // What the area has without the modifier is known, in whichever state it is.
  const isBare = inArea(lines.find((each) => keyOf(each) === '')) > 0
  if (state === undefined) return { is: isBare ? 'unpriced' : 'ambiguous' }
  if (!EQUIPMENT_STATES.includes(state.slice(3))) return { is: 'not_covered' }
  const modifiers = lines.map((each) => ({ modifier: keyOf(each) }))
  if (!line || isUnknownSetting) return otherwise(modifiers, modifier)
  const region = state
  const [urban, rural] = line.amounts[region.slice(3)] ?? [0, 0]
  if (urban === 0 && rural === 0)
    return { is: 'absent', modifier, region, setting: 'non_rural', reason: 'no_price_stated' }
  const isRural = setting === 'rural' || ('isRural' in place ? place.isRural : undefined)
  const either = isRural ? ['rural', 'non_rural'] : ['non_rural', 'rural']
  const chosen = (setting === 'non_rural' || isRural === false ? ['non_rural'] : either).find(
    (each) => (each === 'rural' ? rural : urban) > 0,
  )
  if (!chosen) return otherwise(modifiers, modifier)
  return {
    is: 'price',
    modifier,
    region,
    setting: chosen,
    amount: money(BigInt(chosen === 'rural' ? rural : urban), 2),
  }
}

export function look(edition: Published, modifier: string | null, asked: Asked, place: Place): Looked {
  if (edition.chart === 'cms-pfs' || edition.chart === 'cms-pfs-qpp')
    return inPhysician(edition.data, modifier, asked, place)
  if (edition.chart === 'cms-dmepos') return inEquipment(edition.data, modifier, asked, place)
  if (edition.chart === 'zip-locality' || edition.chart === 'hospital-mrf') return { is: 'nothing' }
  return inTable(edition.chart, edition.data as TableLine[], modifier, asked)
}
