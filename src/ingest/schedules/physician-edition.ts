import { unreadable } from '../../files/unreadable.ts'
import { Problem } from '../../problem.ts'
import { headOf, oneLine } from '../records.ts'
import type { Source } from '../source.ts'
import type { PhysicianLine } from './physician-lines.ts'

/** The edition that a relative value file names. Each part may be missing: the fixed-width form has no title. */
export interface FileEdition {
  year?: number
  edition?: string
  effective_from?: string
}

const QUARTERS: readonly { month: string; letter: string; day: string }[] = [
  { month: 'JAN', letter: 'A', day: '01-01' },
  { month: 'APR', letter: 'B', day: '04-01' },
  { month: 'JUL', letter: 'C', day: '07-01' },
  { month: 'OCT', letter: 'D', day: '10-01' },
]
/** "2026 National Physician Fee Schedule Relative Value File July Release" */
const TITLE =
  /\b(20[0-9]{2}) National Physician Fee Schedule Relative Value File(?: (January|April|July|October) Release)?/i
/** PPRRVU2025_Oct.txt, PPRRVU23_JAN.csv, PPRRVU22_V1215.xlsx */
const FILE_NAME = /PPRRVU(?:20)?([0-9]{2})(?![0-9])[-_ ]*(JAN|APR|JUL|OCT)?/i
/** RVU24AR.zip, rvu26c-updated-06-30-2026.zip. An R is a revision between the quarters. */
const ARCHIVE_NAME = /RVU(?:20)?([0-9]{2})([A-D])(R?)(?![A-Z])/i

/**
 * The edition that a file says it is: by its title, or by its name or that of its archive where it has none. CMS
 * letters the quarters A to D, and each takes effect on the first day of its quarter. A correction between them has a
 * month of its own and says no more than the year: the operator must.
 */
export function saidEdition(source: Source): FileEdition {
  const [, year, month] = TITLE.exec(oneLine(headOf(source))) ?? []
  const [, short, named] = FILE_NAME.exec(source.name ?? source.file) ?? []
  const archive = archiveEdition(source.archive)
  const said =
    year !== undefined
      ? editionOf(Number(year), month)
      : short !== undefined
        ? editionOf(2000 + Number(short), named)
        : archive
  // The name of the archive tells a revision from the quarter that it revises: the titles of both are the same.
  const agrees = said.year === archive.year && archive.edition?.startsWith(said.edition ?? '')
  return agrees ? archive : said
}

/** The folder or archive in which CMS ships the files of one edition. */
function archiveEdition(name: string | undefined): FileEdition {
  const [, year, letter, revised] = ARCHIVE_NAME.exec(name ?? '') ?? []
  const quarter = QUARTERS.find((each) => each.letter === letter?.toUpperCase())
  if (year === undefined || !quarter) return {}
  const said = editionOf(2000 + Number(year), quarter.month)
  return revised ? { ...said, edition: `${said.edition}R` } : said
}

function editionOf(year: number, month: string | undefined): FileEdition {
  const quarter = QUARTERS.find((each) => month?.toUpperCase().startsWith(each.month))
  if (!quarter) return { year }
  return { year, edition: `RVU${year % 100}${quarter.letter}`, effective_from: `${year}-${quarter.day}` }
}

/**
 * Dates the second January file of 2024. A law changed the conversion factor from 9 March on, and CMS issued the file
 * again with the title of the first one: only the factor tells them apart.
 */
export function dated(said: FileEdition, factor: string): FileEdition {
  const revised = said.year === 2024 && said.edition?.startsWith('RVU24A') && Number(factor) === 33.2875
  return revised ? { year: 2024, edition: 'RVU24AR', effective_from: '2024-03-09' } : said
}

/** Since 2026 a year has two conversion factors: which one a clinician is paid by depends on a payment model. */
export const CONVERSION_FACTOR_KINDS = ['non_qualifying_apm', 'qualifying_apm'] as const
export type ConversionFactorKind = (typeof CONVERSION_FACTOR_KINDS)[number]

/** Each factor has a chart of its own: both are in force side by side. */
export const PHYSICIAN_CHARTS = {
  medicare_pfs: { chart: 'cms-pfs', kind: 'non_qualifying_apm' },
  medicare_pfs_qpp: { chart: 'cms-pfs-qpp', kind: 'qualifying_apm' },
} as const
export type PhysicianBasis = keyof typeof PHYSICIAN_CHARTS

