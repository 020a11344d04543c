// Which row answers a question. One pure rule, run twice: by the service to answer, and by the verifier to check.
//
// The rule asks for what it needs, one thing at a time, and is told what there is. The service looks in its store; the
// verifier looks only at what an answer has proved. So both come to the same decision, or the verifier finds that
// something is not proved.

import { CHARTS, type ChartFacts, type ChartTable, chartsFor, factsOf, HOSPITAL_FACTS, PLACE_CHART } from './charts.ts'
import { type Adjustment, adjust, isAdjusting, isNeutral } from './modifiers.ts'
import type { ParsedQuestion } from './question.ts'
import {
  type AnyRow,
  type Basis,
  type BillingClass,
  CLASSES,
  type PlaceRow,
  type PricedRow,
  type Row,
  rowKey,
  type Setting,
} from './row.ts'

/** What the rule must know next. Rows are asked of the edition of a chart that is in force on the day of the question. */
export type Need =
  /** Which chart speaks for a provider: its name, or undefined. */
  | { need: 'provider'; npi: string }
  /** Whether an edition of the chart is in force on the day. */
  | { need: 'edition'; chart: string }
  /** The row with this key, or undefined. */
  | { need: 'row'; chart: string; key: string }
  /** All rows whose keys begin so. */
  | { need: 'rows'; chart: string; prefix: string }
  /** The regions of the rows whose keys begin so: none, the only one, or two of several. */
  | { need: 'regions'; chart: string; prefix: string }
export type Reply = string | boolean | AnyRow | readonly AnyRow[] | readonly string[] | undefined

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

type Asking<T> = Generator<Need, T, Reply>

/** The row with this key, if it holds on the day: one that begins later in the edition is not there yet. */
function* findRow(chart: string, key: string, day: string): Asking<AnyRow | undefined> {
  const row = (yield { need: 'row', chart, key }) as AnyRow | undefined
  return row && row.effective_from <= day ? row : undefined
}
function* isAny(chart: string, prefix: string): Asking<boolean> {
  return ((yield { need: 'regions', chart, prefix }) as readonly string[]).length > 0
}
function* isHeld(chart: string): Asking<boolean> {
  return (yield { need: 'edition', chart }) as boolean
}

/** What one chart says. At most one of these; none of them if it does not have the code. */
interface Finding {
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
): Asking<{ decision: Decision; place: PlaceRow | undefined }> {
  if (question.npi !== null) return { decision: yield* ofProvider(question, question.npi), place: undefined }
  const place = yield* placeOf(question, table)
  return { decision: yield* ofSchedules(question, place, table), place: place.row }
}

/** Reasons that may only mean that the code belongs on another schedule, so that one that is not held could price it. */
const MAY_BE_ELSEWHERE = new Set(['paid_elsewhere', 'not_valid', 'no_price_stated'])

