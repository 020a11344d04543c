import { Problem } from '../problem.ts'
import { CHARTS, type ChartName, type Charts } from '../registry/charts.ts'
import type { Findings } from '../registry/release/rules.ts'
import type { Stageable, StageOptions } from '../registry/release/staging.ts'
import type { LoadBudget } from './budget.ts'
import { openHospitalFile } from './hospital/file.ts'
import { findsHospitalCode, rereadHospital } from './hospital/reread.ts'
import { publishedName } from './published-name.ts'
import { type Reread, type SourceInput, whole } from './reread.ts'
import { anesthesia } from './schedules/anesthesia.ts'
import { drugs } from './schedules/drugs.ts'
import { equipment } from './schedules/equipment.ts'
import { laboratory } from './schedules/laboratory.ts'
import type { TableReader } from './schedules/one-table.ts'
import { outpatient } from './schedules/outpatient.ts'
import { ACCEPTABLE, type PhysicianOptions, physicianSchedule } from './schedules/physician.ts'
import type { PhysicianBasis } from './schedules/physician-edition.ts'
import { isRelativeValueFile, physicianLines } from './schedules/physician-lines.ts'
import { rereadPhysician } from './schedules/physician-reread.ts'
import { findsZip, placesIn, rereadPlaces } from './schedules/places.ts'
import { surgeryCenter } from './schedules/surgery-center.ts'
import type { TablesReader } from './schedules/tables.ts'
import { type Citable, type Provenance, readMembers, readSources, type Source } from './source.ts'

export interface LoadOptions extends Partial<Omit<Provenance, 'url'>> {
  /** Where all files are from; or each of them, in their order. */
  url?: string | readonly string[] | undefined
  edition?: string | undefined
  effective_from?: string | undefined
  /** Overrules the calendar and the file. */
  effective_to?: string | undefined
  npis?: readonly string[] | undefined
  /** For the physician schedule: which regions to make rows for, if not all. */
  regions?: readonly string[] | undefined
  accept?: PhysicianOptions['accept']
  data_class?: 'published' | 'sample' | undefined
  /** Told of every line and row that breaks a rule. */
  onNote?: Findings['onNote']
  /** See `StageOptions`. */
  inspect?: StageOptions['inspect']
  /** What the load may use; unbounded where it is not given. */
  budget?: LoadBudget | undefined
}
/** Told how many bytes and lines have been read, by the readers of files that take long. */
export type ReadOptions = LoadOptions & { onRead?: (bytes: number, lines: number) => void }

/** What source files turn into: which edition, from when, and the rows in key order. */
export interface Reading {
  /** Whose file it is, by NPI, where each provider has a chart of its own. */
  provider?: string
  edition: string
  effective_from: string
  /** The last day, where the file itself says it; else the calendar of the chart does. */
  effective_to?: string
  /** All NPIs that a hospital's file names, in its order. */
  providers?: readonly string[]
  rows: Stageable
  /** How many rows there will be, where that is known beforehand. */
  row_total?: number
  /** Where it is not: how much of them has been taken, from 0 to 1. */
  share?: () => number
  /** How much was written to temporary files so far, where any is. */
  scratchBytes?: () => number
  /** How many lines of the source can be read, where that tells whether it is whole. */
  line_total?: number
  /** The sources the rows cite, in the order of their locators. */
  cited: readonly Citable[]
  close?(): void
}

/** An option of `atr load` that means something to some readers only. */
export interface ReaderOption {
  /** As on the command line, without the dashes. */
  name: string
  /** What stands for its value in the help. */
  value: string
  meaning: string
  /** It may be said several times. */
  repeatable?: true
  /** The only words it takes. */
  words?: readonly string[]
  /** What the words that were said come to. */
  parse: (said: readonly string[]) => LoadOptions
}

/** How the files of a chart are read. */
export interface Reader {
  read: (paths: readonly string[], options: ReadOptions, rejects: Findings) => Promise<Reading>
  /** Reads the lines that rows cite, to check the rows against them. */
  reread: () => Reread
  /** Whether a file has a line for a code; where it is not given, the first column is searched. */
  finds?: (source: SourceInput, cpt: string) => boolean
  options: readonly ReaderOption[]
}
export interface Readers {
  readonly [chart: string]: Reader
}

/** The charts there are and how each is read: the product\u2019s own where they are not given. */
export interface ChartParts {
  charts?: Charts
  readers?: Readers
}

/** What is described in a PDF beside the files is left alone, as in an archive: all of a folder may be given. */
const withoutGuides = (paths: readonly string[]): readonly string[] =>
  paths.length > 1 ? paths.filter((path) => !/\.pdf$/i.test(path)) : paths

