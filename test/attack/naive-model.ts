// What the registry should answer, worked out in the plainest way from the lines of the source files: no rows, no keys,
// no trees. It was written from the description of the lookup and shares no code with it.

import { chargeAnswer } from './naive-hospital.ts'
import { type Absent, type Listed, type Looked, look, money, type Place, type Price } from './naive-schedule.ts'
import type { Edition, Zips } from './naive-world.ts'

export interface Asked {
  cpt: string
  as_of: string
  region?: string
  npi?: string
  modifier?: string
  setting?: string
  basis?: string
  kind?: string
  revenue_code?: string
  place_of_service?: string
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
  | (Found & { outcome: 'price'; amount: string; ignored: string[]; left: string[]; adjusted: string | null })
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

const OFFICE = ['cms-pfs', 'cms-clfs', 'cms-asp', 'cms-dmepos']
/** The schedules of each setting that may have the codes that are asked for here: stays have codes of their own. */
const SEARCHED: Readonly<Record<string, readonly string[]>> = {
  non_facility: OFFICE,
  facility: OFFICE,
  outpatient: ['cms-opps', 'cms-clfs'],
  inpatient: [],
  asc: ['cms-asc', 'cms-clfs'],
  rural: ['cms-dmepos'],
  non_rural: ['cms-dmepos'],
}
/** The schedules that a side of the bill may be paid by: those of its settings, and those without any. */
const PAID_BY: Readonly<Record<string, readonly string[]>> = {
  hospital: ['cms-opps', 'cms-clfs', 'cms-asp'],
  professional: ['cms-pfs', 'cms-pfs-qpp', 'cms-clfs', 'cms-asp'],
  surgery_center: ['cms-asc', 'cms-clfs', 'cms-asp'],
  equipment: ['cms-dmepos', 'cms-clfs', 'cms-asp'],
}

/** The charts that may answer, in order; undefined if the question contradicts itself. */
function chartsFor({ basis, setting }: Asked, side: Side | undefined): readonly string[] | undefined {
  if (side && setting !== undefined && !settingsOf(side).includes(setting)) return undefined
  if (basis !== undefined) {
    const charts = Object.keys(BASIS).filter((chart) => BASIS[chart] === basis)
    return charts.length > 0 && charts.every((chart) => !side || PAID_BY[side.kind]?.includes(chart))
      ? charts
      : undefined
  }
  if (setting !== undefined) return SEARCHED[setting]
  return side ? [...new Set(settingsOf(side).flatMap((each) => SEARCHED[each] ?? []))] : OFFICE
}

// Places.

const UNLISTED: Listed = { isRural: undefined, area: undefined }
const locality = (region: string, state: string | undefined, listed = UNLISTED): Place => ({
  is: 'locality',
  region,
  state: state && `US-${state}`,
  ...listed,
})

function placeOf(text: string, charts: readonly string[], zips: Published | undefined): Place {
  const written = text.toUpperCase().replace(/^ZIP-/, '')
  if (written === 'NATIONAL') return { is: 'national' }
  if (/^(US-)?[A-Z]{2}$/.test(written)) return { is: 'state', state: `US-${written.slice(-2)}` }
  if (written.startsWith('US-')) return locality(written, written.slice(3, 5))
  if (charts.every((chart) => NATIONAL.includes(chart))) return { is: 'national' }
  if (!zips) return { is: 'not_held' }
  const [five, four] = written.split('-')
  const { zips: all, withParts, rural, areas } = zips.data as Zips
  const zip = all.find((each) => each.zip === five)
  if (!zip) return { is: 'unknown' }
  const listed = { isRural: rural?.includes(zip.zip), area: areas?.[zip.zip] }
  if (!zip.parts) return locality(zip.region, zip.state, listed)
  const parts = withParts ? zip.parts : []
  const part = parts.find((each) => each.four === four)
  if (part) return locality(part.region, part.state, listed)
  const only = (name: 'region' | 'state'): string | undefined =>
    parts.every((each) => each[name] === parts[0]?.[name]) ? parts[0]?.[name] : undefined
  const [region, state] = [only('region'), only('state')]
  return region ? locality(region, state, listed) : { is: 'split', state: state && `US-${state}`, ...listed }
}

// Modifiers.

export const NEUTRAL =
  '24 25 27 57 58 59 76 77 79 90 91 KH XE XS XP XU RT LT LC LD LM RC RI E1 E2 E3 E4 FA F1 F2 F3 F4 F5 F6 F7 F8 F9 TA T1 T2 T3 T4 T5 T6 T7 T8 T9 GN GO GP GT 93 95 KX 33 PT AI GC Q5 Q6 JW JZ AA QZ GA CR AT Q7 Q8 Q9 GQ G0 FQ GV GW Q0 Q1 QS'.split(
    ' ',
  )
/** Taken off the bill as a whole, and so off no line of it. */
const OF_BILL = ['51']
type Indicator = 'bilateral' | 'co_surgeon' | 'assistant'
/** The indicator of the physician schedules, and in thousandths the factor for each value that allows it. */
const BY_INDICATOR: Readonly<Record<string, readonly [Indicator, Readonly<Record<string, bigint>>]>> = {
  '50': ['bilateral', { '1': 1500n, '2': 1000n, '3': 2000n }],
  '62': ['co_surgeon', { '1': 625n, '2': 625n }],
  '80': ['assistant', { '0': 160n, '2': 160n }],
  '81': ['assistant', { '0': 160n, '2': 160n }],
  '82': ['assistant', { '0': 160n, '2': 160n }],
  AS: ['assistant', { '0': 136n, '2': 136n }],
}
const OFF_CAMPUS: Readonly<Record<string, bigint>> = { K: 1000n, J1: 400n, S: 400n, Q1: 400n }
const ADJUSTING = [...Object.keys(BY_INDICATOR), '52', '54', '55', 'FX', 'KJ', 'PN', 'PO', 'QK']

/** The factor in thousandths, or how the modifier counts here; undefined where it is not allowed. */
function factorOf(modifier: string, chart: string, found: Price): bigint | 'by_report' | 'neutral' | undefined {
  const isPhysician = chart.startsWith('cms-pfs')
  const isFacility = chart === 'cms-opps' || chart === 'cms-asc'
  switch (modifier) {
    case '52':
      return isFacility ? 500n : 'by_report'
    case 'FX':
      if (chart === 'cms-opps' || (isPhysician && found.modifier === 'TC')) return 800n
      if (!isPhysician) return 'by_report'
      // No code of the files has an indicator by which the technical part could be told from the whole.
      return found.modifier === null ? undefined : 'neutral'
    case 'PN':
      return chart === 'cms-opps' ? OFF_CAMPUS[found.mark ?? ''] : 'by_report'
    case 'PO':
      return 'neutral'
    case 'QK':
      return 'by_report'
    default: {
      // The files do not divide the fee of an operation, and have no capped rentals.
      const [indicator, factors] = BY_INDICATOR[modifier] ?? []
      return indicator && found.line && factors?.[found.line[indicator]]
    }
  }
}

// Sides of a bill.

interface Side {
  kind: string
  /** Where a professional worked, if the bill says it. */
  setting?: string
}
const PLACE_OF_SERVICE: Readonly<Record<string, string>> = {
  '11': 'non_facility',
  '12': 'non_facility',
  '21': 'facility',
  '24': 'facility',
}

function sideOf({ kind, revenue_code, place_of_service }: Asked): Side | undefined {
  const isOfDoctor = /^0?9[678]\d$/.test(revenue_code ?? '')
  if (kind === undefined && revenue_code !== undefined)
    return isOfDoctor ? { kind: 'professional', setting: 'facility' } : { kind: 'hospital' }
  if (kind === undefined && place_of_service === undefined) return undefined
  if (kind !== undefined && kind !== 'professional') return { kind }
  const setting = PLACE_OF_SERVICE[place_of_service ?? ''] ?? (revenue_code === undefined ? undefined : 'facility')
  return { kind: 'professional', ...(setting && { setting }) }
}

function settingsOf({ kind, setting }: Side): readonly string[] {
  if (kind === 'hospital') return ['outpatient', 'inpatient']
  if (kind === 'surgery_center') return ['asc']
  if (kind === 'equipment') return ['non_rural', 'rural']
  return setting === undefined ? ['non_facility', 'facility'] : [setting]
}

/** Whose charge a line of a hospital's own file may be, for a side of the bill. */
export function classesOf(asked: Asked): readonly (string | null)[] {
  const side = sideOf(asked)
  if (side?.kind === 'professional') return ['professional']
  return side && side.kind !== 'equipment' ? ['facility', null] : ['facility', null, 'professional']
}

/** Exact: amounts have up to four decimals here. */
function adjusted(amount: string, factor: bigint): string {
  const [whole = '', fraction = ''] = amount.split('.')
  return money((BigInt(whole + fraction.padEnd(4, '0')) * factor + 50_000n) / 100_000n, 2)
}

/** A schedule, with the modifiers as on the bill. */
function inSchedule(edition: Published, asked: Asked, modifiers: readonly string[], place: Place): Looked {
  const own = modifiers.filter((each) => !NEUTRAL.includes(each) && !OF_BILL.includes(each))
  const adjusting = own.filter((each) => ADJUSTING.includes(each))
  const choosing = adjusting.length === 1 ? own.filter((each) => !ADJUSTING.includes(each)) : own
  const key = choosing.length > 0 ? choosing.join('-') : null
  const found = look(edition, key, asked, place)
  const [only, another] = adjusting
  const isReported = found.is === 'price' && only && !another && factorOf(only, edition.chart, found) === 'by_report'
  if (isReported) return { is: 'unpriced' }
  if (key === null || (found.is !== 'nothing' && found.is !== 'unpriced')) return found
  const without = look(edition, null, asked, place)
  if (without.is === 'absent' || without.is === 'not_covered') return without
  return without.is === 'price' || without.is === 'ambiguous' ? { is: 'unpriced' } : found
}

// The answer.

const WEAK = ['paid_elsewhere', 'not_valid', 'no_price_stated']

export function expected(editions: readonly Published[], question: Asked): Said {
  const onBill = [...new Set(question.modifier?.toUpperCase().split('-') ?? [])].sort()
  if (question.npi !== undefined) return chargeAnswer(editions, { ...question, npi: question.npi }, onBill)
  // Left and right in one line is both sides.
  const isBoth = onBill.includes('LT') && onBill.includes('RT')
  const modifiers = isBoth ? [...new Set(['50', ...onBill.filter((each) => !/^[LR]T$/.test(each))])].sort() : onBill
  const side = sideOf(question)
  const charts = chartsFor(question, side)
  if (!charts || question.basis?.startsWith('hospital_')) return { outcome: 'malformed' }
  // Of a professional the bill says in which of two places the service was performed.
  const asked = side?.setting === undefined ? question : { ...question, setting: side.setting }
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
    const missing = !edition ? chart : place.is === 'not_held' && !NATIONAL.includes(chart) ? 'zip-locality' : undefined
    if (!edition || missing) {
      if (missing && !notHeld.includes(missing)) notHeld.push(missing)
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
  const { amount } = looked
  const adjusting = modifiers.filter((each) => ADJUSTING.includes(each))
  const [only] = adjusting.length === 1 ? adjusting : []
  const factor = only === undefined ? 'neutral' : factorOf(only, edition.chart, looked)
  if (typeof factor !== 'bigint' && factor !== 'neutral')
    return { outcome: 'modifier_not_allowed', ...found, reason: null }
  const ignored = modifiers.filter((each) => NEUTRAL.includes(each) || (each === only && factor === 'neutral'))
  const left = modifiers.filter((each) => OF_BILL.includes(each))
  const changed = factor === 'neutral' ? null : `${only} ${adjusted(amount, factor)}`
  return { outcome: 'price', ...found, amount, ignored, left, adjusted: changed }
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
