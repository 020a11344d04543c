import { Problem } from '../problem.ts'
import type { Findings } from '../registry/release/rules.ts'
import type { Stageable, StageOptions } from '../registry/release/staging.ts'
import type { LoadBudget } from './budget.ts'
import type { Reread, SourceInput } from './reread.ts'
import { type Citable, type Provenance, readSources, type Source } from './source.ts'

/** Checks of the physician schedule that the operator may skip: what they refuse was never so, and may be so now. */
export const ACCEPTABLE = ['locality_count', 'gpci_year'] as const
export type Acceptable = (typeof ACCEPTABLE)[number]

export interface LoadOptions extends Partial<Omit<Provenance, 'url'>> {
  /** Where all files are from; or each of them, in their order. */
  url?: string | readonly string[] | undefined
  edition?: string | undefined
  effective_from?: string | undefined
  /** Overrules the calendar and the file. */
  effective_to?: string | undefined
  npis?: readonly string[] | undefined
  /** The regions that the physician schedule makes rows for, if not all. */
  regions?: readonly string[] | undefined
  accept?: readonly Acceptable[] | undefined
  data_class?: 'published' | 'sample' | undefined
  /** Told of every line and row that breaks a rule. */
  onNote?: Findings['onNote']
  /** See `StageOptions`. */
  inspect?: StageOptions['inspect']
  /** Whether the rows that every edition has are looked for: rule W13. */
  canaries?: boolean | undefined
  /** Limits of the load; unbounded where it is not given. */
  budget?: LoadBudget | undefined
}
/** Readers of files that take long say how many bytes and lines have been read. */
export type ReadOptions = LoadOptions & { onRead?: (bytes: number, lines: number) => void }

/** An edition as its source files state it, with its rows in key order. */
export interface Reading {
  /** The NPI of the file's owner, where each provider has a chart of its own. */
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
  /** Its name on the command line, without the dashes. */
  name: string
  /** Stands for its value in the help. */
  value: string
  meaning: string
  /** It may be given several times. */
  repeatable?: true
  /** The only words it takes. */
  words?: readonly string[]
  /** The load options that the words mean. */
  parse: (said: readonly string[]) => LoadOptions
}

/** Reads the files of a chart. */
export interface Reader {
  read: (paths: readonly string[], options: ReadOptions, rejects: Findings) => Promise<Reading>
  /** Reads the lines that rows cite, to check the rows against them. */
  reread: () => Reread
  /** Whether a file has a line for a code. */
  finds: (source: SourceInput, cpt: string) => boolean
  options: readonly ReaderOption[]
}

/** A PDF beside other files describes them and is left alone, as in an archive: all of a folder may be given. */
const withoutGuides = (paths: readonly string[]): readonly string[] =>
  paths.length > 1 ? paths.filter((path) => !/\.pdf$/i.test(path)) : paths

/** Reads all of them. A refusal says which of several files it is about. */
export async function readAll(paths: readonly string[], read: (path: string) => Promise<Source[]>): Promise<Source[]> {
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
