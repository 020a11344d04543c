import { isAdjusting, isNeutral } from '../../proof/lookup/modifiers.ts'
import { isLocalityAsked, parseRegion } from '../../proof/lookup/region.ts'
import { type ChartFacts, type ChartTable, chartsFor, factsOf } from '../../proof/price/charts.ts'
import { BASES, type Basis, keyMembers, SETTINGS, type Setting } from '../../proof/price/row.ts'
import { isDay } from '../../proof/shape.ts'

/** A question that names each part once and in the form in which keys have it. */
export interface PlainQuestion {
  cpt: string
  rest: PlainRest
}

/** What a question says besides its code. Most are alike in it, so it is made once. */
export interface PlainRest {
  /** Empty for today. */
  day: string
  /** The schedule that is looked at first. */
  chart: string
  facts: ChartFacts
  /** Where its rows are that speak for the place. */
  region: string
  /** The place for which to ask for what stands beside its price. */
  placeBeside: string
  /** What follows on the code in the key of the row that is looked at first, as a text that begins with a bar. */
  afterCode: string
  /** The same in parts. */
  parts: readonly string[]
}

interface FirstSchedule {
  chart: string
  facts: ChartFacts
  setting: Setting | null
}

const MOST_KNOWN = 10_000
const MODIFIER = /^[A-Z0-9]{2}$/

/**
 * Reads the queries of lookups as most callers send them. Everything else, right or wrong, is undefined, and is left to the
 * general way. So nothing is refused here, and what is accepted must be a question there too.
 */
export function plainReader(table: ChartTable): (query: string) => PlainQuestion | undefined {
  const isPlace = remembered((text) => text === 'national' || isLocality(text))
  const isDate = remembered(isDay)
  const isModifier = remembered((text) => MODIFIER.test(text) && !isNeutral(text) && !isAdjusting(text))
  const schedules = new Map<string, FirstSchedule>()
  const scheduleFor = (basis: string, setting: string): FirstSchedule | undefined => {
    const name = `${basis} ${setting}`
    const found = schedules.get(name) ?? firstSchedule(table, basis, setting)
    if (found) schedules.set(name, found)
    return found
  }
  const read = (query: string): PlainQuestion | undefined => {
    let [cpt, region, day, modifier, setting, basis] = ['', '', '', '', '', '']
    for (let from = 0; from <= query.length; ) {
      const next = query.indexOf('&', from)
      const end = next < 0 ? query.length : next
      const equals = query.indexOf('=', from)
      const value = query.slice(equals + 1, end)
      // An empty value is as if it were not there, which the general way knows.
      if (equals < 0 || equals + 1 >= end) return undefined
      const name = query.slice(from, equals)
      if (name === 'cpt' && cpt === '') cpt = value
      else if (name === 'region' && region === '') region = value
      else if (name === 'as_of' && day === '') day = value
      else if (name === 'modifier' && modifier === '') modifier = value
      else if (name === 'setting' && setting === '') setting = value
      else if (name === 'basis' && basis === '') basis = value
      else return undefined
      from = end + 1
    }
    if (!keyMembers.cpt(cpt) || (region !== '' && !isPlace(region)) || (day !== '' && !isDate(day))) return undefined
    if (modifier !== '' && !isModifier(modifier)) return undefined
    const schedule = scheduleFor(basis, setting)
    return schedule && { cpt, rest: restOf(schedule, region || 'national', day, modifier) }
  }
  // Most begin with the code, and what follows is one of some thousand texts.
  const known = new Map<string, PlainRest>()
  return (query) => {
    if (!query.startsWith(CODE) || query[AFTER_CODE] !== '&') return read(query)
    const text = query.slice(AFTER_CODE)
    const rest = known.get(text)
    if (!rest) {
      const question = read(query)
      if (known.size >= MOST_KNOWN) known.clear()
      if (question) known.set(text, question.rest)
      return question
    }
    const cpt = query.slice(CODE.length, AFTER_CODE)
    return keyMembers.cpt(cpt) ? { cpt, rest } : undefined
  }
}

function restOf({ chart, facts, setting }: FirstSchedule, place: string, day: string, modifier: string): PlainRest {
  const region = regionOf(facts, place)
  const parts = [region, '', modifier, facts.bases[0] ?? '', setting ?? '', '']
  const placeBeside = region === 'national' ? place : region
  return { day, chart, facts, region, placeBeside, afterCode: `|${parts.join('|')}`, parts }
}

/** Where the rows of a chart are that speak for a locality or for the country: see `regionFor`. */
function regionOf({ speaks }: ChartFacts, asked: string): string {
  if (speaks === 'national' || asked === 'national') return 'national'
  return speaks === 'locality' ? asked : asked.slice(0, 'US-XX'.length)
}

const CODE = 'cpt='
const AFTER_CODE = CODE.length + 5

const isLocality = (text: string): boolean => {
  const region = parseRegion(text)
  return region !== undefined && isLocalityAsked(region) && region.region === text
}

/** The rule of the lookup asks this schedule first, and this setting of it: see `lookUp` and `settingsFor`. */
function firstSchedule(table: ChartTable, basis: string, setting: string): FirstSchedule | undefined {
  if (basis !== '' && (!isOneOf(BASES, basis) || basis.startsWith('hospital_'))) return undefined
  if (setting !== '' && !isOneOf(SETTINGS, setting)) return undefined
  const asked = [(basis || undefined) as Basis | undefined, (setting || undefined) as Setting | undefined] as const
  // A question must have a meaning for verifiers too, which have the usual table.
  const [chart] = chartsFor(...asked).length > 0 ? chartsFor(...asked, table) : []
  const facts = chart === undefined ? undefined : factsOf(chart, table)
  if (chart === undefined || !facts) return undefined
  const isFree = setting === '' || facts.settings.includes(null)
  if (!isFree && !isOneOf(facts.settings, setting)) return undefined
  return { chart, facts, setting: isFree ? (facts.settings[0] as Setting | null) : (setting as Setting) }
}

const isOneOf = (words: readonly (string | null)[], text: string): boolean => words.includes(text)

/** With a memory of what was right: there are few such texts, and all others are hostile. */
function remembered(check: (text: string) => boolean): (text: string) => boolean {
  const right = new Set<string>()
  return (text) => {
    if (right.has(text)) return true
    if (!check(text)) return false
    if (right.size < MOST_KNOWN) right.add(text)
    return true
  }
}
