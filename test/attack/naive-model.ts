// What the registry should answer, worked out in the plainest way from the lines of the source files: no rows, no keys,
// no trees. It was written from the description of the lookup and shares no code with it.

import { chargeAnswer } from './naive-hospital.ts'
import type { Edition, EquipmentLine, Physician, PhysicianLine, TableLine, Zips } from './naive-world.ts'

export interface Asked {
  cpt: string
  as_of: string
  region?: string
  npi?: string
  modifier?: string
  setting?: string
  basis?: string
}

/** A price, or why there is none, with where it stands. */
export interface Found {
  release: string
  basis: string
  cpt: string
  modifier: string | null
  region: string
  setting: string | null
  npi: string | null
  class: string | null
}
export type Said =
  | (Found & { outcome: 'price'; amount: string; ignored: string[]; adjusted: string | null })
  | (Found & { outcome: 'absent' | 'modifier_not_allowed'; reason: string | null })
  | { outcome: 'no_edition_for_day'; charts: string[] }
  | { outcome: 'modifier_not_priced' | 'region_ambiguous' | 'region_not_covered' | 'not_on_schedule' }
  | { outcome: 'unknown_zip' | 'unknown_provider' | 'malformed' }

/** An edition with the name of the release that was made of it. */
export type Published = Edition & { release: string }

// Days.

const dayAfter = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10)

/** Quarters end with the quarter, a hospital's file lasts a year. */
function lastDay({ chart, from, to }: Edition): string {
  if (to !== null) return to
  const [year = 0, month = 0, day = 0] = from.split('-').map(Number)
  const next =
    chart === 'hospital-mrf'
      ? new Date(Date.UTC(year + 1, month - 1, day))
      : new Date(Date.UTC(year, month - ((month - 1) % 3) + 2, 1))
  return dayAfter(next.toISOString().slice(0, 10), -1)
}

/** The edition that began last, of those that were published and not withdrawn, unless it is over. */
export function inForce(editions: readonly Published[], day: string): Published | undefined {
  const begun = editions.filter(({ fate, from }) => fate === 'published' && from <= day)
  const latest = begun.reduce<Published | undefined>(
    (best, each) => (best && best.from > each.from ? best : each),
    undefined,
  )
  return latest && lastDay(latest) >= day ? latest : undefined
}

// Charts.

const BASIS: Readonly<Record<string, string>> = {
  'cms-pfs': 'medicare_pfs',
  'cms-pfs-qpp': 'medicare_pfs_qpp',
  'cms-clfs': 'medicare_clfs',
  'cms-asp': 'medicare_asp',
  'cms-opps': 'medicare_opps',
  'cms-asc': 'medicare_asc',
  'cms-dmepos': 'medicare_dmepos',
}
const NATIONAL = ['cms-clfs', 'cms-asp', 'cms-opps', 'cms-asc']

function chartsFor({ basis, setting }: Asked): string[] {
  if (basis) return Object.keys(BASIS).filter((chart) => BASIS[chart] === basis)
  if (!setting || setting === 'facility' || setting === 'non_facility')
    return ['cms-pfs', 'cms-clfs', 'cms-asp', 'cms-dmepos']
  if (setting === 'outpatient') return ['cms-opps', 'cms-clfs']
  if (setting === 'asc') return ['cms-asc', 'cms-clfs']
  return setting === 'rural' || setting === 'non_rural' ? ['cms-dmepos'] : []
}

// Places.

type Place =
  | { is: 'national' }
  | { is: 'state'; state: string }
  | { is: 'locality'; region: string; state: string }
  | { is: 'split' | 'not_held' | 'unknown' }

const locality = (region: string): Place => ({ is: 'locality', region, state: region.slice(0, 5) })

