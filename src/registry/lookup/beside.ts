import { DamageFault } from '../../db/db.ts'
import { address } from '../../paging.ts'
import { decidedBy, isDecidedBy } from '../../proof/lookup/modifiers.ts'
import type { ParsedQuestion, Question } from '../../proof/lookup/question.ts'
import { isBiddingArea, isStateAsked } from '../../proof/lookup/region.ts'
import { basesOf, type ChartFacts, codeIn, factsOf, PLACE_CHART } from '../../proof/price/charts.ts'
import { KEY_PARTS, keyMembers, type PricedRow, type Row, regionOf, rowKey } from '../../proof/price/row.ts'
import { BOTH_SIDES, COLUMN_MODIFIERS } from '../../tables/modifiers.ts'
import type { ReleaseFile } from '../rows/release-file-store.ts'
import type { Release } from '../store.ts'
import type { LookupResult } from './find.ts'
import { type Proofs, permalink, rowUnderKey } from './proofs.ts'

// Pointers beside an answer, without amounts. Nothing here is proved, and nothing here is a price.

/** The choices for a code on a day, in closed words. */
export interface Available {
  modifiers: string[]
  settings: string[]
  bases: string[]
  regions: string[]
  /** Of a hospital: the payers that it lists rates of, each with the kind of plan. */
  payers?: string[]
}
export interface Related {
  basis: string
  setting: string | null
  class: string | null
  modifier: string | null
  href: string
}

const MOST_RELATED = 8
/** More than any price list has. In a file from elsewhere there may be any number. */
const MOST_REGIONS = 200

export type Key = Pick<Row, (typeof KEY_PARTS)[number]>
/** The parts of a key, as a row has them. */
export const keyParts = (key: string): Key => {
  const texts = key.split('|')
  const parts: Record<string, string | null> = {}
  for (const [i, part] of KEY_PARTS.entries()) parts[part] = texts[i] || null
  return parts as unknown as Key
}

/** The keys of all rows that the charts in force have of a code: of a hospital its own, without one what Medicare publishes. */
function keysOf(
  proofs: Proofs,
  { cpt, npi, day }: ParsedQuestion,
  region = '',
  isAsked: (chart: ChartFacts | undefined) => boolean = () => true,
): string[] {
  const keys: string[] = []
  for (const release of releasesFor(proofs, npi, day)) {
    const facts = factsOf(release.chart, proofs.charts)
    if (!isAsked(facts)) continue
    const code = facts ? codeIn(facts, cpt) : cpt
    const read = (): string[] => {
      const file = proofs.open(release)
      if (npi !== null) return file.keysUnder(`${cpt}|national|${npi}|`)
      return file.hasCode(code) ? file.keysUnder(`${code}|${region}`) : []
    }
    keys.push(...(unlessDamaged(read) ?? []))
  }
  return keys
}

/** A pointer to what cannot be shown is left out: the answer beside it stands without. */
export function unlessDamaged<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof DamageFault) return undefined
    throw error
  }
}

export function releasesFor(
  { view, charts: table }: Pick<Proofs, 'view' | 'charts'>,
  npi: string | null,
  day: string,
): Release[] {
  const charts =
    npi === null ? view.schedules.filter((chart) => basesOf(chart, table).length > 0) : [view.chartOf(npi) ?? '']
  return charts.flatMap((chart) => view.editionOn(chart, day) ?? [])
}

/** The state that was asked about; a text that begins no region if there is none. */
const stateOf = ({ region }: ParsedQuestion): string => ('state' in region ? (region.state ?? '-') : '-')

/** Lists the choices for the code on that day, so that a question that missed can be corrected. */
export function availableFor(proofs: Proofs, question: ParsedQuestion): Available {
  const keys = keysOf(proofs, question)
  const isNear = (region: string): boolean => region.startsWith(`US-${stateOf(question)}`)
  const parts = KEY_PARTS.map(() => new Set<string>())
  for (const key of keys) for (const [i, text] of key.split('|').entries()) parts[i]?.add(text)
  const words = (part: keyof Key): string[] =>
    [...(parts[KEY_PARTS.indexOf(part)] ?? [])].filter((text) => text !== '' && keyMembers[part](text)).sort()
  // A bidding area is reached by a ZIP code: nobody knows it by its name here.
  const payers = words('payer')
  const regions = words('region').filter((region) => !isBiddingArea(region))
  return {
    modifiers: words('modifier'),
    settings: words('setting'),
    bases: words('basis'),
    // Regions near the one asked are kept where the list is cut.
    regions: [...regions.filter(isNear), ...regions.filter((region) => !isNear(region))].slice(0, MOST_REGIONS).sort(),
    ...(payers.length > 0 && { payers }),
  }
}

export const heldPeriods = ({ view }: Proofs, charts: readonly string[]): NonNullable<RefusalDetails['charts']> =>
  charts.map((chart) => ({ chart, held: view.periodsOf(chart).map(({ from, to }) => ({ from, to })) }))

