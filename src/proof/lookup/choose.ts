// The rule that chooses the row which answers a question: a plain function of the question and of complete lists. Its steps
// are those of docs/spec/lookup.md.

import { KIND_ENTRIES } from '../../tables/sides.ts'
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
import { type Basis, isPerPayer, type PricedRow, type Row, type Setting } from '../price/row.ts'
import type { Choice, Decision, PriceDecision, Refusal, Step } from './decision.ts'
import { isFrom, pricesUnder, type Registry } from './lists.ts'
import {
  adjust,
  isAdjusting,
  isNeutral,
  isOfWholeBill,
  ofAnyLine,
  otherwiseOn,
  partOf,
  withBothSides,
} from './modifiers.ts'
import { type Place, placeOf, regionFor } from './place.ts'
import type { ParsedQuestion } from './question.ts'
import { isDivided, localitiesOf } from './region.ts'

export function choose(question: ParsedQuestion, registry: Registry, table: ChartTable = CHARTS): Choice {
  if (question.npi !== null) return { decision: ofProvider(question, question.npi, registry), place: undefined }
  // R1: the place of the question.
  const place = placeOf(question, registry, table)
  if (!place) return { decision: { outcome: 'unknown_zip', rule: 'R1' }, place }
  return { decision: ofSchedules(question, place, registry, table), place: place.row }
}

/** After these the next schedule is searched. Everything else ends the search. */
const LEAVES_SEARCH_OPEN = ['absent', 'modifier_not_priced', 'region_not_covered']

function ofSchedules(question: ParsedQuestion, place: Place, registry: Registry, table: ChartTable): Decision {
  const refusals: Refusal[] = []
  const notHeld = new Set<string>()
  // R2: the schedules that may answer, in order. They follow from the question, never from what is loaded.
  for (const chart of chartsFor(question, table)) {
    const facts = factsOf(chart, table)
    if (!facts) continue
    // R3: a schedule without an edition for the day is noted, and so is a missing table of ZIP codes where it is needed.
    if (!registry.timeline.isHeld(chart)) notHeld.add(chart)
    else if (facts.speaks !== 'national' && place.notHeld) notHeld.add(PLACE_CHART)
    else {
      const found = inSchedule(scheduleOf(question, place, registry, chart, facts), question.modifiers)
      if (found && !LEAVES_SEARCH_OPEN.includes(found.outcome)) return found
      if (found) refusals.push(found as Refusal)
    }
  }
  return withoutPrice(refusals, [...notHeld])
}

/** Reasons that may only mean that the code belongs on another schedule: one that is not held could price it. */
const MAY_BE_ELSEWHERE = ['paid_elsewhere', 'not_valid', 'no_price_stated']