/** The refusal of a file of the other chart. */
export const otherChart = (basis: PhysicianBasis): Problem =>
  new Problem(
    'invalid_parameter',
    basis === 'medicare_pfs'
      ? 'the PPRRVU file is for qualifying APM participants: load it as cms-pfs-qpp'
      : 'the PPRRVU file is not for qualifying APM participants: load it as cms-pfs',
  )

interface PublishedFactor {
  factor: string
  kind?: ConversionFactorKind
}

/** The factors that CMS has published. In 2024 the law changed the factor in March. */
const PUBLISHED: { readonly [year: number]: readonly PublishedFactor[] } = {
  2020: [{ factor: '36.0896' }],
  2021: [{ factor: '34.8931' }],
  2022: [{ factor: '34.6062' }],
  2023: [{ factor: '33.8872' }],
  2024: [{ factor: '32.7442' }, { factor: '33.2875' }],
  2025: [{ factor: '32.3465' }],
  2026: [
    { factor: '33.4009', kind: 'non_qualifying_apm' },
    { factor: '33.5675', kind: 'qualifying_apm' },
  ],
}
/** No factor of the schedule has been outside of this, nor near its ends. */
const PLAUSIBLE = { least: 20, most: 60 }
const FIRST_YEAR_OF_TWO = 2026

/** The one conversion factor of a file: each of its lines repeats it. */
export function theFactor(all: readonly PhysicianLine[]): string {
  const lines = all.filter(({ refused }) => refused === undefined)
  const [first] = lines
  if (!first) throw unreadable('the PPRRVU file has no line that can be read')
  const other = lines.find(({ conversionFactor }) => Number(conversionFactor) !== Number(first.conversionFactor))
  if (other)
    throw unreadable(
      'the PPRRVU file has two different conversion factors: download it again',
      Math.max(first.line, other.line),
    )
  return first.conversionFactor
}

/** Whether CMS has published this factor for this year. Nothing is known of years that are not listed. */
export function isPublishedFactor(factor: string, year: number | undefined): boolean {
  const known = year === undefined ? undefined : PUBLISHED[year]
  return known ? known.some((each) => sameNumber(each.factor, factor)) : true
}

export function isPlausibleFactor(factor: string): boolean {
  return Number(factor) >= PLAUSIBLE.least && Number(factor) <= PLAUSIBLE.most
}

const sameNumber = (a: string, b: string): boolean => Number(a) === Number(b)

/** The factor that a file was made with, as its name or its title says. */
export function namedKind(source: Source): ConversionFactorKind | undefined {
  const title = headOf(source)
    .split(/[\r\n]/)
    .find((line) => /Relative Value File/i.test(line))
  const said = `${title?.slice(0, 300) ?? ''} ${source.file}`
  if (/non[-_ ]?QPP?(?![A-Z])|non[-_ ]?qualifying/i.test(said)) return 'non_qualifying_apm'
  return /QPP|(?<![A-Z])QP(?![A-Z])|qualifying/i.test(said) ? 'qualifying_apm' : undefined
}

/**
 * The one of a year's two factors that a file was made with: by its name, and otherwise by the factor itself. A name
 * and a number that contradict each other are a wrong file.
 */
export function factorKind(
  factor: string,
  year: number | undefined,
  named: ConversionFactorKind | undefined,
): ConversionFactorKind | undefined {
  const byNumber = PUBLISHED[year ?? 0]?.find((each) => sameNumber(each.factor, factor))?.kind
  if (named && byNumber && named !== byNumber)
    throw unreadable(
      'the name of the PPRRVU file says one conversion factor, and its lines have the other: download it again',
    )
  return byNumber ?? named
}

/** The factor of a file that is loaded as a chart. A file of the other chart is refused; where the file does not say, the chart does. */
export function decidedKind(
  factor: string,
  year: number | undefined,
  named: ConversionFactorKind | undefined,
  basis: PhysicianBasis,
): ConversionFactorKind | undefined {
  const kind = factorKind(factor, year, named)
  const own = PHYSICIAN_CHARTS[basis].kind
  const isBefore = year !== undefined && year < FIRST_YEAR_OF_TWO
  if (kind ? kind !== own : basis === 'medicare_pfs_qpp' && isBefore) throw otherChart(basis)
  const isSure = basis === 'medicare_pfs_qpp' || (year !== undefined && !isBefore)
  return kind ?? (isSure ? own : undefined)
}
