import { isAdjusting, isNeutral } from '../../proof/lookup/modifiers.ts'
import { isLocalityAsked, parseRegion } from '../../proof/lookup/region.ts'
import { type ChartFacts, type ChartTable, chartsFor, factsOf } from '../../proof/price/charts.ts'
import { BASES, type Basis, keyMembers, SETTINGS, type Setting } from '../../proof/price/row.ts'
import { isDay } from '../../proof/shape.ts'

/** A question that names each part once and in the form in which keys have it. */
export interface PlainQuestion {
  cpt: string
  /** `national` or a locality. */
  region: string
  /** Empty for today. */
  day: string
  /** Empty, or one that neither changes the amount nor goes without saying. */
  modifier: string
  /** The schedule that is looked at first, and the setting of which it is asked first. */
  schedule: FirstSchedule
}

export interface FirstSchedule {
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
    return schedule && { cpt, region: region || 'national', day, modifier, schedule }
  }
  // Most begin with the code, and what follows is one of some thousand texts.
  const known = new Map<string, PlainQuestion>()
  return (query) => {
    if (!query.startsWith(CODE) || query[AFTER_CODE] !== '&') return read(query)
    const rest = query.slice(AFTER_CODE)
    const like = known.get(rest)
    if (!like) {
      const question = read(query)
      if (known.size >= MOST_KNOWN) known.clear()
      if (question) known.set(rest, question)
      return question
    }
    const cpt = query.slice(CODE.length, AFTER_CODE)
    const { region, day, modifier, schedule } = like
    return keyMembers.cpt(cpt) ? { cpt, region, day, modifier, schedule } : undefined
  }
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