function placeOf(text: string, charts: readonly string[], zips: Published | undefined): Place {
  const written = text.toUpperCase().replace(/^ZIP-/, '')
  if (written === 'NATIONAL') return { is: 'national' }
  if (/^(US-)?[A-Z]{2}$/.test(written)) return { is: 'state', state: `US-${written.slice(-2)}` }
  if (written.startsWith('US-')) return locality(written)
  if (charts.every((chart) => NATIONAL.includes(chart))) return { is: 'national' }
  if (!zips) return { is: 'not_held' }
  const [five, four] = written.split('-')
  const { zips: all, withParts } = zips.data as Zips
  const zip = all.find((each) => each.zip === five)
  if (!zip) return { is: 'unknown' }
  if (!zip.parts) return locality(zip.region)
  const parts = withParts ? zip.parts : []
  const [first] = parts
  if (first && parts.every(({ region }) => region === first.region)) return locality(first.region)
  const part = parts.find((each) => each.four === four)
  return part ? locality(part.region) : { is: 'split' }
}

// Modifiers.

export const NEUTRAL =
  '24 25 27 57 58 59 76 77 79 91 XE XS XP XU RT LT LC LD LM RC RI E1 E2 E3 E4 FA F1 F2 F3 F4 F5 F6 F7 F8 F9 TA T1 T2 T3 T4 T5 T6 T7 T8 T9 GN GO GP GT 93 95 KX 33 PT AI GC Q5 Q6 JW JZ'.split(
    ' ',
  )
type Indicator = 'bilateral' | 'co_surgeon' | 'assistant'
/** The indicator, and in thousandths the factor for each value that allows it. */
const ADJUSTING: Readonly<Record<string, readonly [Indicator, Readonly<Record<string, bigint>>]>> = {
  '50': ['bilateral', { '1': 1500n, '2': 1000n, '3': 2000n }],
  '62': ['co_surgeon', { '1': 625n, '2': 625n }],
  '80': ['assistant', { '0': 160n, '2': 160n }],
  '81': ['assistant', { '0': 160n, '2': 160n }],
  '82': ['assistant', { '0': 160n, '2': 160n }],
  AS: ['assistant', { '0': 136n, '2': 136n }],
}

/** Exact: amounts have up to four decimals here. */
function adjusted(amount: string, factor: bigint): string {
  const [whole = '', fraction = ''] = amount.split('.')
  return money((BigInt(whole + fraction.padEnd(4, '0')) * factor + 50_000n) / 100_000n, 2)
}

/** Without zeros at the end, but with two decimals. */
export function money(value: bigint, places: number): string {
  const digits = String(value).padStart(places + 1, '0')
  const fraction = digits.slice(-places).replace(/0+$/, '').padEnd(2, '0')
  return `${digits.slice(0, -places)}.${fraction}`
}

// What one schedule says of one code with one modifier.

interface Stated {
  modifier: string | null
  region: string
  setting: string | null
}
type Price = Stated & { is: 'price'; amount: string; line?: PhysicianLine }
type Absent = Stated & { is: 'absent'; reason: string }
type Looked = Price | Absent | { is: 'ambiguous' | 'not_covered' | 'unpriced' | 'nothing' }

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
  // With a setting that the schedule does not know, the status is not looked at, unless the place must be found first.
  const isUnknownSetting = tried.length === 0 && (place.is === 'national' || place.is === 'locality')
  if (status && !isUnknownSetting) return { is: 'absent', modifier, region: 'national', setting: null, reason: status }
  // Localities have rows for prices only.
  const held = lines.some((each) => paidIn(each).length > 0) ? data.places.map(({ region }) => region) : []
  const fitting = held.filter((region) =>
    'region' in place ? region === place.region : 'state' in place && region.startsWith(place.state),
  )
  if (place.is === 'state' && fitting.length > 1) return { is: 'ambiguous' }
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
  // The code is there with other modifiers only. In a place, only those with a price there count; without one, none do.
  const isHere = line && (region === 'national' || paidIn(line).length > 0)
  const isOther = region === 'national' ? lines.length > 0 : region !== undefined
  return { is: modifier === null && !isHere && isOther ? 'unpriced' : 'nothing' }
}

/** What is packaged on conditions may have a rate for when it is not. */
const isPackagedWithRate = ({ mark, amount }: TableLine): boolean => mark === 'Q1' && amount !== null

