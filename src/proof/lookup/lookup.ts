// Which row answers a question. One pure rule, run twice: by the service to answer, and by the verifier to check.
//
// The rule asks for what it needs, one thing at a time, and is told what there is. The service looks in its store; the
// verifier looks only at what an answer has proved. So both come to the same decision, or the verifier finds that
// something is not proved.

import {
  CHARTS,
  type ChartFacts,
  type ChartTable,
  chartsFor,
  codeIn,
  factsOf,
  HOSPITAL_FACTS,
  PLACE_CHART,
} from '../price/charts.ts'
import { type Basis, type PlaceRow, type PricedRow, type Row, rowKey, type Setting } from '../price/row.ts'
import { type Editions, findRow } from './editions.ts'
import { type Adjustment, adjust, isAdjusting, isNeutral, withBothSides } from './modifiers.ts'
import { type Place, placeOf, regionFor } from './place.ts'
import type { ParsedQuestion } from './question.ts'
import { isDivided, localitiesOf } from './region.ts'

type Absence = Extract<Row, { kind: 'absence' }>
export type Decision =
  | { outcome: 'price'; chart: string; row: PricedRow; ignored: string[]; adjustment?: Adjustment }
  | { outcome: 'absent'; chart: string; row: Absence }
  | { outcome: 'modifier_not_allowed'; chart: string; row: PricedRow; modifier: string }
  | { outcome: 'modifier_not_priced' }
  | { outcome: 'no_edition'; charts: string[] }
  | { outcome: 'region_ambiguous'; chart: string }
  | { outcome: 'region_not_covered'; chart: string }
  | { outcome: 'unknown_zip' }
  | { outcome: 'unknown_provider' }
  | { outcome: 'not_on_schedule' }

/** The decision on a question, and the place that its ZIP code stands for. */
export function lookUp(
  editions: Editions,
  question: ParsedQuestion,
  table: ChartTable = CHARTS,
): { decision: Decision; place: PlaceRow | undefined } {
  if (question.npi !== null) return { decision: ofProvider(editions, question, question.npi), place: undefined }
  const place = placeOf(editions, question, table)
  if (!place) return { decision: { outcome: 'unknown_zip' }, place }
  return { decision: ofSchedules(editions, question, place, table), place: place.row }
}

/** What is said where a schedule has no price. Everything else ends the search. */
const LEAVES_OPEN = ['absent', 'modifier_not_priced', 'region_not_covered']

function ofSchedules(editions: Editions, question: ParsedQuestion, place: Place, table: ChartTable): Decision {
  const findings: Decision[] = []
  const notHeld = new Set<string>()
  for (const chart of chartsFor(question.basis, question.setting, table)) {
    const facts = factsOf(chart, table)
    if (!facts) continue
    if (!editions.isHeld(chart)) notHeld.add(chart)
    // A schedule by locality cannot be read without the table that says where a ZIP code lies.
    else if (facts.speaks !== 'national' && place.notHeld) notHeld.add(PLACE_CHART)
    else {
      const finding = inSchedule(scheduleOf(editions, question, place, chart, facts), question.modifiers)
      if (finding && !LEAVES_OPEN.includes(finding.outcome)) return finding
      if (finding) findings.push(finding)
    }
  }
  return without(findings, [...notHeld])
}

/** Reasons that may only mean that the code belongs on another schedule, so that one that is not held could price it. */
const MAY_BE_ELSEWHERE = ['paid_elsewhere', 'not_valid', 'no_price_stated']

/** What is said where no chart has a price: what is about the code itself goes first. */
function without(findings: readonly Decision[], charts: string[]): Decision {
  const first = (outcome: Decision['outcome']) => findings.find((each) => each.outcome === outcome)
  return (
    // A schedule that has the code with other modifiers knows more than one that does not pay for it.
    first('modifier_not_priced') ??
    findings.find((each) => each.outcome === 'absent' && !MAY_BE_ELSEWHERE.includes(each.row.reason)) ??
    first('region_not_covered') ??
    (charts.length ? { outcome: 'no_edition', charts } : (findings[0] ?? { outcome: 'not_on_schedule' }))
  )
}

