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
import {
  type AnyRow,
  type Basis,
  type BillingClass,
  type PlaceRow,
  type PricedRow,
  type Row,
  rowKey,
  type Setting,
} from '../price/row.ts'
import { findRow, isAny, isHeld, type Steps } from './asking.ts'
import { type Adjustment, adjust, isAdjusting, isNeutral, withBothSides } from './modifiers.ts'
import { type Place, placeOf, regionFor } from './place.ts'
import type { ParsedQuestion } from './question.ts'
import { isDivided, localitiesOf } from './region.ts'

type Absence = Extract<Row, { kind: 'absence' }>
export type Decision =
  | { outcome: 'price'; chart: string; row: PricedRow; ignored: string[]; adjustment: Adjustment | undefined }
  | { outcome: 'absent'; chart: string; row: Absence }
  | { outcome: 'modifier_not_allowed'; chart: string; row: PricedRow; modifier: string }
  | { outcome: 'modifier_not_priced' }
  | { outcome: 'no_edition'; charts: string[] }
  | { outcome: 'region_ambiguous'; chart: string }
  | { outcome: 'region_not_covered'; chart: string }
  | { outcome: 'unknown_zip' }
  | { outcome: 'unknown_provider' }
  | { outcome: 'not_on_schedule' }

/** What one chart says. At most one of these; none of them if it does not have the code. */
interface ChartAnswer {
  price?: PricedRow
  stated?: Absence
  ambiguous?: true
  /** The code has a price for the whole country, and none for the region that was asked. */
  notCovered?: true
  /** The code is there, and not with these modifiers. */
  modifierUnpriced?: true
  ignored?: string[]
  adjusting?: string | undefined
}

/** The decision on a question, and the place that its ZIP code stands for. */
export function* lookUp(
  question: ParsedQuestion,
  table: ChartTable = CHARTS,
): Steps<{ decision: Decision; place: PlaceRow | undefined }> {
  if (question.npi !== null) return { decision: yield* ofProvider(question, question.npi), place: undefined }
  const place = yield* placeOf(question, table)
  return { decision: yield* ofSchedules(question, place, table), place: place.row }
}

/** Reasons that may only mean that the code belongs on another schedule, so that one that is not held could price it. */
const MAY_BE_ELSEWHERE = new Set(['paid_elsewhere', 'not_valid', 'no_price_stated'])

function* ofSchedules(question: ParsedQuestion, place: Place, table: ChartTable): Steps<Decision> {
  if (place.unknown) return { outcome: 'unknown_zip' }
  const findings: (ChartAnswer & { chart: string })[] = []
  const notHeld: string[] = []
  for (const chart of chartsFor(question.basis, question.setting, table)) {
    const facts = factsOf(chart, table)
    if (!facts) continue
    if (!(yield* isHeld(chart))) {
      notHeld.push(chart)
      continue
    }
    // A schedule by locality cannot be read without the table that says where a ZIP code lies.
    if (facts.speaks !== 'national' && place.notHeld) {
      if (!notHeld.includes(PLACE_CHART)) notHeld.push(PLACE_CHART)
      continue
    }
    const finding = yield* inSchedule(question, chart, facts, place)
    if (finding.price) return priced(chart, finding.price, finding)
    if (finding.ambiguous) return { outcome: 'region_ambiguous', chart }
    findings.push({ chart, ...finding })
  }
  return without(findings, notHeld)
}

/** What is said where no chart has a price: what is about the code itself goes first. */
function without(findings: readonly (ChartAnswer & { chart: string })[], notHeld: string[]): Decision {
  const stated = findings.flatMap(({ chart, stated: row }) => (row ? [{ chart, row }] : []))
  // A schedule that has the code with other modifiers knows more than one that does not pay for it.
  if (findings.some(({ modifierUnpriced }) => modifierUnpriced)) return { outcome: 'modifier_not_priced' }
  const telling = stated.find(({ row }) => !MAY_BE_ELSEWHERE.has(row.reason))
  if (telling) return { outcome: 'absent', ...telling }
  const left = findings.find(({ notCovered }) => notCovered)
  if (left) return { outcome: 'region_not_covered', chart: left.chart }
  if (notHeld.length > 0) return { outcome: 'no_edition', charts: notHeld }
  const [first] = stated
  return first ? { outcome: 'absent', ...first } : { outcome: 'not_on_schedule' }
}

