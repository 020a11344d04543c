import type { ProviderFacts } from '../../integrity/report/report.ts'
import { isMove, type RegistryEntry } from '../../proof/price/release.ts'
import { isRelease, npisIn, ownerOf } from '../../proof/price/timeline.ts'

/** The NPIs that the files of several charts name, or that were moved, by the entries of the log. */
export function providerFacts(entries: readonly RegistryEntry[]): ProviderFacts {
  const withdrawn = new Set(
    entries.flatMap((entry) => ('release_id' in entry && !isRelease(entry) ? entry.release_id : [])),
  )
  const about = Map.groupBy(
    entries.flatMap((entry) => npisIn(entry).map((npi) => ({ npi, entry }))),
    ({ npi }) => npi,
  )
  const sides = [...about].map(([npi, its]) =>
    sidesOf(
      npi,
      its.map(({ entry }) => entry),
      withdrawn,
    ),
  )
  const overlapping = sides.filter(({ charts }) => charts.length > 1)
  return {
    overlaps: overlapping.length,
    moves: entries.filter(isMove).length,
    shared: sides.filter((each) => each.charts.length > 1 || each.moved_at !== null).sort(byNpi),
  }
}

const byNpi = (a: { npi: string }, b: { npi: string }): number => (a.npi < b.npi ? -1 : 1)

/** The file that speaks for an NPI, other files that name it, and the file it was moved from last. */
function sidesOf(
  npi: string,
  its: readonly RegistryEntry[],
  withdrawn: ReadonlySet<string>,
): ProviderFacts['shared'][number] {
  const naming = its.filter(isRelease).filter(({ release_id }) => !withdrawn.has(release_id))
  const last = its.findLastIndex(isMove)
  const move = its[last]
  return {
    npi,
    chart: ownerOf(npi, its, withdrawn) ?? null,
    charts: [...new Set(naming.map(({ chart }) => chart))].sort(),
    moved_from: ownerOf(npi, its.slice(0, Math.max(0, last)), withdrawn) ?? null,
    moved_at: move && isMove(move) ? move.recorded_at : null,
  }
}