/** Where no period is held at all, there is no day to ask for. */
export const hintFor = (charts: RefusalDetails['charts']): { hint?: string } =>
  charts?.every(({ held }) => held.length === 0)
    ? {
        hint: 'No edition of these charts is held for any day: ask for another basis or setting, give a locality such as `US-CA-05` in place of a ZIP code if the table of ZIP codes is the one that is missing, or ask the operator to load the chart.',
      }
    : {}

/** Source: Medicare Claims Processing Manual, chapter 23, addendum (MPFSDB record layout, BILAT SURG, ASST SURG, CO-SURG). */
const RULED_OUT: { readonly [indicator: string]: readonly [value: string, why: string] } = {
  bilateral: ['0', 'bilateral indicator 0, both sides are paid as one'],
  co_surgeon: ['0', 'co-surgeon indicator 0, a second surgeon is not paid'],
  assistant: ['1', 'assistant indicator 1, an assistant is not paid'],
}

/** Why the row has no amount with a modifier that changes others by a rule. */
export function whyNotAdjusted(row: PricedRow, modifier: string): string {
  const { modifiers: sides, count_as } = BOTH_SIDES
  const name = modifier === count_as ? `${modifier}, which ${sides.join(' and ')} together count as` : modifier
  if (COLUMN_MODIFIERS.has(modifier))
    return `The row of this code states no shares of the fee for the care before, the operation and the care after, which modifier ${name} needs.`
  if (!isDecidedBy(row, modifier))
    return `This schedule does not state what it pays for this code with modifier ${name}.`
  const indicator = decidedBy(modifier) ?? ''
  const [value, why] = RULED_OUT[indicator] ?? []
  const ruled = row.indicators[indicator] === value ? why : undefined
  return `The amount is not adjusted for modifier ${modifier}: ${ruled ?? 'the indicator on its row rules it out'}.`
}

/** Points to what a biller would look at next: the other setting and modifiers, and the other schedules that have the code. */
export function relatedTo(proofs: Proofs, question: ParsedQuestion, row: Row): Related[] {
  const keys = keysOf(proofs, question, `${row.region}|`)
  if (row.region !== 'national') keys.push(...keysOf(proofs, question, 'national|', speaksForCountry))
  // A price for the whole country answers for every place. Other schedules may have one for the place that was asked.
  const region = row.region === 'national' ? regionAsked(question) : row.region
  // Rates of other payers are hundreds, and are asked for by their names.
  const beside = keys.map(keyParts).filter(({ payer }) => payer === null || payer === row.payer)
  return nearest(row, beside).map((key) =>
    pointerTo(key, permalinkTo(proofs, question.day, key) ?? referencePath(askedBy(key, region), question.day)),
  )
}

const regionAsked = ({ region }: ParsedQuestion): string => regionText(region)

/** A region as it is asked for. */
export function regionText(region: ParsedQuestion['region']): string {
  if ('zip' in region) return region.plusFour === null ? region.zip : `${region.zip}-${region.plusFour}`
  if ('area' in region) return region.area
  return region.region ?? `US-${region.state}`
}

/** The question that a key answers. */
const askedBy = ({ code: cpt, npi, modifier, setting, basis, payer }: Key, region: string): PathQuestion => ({
  cpt,
  region,
  npi,
  modifier,
  setting,
  basis,
  payer,
})

/** A row for the whole country says nothing about this place, unless its chart speaks for the country. */
export const speaksForCountry = (chart: ChartFacts | undefined): boolean => chart?.speaks === 'national'

/** The keys that differ from a row, those that have most in common with it first. */
export function nearest(row: Key, keys: readonly Key[]): Key[] {
  const others = keys.filter((key) => KEY_PARTS.some((part) => part !== 'region' && key[part] !== row[part]))
  const near = (key: Key): number =>
    Number(key.basis !== row.basis) * 4 +
    Number(key.modifier !== row.modifier) * 2 +
    Number(key.setting !== row.setting)
  return others
    .sort((a, b) => near(a) - near(b))
    .slice(0, MOST_RELATED)
    .filter(isShown)
}

/** Nothing here is proved: a text from a damaged file that can be no part of a key is left out. */
const isShown = (key: Key): boolean => SHOWN.every((part) => keyMembers[part](key[part]))
const SHOWN = ['basis', 'setting', 'class', 'modifier', 'npi'] as const

export const pointerTo = ({ basis, setting, class: inClass, modifier }: Key, href: string): Related => ({
  basis,
  setting,
  class: inClass,
  modifier,
  href,
})

/** A hospital's rows can differ in their class, which is no part of a question: they are pointed to one by one. */
function permalinkTo(proofs: Proofs, day: string, key: Key): string | undefined {
  const { view } = proofs
  const release = key.npi === null ? undefined : view.editionOn(view.chartOf(key.npi) ?? '', day)
  const stored = release && unlessDamaged(() => proofs.open(release).findRow(rowKey(key)))
  return stored && permalink(release, stored)
}

