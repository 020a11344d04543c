import { z } from 'zod'
import type { Db } from '../../db/db.ts'
import { refusedAs } from '../../operation.ts'
import { Problem } from '../../problem.ts'
import { isNpi } from '../../proof/price/npi.ts'
import { BASES, type Row, SETTINGS } from '../../proof/price/row.ts'
import { CHARTS, type Charts, chartOf, providerBases, schedulesFor } from '../charts.ts'
import type { Release, StoredRow } from '../store.ts'
import * as store from '../store.ts'
import { chooseRow, isHospitals, mostTelling, type Wanted } from './choose-row.ts'
import { onlyLocality, parseRegion, REGION_PATTERN, type Region } from './region.ts'

const NATIONAL = 'national|'

export const Code = z
  .string()
  .max(16)
  .trim()
  .toUpperCase()
  .regex(/^([0-9]{4}[0-9A-Z]|[A-Z][0-9]{4})$/)
  .meta({ description: 'CPT or HCPCS code', examples: ['99213'] })
  .register(refusedAs, { problem: 'invalid_cpt' })
export const Npi = z
  .string()
  .max(16)
  .regex(/^[12][0-9]{9}$/)
  .refine(isNpi)
  .meta({ description: 'National Provider Identifier of a hospital', examples: ['1234567893'] })
  .register(refusedAs, { problem: 'invalid_npi' })
export const RegionText = z
  .string()
  .max(16)
  .regex(REGION_PATTERN)
  .meta({ description: '`national`, `US-XX`, `US-XX-LL` (a CMS locality) or `ZIP-NNNNN`', examples: ['US-CA-18'] })
  .register(refusedAs, { problem: 'invalid_region' })
export const AsOf = z.iso.date().meta({ description: 'Date of service; today if left out', examples: ['2026-07-01'] })

/** A key has its modifiers in order; a question may have them in any. */
const inOrder = (modifiers: string): string => modifiers.split('-').sort().join('-')

export const ReferenceQuery = z.strictObject({
  cpt: Code,
  region: RegionText.default('national'),
  npi: Npi.optional(),
  as_of: AsOf.optional(),
  modifier: z
    .string()
    .max(16)
    .toUpperCase()
    .regex(/^[A-Z0-9]{2}(-[A-Z0-9]{2}){0,3}$/)
    .overwrite(inOrder)
    .optional()
    .meta({
      description: 'Two-character modifier, or several in any order as `26-TC`; none if left out',
      examples: ['26'],
    }),
  setting: z.enum(SETTINGS).optional().meta({ description: 'Where the service is performed' }),
  basis: z.enum(BASES).optional().meta({ description: 'What kind of price to look for' }),
})
export type ReferenceQuery = z.output<typeof ReferenceQuery>

export interface Missing {
  release: Release
  prefix: string
}

/**
 * What a lookup found: a row of a release, or key prefixes that the releases searched have no row under.
 * `nationally` says that a region was asked about and the code has a price for the whole country only; `leftOut`
 * that a schedule has the code and was loaded without that region, so that nothing is said of its price there.
 */
export type Found = { nationally: boolean } & (
  | { release: Release; stored: StoredRow; row: Row }
  | { release?: undefined; missing: Missing[]; leftOut: boolean }
)

/**
 * Finds the row that answers. A price wins over a stated absence, so that a laboratory code that the
 * physician schedule excludes is found on the laboratory schedule. Region, provider and day are never replaced by others.
 */
export async function findReference(
  db: Db,
  query: ReferenceQuery,
  day: string,
  charts: Charts = CHARTS,
): Promise<Found> {
  const region = await placeOf(db, parseRegion(query.region))
  return findIn(db, query, region, await releasesToSearch(db, query, day, charts), charts)
}

