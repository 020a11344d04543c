import type { Publisher } from '../integrity/publication.ts'
import type { Charts } from '../registry/charts.ts'
import type { PublisherTable } from '../tables/publishers.ts'
import type { Acceptance, Agreements } from './agreement.ts'
import type { Door, DoorParts } from './door.ts'
import type { Downloads } from './download.ts'
import type { ShownEdition } from './edition-link.ts'
import type { Hospital } from './hospital-list.ts'
import type { Pages } from './page.ts'

/** What loading needs to know of downloaded files. */
export interface LoadRequest {
  kind: string
  paths: readonly string[]
  /** The address of each file. */
  urls: readonly string[]
  retrieved_at: string
  npi?: string
}

/** Loads files into a staged release. Refuses with a `Problem`. */
export type Loader = (request: LoadRequest) => Promise<{ release_id: string; already: boolean }>

export interface FetchParts extends DoorParts {
  publisher: Pick<Publisher, 'log' | 'cosign'>
  publishers: PublisherTable
  charts: Charts
  hospitals: readonly Hospital[]
  load: Loader
  /** For the files of the run. */
  folder: string
  acceptance?: Acceptance | undefined
}

/** The things that all charts of one run share. */
export interface Run {
  parts: FetchParts
  door: Door
  pages: Pages
  downloads: Downloads
  agreements: Agreements
}

/** What a look at a chart's source has found so far: it is kept even if the look ends in trouble. */
export interface LookNotes {
  newest?: Pick<ShownEdition, 'edition' | 'first_day'> | undefined
  /** The digest of the page that lists the editions. */
  page?: string
  isWhole?: boolean
}
