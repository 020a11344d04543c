// Pages that an honest service would give from a registry in memory.

import type { PageQuestion } from './list/page.ts'
import { PAGE_PROOF, type PageRange, RANGE_PROOF } from './price/proofs.ts'
import type { MemoryRegistry, MemoryRelease } from './registry-fixture.ts'
import { rangesAround } from './tree/leaves.ts'

type Members = Record<string, unknown>

/** The two sides of a run of rows `[from, to)`. */
export function sidesOf(
  release: MemoryRelease,
  from: number,
  to: number,
): { left_path: string[]; right_path: string[] } {
  const { left, right } = rangesAround(from, to, release.rows.length)
  const roots = (ranges: [number, number][]): string[] => ranges.map(([start, end]) => release.rootOf(start, end))
  return { left_path: roots(left), right_path: roots(right) }
}

/** A run of neighbouring rows of a release, from and to. */
export interface Run {
  release: MemoryRelease
  from: number
  to: number
}

/** A page of these runs, whatever they are. */
export async function pageOf(registry: MemoryRegistry, as_of: string, runs: readonly Run[]): Promise<Members> {
  const releases = [...new Set(runs.map(({ release }) => release))]
  const proofs = runs.map(
    ({ release, from, to }): PageRange => ({
      type: RANGE_PROOF,
      release: releases.indexOf(release),
      from,
      ...sidesOf(release, from, to),
    }),
  )
  const data = runs.flatMap(({ release, from, to }, proof) =>
    release.rows.slice(from, to).map((row, i) => ({
      ...row,
      proof: { type: PAGE_PROOF, proof, index: from + i, leaf_hash: release.leafHash(from + i) },
    })),
  )
  return {
    data,
    proofs,
    releases: releases.map((release) => registry.share(release)),
    state: registry.state,
    log: await registry.proof(),
    page: { limit: data.length, offset: 0 },
    links: {},
    as_of,
  }
}

/** The runs of rows that fit a page, chart by chart. */
export function runsOf(registry: MemoryRegistry, { as_of, cpt, region, npi, chart }: PageQuestion): Run[] {
  const charts = [...new Set(registry.standing.periods.map((period) => period.chart))].sort()
  return charts.flatMap((each) => {
    const release = chart === undefined || chart === each ? registry.editionOn(each, as_of) : undefined
    const runs: Run[] = []
    for (const [i, row] of (release?.rows ?? []).entries()) {
      const isPlace = row.kind === 'place'
      const fits = isPlace
        ? cpt === undefined && region === undefined && npi === undefined
        : (cpt ?? row.cpt) === row.cpt && (region ?? row.region) === row.region && (npi ?? row.npi) === row.npi
      const last = runs.at(-1)
      if (fits && last?.to === i) last.to++
      else if (fits) runs.push({ release: release as MemoryRelease, from: i, to: i + 1 })
    }
    return runs
  })
}

export const registryPage = (registry: MemoryRegistry, asked: PageQuestion): Promise<Members> =>
  pageOf(registry, asked.as_of, runsOf(registry, asked))
