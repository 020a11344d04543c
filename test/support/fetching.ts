// A store that fetches from a publisher on this machine, with a clock that the test sets and that waiting moves.

import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Acceptance } from '../../src/fetch/agreement.ts'
import type { Hospital } from '../../src/fetch/hospital-list.ts'
import { type ChartReport, fetchable, runFetch } from '../../src/fetch/run.ts'
import type { FetchParts } from '../../src/fetch/source.ts'
import { load } from '../../src/ingest/load.ts'
import { CHARTS } from '../../src/registry/charts.ts'
import { type TestApp, testApp } from './harness.ts'
import { laboratoryFile, PublisherSite } from './publisher-site.ts'

export class FetchingStore implements AsyncDisposable {
  private constructor(
    readonly app: TestApp,
    readonly site: PublisherSite,
  ) {}

  static async open(today: string): Promise<FetchingStore> {
    const app = await testApp({ today })
    return new FetchingStore(app, new PublisherSite(app.clock))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.site[Symbol.asyncDispose]()
    await this.app[Symbol.asyncDispose]()
  }

  get clock(): { now: number } {
    return this.app.clock
  }
  set today(day: string) {
    this.clock.now = Date.parse(`${day}T12:00:00Z`)
  }

  parts(more: Partial<FetchParts> = {}): FetchParts {
    const { db, registryLog: log, cosign } = this.app.installation
    const folder = join(this.app.folder.path, 'downloads')
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder)
    return {
      db,
      now: () => this.clock.now,
      wait: async (ms) => {
        this.clock.now += ms
      },
      outgoing: { loopback: true },
      publisher: { log, cosign },
      publishers: this.site.table,
      charts: CHARTS,
      hospitals: [] as readonly Hospital[],
      load: async ({ kind, paths, urls, retrieved_at, npi }) => {
        const options = { url: urls, retrieved_at, canaries: true, npis: npi === undefined ? undefined : [npi] }
        const { release, already } = await load(db, kind, paths, options, this.clock.now)
        return { release_id: release.release_id, already }
      },
      folder,
      ...more,
    }
  }

  /** `atr fetch` of one chart. */
  async fetch(chart: string, more: Partial<FetchParts> & { isCheck?: boolean } = {}): Promise<ChartReport> {
    const { isCheck = false, ...parts } = more
    const [report] = await runFetch(this.parts(parts), { charts: [chart], isCheck })
    if (!report) throw new Error('a chart without a report')
    return report
  }

  /** `atr update` of some charts, or of all. */
  update(
    charts?: readonly string[],
    { publishes = true, ...more }: Partial<FetchParts> & { publishes?: boolean } = {},
  ): Promise<ChartReport[]> {
    const parts = this.parts(more)
    return runFetch(parts, { charts: charts ?? fetchable(parts), isDueOnly: true, publishes })
  }

  /** The laboratory schedule of a quarter on the publisher's pages, behind the agreement. */
  laboratory(
    year: number,
    quarter: number,
    { file = laboratoryFile(year, quarter * 10), version = '' } = {},
  ): Uint8Array {
    const name = `${year % 100}clabq${quarter}`
    const own = `${this.site.pathOf('cms-clfs')}/${name}`
    const path = `/files/zip/${name}${version}.zip`
    this.site.links(own, [`/license/ama?file=${path}`])
    return this.site.archive(path, { [`PUF_CLFS_CY${year}_Q${quarter}V1.csv`]: file, 'readme.pdf': '%PDF' })
  }

  /** The list of the laboratory schedule's editions. */
  laboratoryList(...quarters: readonly (readonly [year: number, quarter: number])[]): void {
    const page = this.site.pathOf('cms-clfs')
    this.site.links(
      page,
      quarters.map(([year, quarter]) => `${page}/${year % 100}clabq${quarter}`),
    )
  }
}

export const ACCEPTED: { acceptance: Acceptance } = { acceptance: { gate: 'ama', by: 'Ada Lovelace' } }
