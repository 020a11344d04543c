import { unreadable } from '../../files/unreadable.ts'
import { Problem } from '../../problem.ts'
import type { Source } from '../source.ts'
import { isGpciFile } from './gpci.ts'
import { isCapFile } from './physician-cap.ts'
import { type ConversionFactorKind, namedKind } from './physician-edition.ts'
import { isRelativeValueFile } from './physician-lines.ts'

/**
 * The files of one edition among those given. CMS ships each table as CSV, as fixed-width text and as a workbook: the
 * CSV is taken, then the text, then the workbook, and others that the archive holds are left alone.
 */
export interface EditionFiles {
  rvus: Source
  gpci: Source
  /** CMS's own list of capped prices, where it is there. */
  cap: Source | undefined
}

export function chooseFiles(given: readonly Source[], asked: ConversionFactorKind | undefined): EditionFiles {
  return {
    rvus: chooseRelativeValues(foundIn(given, isRelativeValueFile), asked),
    gpci: chooseOnly(foundIn(given, isGpciFile), GPCI),
    cap: foundIn(given, isCapFile)[0],
  }
}

const GPCI = {
  missing: 'there is no GPCI file among these: give it together with the PPRRVU file of the same release',
  several: 'there are several GPCI files: give the one that is meant',
}
const PPRRVU = {
  missing: 'there is no PPRRVU file among these: no text or workbook in the layout of one',
  several: 'there are several PPRRVU files of the same kind: give the one that is meant',
}

/** CSV rather than fixed width, by the look of the first lines. */
const isTabular = ({ text }: Source): boolean => text.slice(0, 4_096).includes(',,') || /^HCPCS,/.test(text)
const formOf = (source: Source): number => (source.kind === 'xlsx' ? 2 : isTabular(source) ? 0 : 1)

/** Those of a kind, in the order in which their forms are preferred. Workbooks take long, and are opened last. */
function foundIn(given: readonly Source[], is: (source: Source) => boolean): Source[] {
  const texts = given.filter((source) => source.kind !== 'xlsx' && is(source))
  const found = texts.length > 0 ? texts : given.filter((source) => source.kind === 'xlsx' && is(source))
  return found.sort((a, b) => formOf(a) - formOf(b))
}

/** The first, unless another in the same form says something else. */
function chooseOnly(found: readonly Source[], { missing, several }: typeof GPCI): Source {
  const [first, ...more] = found
  if (!first) throw unreadable(missing)
  if (more.some((other) => formOf(other) === formOf(first) && other.sha256 !== first.sha256)) throw unreadable(several)
  return first
}

/**
 * Since 2026 there is one for each conversion factor. The one that most clinicians are paid by is taken, unless the
 * other is asked for or is the only one: which it was is recorded in every row.
 */
function chooseRelativeValues(found: readonly Source[], asked: ConversionFactorKind | undefined): Source {
  const kinds = found.map(namedKind)
  const preferred = asked ? [asked, undefined] : (['non_qualifying_apm', undefined, 'qualifying_apm'] as const)
  const kind = preferred.find((each) => kinds.includes(each))
  const fits = found.filter((_, i) => kinds[i] === kind)
  if (found.length > 0 && fits.length === 0)
    throw new Problem(
      'invalid_parameter',
      'the PPRRVU files are all for the other conversion factor than was asked for',
    )
  return chooseOnly(fits, PPRRVU)
}