/** Reads all of them. Of a refusal among many it is said which one it is about. */
async function readAll(paths: readonly string[], read: (path: string) => Promise<Source[]>): Promise<Source[]> {
  const given = withoutGuides(paths)
  const named = async (path: string): Promise<Source[]> => {
    try {
      return await read(path)
    } catch (error) {
      if (!(error instanceof Problem) || given.length === 1) throw error
      const which = `file ${paths.indexOf(path) + 1} of the ${paths.length} that were given`
      throw new Problem(error.code, `${which}: ${error.detail}`, error.extra)
    }
  }
  return (await Promise.all(given.map(named))).flat()
}

/** A reader of files that are small enough to be in memory. */
export const wholeFiles =
  (open: (sources: readonly Source[], options: LoadOptions, rejects: Findings) => Reading): Reader['read'] =>
  async (paths, options, rejects) =>
    open(await readAll(paths, readSources), options, rejects)

const oneOf = <Word extends string>(words: readonly Word[], said: readonly string[]): Word[] =>
  words.filter((word) => said.includes(word))

/** Regions are taken in any case, as in a lookup. */
const regionFrom = (text: string): string => (/^national$/i.test(text.trim()) ? 'national' : text.trim().toUpperCase())

const PHYSICIAN_OPTIONS: readonly ReaderOption[] = [
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
    parse: (said) => ({ accept: oneOf(ACCEPTABLE, said) }),
  },
]

const HOSPITAL_OPTIONS: readonly ReaderOption[] = [
  {
    name: 'npi',
    value: 'NPI',
    meaning:
      'the NPI of the hospital, if the file does not say it, or for some of its NPIs only. The first one names the chart',
    repeatable: true,
    parse: (npis) => ({ npis }),
  },
]

/** The files are too large to be read into memory. */
const readHospital: Reader['read'] = async ([path, ...more], options, rejects) => {
  if (!path || more.length > 0) throw new Problem('source_unreadable', 'give one hospital file at a time')
  const { npis, last_updated_on, published, ...file } = await openHospitalFile(path, options, rejects)
  return {
    ...file,
    // The operator may say whose file it is: the lowest NPI that it names may be another hospital's.
    provider: options.npis?.[0] ?? npis[0] ?? '',
    providers: npis,
    edition: options.edition ?? last_updated_on,
    effective_from: last_updated_on,
    cited: [
      { ...published, file: publishedName(published.name, published.sha256), bytes: { length: published.bytes } },
    ],
  }
}

/** What CMS ships together holds the tables twice, and their layouts; two lists of ZIP codes come with the equipment. */
const readPlaces: Reader['read'] = async (paths, options, rejects) =>
  placesIn(await readAll(paths, (path) => readMembers(path, /ZIP[59](?!ly)|(rural|cba)[ _-]?zip/i)), options, rejects)

/** Each of the two factors of a year has a chart: the files differ in nothing else. */
const physician = (basis: PhysicianBasis): Reader => ({
  read: wholeFiles((sources, options, rejects) => physicianSchedule(sources, options, rejects, basis)),
  reread: rereadPhysician,
  // The other file that a release cites has no codes.
  finds: (source, cpt) =>
    isRelativeValueFile(whole(source)) && physicianLines(whole(source), new Map()).some((line) => line.cpt === cpt),
  options: PHYSICIAN_OPTIONS,
})

/** A schedule that is one table. */
const table = ({ open, reread, finds }: TableReader | TablesReader): Reader => ({
  read: wholeFiles(open),
  reread,
  finds,
  options: [],
})

/** A new schedule is an entry in registry/charts.ts, a file that reads it, and its line here. */
export const READERS: Readers = {
  'cms-pfs': physician('medicare_pfs'),
  'cms-pfs-qpp': physician('medicare_pfs_qpp'),
  'cms-clfs': table(laboratory),
  'cms-asp': table(drugs),
  'cms-opps': table(outpatient),
  'cms-asc': table(surgeryCenter),
  'cms-dmepos': table(equipment),
  'cms-anesthesia': table(anesthesia),
  'hospital-mrf': {
    read: readHospital,
    reread: rereadHospital,
    finds: findsHospitalCode,
    options: HOSPITAL_OPTIONS,
  },
  'zip-locality': { read: readPlaces, reread: rereadPlaces, finds: findsZip, options: [] },
} satisfies Record<ChartName, Reader>

/** What can be loaded, in the order of the table. */
export const LOAD_KINDS: readonly string[] = CHARTS.map(({ chart }) => chart)
