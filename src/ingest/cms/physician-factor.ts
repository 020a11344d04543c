import { unreadable } from '../../files/unreadable.ts'
import { Problem } from '../../problem.ts'
import { headOf } from '../records.ts'
import type { Source } from '../source.ts'
import type { PhysicianLine } from './physician-lines.ts'

/** Since 2026 a year has two conversion factors: which one a clinician is paid by depends on a payment model. */
export const CONVERSION_FACTOR_KINDS = ['non_qualifying_apm', 'qualifying_apm'] as const
export type ConversionFactorKind = (typeof CONVERSION_FACTOR_KINDS)[number]

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
export function theFactor(lines: readonly PhysicianLine[]): string {
  const [first] = lines
  if (!first) throw unreadable('the PPRRVU file has no line that can be read')
  const other = lines.find(({ conversionFactor }) => Number(conversionFactor) !== Number(first.conversionFactor))
  if (other)
    throw unreadable(
      'the PPRRVU file has two different conversion factors: get it again',
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

/** Which factor a file was made with, as its name or its title says. */
export function namedKind(source: Source): ConversionFactorKind | undefined {
  const title = headOf(source)
    .split(/[\r\n]/)
    .find((line) => /Relative Value File/i.test(line))
  const said = `${title?.slice(0, 300) ?? ''} ${source.file}`
  if (/non[-_ ]?QPP?(?![A-Z])|non[-_ ]?qualifying/i.test(said)) return 'non_qualifying_apm'
  return /QPP|(?<![A-Z])QP(?![A-Z])|qualifying/i.test(said) ? 'qualifying_apm' : undefined
}

/**
 * Which of a year's two factors a file was made with: as it is named, and otherwise as the factor itself tells. A name
 * and a number that contradict each other are a wrong file.
 */
export function factorKind(
  factor: string,
  year: number | undefined,
  named: ConversionFactorKind | undefined,
): ConversionFactorKind | undefined {
  const byNumber = PUBLISHED[year ?? 0]?.find((each) => sameNumber(each.factor, factor))?.kind
  if (named && byNumber && named !== byNumber)
    throw unreadable('the PPRRVU file is named for one conversion factor and was made with the other: get it again')
  return byNumber ?? named
}

/** The same, where the operator may have to say. */
export function decidedKind(
  factor: string,
  year: number | undefined,
  named: ConversionFactorKind | undefined,
  asked: ConversionFactorKind | undefined,
): ConversionFactorKind | undefined {
  const kind = factorKind(factor, year, named)
  if (kind && asked && kind !== asked)
    throw new Problem(
      'invalid_parameter',
      'the PPRRVU file was made with the other conversion factor than was asked for',
    )
  if (!kind && !asked && year !== undefined && year >= FIRST_YEAR_OF_TWO)
    throw new Problem(
      'invalid_parameter',
      `say --conversion-factor-kind, ${CONVERSION_FACTOR_KINDS.join(' or ')}: the file does not`,
    )
  return kind ?? asked
}