function* ofSchedules(question: ParsedQuestion, place: Place, table: ChartTable): Asking<Decision> {
  if (place.unknown) return { outcome: 'unknown_zip' }
  const findings: (Finding & { chart: string })[] = []
  const notHeld: string[] = []
  for (const chart of chartsFor(question.basis, question.setting, table)) {
    const facts = factsOf(chart, table)
    if (!facts) continue
    // A schedule by locality cannot be read without the table that says where a ZIP code lies.
    const unreadable = facts.speaks !== 'national' && place.notHeld === true
    if (!(yield* isHeld(chart)) || unreadable) {
      notHeld.push(chart)
      if (unreadable && !notHeld.includes(PLACE_CHART)) notHeld.push(PLACE_CHART)
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
function without(findings: readonly (Finding & { chart: string })[], notHeld: string[]): Decision {
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

function priced(chart: string, row: PricedRow, { ignored = [], adjusting }: Finding): Decision {
  if (adjusting === undefined) return { outcome: 'price', chart, row, ignored, adjustment: undefined }
  const adjustment = adjust(row, adjusting)
  return adjustment
    ? { outcome: 'price', chart, row, ignored, adjustment }
    : { outcome: 'modifier_not_allowed', chart, row, modifier: adjusting }
}

/** Where the question is about, as far as it is known. */
interface Place {
  region: string
  /** A state whose localities are to be looked up, each in the schedule itself. */
  state?: string
  /** The last four digits of the ZIP code decide, and were not given or are not listed. */
  split?: true
  unknown?: true
  notHeld?: true
  row?: PlaceRow
}

function* placeOf({ region, setting, basis, day }: ParsedQuestion, table: ChartTable): Asking<Place> {
  if (region.level === 'national') return { region: 'national' }
  if (region.level === 'locality') return { region: region.region }
  if (region.level === 'state') return { region: `US-${region.state}`, state: region.state }
  // A question that only national schedules may answer needs no place.
  if (chartsFor(basis, setting, table).every((chart) => factsOf(chart, table)?.speaks === 'national'))
    return { region: 'national' }
  if (!(yield* isHeld(PLACE_CHART))) return { region: '', notHeld: true }
  const whole = (yield* findRow(PLACE_CHART, `${region.zip}|`, day)) as PlaceRow | undefined
  if (whole?.region) return { region: whole.region, row: whole }
  const listed = (yield { need: 'rows', chart: PLACE_CHART, prefix: `${region.zip}|` }) as readonly PlaceRow[]
  const parts = listed.filter((part) => part.effective_from <= day)
  if (parts.length === 0) return { region: '', unknown: true }
  const [first] = parts
  if (first?.region && parts.every((part) => part.region === first.region)) return { region: first.region, row: first }
  const { plusFour } = region
  const own = plusFour === null ? undefined : parts.find((part) => holds(part.plus_four, plusFour))
  return own?.region ? { region: own.region, row: own } : { region: '', split: true, ...(whole ? { row: whole } : {}) }
}

const holds = (range: string | null, digits: string): boolean =>
  range !== null && range.slice(0, 4) <= digits && digits <= range.slice(5)

function* inSchedule(question: ParsedQuestion, chart: string, facts: ChartFacts, place: Place): Asking<Finding> {
  const ignored = question.modifiers.filter(isNeutral)
  const kept = question.modifiers.filter((modifier) => !isNeutral(modifier))
  const adjusting = kept.filter(isAdjusting)
  const own = kept.filter((modifier) => !isAdjusting(modifier))
  // Two modifiers that each change the amount have no stated rule for both.
  const choosing = adjusting.length > 1 ? kept : own
  const modifier = choosing.length === 0 ? null : choosing.join('-')
  const found = yield* withModifier(question, chart, facts, place, modifier)
  if (found.price) return { ...found, ignored, adjusting: adjusting.length === 1 ? adjusting[0] : undefined }
  if (found.stated || found.ambiguous || modifier === null) return found
  const bare = yield* withModifier(question, chart, facts, place, null)
  if (bare.stated) return bare
  return bare.price || bare.ambiguous ? { modifierUnpriced: true } : bare
}

/**
 * The row of a schedule for one modifier. Settings are tried in the schedule's order. A status such as "bundled" holds
 * for the whole country and every setting: it stands once, on the national row without a setting. A setting in which
 * the service is not performed stands once for the country too.
 */
function* withModifier(
  { cpt, setting, day }: ParsedQuestion,
  chart: string,
  facts: ChartFacts,
  place: Place,
  modifier: string | null,
): Asking<Finding> {
  const basis = facts.bases[0] as Basis
  const at = (region: string, inSetting: Setting | null): string =>
    rowKey({ cpt, region, npi: null, modifier, basis, setting: inSetting, class: null })
  const settings = settingsFor(facts, setting)
  const status = function* (): Asking<Absence | undefined> {
    return facts.settings.includes(null) ? undefined : absence(yield* findRow(chart, at('national', null), day))
  }
  let region = regionFor(facts, place)
  let asked = false
  if (region === undefined) {
    // Several localities may be meant: which of them the schedule has for this code decides.
    const stated = yield* status()
    if (stated) return { stated }
    asked = true
    const prefix = `${cpt}|US-${place.state}-`
    const regions = place.split ? [] : ((yield { need: 'regions', chart, prefix }) as readonly string[])
    if (regions.length > 1) return { ambiguous: true }
    region = regions[0]
  }
  let stated: Absence | undefined
  for (const each of settings) {
    if (region !== undefined) {
      const row = yield* findRow(chart, at(region, each), day)
      if (row && 'price' in row) return { price: row }
      stated ??= absence(row)
      if (row) continue
    }
    if (!asked) {
      asked = true
      const ofCountry = yield* status()
      if (ofCountry) return { stated: ofCountry }
    }
    if (region === 'national' || facts.speaks === 'national') continue
    const national = yield* findRow(chart, at('national', each), day)
    if (national && 'price' in national) return place.split ? { ambiguous: true } : { notCovered: true }
    stated ??= absence(national)
  }
  if (stated) return { stated }
  // A code that is there with modifiers only, such as equipment that is bought new or rented by the month.
  if (modifier !== null || region === undefined || (yield* isAny(chart, `${cpt}|${region}|||`))) return {}
  if (yield* isAny(chart, `${cpt}|${region}||`)) return { modifierUnpriced: true }
  // Prices for places only, and no place was asked.
  const isElsewhere = region === 'national' && facts.speaks !== 'national' && (yield* isAny(chart, `${cpt}|US-`))
  return isElsewhere ? { ambiguous: true } : {}
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

/** The region of the rows that can answer; undefined where several localities may be meant. */
function regionFor({ speaks }: ChartFacts, place: Place): string | undefined {
  if (speaks === 'national') return 'national'
  if (speaks === 'state') return place.split ? undefined : stateOf(place.region)
  return place.state === undefined && !place.split ? place.region : undefined
}

/** `US-IL-16` lies in `US-IL`. */
const stateOf = (region: string): string => (region === 'national' ? region : region.slice(0, 'US-IL'.length))

/** A hospital's own file. The region is no part of the question: the hospital stands where it stands. */
function* ofProvider(question: ParsedQuestion, npi: string): Asking<Decision> {
  const chart = (yield { need: 'provider', npi }) as string | undefined
  if (chart === undefined) return { outcome: 'unknown_provider' }
  if (!(yield* isHeld(chart))) return { outcome: 'no_edition', charts: [chart] }
  const { cpt, basis, setting, modifiers, day } = question
  const bases = basis === undefined ? HOSPITAL_FACTS.bases : [basis]
  const settings = setting === undefined ? HOSPITAL_FACTS.settings : [setting, null]
  const classes: readonly (BillingClass | null)[] = [...CLASSES, null]
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
