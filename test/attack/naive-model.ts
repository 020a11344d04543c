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
  '24 25 27 57 58 59 76 77 79 91 XE XS XP XU RT LT LC LD LM RC RI E1 E2 E3 E4 FA F1 F2 F3 F4 F5 F6 F7 F8 F9 TA T1 T2 T3 T4 T5 T6 T7 T8 T9 GN GO GP GT 93 95 KX 33 PT AI GC Q5 Q6 JW JZ AA QZ GA CR AT Q7 Q8 Q9 GQ G0 FQ GV GW Q0 Q1 QS'.split(
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

/** A schedule, with the modifiers as on the bill. */
function inSchedule(edition: Published, asked: Asked, modifiers: readonly string[], place: Place): Looked {
  const own = modifiers.filter((each) => !NEUTRAL.includes(each))
  const adjusting = own.filter((each) => each in ADJUSTING)
  const choosing = adjusting.length === 1 ? own.filter((each) => !(each in ADJUSTING)) : own
  const key = choosing.length > 0 ? choosing.join('-') : null
  const found = look(edition, key, asked, place)
  if (key === null || (found.is !== 'nothing' && found.is !== 'unpriced')) return found
  const without = look(edition, null, asked, place)
  if (without.is === 'absent' || without.is === 'not_covered') return without
  return without.is === 'price' || without.is === 'ambiguous' ? { is: 'unpriced' } : found
}

// The answer.

const WEAK = ['paid_elsewhere', 'not_valid', 'no_price_stated']

export function expected(editions: readonly Published[], asked: Asked): Said {
  const onBill = [...new Set(asked.modifier?.toUpperCase().split('-') ?? [])].sort()
  if (asked.npi !== undefined) return chargeAnswer(editions, { ...asked, npi: asked.npi }, onBill)
  // Left and right in one line is both sides.
  const isBoth = onBill.includes('LT') && onBill.includes('RT')
  const modifiers = isBoth ? [...new Set(['50', ...onBill.filter((each) => !/^[LR]T$/.test(each))])].sort() : onBill
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