/** R10: where no schedule has a price, a finding about the code itself goes first. */
function withoutPrice(refusals: readonly Refusal[], charts: string[]): Refusal {
  const first = (outcome: Decision['outcome']) => refusals.find((each) => each.outcome === outcome)
  return (
    // A schedule that has the code with other modifiers knows more than a schedule that does not pay for it.
    first('modifier_not_priced') ??
    refusals.find((each) => each.outcome === 'absent' && !MAY_BE_ELSEWHERE.includes(each.row.reason)) ??
    first('region_not_covered') ??
    (charts.length > 0
      ? { outcome: 'no_edition', rule: 'R3', charts }
      : (refusals[0] ?? { outcome: 'not_on_schedule', rule: 'R10' }))
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
  /** All rows of the code for a region. */
  rowsOf(region: string): readonly Row[]
  /** All rows of the code for the regions that begin so. */
  rowsIn(regions: string): readonly Row[]
  /** Whether there are any. */
  has(regions: string): boolean
  rowAt(region: string, modifier: string | null, setting: Setting | null): Row | undefined
  day: string
}
function scheduleOf(
  question: ParsedQuestion,
  place: Place,
  { lists, timeline }: Registry,
  chart: string,
  facts: ChartFacts,
): Schedule {
  const code = codeIn(facts, question.cpt)
  const settings = settingsFor(facts, question.setting, place.row?.rural)
  const rowsIn = (regions: string): readonly Row[] => pricesUnder(lists, chart, `${code}|${regions}`)
  const rowsOf = (region: string): readonly Row[] => rowsIn(`${region}|`)
  return {
    chart,
    facts,
    place,
    region: regionFor(facts, place),
    area: question.setting !== 'rural' && settings.includes('non_rural') ? place.area : undefined,
    settings,
    day: timeline.day,
    rowsOf,
    rowsIn,
    has: (regions) => lists.has(chart, `${code}|${regions}`),
    rowAt: (region, modifier, setting) =>
      rowsOf(region)
        .filter(isFrom(timeline))
        .find((row) => row.modifier === modifier && row.setting === setting),
  }
}

/** R4: modifiers that change no payment are left out, and one that changes it by a fixed rule is applied to the row without it. */
function inSchedule(schedule: Schedule, asked: readonly string[]): Decision | undefined {
  const [ignored, others] = byNeutral(withBothSides(asked))
  // What the rest of the bill decides is no part of the lookup: the answer says that it was left out.
  const left = others.filter(isOfWholeBill)
  const kept = others.filter((modifier) => !isOfWholeBill(modifier))
  const [adjusting, another] = kept.filter(isAdjusting)
  // There is no rule for two modifiers that each change the amount.
  const modifier = joined(another === undefined ? kept.filter((each) => each !== adjusting) : kept)
  const found = withModifier(schedule, modifier)
  if (found?.outcome === 'price')
    return adjusted(schedule, { ...found, ignored, left }, another === undefined ? adjusting : undefined)
  if (found) return found
  // R9: the code may have a price without its modifiers, with others, in another setting or for other places.
  const bare = modifier === null ? undefined : withModifier(schedule, null)
  if (bare?.outcome === 'price' || bare?.outcome === 'region_ambiguous')
    return { outcome: 'modifier_not_priced', rule: 'R9' }
  return bare ?? otherwise(schedule, modifier)
}

const joined = (modifiers: readonly string[]): string | null => modifiers.join('-') || null

const byNeutral = (modifiers: readonly string[]): [string[], string[]] => [
  modifiers.filter(isNeutral),
  modifiers.filter((modifier) => !isNeutral(modifier)),
]

function adjusted({ day, rowAt }: Schedule, price: PriceDecision, modifier: string | undefined): Decision {
  if (modifier === undefined) return price
  const { chart, row } = price
  const otherwise = otherwiseOn(row, modifier)
  if (otherwise === 'by_report') return { outcome: 'modifier_not_priced', rule: 'R9' }
  if (otherwise === 'neutral') return { ...price, ignored: [...price.ignored, modifier].sort() }
  const name = partOf(row, modifier)
  const part = name === undefined ? undefined : rowAt(row.region, name, row.setting)
  const amount = part && 'price' in part && 'amount' in part.price ? part.price.amount : undefined
  const adjustment = adjust(row, modifier, { day, part: amount })
  return adjustment ? { ...price, adjustment } : { outcome: 'modifier_not_allowed', rule: 'R4', chart, row, modifier }
}

function otherwise(schedule: Schedule, modifier: string | null): Refusal | undefined {
  const { chart, facts, place, region, rowsOf, has } = schedule
  const known = [...new Set([region ?? 'national', 'national'])].flatMap(rowsOf)
  // In another setting only.
  if (modifier === null && known.some((row) => row.modifier === null)) return undefined
  // With modifiers only, such as equipment that is bought new or rented by the month.
  if (known.length > 0) return { outcome: 'modifier_not_priced', rule: 'R9' }
  if (facts.speaks === 'national' || !has('US-')) return undefined
  // It is there for places, and none was asked for, or it may be one of several; otherwise for other places only.
  const isOpen = region === 'national' || (region === undefined && (place.split || place.state === undefined))
  return { outcome: isOpen ? 'region_ambiguous' : 'region_not_covered', rule: 'R9', chart }
}

/** After these the next setting is tried. A line that cannot be read must not be replaced by another one. */
const LEAVES_SETTING_OPEN = ['not_applicable_in_setting', 'no_price_stated']

/**
 * The finding in a schedule for one modifier. A status such as "bundled" holds for the whole country and every setting: it is
 * stated once, on the national row without a setting. A setting in which the service is not performed is stated once for
 * the country too.
 */
function withModifier(schedule: Schedule, modifier: string | null): Decision | undefined {
  const { chart, facts, place, area, settings, rowAt } = schedule
  // R5: the former bidding area, then the region.
  const inArea = area === undefined ? undefined : rowAt(area, modifier, 'non_rural')
  if (inArea) return findingOf(chart, inArea, 'R5')
  /** The first absence that leaves the setting open: the finding if there is no other. */
  let stated: Row | undefined
  // R6: the settings in the schedule's order, until one decides. Those without a row are added to `missing`.
  const firstIn = (where: string, tried: readonly (Setting | null)[], missing: (Setting | null)[]): Row | undefined => {
    for (const setting of tried) {
      const row = rowAt(where, modifier, setting)
      if (row && !('reason' in row && LEAVES_SETTING_OPEN.includes(row.reason))) return row
      stated ??= row
      if (!row) missing.push(setting)
    }
    return undefined
  }
  // R7: a status of the code, for the whole country.
  const status = (): Decision | undefined => {
    const row = facts.settings.includes(null) ? undefined : rowAt('national', modifier, null)
    return row && 'reason' in row ? findingOf(chart, row, 'R7') : undefined
  }

  let { region } = schedule
  const isOpen = region === undefined
  if (isOpen) {
    const ofCountry = status()
    if (ofCountry) return ofCountry
    const found = localityIn(schedule, modifier)
    if (found.isAmbiguous) return { outcome: 'region_ambiguous', rule: 'R8', chart }
    region = found.region
  }
  const missing: (Setting | null)[] = []
  const own = region === undefined ? undefined : firstIn(region, settings, missing)
  if (own) return findingOf(chart, own, 'R6')
  const ofCountry = !isOpen && (missing.length > 0 || !stated) ? status() : undefined
  if (ofCountry) return ofCountry
  // R8: a price of the whole country is none of a place, where the schedule speaks by place.
  if (region !== 'national' && facts.speaks !== 'national') {
    const national = firstIn('national', region === undefined ? settings : missing, [])
    if (national && 'price' in national)
      return { outcome: place.split ? 'region_ambiguous' : 'region_not_covered', rule: 'R8', chart }
    stated = national ?? stated
  }
  return stated && findingOf(chart, stated, 'R6')
}

/** R8: the locality of a state, if it has one alone. */
function localityIn(
  { facts, place: { state, split }, rowsOf, rowsIn, has }: Schedule,
  modifier: string | null,
): { isAmbiguous: boolean; region: string | undefined } {
  if (facts.speaks !== 'locality' || state === undefined || split) return { isAmbiguous: false, region: undefined }
  const localities = `US-${localitiesOf(state)}-`
  const isSeveral = isDivided(state) ? has(localities) : false
  const [only, another] = isDivided(state) ? [] : [...new Set(rowsIn(localities).map(({ region }) => region))]
  if (!isSeveral && another === undefined) return { isAmbiguous: false, region: only }
  // Localities have the modifiers that the country has, if it has the code.
  const national = rowsOf('national')
  const isAmbiguous = national.length === 0 || national.some((row) => row.modifier === modifier)
  return { isAmbiguous, region: undefined }
}

const findingOf = (chart: string, row: Row, rule: Step, ignored: string[] = []): PriceDecision | Refusal =>
  'price' in row ? { outcome: 'price', chart, row, ignored, left: [] } : { outcome: 'absent', rule, chart, row }

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

/** The rows of one basis of a hospital for the code, of one payer or of none. */
type RowsBy = (basis: Basis) => readonly Row[]

/**
 * R11: the decision by a hospital's own file, whatever the region. The modifiers are tried as they are on the bill, with both
 * sides as one, and then without ever more of those that change no payment by Medicare: the hospital may state another
 * price with any of them.
 */
function ofProvider(question: ParsedQuestion, npi: string, { lists, timeline, providers }: Registry): Decision {
  const { cpt, basis, setting, modifiers, payer, side } = question
  const chart = providers.chartOf(npi)
  if (chart === undefined) return { outcome: 'unknown_provider', rule: 'R11' }
  if (!timeline.isHeld(chart)) return { outcome: 'no_edition', rule: 'R3', charts: [chart] }
  const own = HOSPITAL_FACTS.bases.filter((each) => !isPerPayer(each))
  const bases = basis ? [basis] : payer === undefined ? own : [OF_PAYERS]
  const settings = setting ? [setting, null] : HOSPITAL_FACTS.settings
  const classes = side ? KIND_ENTRIES[side.kind].classes : CLASSES_TRIED
  const rowsBy: RowsBy = (each) =>
    pricesUnder(lists, chart, `${cpt}|national|${npi}|${each}|${payer === undefined ? '' : payerPrefix(payer)}`)
  if (payer !== undefined) {
    const listed = new Set(bases.flatMap(rowsBy).map((row) => row.payer))
    if (listed.size === 0) return { outcome: 'payer_not_listed', rule: 'R11' }
    if (listed.size > 1) return { outcome: 'payer_ambiguous', rule: 'R11' }
  }
  const begun: RowsBy = (each) => rowsBy(each).filter(isFrom(timeline))
  const sides = withBothSides(modifiers)
  const [neutral] = byNeutral(sides)
  const tried = new Set([modifiers, sides].map((list) => list.join('-')))
  let stated: Row | undefined
  for (const modifier of tried) {
    for (const each of bases) {
      const rows = begun(each)
      for (const inSetting of settings)
        for (const inClass of classes) {
          const row = rows.find((one) => isAt(one, modifier || null, inSetting, inClass))
          if (row && 'price' in row) {
            const ignored = neutral.filter((one) => !modifier.includes(one))
            return findingOf(chart, row, 'R11', ignored)
          }
          stated ??= row
        }
    }
    if (stated) return findingOf(chart, stated, 'R11')
    for (const left of neutral) tried.add(joined(modifier.split('-').filter((one) => one !== left)) ?? '')
  }
  const ofLine = modifiers.length === 0 ? underAnyLine(question, { bases, settings, classes }, begun) : undefined
  if (ofLine) return { outcome: 'price', chart, row: ofLine.row, ignored: [], left: [], listedWith: ofLine.modifier }
  // The code may be there with other modifiers only, or in another setting or basis.
  const all = (payer === undefined ? own : bases).flatMap(rowsBy)
  const isInOtherSetting = modifiers.length === 0 && all.some((row) => row.modifier === null)
  return { outcome: !isInOtherSetting && all.length > 0 ? 'modifier_not_priced' : 'not_on_schedule', rule: 'R11' }
}

const OF_PAYERS: Basis = 'hospital_payer'

/** All kinds of plans of a payer are neighbours. */
export const payerPrefix = (payer: string): string => (payer.includes('/') ? `${payer}|` : `${payer}/`)

/** The price of the plain code where it is stated only under one modifier that says what any line of it is. */
function underAnyLine(
  { cpt }: ParsedQuestion,
  tried: { bases: readonly Basis[]; settings: readonly (Setting | null)[]; classes: readonly Row['class'][] },
  begun: RowsBy,
): { row: PricedRow; modifier: string } | undefined {
  const modifiers = ofAnyLine(cpt)
  // A doctor bills imaging with 26: a line with TC is all that a facility has.
  const classes = tried.classes.filter((each) => each !== 'professional')
  if (modifiers.length === 0) return undefined
  for (const basis of tried.bases) {
    const rows = begun(basis)
    for (const setting of tried.settings)
      for (const inClass of classes) {
        const found = modifiers.flatMap((modifier) => {
          const row = rows.find((one) => isAt(one, modifier, setting, inClass))
          return row && 'price' in row ? [{ row, modifier }] : []
        })
        // Two of them may have two prices: the bill says which one it is.
        if (found.length > 0) return found.length === 1 ? found[0] : undefined
      }
  }
  return undefined
}

const isAt = (row: Row, modifier: string | null, setting: Setting | null, inClass: Row['class']): boolean =>
  row.modifier === modifier && row.setting === setting && row.class === inClass