/** The row that answers among these releases alone. */
export async function findIn(
  db: Db,
  query: ReferenceQuery,
  region: Region,
  releases: readonly Release[],
  charts: Charts,
): Promise<Found> {
  const preferred = providerBases(charts)
  const wanted: Wanted = { modifier: query.modifier ?? null, setting: query.setting, basis: query.basis, preferred }
  const missing: Missing[] = []
  const stated: ({ release: Release } & Candidate)[] = []
  let nationally = false
  let leftOut = false
  for (const release of releases) {
    const area = await areaIn(db, release, region)
    const there = await candidates(db, release, query, area)
    const chosen = pick(there, wanted)
    if (chosen?.row.kind === 'price') return { release, ...chosen, nationally }
    const national = area === NATIONAL ? there : await candidates(db, release, query, NATIONAL)
    const isNational = area !== NATIONAL && pick(national, wanted)?.row.kind === 'price'
    nationally ||= isNational
    // A status such as "bundled" holds for the whole country, and is stated once, on the national row of a schedule.
    const ofCountry =
      query.npi === undefined ? pick(onlyAbsences(national), { modifier: wanted.modifier, preferred }) : undefined
    const absence = chosen ?? ofCountry
    if (absence) stated.push({ release, ...absence })
    else leftOut ||= isByLocality(release, charts) && (await leavesOut(db, release, area, isNational))
    for (const prefix of await missingPrefixes(db, release, query, area, there, charts))
      missing.push({ release, prefix })
  }
  // What another schedule states must not pass for the answer of one that has a price elsewhere.
  const telling = leftOut ? undefined : mostTelling(stated)
  return telling ? { ...telling, nationally } : { missing, nationally, leftOut }
}

type Candidate = { stored: StoredRow; row: Row }

/** The rows of the code in an area that are the provider's, or a schedule's. Those of other providers are not read. */
async function candidates(db: Db, release: Release, query: ReferenceQuery, area: string): Promise<Candidate[]> {
  const prefix = `${query.cpt}|${area}`
  const rows = await store.rowsUnder(
    db,
    release.release_no,
    prefix.endsWith('|') ? withProvider(prefix, query) : prefix,
  )
  return rows.map((stored) => ({ stored, row: JSON.parse(stored.body) as Row }))
}

const withProvider = (prefix: string, { npi }: ReferenceQuery): string => `${prefix}${npi ?? ''}|`

function pick(from: readonly Candidate[], wanted: Wanted): Candidate | undefined {
  const row = chooseRow(
    from.map((candidate) => candidate.row),
    wanted,
  )
  return from.find((candidate) => candidate.row === row)
}

const onlyAbsences = (from: readonly Candidate[]): Candidate[] => from.filter(({ row }) => row.kind === 'absence')

/** Whether a chart has a price for each locality, so that a region without rows in a release was left out of it. */
const isByLocality = ({ chart }: Release, charts: Charts): boolean => chartOf(chart, charts)?.speaks === 'locality'

/**
 * Whether a release was loaded without this area and has the code for others. The national rows show which codes a
 * schedule has; where they were left out as well, there is no telling.
 */
async function leavesOut(db: Db, release: Release, area: string, isNational: boolean): Promise<boolean> {
  if (area === NATIONAL) return false
  const holds = async (region: string): Promise<boolean> =>
    (await store.regionsUnder(db, release.release_no, region)).length > 0
  return !(await holds(area.replace('|', ''))) && (isNational || !(await holds('national')))
}

async function releasesToSearch(db: Db, query: ReferenceQuery, day: string, charts: Charts): Promise<Release[]> {
  checkBasis(query, charts)
  if (query.npi === undefined) return schedulesInForce(db, schedulesFor(query.basis, charts), day)
  const release = await store.findProviderRelease(db, query.npi, day)
  if (release) return [release]
  const known = await store.hasProvider(db, query.npi)
  throw known
    ? new Problem('no_release_in_force', 'this provider\u2019s file was not in force on that day')
    : new Problem('unknown_provider')
}

