// The rule that chooses the row that answers a question. It is pure, and run twice: by the service to answer, and by the
// verifier to check. It asks for one thing at a time. The service looks into its store; the verifier only at the facts
// that an answer has proved. So both come to the same decision, or the verifier finds that something is not proved.

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

/** After these the next schedule is searched. Everything else ends the search. */
const LEAVES_SEARCH_OPEN = ['absent', 'modifier_not_priced', 'region_not_covered']

function ofSchedules(editions: Editions, question: ParsedQuestion, place: Place, table: ChartTable): Decision {
  const findings: Decision[] = []
  const notHeld = new Set<string>()
  for (const chart of chartsFor(question.basis, question.setting, table)) {
    const facts = factsOf(chart, table)
    if (!facts) continue
    if (!editions.isHeld(chart)) notHeld.add(chart)
    // A schedule by place cannot be read without the table of ZIP codes.
    else if (facts.speaks !== 'national' && place.notHeld) notHeld.add(PLACE_CHART)
    else {
      const finding = inSchedule(scheduleOf(editions, question, place, chart, facts), question.modifiers)
      if (finding && !LEAVES_SEARCH_OPEN.includes(finding.outcome)) return finding
      if (finding) findings.push(finding)
    }
  }
  return withoutPrice(findings, [...notHeld])
}

/** Reasons that may only mean that the code belongs on another schedule: one that is not held could price it. */
const MAY_BE_ELSEWHERE = ['paid_elsewhere', 'not_valid', 'no_price_stated']

/** The decision if no schedule has a price: a finding about the code itself goes first. */
function withoutPrice(findings: readonly Decision[], charts: string[]): Decision {
  const first = (outcome: Decision['outcome']) => findings.find((each) => each.outcome === outcome)
  return (
    // A schedule that has the code with other modifiers knows more than a schedule that does not pay for it.
    first('modifier_not_priced') ??
    findings.find((each) => each.outcome === 'absent' && !MAY_BE_ELSEWHERE.includes(each.row.reason)) ??
    first('region_not_covered') ??
    (charts.length > 0 ? { outcome: 'no_edition', charts } : (findings[0] ?? { outcome: 'not_on_schedule' }))
  )
}

