import type { Db } from '../../db/db.ts'
import type { ReleaseFile } from '../rows/release-file-store.ts'
import type { ReleaseState } from './store.ts'
import * as releases from './store.ts'

// Counts of the rows of a release: by code, by region, by provider.

/** Kept in the store when a release is staged, so that reports need not open its file. */
export interface ReleaseContents {
  codes: number
  regions: number
  providers: number
  /** As `countStated` counts it. */
  stated: number
  /** Rows whose price is withheld, because the source contradicts itself. */
  withheld: number
}

export const contentsOf = (file: ReleaseFile, withheld: number): ReleaseContents => ({
  codes: file.countNames('code'),
  regions: file.countNames('region'),
  providers: file.countNames('provider'),
  stated: countStated(file),
  withheld,
})

/** A row's text is ours, so its reason is plain in it. */
export const isWithheld = (body: string): boolean => body.includes('"reason":"withheld_conflict"')

/**
 * How many prices and absences a source states, about: a schedule's are repeated for every locality or state and a
 * hospital's for every provider, and what was refused is not. Where nothing is stated for the whole country, it is as
 * many as there are codes, or as there are rows in one region.
 */
export function countStated(file: ReleaseFile): number {
  const national = file.totalOf('region', 'national')
  if (national > 0) return Math.ceil(national / Math.max(1, file.countNames('provider')))
  return Math.max(0, file.countNames('code'), ...file.totals('region').values())
}

/**
 * Other charts with prices for one of a release's providers. A hospital's chart is named after the first NPI in its
 * file, so a file that lists them in another order begins a new chart beside the old one.
 */
export async function chartsSharingNpis(
  db: Db,
  { chart, providers }: Pick<ReleaseState, 'chart' | 'providers'>,
): Promise<string[]> {
  const own = new Set(npisIn(providers))
  if (own.size === 0) return []
  const others = (await releases.listReleases(db)).filter(
    (each) => each.chart !== chart && (each.state === 'staged' || each.state === 'published'),
  )
  const sharing = others.filter((each) => npisIn(each.providers).some((npi) => own.has(npi)))
  return [...new Set(sharing.map((each) => each.chart))].sort()
}

const npisIn = (providers: string | null): string[] => (providers === null ? [] : (JSON.parse(providers) as string[]))
