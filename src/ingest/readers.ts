import { CHARTS, type Charts } from '../registry/charts.ts'
import type { Reader } from './reader.ts'

export interface Readers {
  readonly [chart: string]: Reader
}

/** The charts there are and how each is read: the product\u2019s own where they are not given. */
export interface ChartParts {
  charts?: Charts
  readers?: Readers
}

/** The reader of each chart, by the file that its entry in registry/charts.ts names. A new schedule needs no line here. */
export const READERS: Readers = Object.fromEntries(
  await Promise.all(CHARTS.map(async ({ chart, reader }) => [chart, await readerIn(reader)] as const)),
)

async function readerIn(file: string): Promise<Reader> {
  const { reader } = (await import(`./${file}.ts`)) as { reader?: Reader }
  if (!reader) throw new Error(`ingest/${file}.ts exports no reader`)
  return reader
}

/** The charts that can be loaded, in the order of the table. */
export const LOAD_KINDS: readonly string[] = CHARTS.map(({ chart }) => chart)