/** A schedule, as a question needs it. */
interface Schedule {
  chart: string
  facts: ChartFacts
  place: Place
  /** Of the rows that can answer; undefined where several may be meant. */
  region: string | undefined
  /** What is asked before that region: a former bidding area has prices of its own for some of the equipment. */
  area: string | undefined
  settings: SettingsTried
  rowAt(region: string, modifier: string | null, setting: Setting | null): Row | undefined
  /** The regions of the rows of the code whose keys go on so: none, the only one, or two of several. */
  regions(rest: string): readonly string[]
}
const scheduleOf = (
  editions: Editions,
  question: ParsedQuestion,
  place: Place,
  chart: string,
  facts: ChartFacts,
): Schedule => {
  const cpt = codeIn(facts, question.cpt)
  const basis = facts.bases[0] as Basis
  const settings = settingsFor(facts, question.setting, place.row?.rural)
  return {
    chart,
    facts,
    place,
    region: regionFor(facts, place),
    area: question.setting !== 'rural' && settings.includes('non_rural') ? place.area : undefined,
    settings,
    rowAt: (region, modifier, setting) =>
      findRow(editions, chart, rowKey({ cpt, region, npi: null, modifier, basis, setting, class: null })) as Row,
    regions: (rest) => editions.regions(chart, `${cpt}|${rest}`),
  }
}

/** What a schedule says; undefined if it does not have the code. */
function inSchedule(schedule: Schedule, asked: readonly string[]): Decision | undefined {
  const [ignored, kept] = byNeutral(withBothSides(asked))
  const [adjusting, another] = kept.filter(isAdjusting)
  // Two modifiers that each change the amount have no stated rule for both.
  const modifier = joined(another ? kept : kept.filter((each) => each !== adjusting))
  const found = withModifier(schedule, modifier)
  if (found?.outcome === 'price') return adjusted({ ...found, ignored }, another ? undefined : adjusting)
  if (found) return found
  const bare = modifier === null ? undefined : withModifier(schedule, null)
  if (bare?.outcome === 'price' || bare?.outcome === 'region_ambiguous') return { outcome: 'modifier_not_priced' }
  return bare ?? otherwise(schedule, modifier)
}

const joined = (modifiers: readonly string[]): string | null => modifiers.join('-') || null

/** The modifiers that change no payment, and the others. */
const byNeutral = (modifiers: readonly string[]): [string[], string[]] => [
  modifiers.filter(isNeutral),
  modifiers.filter((modifier) => !isNeutral(modifier)),
]

function adjusted(price: Extract<Decision, { outcome: 'price' }>, modifier: string | undefined): Decision {
  if (!modifier) return price
  const { chart, row } = price
  const adjustment = adjust(row, modifier)
  return adjustment ? { ...price, adjustment } : { outcome: 'modifier_not_allowed', chart, row, modifier }
}

/** What a schedule has of a code that it does not have as asked: with other modifiers, in other settings or places. */
function otherwise({ chart, facts, place, region, regions }: Schedule, modifier: string | null): Decision | undefined {
  const isThere = (rest: string): boolean =>
    [...new Set([region ?? 'national', 'national'])].some((each) => regions(each + rest).length)
  // In another setting only.
  if (modifier === null && isThere('|||')) return undefined
  // With modifiers only, such as equipment that is bought new or rented by the month.
  if (isThere('||')) return { outcome: 'modifier_not_priced' }
  if (facts.speaks === 'national' || !regions('US-').length) return undefined
  // For places, and none was asked, or it may be one of several; else for other places only.
  const isOpen = region === 'national' || (!region && (place.split || !place.state))
  return { outcome: isOpen ? 'region_ambiguous' : 'region_not_covered', chart }
}

/** Reasons after which the next setting is tried. A line that cannot be read must not be replaced by another one. */
const LEAVES_ROOM = ['not_applicable_in_setting', 'no_price_stated']

/**
 * What a schedule says for one modifier. Settings are tried in the schedule's order. A status such as "bundled" holds
 * for the whole country and every setting: it stands once, on the national row without a setting. A setting in which
 * the service is not performed stands once for the country too.
 */
