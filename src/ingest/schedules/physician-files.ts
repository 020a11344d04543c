import { unreadable } from '../../files/unreadable.ts'
import type { Source } from '../source.ts'
import { isGpciFile } from './gpci.ts'
import { isCapFile } from './physician-cap.ts'
import { namedKind, otherChart, PHYSICIAN_CHARTS, type PhysicianBasis } from './physician-edition.ts'
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

export function chooseFiles(given: readonly Source[], basis: PhysicianBasis): EditionFiles {
  return {
    rvus: chooseRelativeValues(foundIn(given, isRelativeValueFile), basis),
    gpci: chooseOnly(foundIn(given, isGpciFile), GPCI),
    cap: foundIn(given, isCapFile)[0],
  }
}

const GPCI = {
  missing: 'there is no GPCI file among these: give it together with the PPRRVU file of the same release',
  several: 'there are several GPCI files: give only one',
}
const PPRRVU = {
  missing: "there is no PPRRVU file among these: give its CSV, text or workbook as CMS's archive holds it",
  several: 'there are several PPRRVU files of the same kind: give only one',
}

/** CSV rather than fixed width, by the look of the first lines. */
const isTabular = ({ text }: Source): boolean => text.slice(0, 4_096).includes(',,') || /^HCPCS,/.test(text)
const formOf = (source: Source): number => (source.kind === 'xlsx' ? 2 : isTabular(source) ? 0 : 1)

/** The files of a kind, in the order in which their forms are preferred. Workbooks take long, and are opened last. */
function foundIn(given: readonly Source[], is: (source: Source) => boolean): Source[] {
  const texts = given.filter((source) => source.kind !== 'xlsx' && is(source))
  const found = texts.length > 0 ? texts : given.filter((source) => source.kind === 'xlsx' && is(source))
  return found.sort((a, b) => formOf(a) - formOf(b))
}

/** The first file, unless another in the same form says something else. */
function chooseOnly(found: readonly Source[], { missing, several }: typeof GPCI): Source {
  const [first, ...more] = found
  if (!first) throw unreadable(missing)
  if (more.some((other) => formOf(other) === formOf(first) && other.sha256 !== first.sha256)) throw unreadable(several)
  return first
}

/** Since 2026 there is a file for each conversion factor: the one of the chart is taken, or one that names none. */
function chooseRelativeValues(found: readonly Source[], basis: PhysicianBasis): Source {
  const kinds = found.map(namedKind)
  const own = PHYSICIAN_CHARTS[basis].kind
  const kind = kinds.includes(own) ? own : undefined
  const fits = found.filter((_, i) => kinds[i] === kind)
  if (found.length > 0 && fits.length === 0) throw otherChart(basis)
  return chooseOnly(fits, PPRRVU)
}