function priced(chart: string, row: PricedRow, { ignored = [], adjusting }: ChartAnswer): Decision {
  if (adjusting === undefined) return { outcome: 'price', chart, row, ignored, adjustment: undefined }
  const adjustment = adjust(row, adjusting)
  return adjustment
    ? { outcome: 'price', chart, row, ignored, adjustment }
    : { outcome: 'modifier_not_allowed', chart, row, modifier: adjusting }
}

function* inSchedule(question: ParsedQuestion, chart: string, facts: ChartFacts, place: Place): Steps<ChartAnswer> {
  const modifiers = withBothSides(question.modifiers)
  const ignored = modifiers.filter(isNeutral)
  const kept = modifiers.filter((modifier) => !isNeutral(modifier))
  const adjusting = kept.filter(isAdjusting)
  const own = kept.filter((modifier) => !isAdjusting(modifier))
  // Two modifiers that each change the amount have no stated rule for both.
  const choosing = adjusting.length > 1 ? kept : own
  const modifier = choosing.length === 0 ? null : choosing.join('-')
  const found = yield* withModifier(question, chart, facts, place, modifier)
  if (found.price) return { ...found, ignored, adjusting: adjusting.length === 1 ? adjusting[0] : undefined }
  if (found.stated || found.ambiguous || found.notCovered) return found
  if (modifier !== null) {
    const bare = yield* withModifier(question, chart, facts, place, null)
    if (bare.price || bare.ambiguous) return { modifierUnpriced: true }
    if (bare.stated || bare.notCovered) return bare
  }
  return yield* otherwise(codeIn(facts, question.cpt), chart, facts, place, modifier)
}

/** What a schedule has of a code that it does not have as asked: with other modifiers, in other settings or places. */
function* otherwise(
  cpt: string,
  chart: string,
  facts: ChartFacts,
  place: Place,
  modifier: string | null,
): Steps<ChartAnswer> {
  const region = regionFor(facts, place)
  const regions = [...new Set([region ?? 'national', 'national'])]
  // In another setting only.
  if (modifier === null) for (const each of regions) if (yield* isAny(chart, `${cpt}|${each}|||`)) return {}
  // With modifiers only, such as equipment that is bought new or rented by the month.
  for (const each of regions) if (yield* isAny(chart, `${cpt}|${each}||`)) return { modifierUnpriced: true }
  if (facts.speaks === 'national' || !(yield* isAny(chart, `${cpt}|US-`))) return {}
  // For places, and none was asked, or it may be one of several; else for other places only.
  const isOpen = region === 'national' || (region === undefined && (place.split || place.state === undefined))
  return isOpen ? { ambiguous: true } : { notCovered: true }
}

/** Whether the localities can have a code with a modifier: they have what the country has, unless it has nothing. */
function* hasModifier(chart: string, cpt: string, modifier: string | null): Steps<boolean> {
  return (yield* isAny(chart, `${cpt}|national||${modifier ?? ''}|`)) || !(yield* isAny(chart, `${cpt}|national|`))
}

/** Reasons after which the next setting is tried. A line that cannot be read must not be replaced by another one. */
const LEAVES_ROOM = new Set(['not_applicable_in_setting', 'no_price_stated'])

/**
 * The row of a schedule for one modifier. Settings are tried in the schedule's order. A status such as "bundled" holds
 * for the whole country and every setting: it stands once, on the national row without a setting. A setting in which
 * the service is not performed stands once for the country too.
 */
