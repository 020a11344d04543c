// Where each chart comes from, as docs/spec/tables/publishers.json has it. A verifier needs none of it.

import table from '../../docs/spec/tables/publishers.json'
import type { ChartName } from './charts.ts'
import { frozen } from './frozen.ts'

/** How a link looks: a pattern of its path, whose named groups say which edition it is. */
export interface LinkForm {
  path: string
  /** The quarter, where the link names the year alone. */
  quarter?: number
}

/** A row that every right edition has: a price or a limit of units within bounds, an edit with another code, or the place of a ZIP code. */
export type Canary = PriceCanary | LimitCanary | EditCanary | PlaceCanary
interface PriceCanary {
  code: string
  region?: string
  setting?: string
  modifier?: string
  least: string
  most: string
}
interface LimitCanary {
  code: string
  least_units: number
  most_units: number
}
interface EditCanary {
  code: string
  with: string
}
interface PlaceCanary {
  zip: string
  region: string
}

/**
 * How a file of the chart is known among others: by words that its head has, written without blanks and marks, and by its name.
 * A file beside others is of no use alone.
 */
export interface Heading {
  has: readonly string[]
  named?: string
  not_named?: string
  beside?: boolean
  /** Beside others: that of another quarter of the year will do. */
  of_year?: boolean
}

export interface PublisherEntry {
  /** The page that lists the editions. Where each provider publishes its own, there is none: see `cms-hpt.txt`. */
  page?: string
  per_provider?: boolean
  /** The operator's own list: nothing is fetched. */
  by_operator?: boolean
  /** How the link to the page of an edition looks, where each has a page of its own. */
  detail?: readonly LinkForm[]
  /** How the link to a file of an edition looks. */
  files?: readonly LinkForm[]
  /** The parts that an edition has, by the group `part` of their links. It is taken when all are there. */
  parts?: readonly string[]
  /** The agreement that the publisher asks for before its files. */
  gate?: string
  /** Whether the chart changes with the year, and is taken from the last edition of each. */
  yearly?: boolean
  /** The chart whose newest files are read beside its own. */
  beside?: string
  most_mib: number
  most_rows: number
  canaries: readonly Canary[]
  headings: readonly Heading[]
  source: string
}

export interface Gate {
  title: string
  /** How the path of a link looks that leads to the agreement first. Its parameter `file` names the file. */
  path: string
  /** The page with the text of the agreement. */
  page: string
}

export interface PublisherTable {
  hosts: readonly string[]
  gates: Readonly<Record<string, Gate>>
  charts: Readonly<Record<string, PublisherEntry>>
}

const { hosts, gates, charts } = table
/** Every chart has an entry. */
const entries: Readonly<Record<ChartName, PublisherEntry>> = charts

export const PUBLISHERS: PublisherTable = frozen({ hosts, gates, charts: entries })