function withModifier(schedule: Schedule, modifier: string | null): Decision | undefined {
  const { chart, facts, place, area, settings, rowAt, regions } = schedule
  const inArea = area && rowAt(area, modifier, 'non_rural')
  if (inArea) return said(chart, inArea)
  /** Absences that leave room are kept: they are said where nothing else is. */
  let stated: Row | undefined
  /** The row of the first setting that decides. `missing` takes the settings that have none. */
  const firstIn = (where: string, tried: SettingsTried, missing: (Setting | null)[]): Row | undefined => {
    for (const setting of tried) {
      const row = rowAt(where, modifier, setting)
      if (row && !('reason' in row && LEAVES_ROOM.includes(row.reason))) return row
      stated ??= row
      if (!row) missing.push(setting)
    }
    return undefined
  }
  const status = (): Decision | undefined => {
    const row = facts.settings.includes(null) ? undefined : rowAt('national', modifier, null)
    return row && 'reason' in row ? said(chart, row) : undefined
  }

  let { region } = schedule
  const isOpen = !region
  if (isOpen) {
    const ofCountry = status()
    if (ofCountry) return ofCountry
    if (facts.speaks === 'locality' && place.state && !place.split) {
      const [only, another] = regions(`US-${localitiesOf(place.state)}-`)
      if (another || (only && isDivided(place.state))) {
        // The localities have what the country has, unless it has nothing.
        if (regions(`national||${modifier ?? ''}|`).length || !regions('national|').length)
          return { outcome: 'region_ambiguous', chart }
      } else region = only
    }
  }
  const missing: (Setting | null)[] = []
  const own = region && firstIn(region, settings, missing)
  if (own) return said(chart, own)
  const ofCountry = !isOpen && (missing.length || !stated) ? status() : undefined
  if (ofCountry) return ofCountry
  if (region !== 'national' && facts.speaks !== 'national') {
    const national = firstIn('national', region ? missing : settings, [])
    if (national && 'price' in national)
      return { outcome: place.split ? 'region_ambiguous' : 'region_not_covered', chart }
    stated = national ?? stated
  }
  return stated && said(chart, stated)
}

/** What a row says for itself. */
const said = (chart: string, row: Row, ignored: string[] = []): Decision =>
  'price' in row ? { outcome: 'price', chart, row, ignored } : { outcome: 'absent', chart, row }

type SettingsTried = readonly (Setting | null)[]

/**
 * A chart that knows no settings answers for every one; drugs and supplies are asked about as a doctor bills them. Where
 * the question leaves it open, a ZIP code of a rural area asks for the rural amount, and any other one for none of those.
 */
function settingsFor(
  { settings, speaks }: ChartFacts,
  asked: Setting | undefined,
  isRural: boolean | undefined,
): SettingsTried {
  const isOpen = !asked || (speaks === 'state' && (asked === 'non_facility' || asked === 'facility'))
  const wanted = isOpen && isRural ? 'rural' : asked
  // The publisher leaves the rural column empty where the other amount holds there too.
  if (wanted === 'rural' && settings.includes(wanted)) return ['rural', 'non_rural']
  if (isOpen || settings.includes(null)) return settings.filter((each) => each !== 'rural' || isRural !== false)
  return settings.includes(asked) ? [asked] : []
}

/** A charge of no class is not a doctor's: those are known by their class or their revenue code. */
const CLASSES_TRIED = ['facility', null, 'professional'] as const

/**
 * A hospital's own file. The region is no part of the question: the hospital stands where it stands. It is asked with the
 * modifiers as they are on the bill, with both sides as one, and then without ever more of those that change no payment by
 * Medicare: the hospital may state another price with any of them.
 */
function ofProvider(editions: Editions, { cpt, basis, setting, modifiers }: ParsedQuestion, npi: string): Decision {
  const chart = editions.chartOf(npi)
  if (!chart) return { outcome: 'unknown_provider' }
  if (!editions.isHeld(chart)) return { outcome: 'no_edition', charts: [chart] }
  const bases = basis ? [basis] : HOSPITAL_FACTS.bases
  const settings = setting ? [setting, null] : HOSPITAL_FACTS.settings
  const sides = withBothSides(modifiers)
  const [neutral] = byNeutral(sides)
  const tried = new Set([modifiers, sides].map((list) => list.join('-')))
  let stated: Row | undefined
  for (const modifier of tried) {
    for (const each of bases)
      for (const inSetting of settings)
        for (const inClass of CLASSES_TRIED) {
          const key = { cpt, region: 'national', npi, modifier, basis: each, setting: inSetting, class: inClass }
          const row = findRow(editions, chart, rowKey(key)) as Row | undefined
          if (row && 'price' in row)
            return said(
              chart,
              row,
              neutral.filter((each) => !modifier.includes(each)),
            )
          stated ??= row
        }
    if (stated) return said(chart, stated)
    for (const left of neutral) {
      const fewer = modifier.split('-').filter((each) => each !== left)
      tried.add(fewer.join('-'))
    }
  }
  // The code is there, and not so: with other modifiers only, or not in this setting or basis.
  const prefix = `${cpt}|national|${npi}|`
  const isAny = (start: string): number => editions.regions(chart, start).length
  const isBare = !modifiers.length && isAny(`${prefix}|`)
  return { outcome: !isBare && isAny(prefix) ? 'modifier_not_priced' : 'not_on_schedule' }
}