function* withModifier(
  { cpt: asked, setting, day }: ParsedQuestion,
  chart: string,
  facts: ChartFacts,
  place: Place,
  modifier: string | null,
): Steps<ChartAnswer> {
  const basis = facts.bases[0] as Basis
  const cpt = codeIn(facts, asked)
  const at = (region: string, inSetting: Setting | null): string =>
    rowKey({ cpt, region, npi: null, modifier, basis, setting: inSetting, class: null })
  const status = function* (): Steps<Absence | undefined> {
    return facts.settings.includes(null) ? undefined : absence(yield* findRow(chart, at('national', null), day))
  }
  let region = regionFor(facts, place)
  let isStatusKnown = false
  if (region === undefined) {
    const stated = yield* status()
    if (stated) return { stated }
    isStatusKnown = true
    if (facts.speaks === 'locality' && place.state !== undefined && !place.split) {
      const regions = (yield {
        need: 'regions',
        chart,
        prefix: `${cpt}|US-${localitiesOf(place.state)}-`,
      }) as readonly string[]
      const isOpen = regions.length > 1 || (regions.length === 1 && isDivided(place.state))
      if (isOpen && (yield* hasModifier(chart, cpt, modifier))) return { ambiguous: true }
      if (!isOpen) region = regions[0]
    }
  }
  const settings = settingsFor(facts, setting)
  let stated: Absence | undefined
  const missing: (Setting | null)[] = []
  for (const each of region === undefined ? [] : settings) {
    const row = yield* findRow(chart, at(region as string, each), day)
    if (row && 'price' in row) return { price: row }
    const none = absence(row)
    if (none && !LEAVES_ROOM.has(none.reason)) return { stated: none }
    stated ??= none
    if (!none) missing.push(each)
  }
  if (!isStatusKnown && (missing.length > 0 || !stated)) {
    const ofCountry = yield* status()
    if (ofCountry) return { stated: ofCountry }
  }
  if (region === 'national' || facts.speaks === 'national') return stated ? { stated } : {}
  for (const each of region === undefined ? settings : missing) {
    const national = yield* findRow(chart, at('national', each), day)
    if (national && 'price' in national) return place.split ? { ambiguous: true } : { notCovered: true }
    const none = absence(national)
    if (none && !LEAVES_ROOM.has(none.reason)) return { stated: none }
    stated ??= none
  }
  return stated ? { stated } : {}
}

const absence = (row: AnyRow | undefined): Absence | undefined => (row?.kind === 'absence' ? row : undefined)

/** A chart that knows no settings answers for every one; drugs and supplies are asked about as a doctor bills them. */
function settingsFor(facts: ChartFacts, asked: Setting | undefined): readonly (Setting | null)[] {
  if (asked === undefined || facts.settings.includes(null)) return facts.settings
  // The publisher leaves the rural column empty where the other amount holds there too.
  if (asked === 'rural' && facts.settings.includes('rural')) return ['rural', 'non_rural']
  if (facts.settings.includes(asked)) return [asked]
  const isProfessional = asked === 'non_facility' || asked === 'facility'
  return isProfessional && facts.speaks === 'state' ? facts.settings : []
}

/** A hospital's own file. The region is no part of the question: the hospital stands where it stands. */
function* ofProvider(question: ParsedQuestion, npi: string): Steps<Decision> {
  const chart = (yield { need: 'provider', npi }) as string | undefined
  if (chart === undefined) return { outcome: 'unknown_provider' }
  if (!(yield* isHeld(chart))) return { outcome: 'no_edition', charts: [chart] }
  const { cpt, basis, setting, modifiers, day } = question
  const bases = basis === undefined ? HOSPITAL_FACTS.bases : [basis]
  const settings = setting === undefined ? HOSPITAL_FACTS.settings : [setting, null]
  // A charge of no class is not a doctor's: those are known by their class or their revenue code.
  const classes: readonly (BillingClass | null)[] = ['facility', null, 'professional']
  const ignored = modifiers.filter(isNeutral)
  const kept = modifiers.filter((modifier) => !isNeutral(modifier))
  // As on the bill first, then without those that change no payment.
  const choices =
    ignored.length === 0
      ? [{ own: modifiers, left: [] }]
      : [
          { own: modifiers, left: [] },
          { own: kept, left: ignored },
        ]
  let stated: Absence | undefined
  for (const { own, left } of choices) {
    const modifier = own.length === 0 ? null : own.join('-')
    for (const each of bases)
      for (const inSetting of settings)
        for (const inClass of classes) {
          const key = rowKey({
            cpt,
            region: 'national',
            npi,
            modifier,
            basis: each,
            setting: inSetting,
            class: inClass,
          })
          const row = yield* findRow(chart, key, day)
          if (row && 'price' in row) return { outcome: 'price', chart, row, ignored: left, adjustment: undefined }
          stated ??= absence(row)
        }
    if (stated) return { outcome: 'absent', chart, row: stated }
  }
  // The code is there, and not so: with other modifiers only, or not in this setting or basis.
  const prefix = `${cpt}|national|${npi}|`
  const isBare = modifiers.length === 0 && (yield* isAny(chart, `${prefix}|`))
  return !isBare && (yield* isAny(chart, prefix)) ? { outcome: 'modifier_not_priced' } : { outcome: 'not_on_schedule' }
}
