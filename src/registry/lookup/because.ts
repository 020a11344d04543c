import type { AbsenceProof, Because, SharedRow } from '../../proof/price/proofs.ts'
import type { Release, StoredRow } from '../store.ts'
import type { Finding } from './find.ts'
import type { Proofs } from './proofs.ts'

/** A row that stands in the answer itself, with a proof of its own. */
export interface Cited {
  release: Release
  stored: StoredRow
}

/** What an answer proves beside the evidence: its own row, a place, and absence proofs. None of it is repeated. */
export interface Proved {
  main?: Cited | undefined
  place?: Cited | undefined
  absences?: readonly AbsenceProof[]
}

/**
 * What shows that an answer is the first choice, and what was last known too: the rows of the choices before it, or their neighbours where there
 * is none. Nothing if the first choice answered. Rows of the answer's own release say so with null, and its state and
 * log need not be repeated.
 */
export async function becauseOf(
  proofs: Proofs,
  findings: readonly Finding[],
  { main, place, absences = [] }: Proved,
): Promise<Because | undefined> {
  const { view } = proofs
  const shown = new Set([
    ...[main, place].flatMap((each) => (each ? [named(each.release, each.stored.row_index)] : [])),
    ...absences.flatMap(({ left, right, release }) =>
      [left, right].flatMap((side) => (side ? [named(release, side.index)] : [])),
    ),
  ])
  const isProved = new Set(
    [main?.release, place?.release, ...absences.map(({ release }) => release)].map((each) => each?.release_id),
  )
  const needed = new Map<Release, Map<number, StoredRow>>()
  const add = (release: Release, ...rows: readonly (StoredRow | undefined)[]): void => {
    const known = needed.get(release) ?? new Map<number, StoredRow>()
    needed.set(release, known)
    for (const row of rows) if (row && !shown.has(named(release, row.row_index))) known.set(row.row_index, row)
  }
  for (const { trace } of findings) {
    // An edition that is held must be shown even where nothing was asked of it.
    for (const release of trace.held) add(release)
    for (const { release, key, found } of trace.rows)
      if (found) add(release, found)
      else {
        const { left, right } = await proofs.around(release, key)
        add(release, left, right)
      }
    for (const { release, prefix, rows } of trace.ranges) {
      const { left, right } = await proofs.aroundPrefix(release, prefix)
      add(release, left, ...rows, right)
    }
  }
  const isMain = (release: Release): boolean => release === main?.release
  const releases = [...needed]
    .filter(([release, rows]) => !isMain(release) && (rows.size > 0 || !isProved.has(release.release_id)))
    .map(([release]) => release)
  const rows: SharedRow[] = []
  for (const [release, found] of needed)
    for (const stored of found.values()) {
      const at = isMain(release) ? null : releases.indexOf(release)
      rows.push({ release: at, ...(await proofs.neighbour(release, stored)) })
    }
  const periods = findings.flatMap(({ trace, question }) =>
    trace.notHeld.flatMap((chart) => view.periodsAround(chart, question.day)),
  )
  const npi = findings[0]?.trace.npi
  const providers = npi === undefined ? [] : view.providersAround(npi)
  if (main && rows.length + periods.length + providers.length + releases.length === 0) return undefined
  return {
    releases: releases.map((release) => view.share(release)),
    rows,
    periods: unique(periods),
    providers,
    ...(main ? {} : { state: view.state, log: view.log }),
  }
}

const named = ({ release_id }: { release_id: string }, index: number): string => `${release_id} ${index}`

const unique = <T extends { index: number }>(proofs: readonly T[]): T[] => [
  ...new Map(proofs.map((proof) => [proof.index, proof])).values(),
]