async function schedulesInForce(db: Db, schedules: Charts, day: string): Promise<Release[]> {
  const found = await Promise.all(schedules.map(({ chart }) => store.findReleaseInForce(db, chart, day)))
  const releases = found.filter((release) => release !== undefined)
  if (releases.length === 0) throw new Problem('no_release_in_force')
  return releases
}

/** A basis is a hospital's or a schedule's, and only one of them was asked. */
export function checkBasis({ npi, basis }: Pick<ReferenceQuery, 'npi' | 'basis'>, charts: Charts): void {
  const isSchedules = schedulesFor(basis, charts).length > 0
  if (npi === undefined && !isSchedules) throw Problem.parameter('basis', 'a hospital basis needs the parameter npi')
  if (npi !== undefined && basis !== undefined && isSchedules)
    throw Problem.parameter('basis', 'a Medicare basis is not a provider\u2019s: leave npi out')
}

/** A ZIP stands for its locality, unless its +4 digits decide: then there is no telling. */
export async function placeOf(db: Db, region: Region): Promise<Region> {
  if (region.level !== 'zip') return region
  const found = await store.localityOfZip(db, region.zip)
  if (!found) throw new Problem('invalid_region', 'the ZIP code is not in the locality file')
  if (found.plus_four === 1)
    throw new Problem('region_ambiguous', 'the ZIP code lies in several localities: its +4 digits decide', {
      members: { regions: await store.localitiesNear(db, region.zip) },
    })
  return { level: 'locality', region: found.region }
}

/** How the region part of a key begins. An area without a locality in this release has no rows under it. */
async function areaIn(db: Db, release: Release, region: Region): Promise<string> {
  switch (region.level) {
    case 'national':
      return NATIONAL
    case 'locality':
      return `${region.region}|`
    case 'state': {
      const held = await store.regionsUnder(db, release.release_no, `US-${region.state}-`)
      const only = onlyLocality(region.state, held)
      return only ? `${only}|` : `US-${region.state}-`
    }
    case 'zip':
      throw new Error('a ZIP is replaced by its locality before this')
  }
}

/**
 * The most general prefixes of the keys asked for under which the release has no row at all: one, or for a setting at
 * a hospital's one or two for each basis that would have answered.
 */
async function missingPrefixes(
  db: Db,
  { release_no }: Release,
  query: ReferenceQuery,
  area: string,
  there: readonly Candidate[],
  charts: Charts,
): Promise<string[]> {
  const ofCode = `${query.cpt}|${area}`
  if (there.length === 0 && !(await store.hasRowsUnder(db, release_no, ofCode))) return [ofCode]
  const has = (prefix: string): boolean => there.some(({ stored }) => stored.row_key.startsWith(prefix))
  const ofProvider = withProvider(ofCode, query)
  const ofModifier = `${ofProvider}${query.modifier ?? ''}|`
  if (!has(ofProvider)) return [ofProvider]
  if (!has(ofModifier)) return [ofModifier]
  const stated = there.find(({ stored }) => stored.row_key.startsWith(ofModifier))?.row.basis
  const bases = query.basis ? [query.basis] : query.npi === undefined ? [stated] : providerBases(charts)
  return bases.flatMap((basis) => {
    const ofBasis = `${ofModifier}${basis}|`
    const ofSetting = `${ofBasis}${query.setting ?? ''}`
    if (!has(ofBasis)) return [ofBasis]
    // The key of a price for both settings ends before a setting. The rows on either side of `facility`, which no
    // hospital states, enclose it; those of the setting asked for may not.
    const isBetween = ({ stored: { row_key } }: Candidate): boolean => row_key > ofBasis && row_key < ofSetting
    return isHospitals(query.setting) && query.npi !== undefined && there.some(isBetween)
      ? [`${ofBasis}facility`, ofSetting]
      : [ofSetting]
  })
}