/** A schedule, as one question sees it. */
interface Schedule {
  chart: string
  facts: ChartFacts
  place: Place
  /** The region of the rows that can answer; undefined if it may be one of several. */
  region: string | undefined
  /** A former bidding area, which is tried before the region: it has prices of its own for some equipment. */
  area: string | undefined
  settings: readonly (Setting | null)[]
  rowAt(region: string, modifier: string | null, setting: Setting | null): Row | undefined
  /** The regions of the rows of the code whose keys continue so: none, the only one, or two of several. */
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

function inSchedule(schedule: Schedule, asked: readonly string[]): Decision | undefined {
  const [ignored, kept] = byNeutral(withBothSides(asked))
  const [adjusting, another] = kept.filter(isAdjusting)
  // There is no rule for two modifiers that each change the amount.
  const modifier = joined(another === undefined ? kept.filter((each) => each !== adjusting) : kept)
  const found = withModifier(schedule, modifier)
  if (found?.outcome === 'price') return adjusted({ ...found, ignored }, another === undefined ? adjusting : undefined)
  if (found) return found
  const bare = modifier === null ? undefined : withModifier(schedule, null)
  if (bare?.outcome === 'price' || bare?.outcome === 'region_ambiguous') return { outcome: 'modifier_not_priced' }
  return bare ?? otherwise(schedule, modifier)
}

const joined = (modifiers: readonly string[]): string | null => modifiers.join('-') || null

const byNeutral = (modifiers: readonly string[]): [string[], string[]] => [
  modifiers.filter(isNeutral),
  modifiers.filter((modifier) => !isNeutral(modifier)),
]

function adjusted(price: Extract<Decision, { outcome: 'price' }>, modifier: string | undefined): Decision {
  if (modifier === undefined) return price
  const { chart, row } = price
  const adjustment = adjust(row, modifier)
  return adjustment ? { ...price, adjustment } : { outcome: 'modifier_not_allowed', chart, row, modifier }
}

/** The finding in a schedule that may have the code with other modifiers, in other settings or for other places. */
function otherwise({ chart, facts, place, region, regions }: Schedule, modifier: string | null): Decision | undefined {
  const isThere = (rest: string): boolean =>
    [...new Set([region ?? 'national', 'national'])].some((each) => regions(each + rest).length > 0)
  // In another setting only.
  if (modifier === null && isThere('|||')) return undefined
  // With modifiers only, such as equipment that is bought new or rented by the month.
  if (isThere('||')) return { outcome: 'modifier_not_priced' }
  if (facts.speaks === 'national' || regions('US-').length === 0) return undefined
  // It is there for places, and none was asked for, or it may be one of several; otherwise for other places only.
  const isOpen = region === 'national' || (region === undefined && (place.split || place.state === undefined))
  return { outcome: isOpen ? 'region_ambiguous' : 'region_not_covered', chart }
}

/** After these the next setting is tried. A line that cannot be read must not be replaced by another one. */
const LEAVES_SETTING_OPEN = ['not_applicable_in_setting', 'no_price_stated']

/**
 * The finding in a schedule for one modifier. Settings are tried in the schedule's order. A status such as "bundled" holds
 * for the whole country and every setting: it is stated once, on the national row without a setting. A setting in which
 * the service is not performed is stated once for the country too.
 */
function withModifier(schedule: Schedule, modifier: string | null): Decision | undefined {
  const { chart, facts, place, area, settings, rowAt, regions } = schedule
  const inArea = area === undefined ? undefined : rowAt(area, modifier, 'non_rural')
  if (inArea) return findingOf(chart, inArea)
  /** The first absence that leaves the setting open: the finding if there is no other. */
  let stated: Row | undefined
  /** The row of the first setting that decides. Settings without a row are added to `missing`. */
  const firstIn = (where: string, tried: readonly (Setting | null)[], missing: (Setting | null)[]): Row | undefined => {
    for (const setting of tried) {
      const row = rowAt(where, modifier, setting)
      if (row && !('reason' in row && LEAVES_SETTING_OPEN.includes(row.reason))) return row
      stated ??= row
      if (!row) missing.push(setting)
    }
    return undefined
  }
  const status = (): Decision | undefined => {
    const row = facts.settings.includes(null) ? undefined : rowAt('national', modifier, null)
    return row && 'reason' in row ? findingOf(chart, row) : undefined
  }

  let { region } = schedule
  const isOpen = region === undefined
  if (isOpen) {
    const ofCountry = status()
    if (ofCountry) return ofCountry
    if (facts.speaks === 'locality' && place.state !== undefined && !place.split) {
      const [only, another] = regions(`US-${localitiesOf(place.state)}-`)
      if (another !== undefined || (only !== undefined && isDivided(place.state))) {
        // Localities have the modifiers that the country has, if it has the code.
        if (regions(`national||${modifier ?? ''}|`).length > 0 || regions('national|').length === 0)
          return { outcome: 'region_ambiguous', chart }
      } else region = only
    }
  }
  const missing: (Setting | null)[] = []
  const own = region === undefined ? undefined : firstIn(region, settings, missing)
  if (own) return findingOf(chart, own)
  const ofCountry = !isOpen && (missing.length > 0 || !stated) ? status() : undefined
  if (ofCountry) return ofCountry
  if (region !== 'national' && facts.speaks !== 'national') {
    const national = firstIn('national', region === undefined ? settings : missing, [])
    if (national && 'price' in national)
      return { outcome: place.split ? 'region_ambiguous' : 'region_not_covered', chart }
    stated = national ?? stated
  }
  return stated && findingOf(chart, stated)
}

const findingOf = (chart: string, row: Row, ignored: string[] = []): Decision =>
  'price' in row ? { outcome: 'price', chart, row, ignored } : { outcome: 'absent', chart, row }

/**
 * The settings to try. A chart without settings answers for every one; drugs and supplies are asked for as a doctor bills
 * them. If the question leaves it open, a ZIP code of a rural area gets the rural amount, and no other ZIP code does.
 */
function settingsFor(
  { settings, speaks }: ChartFacts,
  asked: Setting | undefined,
  isRural: boolean | undefined,
): readonly (Setting | null)[] {
  const isOpen = asked === undefined || (speaks === 'state' && (asked === 'non_facility' || asked === 'facility'))
  const wanted = isOpen && isRural ? 'rural' : asked
  // The publisher leaves the rural column empty if the other amount holds there too.
  if (wanted === 'rural' && settings.includes(wanted)) return ['rural', 'non_rural']
  if (isOpen || settings.includes(null)) return settings.filter((each) => each !== 'rural' || isRural !== false)
  return settings.includes(asked) ? [asked] : []
}

/** A doctor's charge is known by its class or its revenue code: a charge without a class is tried before it. */
const CLASSES_TRIED = ['facility', null, 'professional'] as const

/**
 * The decision by a hospital's own file, whatever the region. The modifiers are tried as they are on the bill, with both
 * sides as one, and then without ever more of those that change no payment by Medicare: the hospital may state another
 * price with any of them.
 */
function ofProvider(editions: Editions, { cpt, basis, setting, modifiers }: ParsedQuestion, npi: string): Decision {
  const chart = editions.chartOf(npi)
  if (chart === undefined) return { outcome: 'unknown_provider' }
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
            return findingOf(
              chart,
              row,
              neutral.filter((each) => !modifier.includes(each)),
            )
          stated ??= row
        }
    if (stated) return findingOf(chart, stated)
    for (const left of neutral) {
      const fewer = modifier.split('-').filter((each) => each !== left)
      tried.add(fewer.join('-'))
    }
  }
  // The code may be there with other modifiers only, or in another setting or basis.
  const prefix = `${cpt}|national|${npi}|`
  const isAny = (start: string): boolean => editions.regions(chart, start).length > 0
  const isInOtherSetting = modifiers.length === 0 && isAny(`${prefix}|`)
  return { outcome: !isInOtherSetting && isAny(prefix) ? 'modifier_not_priced' : 'not_on_schedule' }
}