function inTable(chart: string, data: readonly TableLine[], modifier: string | null, asked: Asked): Looked {
  const lines = data.filter(({ cpt }) => cpt === asked.cpt)
  const own = chart === 'cms-opps' ? 'outpatient' : chart === 'cms-asc' ? 'asc' : null
  const line = lines.find((each) => each.modifier === (modifier ?? ''))
  if (!line) return { is: modifier === null && lines.length > 0 ? 'unpriced' : 'nothing' }
  if (own && asked.setting && asked.setting !== own) return { is: 'nothing' }
  const stated = { modifier, region: 'national', setting: own }
  const absent = (reason: string): Absent => ({ is: 'absent', ...stated, reason })
  if (chart === 'cms-clfs' && line.mark === 'L') return absent('carrier_priced')
  const unpaid =
    chart === 'cms-opps' && !isPackagedWithRate(line)
      ? OUTPATIENT[line.mark]
      : chart === 'cms-asc'
        ? SURGERY[line.mark]
        : undefined
  if (unpaid) return absent(unpaid)
  if (line.fault === 'contradicted') return absent('withheld_conflict')
  // The outpatient reader does not say of which setting a line is that it cannot read.
  if (line.fault === 'unreadable') return { ...absent('unreadable'), setting: chart === 'cms-opps' ? null : own }
  if (!line.amount) return absent('no_price_stated')
  return { is: 'price', ...stated, amount: money(BigInt(line.amount), 3) }
}

function inEquipment(data: readonly EquipmentLine[], modifier: string | null, asked: Asked, place: Place): Looked {
  const lines = data.filter(({ cpt }) => cpt === asked.cpt)
  if (place.is === 'national') return { is: modifier === null && lines.length > 0 ? 'ambiguous' : 'nothing' }
  // A ZIP code in several localities and an area that the schedule has no column for: nothing is found, as if the
  // code were not there.
  if (!('state' in place) || place.state === 'US-GU') return { is: 'nothing' }
  const line = lines.find((each) => [...each.modifiers].sort().join('-') === (modifier ?? ''))
  if (!line) return { is: modifier === null && lines.length > 0 ? 'unpriced' : 'nothing' }
  const { setting } = asked
  if (setting === 'outpatient' || setting === 'asc' || setting === 'inpatient') return { is: 'nothing' }
  const region = place.state
  const [urban, rural] = line.amounts[region.slice(3)] ?? [0, 0]
  if (urban === 0 && rural === 0)
    return { is: 'absent', modifier, region, setting: 'non_rural', reason: 'no_price_stated' }
  const either = setting === 'rural' ? ['rural', 'non_rural'] : ['non_rural', 'rural']
  const chosen = (setting === 'non_rural' ? ['non_rural'] : either).find(
    (each) => (each === 'rural' ? rural : urban) > 0,
  )
  if (!chosen) return { is: 'nothing' }
  return {
    is: 'price',
    modifier,
    region,
    setting: chosen,
    amount: money(BigInt(chosen === 'rural' ? rural : urban), 2),
  }
}

function look(edition: Published, modifier: string | null, asked: Asked, place: Place): Looked {
  if (edition.chart === 'cms-pfs' || edition.chart === 'cms-pfs-qpp')
    return inPhysician(edition.data, modifier, asked, place)
  if (edition.chart === 'cms-dmepos') return inEquipment(edition.data, modifier, asked, place)
  if (edition.chart === 'zip-locality' || edition.chart === 'hospital-mrf') return { is: 'nothing' }
  return inTable(edition.chart, edition.data as TableLine[], modifier, asked)
}

/** A schedule, with the modifiers as on the bill. */
function inSchedule(edition: Published, asked: Asked, modifiers: readonly string[], place: Place): Looked {
  const own = modifiers.filter((each) => !NEUTRAL.includes(each))
  const adjusting = own.filter((each) => each in ADJUSTING)
  const choosing = adjusting.length === 1 ? own.filter((each) => !(each in ADJUSTING)) : own
  const key = choosing.length > 0 ? choosing.join('-') : null
  const found = look(edition, key, asked, place)
  if (key === null || found.is === 'price' || found.is === 'absent' || found.is === 'ambiguous') return found
  const without = look(edition, null, asked, place)
  return without.is === 'price' || without.is === 'ambiguous' ? { is: 'unpriced' } : without
}