/** The localities to choose from where the place that was asked has several. */
export function choicesFor(
  proofs: Proofs,
  { question, place }: Pick<LookupResult, 'question' | 'place'>,
  chart: string,
): { region: string; href: string }[] {
  const { cpt, day, region, modifiers, basis, bill } = question
  const facts = factsOf(chart, proofs.charts)
  // A state does not say what the ZIP code said: that the address is in a rural area.
  const isRural = place?.rural && facts?.settings.includes('rural')
  const setting = question.setting ?? (isRural ? 'rural' : null)
  const release = proofs.view.editionOn(chart, day)
  const prefix = `${codeIn(facts, cpt)}|US-${isStateAsked(region) ? `${region.state}-` : ''}`
  const keys = release ? proofs.open(release).keysUnder(prefix) : []
  let regions = [...new Set(keys.map((key) => keyParts(key).region))].filter(keyMembers.region)
  if ('zip' in region) {
    const places = regionsNear(proofs, day, region.zip)
    // A schedule by state has the states of those localities.
    regions = regions.filter((each) => places.some((locality) => locality === each || locality.startsWith(`${each}-`)))
  }
  const modifier = modifiers.length === 0 ? null : modifiers.join('-')
  return regions.map((each) => ({
    region: each,
    href: referencePath({ cpt, region: each, npi: null, modifier, setting, basis, ...bill }, day),
  }))
}

/** By table of ZIP codes. A divided ZIP code has thousands of parts, and there are some hundred of them. */
const placesNear = new WeakMap<ReleaseFile, Map<string, readonly string[]>>()

/** Where a ZIP code may lie whose last four digits decide: the localities of its parts, and of the ZIP codes around it. */
function regionsNear(proofs: Proofs, day: string, zip: string): readonly string[] {
  const release = proofs.view.editionOn(PLACE_CHART, day)
  if (!release) return []
  const file = proofs.open(release)
  const known = placesNear.get(file) ?? new Map<string, readonly string[]>()
  placesNear.set(file, known)
  const found = known.get(zip)
  if (found) return found
  // One by one: those around it may have parts too, tens of thousands together.
  const around = Array.from({ length: 100 }, (_, n) => `${zip.slice(0, 3)}${String(n).padStart(2, '0')}|`)
  const rows = [...around.flatMap((key) => file.findRow(key) ?? []), ...file.rowsUnder(`${zip}|`)]
  const regions = new Set(rows.flatMap((stored) => regionOf(rowUnderKey(release.release_id, stored)) ?? []))
  const made = [...regions].sort()
  if (known.size < MOST_KNOWN) known.set(zip, made)
  return made
}
const MOST_KNOWN = 2_000

type PathQuestion = {
  [name in keyof Omit<Question, 'as_of'>]?: string | null | undefined
}

/** A question as a path. Every word is one of ours: nothing that was sent is repeated. */
export function referencePath(asked: PathQuestion, day: string, path = '/reference'): string {
  const given: Record<string, string> = {}
  for (const [name, value] of Object.entries(asked)) if (value) given[name] = value
  given['as_of'] = day
  return address(path, given)
}

interface Period {
  from: string
  to: string
}
/** The members of a refusal beside its proofs. */
export interface RefusalDetails {
  available: Available
  choices?: { region: string; href: string }[]
  charts?: { chart: string; held: Period[] }[]
}

/** The lists that are cut in the short form, and how many entries are left of each. */
const IN_SHORT = { choices: 3, regions: 2, modifiers: 6, payers: 12, charts: 2, held: 1 } as const
type Shortened = keyof typeof IN_SHORT

/** Shortens the details: the first entries of each list, how many more there are, and the periods nearest to the day. */
export function inShort(
  { available, choices, charts }: RefusalDetails,
  day: string,
): Partial<RefusalDetails> & { left_out?: Partial<Record<Shortened, number>> } {
  const left: Partial<Record<Shortened, number>> = {}
  const first = <Entry>(list: readonly Entry[], name: Shortened): Entry[] => {
    const more = list.length - IN_SHORT[name]
    if (more > 0) left[name] = (left[name] ?? 0) + more
    return list.slice(0, IN_SHORT[name])
  }
  const held = (charts ?? []).filter((each) => each.held.length > 0)
  const short: Partial<RefusalDetails> = {
    ...(choices && { choices: first(choices, 'choices') }),
    // The sentence names the charts of which nothing is held.
    ...(held.length > 0 && {
      charts: first(held, 'charts').map(({ chart, held }) => ({ chart, held: first(nearestFirst(held, day), 'held') })),
    }),
    ...(Object.values(available).some((list) => list.length > 0) && {
      available: {
        ...available,
        modifiers: first(available.modifiers, 'modifiers'),
        regions: first(available.regions, 'regions'),
        ...(available.payers && { payers: first(available.payers, 'payers') }),
      },
    }),
  }
  return Object.keys(left).length > 0 ? { ...short, left_out: left } : short
}

const nearestFirst = (held: readonly Period[], day: string): Period[] => {
  const daysTo = ({ from, to }: Period): number =>
    Math.min(Math.abs(Date.parse(from) - Date.parse(day)), Math.abs(Date.parse(to) - Date.parse(day)))
  return held.toSorted((one, other) => daysTo(one) - daysTo(other))
}
