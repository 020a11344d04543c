import { Problem } from '../problem.ts'
import type { ReadyRow, Rejects } from '../registry/staging.ts'
import { type ConversionFactorKind, pricedSettings } from './cms-pfs.ts'
import { checkAgainstCap, isCapFile } from './cms-pfs-cap.ts'
import { conversionFactorKind, saidEdition } from './cms-pfs-edition.ts'
import { isRelativeValueFile, type PhysicianLine, physicianLines } from './cms-pfs-lines.ts'
import { physicianRows } from './cms-pfs-rows.ts'
import { unreadable } from './csv.ts'
import { gpciYear, isGpciFile, LOCALITIES, type Locality, NATIONAL, readGpci } from './gpci.ts'
import { reject } from './rejects.ts'
import type { Source } from './source.ts'

export interface PhysicianOptions {
  edition?: string | undefined
  effective_from?: string | undefined
  /** Which regions to make rows for; all of them when not said. */
  regions?: readonly string[] | undefined
}

export interface PhysicianSchedule {
  chart: 'cms-pfs'
  edition: string
  effective_from: string
  /** The relative values, then the indices: the order of the rows' locators. */
  cited: [Source, Source]
  localities: Locality[]
  row_total: number
  rows: Iterable<ReadyRow>
}

/**
 * One edition of the physician fee schedule, from CMS's archive or its loose files in any order. Which file is
 * which is decided by what stands in it; others that the archive holds are left alone.
 */
export function physicianSchedule(
  sources: readonly Source[],
  options: PhysicianOptions,
  rejects: Rejects,
): PhysicianSchedule {
  const rvus = chooseRelativeValues(sources.filter(isRelativeValueFile))
  const gpci = chooseIndices(sources.filter(isGpciFile))
  const { year, ...said } = saidEdition(rvus)
  const { edition = said.edition, effective_from = said.effective_from } = options
  if (!edition || !effective_from)
    throw new Problem('invalid_parameter', 'say --edition and --effective-from: the file does not')
  const indexed = gpciYear(gpci)
  if (year !== undefined && indexed !== undefined && indexed !== year)
    throw unreadable('the GPCI file is of another year than the PPRRVU file: give the one of the same release')

  const lines = physicianLines(rvus, rejects)
  const localities = readGpci(gpci)
  if (localities.length !== LOCALITIES) reject(rejects, 'W01', localities.at(-1)?.line ?? 1)
  for (const cap of sources.filter(isCapFile)) checkAgainstCap(cap, lines, localities, rejects)
  const { places, national } = choosePlaces(localities, options.regions)
  const kind = conversionFactorKind(rvus)
  return {
    chart: 'cms-pfs',
    edition,
    effective_from,
    cited: [rvus, gpci],
    localities,
    row_total: countRows(lines, places.length, national),
    rows: physicianRows(lines, places, { effective_from, conversion_factor_kind: kind }, { national }),
  }
}

const PREFERENCE: readonly (ConversionFactorKind | undefined)[] = ['non_qualifying_apm', undefined]

/**
 * CMS ships the values as CSV and as fixed-width text, and since 2026 once for each conversion factor. The CSV is
 * taken, and the factor that most clinicians are paid by: it is recorded in every row which one that is. Two files
 * that only their numbers tell apart are a question for the operator.
 */
function chooseRelativeValues(found: readonly Source[]): Source {
  if (found.length === 0) throw unreadable('there is no PPRRVU file among these: no text in the layout of one')
  const kinds = found.map(conversionFactorKind)
  const kind = kinds.every((each) => each === kinds[0]) ? kinds[0] : PREFERENCE.find((each) => kinds.includes(each))
  const [first, ...more] = tabularFirst(found.filter((_, i) => kinds[i] === kind))
  if (!first || more.some((other) => isTabular(other) === isTabular(first) && other.sha256 !== first.sha256))
    throw unreadable('there are several PPRRVU files of the same kind: give the one that is meant')
  return first
}

function chooseIndices(found: readonly Source[]): Source {
  const [first, ...more] = tabularFirst(found)
  if (!first)
    throw unreadable('there is no GPCI file among these: give it together with the PPRRVU file of the same release')
  if (more.some((other) => isTabular(other) === isTabular(first) && other.sha256 !== first.sha256))
    throw unreadable('there are several GPCI files: give the one that is meant')
  return first
}

/** CSV rather than fixed width, by the look of the first lines. */
const isTabular = ({ text }: Source): boolean => text.slice(0, 4_096).includes(',,')

const tabularFirst = (sources: readonly Source[]): Source[] =>
  [...sources].sort((a, b) => Number(isTabular(b)) - Number(isTabular(a)))

const REGION = /^US-[A-Z]{2}-[0-9]{2}$/

function choosePlaces(
  localities: readonly Locality[],
  regions: readonly string[] | undefined,
): { places: readonly Locality[]; national: boolean } {
  if (regions === undefined) return { places: localities, national: true }
  const wanted = new Set(regions)
  const known = new Set(localities.map(({ region }) => region))
  const fits = (region: string): boolean => region === NATIONAL.region || (REGION.test(region) && known.has(region))
  if (wanted.size === 0 || ![...wanted].every(fits))
    throw new Problem('invalid_parameter', 'a region is national, or a locality of the GPCI file such as US-CA-18')
  return { places: localities.filter(({ region }) => wanted.has(region)), national: wanted.has(NATIONAL.region) }
}

/** How many rows there will be, for whoever waits for them. */
function countRows(lines: readonly PhysicianLine[], places: number, national: boolean): number {
  const everywhere = places + (national ? 1 : 0)
  return lines.reduce((sum, line) => sum + (pricedSettings(line).length * everywhere || (national ? 1 : 0)), 0)
}