// The answer.

const WEAK = ['paid_elsewhere', 'not_valid', 'no_price_stated']

export function expected(editions: readonly Published[], asked: Asked): Said {
  const modifiers = [...new Set(asked.modifier?.toUpperCase().split('-') ?? [])].sort()
  if (asked.npi !== undefined) return chargeAnswer(editions, { ...asked, npi: asked.npi }, modifiers)
  const charts = chartsFor(asked)
  if (charts.length === 0 || asked.basis?.startsWith('hospital_')) return { outcome: 'malformed' }
  const on = (chart: string): Published | undefined =>
    inForce(
      editions.filter((each) => each.chart === chart),
      asked.as_of,
    )
  const place = placeOf(asked.region ?? 'national', charts, on('zip-locality'))
  if (place.is === 'unknown') return { outcome: 'unknown_zip' }
  const notHeld: string[] = []
  const misses: { looked: Looked; edition: Published }[] = []
  for (const chart of charts) {
    const edition = on(chart)
    const needsPlace = place.is === 'not_held' && !NATIONAL.includes(chart)
    if (!edition || needsPlace) {
      notHeld.push(chart, ...(needsPlace && !notHeld.includes('zip-locality') ? ['zip-locality'] : []))
      continue
    }
    const looked = inSchedule(edition, asked, modifiers, place)
    if (looked.is === 'price') return priced(edition, asked, modifiers, looked)
    if (looked.is === 'ambiguous') return { outcome: 'region_ambiguous' }
    misses.push({ looked, edition })
  }
  return missed(misses, notHeld, asked)
}

const foundIn = (edition: Published, asked: Asked, looked: Price | Absent): Found => ({
  release: edition.release,
  basis: BASIS[edition.chart] ?? '',
  cpt: asked.cpt,
  modifier: looked.modifier,
  region: looked.region,
  setting: looked.setting,
  npi: null,
  class: null,
})

function priced(edition: Published, asked: Asked, modifiers: readonly string[], looked: Price): Said {
  const found = foundIn(edition, asked, looked)
  const [adjusting] = modifiers.filter((each) => each in ADJUSTING)
  const ignored = modifiers.filter((each) => NEUTRAL.includes(each))
  const { amount } = looked
  if (adjusting === undefined) return { outcome: 'price', ...found, amount, ignored, adjusted: null }
  const [indicator, factors] = ADJUSTING[adjusting] as (typeof ADJUSTING)[string]
  const factor = looked.line && factors[looked.line[indicator]]
  if (factor === undefined) return { outcome: 'modifier_not_allowed', ...found, reason: null }
  return { outcome: 'price', ...found, amount, ignored, adjusted: `${adjusting} ${adjusted(amount, factor)}` }
}

/** Of several reasons for which there is no price, the one that says most. */
function missed(misses: readonly { looked: Looked; edition: Published }[], notHeld: string[], asked: Asked): Said {
  const absent = (isStrong: boolean): Said | undefined => {
    for (const { looked, edition } of misses)
      if (looked.is === 'absent' && (!isStrong || !WEAK.includes(looked.reason)))
        return { outcome: 'absent', ...foundIn(edition, asked, looked), reason: looked.reason }
    return undefined
  }
  const is = (what: Looked['is']): boolean => misses.some(({ looked }) => looked.is === what)
  if (is('unpriced')) return { outcome: 'modifier_not_priced' }
  const strong = absent(true)
  if (strong) return strong
  if (is('not_covered')) return { outcome: 'region_not_covered' }
  if (notHeld.length > 0) return { outcome: 'no_edition_for_day', charts: notHeld }
  return absent(false) ?? { outcome: 'not_on_schedule' }
}
