import { unreadable } from '../../files/unreadable.ts'
import { Problem } from '../../problem.ts'
import type { Row } from '../../proof/price/row.ts'
import { isDay } from '../../proof/shape.ts'
import type { Findings } from '../../registry/release/rules.ts'
import { note } from '../../registry/release/rules.ts'
import { ACCEPTABLE, type Acceptable, type Reader, type ReaderOption, wholeFiles } from '../reader.ts'
import { whole as wholeSource } from '../reread.ts'
import type { Source } from '../source.ts'
import { findUnknownLocality, gpciYear, isLocalityCount, type Locality, NATIONAL, readGpci } from './gpci.ts'
import { checkAgainstCap } from './physician-cap.ts'
import {
  dated,
  decidedKind,
  type FileEdition,
  isPlausibleFactor,
  isPublishedFactor,
  namedKind,
  type PhysicianBasis,
  saidEdition,
  theFactor,
} from './physician-edition.ts'
import { chooseFiles } from './physician-files.ts'
import { isRelativeValueFile, type PhysicianLine, physicianLines } from './physician-lines.ts'
import { rereadPhysician } from './physician-reread.ts'
import { absencesOf, groupByCode, type PhysicianEdition, physicianRows, pricedSettings } from './physician-rows.ts'

export interface PhysicianOptions {
  edition?: string | undefined
  effective_from?: string | undefined
  /** The regions to make rows for; all of them if left out. */
  regions?: readonly string[] | undefined
  accept?: readonly Acceptable[] | undefined
  /** Invented data need not look like an edition of CMS's. */
  data_class?: 'published' | 'sample' | undefined
}

export interface PhysicianSchedule {
  edition: string
  effective_from: string
  /** The relative values, then the indices: the order of the rows' locators. */
  cited: [Source, Source]
  line_total: number
  row_total: number
  rows: Iterable<Row>
}

/**
 * One edition of the physician fee schedule, from CMS's archive or its loose files in any order. Files are told apart
 * by their contents; others that the archive holds are left alone.
 */
export function physicianSchedule(
  sources: readonly Source[],
  options: PhysicianOptions,
  rejects: Findings,
  basis: PhysicianBasis = 'medicare_pfs',
): PhysicianSchedule {
  const { rvus, gpci, cap } = chooseFiles(sources, basis)
  const lines = physicianLines(rvus, rejects)
  const localities = readGpci(gpci)
  const factor = theFactor(lines)
  const said = dated(saidEdition(rvus), factor)
  const year = said.year ?? yearGiven(options)
  const conversion_factor_kind = decidedKind(factor, year, namedKind(rvus), basis)
  const { edition, effective_from } = editionOf(said, options)
  checkWhole({ lines, localities, factor, year, indexed: gpciYear(gpci) }, options, rejects)
  // The list is made with the factor that most clinicians are paid by.
  if (cap && basis === 'medicare_pfs') checkAgainstCap(cap, lines, localities, rejects)
  const made = { basis, effective_from, conversion_factor_kind }
  const { places, national } = choosePlaces(localities, options.regions)
  return {
    edition,
    effective_from,
    cited: [rvus, gpci],
    line_total: lines.length,
    row_total: countRows(lines, places.length, national, made),
    rows: physicianRows(lines, places, made, { national }),
  }
}

/** For a file that does not say its year. */
const yearGiven = ({ effective_from, data_class }: PhysicianOptions): number | undefined =>
  data_class !== 'sample' && effective_from && isDay(effective_from) ? Number(effective_from.slice(0, 4)) : undefined

/** The name and first day that the operator gives, or else the file. The day must lie in the file's year. */
function editionOf(said: FileEdition, given: PhysicianOptions): { edition: string; effective_from: string } {
  const { edition = said.edition, effective_from = said.effective_from } = given
  if (!edition || !effective_from)
    throw new Problem('invalid_parameter', 'give --edition and --effective-from: the file does not say them')
  if (isDay(effective_from) && said.year !== undefined && Number(effective_from.slice(0, 4)) !== said.year)
    throw new Problem('invalid_parameter', `--effective-from must be a day of ${said.year}, the year of the file`)
  return { edition, effective_from }
}

