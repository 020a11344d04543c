import { z } from 'zod'
import type { Db } from '../db/db.ts'
import { refusedAs } from '../operation.ts'
import { Problem, type ProblemCode } from '../problem.ts'
import { isNpi } from '../proof/npi.ts'
import { BASES, type Basis, type Row, SETTINGS } from '../proof/row.ts'
import { schedulesFor } from './charts.ts'
import { basisFor, chooseRow, type Wanted } from './choose-row.ts'
import { onlyLocality, parseRegion, REGION_PATTERN, type Region } from './region.ts'
import type { Release, StoredRow } from './store.ts'
import * as store from './store.ts'

const NATIONAL = 'national|'

const field = <T extends z.ZodType>(schema: T, problem: ProblemCode): T => {
  refusedAs.add(schema, { problem })
  return schema
}

export const Code = z
  .string()
  .max(16)
  .trim()
  .toUpperCase()
  .regex(/^([0-9]{4}[0-9A-Z]|[A-Z][0-9]{4})$/)
  .meta({ description: 'CPT or HCPCS code', examples: ['99213'] })
export const Npi = z
  .string()
  .max(16)
  .regex(/^[12][0-9]{9}$/)
  .refine(isNpi)
  .meta({ description: 'National Provider Identifier of a hospital', examples: ['1234567893'] })
export const RegionText = z
  .string()
  .max(16)
  .regex(REGION_PATTERN)
  .meta({ description: '`national`, `US-XX`, `US-XX-LL` (a CMS locality) or `ZIP-NNNNN`', examples: ['US-CA-18'] })
export const AsOf = z.iso.date().meta({ description: 'Date of service; today if left out', examples: ['2026-07-01'] })

export const ReferenceQuery = z.strictObject({
  cpt: field(Code, 'invalid_cpt'),
  region: field(RegionText.default('national'), 'invalid_region'),
  npi: field(Npi.optional(), 'invalid_npi'),
  as_of: AsOf.optional(),
  modifier: z
    .string()
    .max(16)
    .toUpperCase()
    .regex(/^[A-Z0-9]{2}(-[A-Z0-9]{2}){0,3}$/)
    .optional()
    .meta({ description: 'Two-character modifier; none if left out', examples: ['26'] }),
  setting: z.enum(SETTINGS).optional().meta({ description: 'Where the service is performed' }),
  basis: z.enum(BASES).optional().meta({ description: 'What kind of price to look for' }),
})
export type ReferenceQuery = z.output<typeof ReferenceQuery>

/**
 * What a lookup found: a row of a release, or for each release searched the key prefix it has no row under.
 * `nationally` says that a region was asked about and the code has a price for the whole country only.
 */
export type Found = { nationally: boolean } & (
  | { release: Release; stored: StoredRow; row: Row }
  | { release?: undefined; missing: { release: Release; prefix: string }[] }
)

/**
 * Finds the row that answers. A price wins over a stated absence, so that a laboratory code that the
 * physician schedule excludes is found on the laboratory schedule. Region, provider and day are never replaced by others.
 */
export async function findReference(db: Db, query: ReferenceQuery, day: string): Promise<Found> {
  const region = await placeOf(db, parseRegion(query.region))
  return findIn(db, query, region, await releasesToSearch(db, query, day))
}

