import type { AbsenceProof, Because, PeriodProof, ProviderProof, SharedRow } from '../../proof/price/proofs.ts'
import type { StoredRow } from '../rows/release-file-store.ts'
import type { Release } from '../store.ts'
import type { LookupResult, Trace } from './find.ts'
import type { Proofs } from './proofs.ts'

/** A row that stands in the answer itself, with a proof of its own. */
export interface RowInRelease {
  release: Release
  stored: StoredRow
}

/** Parts that an answer proves beside the evidence: its own rows, a place, and absence proofs. None of it is repeated. */
export interface AnswerParts {
  main?: RowInRelease | undefined
  rows?: readonly RowInRelease[]
  place?: RowInRelease | undefined
  absences?: readonly AbsenceProof[]
}

/** The facts that the rule used, as far as the answer does not show them already. */
export interface Evidence {
  /** Releases that have rows here, and those of which nothing was asked and which must be shown to be held. */
  releases: Release[]
  rows: RowInRelease[]
  periods: PeriodProof[]
  providers: ProviderProof[]
}

/** The rows that the rule found on its way, or their neighbours where there is none; of all these findings together. */
export function evidenceOf(
  proofs: Proofs,
  findings: readonly Pick<LookupResult, 'trace' | 'question'>[],
  { main, rows: own = [], place, absences = [] }: AnswerParts,
): Evidence {
  const { view } = proofs
  const cited = [main, place, ...own].filter((each) => each !== undefined)
  const shown = new Set([
    ...cited.map(({ release, stored }) => named(release, stored.row_index)),
    ...absences.flatMap(({ left, right, release }) =>
      [left, right].flatMap((side) => (side ? [named(release, side.index)] : [])),
    ),
  ])
  const isProved = new Set([...cited, ...absences].map(({ release }) => release.release_id))
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
        const { left, right } = proofs.around(release, key)
        add(release, left, right)
      }
    for (const { release, prefix, rows } of trace.ranges) {
      const { left, right } = proofs.aroundPrefix(release, prefix, rows.length)
      add(release, left, ...rows, right)
    }
  }
  const npi = findings[0]?.trace.npi
  return {
    releases: [...needed]
      .filter(([release, rows]) => rows.size > 0 || !isProved.has(release.release_id))
      .map(([release]) => release),
    rows: [...needed].flatMap(([release, rows]) => [...rows.values()].map((stored) => ({ release, stored }))),
    periods: unique(
      findings.flatMap(({ trace, question }) =>
        trace.notHeld.flatMap((chart) => view.periodsAround(chart, question.day)),
      ),
    ),
    providers: npi === undefined ? [] : view.providersAround(npi),
  }
}

/**
 * The evidence that an answer is the first choice. Nothing if the first choice answered. Rows of the answer's own release
 * say so with null, and its state and log need not be repeated.
 */
export function becauseOf(proofs: Proofs, findings: readonly LookupResult[], proved: AnswerParts): Because | undefined {
  const { view } = proofs
  const { main } = proved
  if (main && findings.every((finding) => isFirstChoice(finding, main, proved))) return undefined
  const { rows: found, periods, providers, ...evidence } = evidenceOf(proofs, findings, proved)
  const releases = evidence.releases.filter((release) => release !== main?.release)
  const rows = found.map(({ release, stored }): SharedRow => {
    const at = release === main?.release ? null : releases.indexOf(release)
    return { release: at, ...proofs.neighbour(release, stored) }
  })
  if (main && rows.length + periods.length + providers.length + releases.length === 0) return undefined
  return {
    releases: releases.map((release) => view.share(release)),
    rows,
    periods,
    providers,
    ...(main ? {} : { state: view.state, log: view.log }),
  }
}

/** Whether the rule asked for one edition and one row of it, which is the answer: most questions are such. */
const isFirstChoice = ({ trace }: LookupResult, main: RowInRelease, { place }: AnswerParts): boolean =>
  trace.rows.length === 1 &&
  trace.rows[0]?.found === main.stored &&
  trace.held.length === 1 &&
  trace.held[0] === main.release &&
  trace.ranges.length + trace.notHeld.length === 0 &&
  trace.npi === undefined &&
  place === undefined

/** Facts that the rule used beside the rows that are shown: in the short form nobody else could tell that they have changed. */
export function checkUnshown(proofs: Proofs, { rows, ranges }: Trace, shown: readonly RowInRelease[]): void {
  const isShown = new Set(shown.map(({ stored }) => stored))
  const check = (release: Release, stored: StoredRow | undefined): void => {
    if (stored && !isShown.has(stored)) proofs.check(release, stored)
  }
  const checkAround = (release: Release, { left, right }: ReturnType<Proofs['around']>): void => {
    check(release, left)
    check(release, right)
  }
  for (const { release, key, found } of rows)
    if (found) check(release, found)
    else checkAround(release, proofs.around(release, key))
  for (const { release, prefix, rows: all } of ranges) {
    for (const stored of all) check(release, stored)
    checkAround(release, proofs.aroundPrefix(release, prefix, all.length))
  }
}

const named = ({ release_id }: { release_id: string }, index: number): string => `${release_id} ${index}`

const unique = <T extends { index: number }>(proofs: readonly T[]): T[] => [
  ...new Map(proofs.map((proof) => [proof.index, proof])).values(),
]