/** Facts of a whole edition. */
interface EditionFacts {
  lines: readonly PhysicianLine[]
  localities: readonly Locality[]
  factor: string
  /** The year of the PPRRVU file, and the one that the GPCI file states. */
  year: number | undefined
  indexed: number | undefined
}

/** Rules that every edition that CMS has published keeps. An exception that the operator accepts is counted. */
function checkWhole(whole: EditionFacts, { accept = [], data_class }: PhysicianOptions, rejects: Findings): void {
  const { lines, localities, factor, year, indexed } = whole
  const last = localities.at(-1)?.line ?? 1
  const accepted = (name: Acceptable): boolean => data_class === 'sample' || accept.includes(name)
  if (!isPlausibleFactor(factor))
    throw unreadable('the conversion factor of the PPRRVU file is below 20 or above 60: download the file again')
  // The factor is what the file says: CMS has changed it in the middle of a year.
  if (!isPublishedFactor(factor, year)) note(rejects, 'W05', lines[0]?.line ?? 1)
  if (year !== undefined && indexed !== undefined && indexed !== year) {
    if (!accepted('gpci_year'))
      throw unreadable(
        'the GPCI file is of another year than the PPRRVU file: give the one of the same year, or use --accept gpci_year',
      )
    note(rejects, 'W04', last)
  }
  const unknown = findUnknownLocality(localities, indexed ?? year)
  if (unknown && !accepted('locality_count'))
    throw unreadable(
      'the GPCI file names a locality that Medicare does not pay in: download it again, or use --accept locality_count',
      unknown.line,
    )
  if (unknown) note(rejects, 'W01', unknown.line)
  else if (!isLocalityCount(localities.length, indexed ?? year)) {
    if (!accepted('locality_count'))
      throw unreadable(
        `the GPCI file has ${localities.length} localities, which is not the number that Medicare pays in: download it again, or use --accept locality_count`,
      )
    note(rejects, 'W01', last)
  }
}

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

/** How many rows there will be, to show the progress of a load. */
function countRows(
  lines: readonly PhysicianLine[],
  places: number,
  national: boolean,
  edition: PhysicianEdition,
): number {
  const everywhere = places + (national ? 1 : 0)
  const prices = lines.reduce((sum, line) => sum + pricedSettings(line).length * everywhere, 0)
  const absences = national ? groupByCode(lines).reduce((sum, group) => sum + absencesOf(group, edition).length, 0) : 0
  return prices + absences
}

/** Regions are taken in any case, as in a lookup. */
const regionFrom = (text: string): string => (/^national$/i.test(text.trim()) ? 'national' : text.trim().toUpperCase())

const OPTIONS: readonly ReaderOption[] = [
  {
    name: 'regions',
    value: 'R,R',
    meaning: 'makes rows for these regions only, such as national,US-CA-18',
    parse: ([said = '']) => ({ regions: said.split(',').map(regionFrom) }),
  },
  {
    name: 'accept',
    value: 'WHAT',
    meaning: `skips this check: ${ACCEPTABLE.join(', ')}`,
    repeatable: true,
    words: ACCEPTABLE,
    parse: (said) => ({ accept: ACCEPTABLE.filter((word) => said.includes(word)) }),
  },
]

/** Each of the two factors of a year has a chart: the files differ in nothing else. */
export const physicianReader = (basis: PhysicianBasis): Reader => ({
  read: wholeFiles((sources, options, rejects) => physicianSchedule(sources, options, rejects, basis)),
  reread: rereadPhysician,
  // The other file that a release cites has no codes.
  finds: (source, cpt) =>
    isRelativeValueFile(wholeSource(source)) &&
    physicianLines(wholeSource(source), new Map()).some((line) => line.cpt === cpt),
  options: OPTIONS,
})

export const reader = physicianReader('medicare_pfs')