/** The row that answers among these releases alone. */
export async function findIn(
  db: Db,
  query: ReferenceQuery,
  region: Region,
  releases: readonly Release[],
): Promise<Found> {
  const wanted: Wanted = { modifier: query.modifier ?? null, setting: query.setting, basis: query.basis }
  const missing: { release: Release; prefix: string }[] = []
  let nationally = false
  let stated: ({ release: Release } & Candidate) | undefined
  for (const release of releases) {
    const area = await areaIn(db, release, region)
    const there = await candidates(db, release, `${query.cpt}|${area}`)
    const chosen = pick(there, query, wanted)
    if (chosen?.row.kind === 'price') return { release, ...chosen, nationally }
    const national = area === NATIONAL ? there : await candidates(db, release, `${query.cpt}|${NATIONAL}`)
    nationally ||= area !== NATIONAL && pick(national, query, wanted)?.row.kind === 'price'
    // A status such as "bundled" holds for the whole country, and is stated once, on the national row.
    const absence = chosen ?? pick(onlyAbsences(national), query, { modifier: wanted.modifier })
    if (absence) stated ??= { release, ...absence }
    missing.push({ release, prefix: widestMissingPrefix(there, `${query.cpt}|${area}`, query, wanted) })
  }
  return stated ? { ...stated, nationally } : { missing, nationally }
}

type Candidate = { stored: StoredRow; row: Row }

async function candidates(db: Db, release: Release, prefix: string): Promise<Candidate[]> {
  const rows = await store.rowsUnder(db, release.release_no, prefix)
  return rows.map((stored) => ({ stored, row: JSON.parse(stored.body) as Row }))
}

const rowsFor = (from: readonly Candidate[], { npi = null }: { npi?: string | null | undefined }): Row[] =>
  from.map(({ row }) => row).filter((row) => row.npi === npi)

function pick(from: readonly Candidate[], query: ReferenceQuery, wanted: Wanted): Candidate | undefined {
  const row = chooseRow(rowsFor(from, query), wanted)
  return from.find((candidate) => candidate.row === row)
}

const onlyAbsences = (from: readonly Candidate[]): Candidate[] => from.filter(({ row }) => row.kind === 'absence')

async function releasesToSearch(db: Db, query: ReferenceQuery, day: string): Promise<Release[]> {
  checkBasis(query)
  if (query.npi === undefined) return schedulesInForce(db, query.basis, day)
  const release = await store.findProviderRelease(db, query.npi, day)
  if (release) return [release]
  const known = await store.hasProvider(db, query.npi)
  throw known
    ? new Problem('no_release_in_force', 'this provider\u2019s file was not in force on that day')
    : new Problem('unknown_provider')
}

async function schedulesInForce(db: Db, basis: Basis | undefined, day: string): Promise<Release[]> {
  const found = await Promise.all(schedulesFor(basis).map(({ chart }) => store.findReleaseInForce(db, chart, day)))
  const releases = found.filter((release) => release !== undefined)
  if (releases.length === 0) throw new Problem('no_release_in_force')
  return releases
}

/** A basis is a hospital's or a schedule's, and only one of them was asked. */
export function checkBasis({ npi, basis }: Pick<ReferenceQuery, 'npi' | 'basis'>): void {
  if (npi === undefined && schedulesFor(basis).length === 0)
    throw basisMisfit('a hospital basis needs the parameter npi')
  if (npi !== undefined && basis?.startsWith('medicare_'))
    throw basisMisfit('a Medicare basis is not a provider\u2019s: leave npi out')
}

const basisMisfit = (message: string): Problem =>
  new Problem('invalid_parameter', message, {
    errors: [{ in: 'query', name: 'basis', code: 'invalid_parameter', message }],
  })

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
      const only = onlyLocality(await store.localitiesOf(db, release.release_no, region.state))
      return only ? `${only}|` : `US-${region.state}-`
    }
    case 'zip':
      throw new Error('a ZIP is replaced by its locality before this')
  }
}

/** The most general prefix of the asked key under which the release has no row at all. */
function widestMissingPrefix(
  there: readonly Candidate[],
  start: string,
  query: ReferenceQuery,
  wanted: Wanted,
): string {
  const basis = basisFor(rowsFor(there, query), wanted)
  const parts = [`${query.npi ?? ''}|`, `${query.modifier ?? ''}|`, `${basis ?? ''}|`, query.setting ?? '']
  let prefix = start
  for (const part of parts) {
    if (!there.some(({ stored }) => stored.row_key.startsWith(prefix))) break
    prefix += part
  }
  return prefix
}
