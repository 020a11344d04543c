// Pages and bills that an honest service would give from a registry in memory.

import { answerOf } from './answer-fixture.ts'
import { canonical } from './canonical-json.ts'
import type { PageQuestion } from './lists.ts'
import { type BillLine, extended, summaryOf } from './price/bill.ts'
import type { Decision } from './price/lookup.ts'
import {
  type Because,
  type Cited,
  PAGE_PROOF,
  type PageRange,
  RANGE_PROOF,
  SHARED_PROOF,
  type SharedRelease,
} from './price/proofs.ts'
import { parseQuestion, type Question } from './price/question.ts'
import type { MemoryRegistry, MemoryRelease } from './registry-fixture.ts'
import { rangesAround } from './tree/merkle.ts'

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

export type BilledQuestion = Question & { units?: number; billed?: string }

/** A bill: each question with its answer, and what the answers share stands once. */
export async function billOf(
  registry: MemoryRegistry,
  asked: readonly BilledQuestion[],
): Promise<{ body: Members; decisions: (Decision | undefined)[] }> {
  const shared = new Shared()
  const results: Members[] = []
  const decisions: (Decision | undefined)[] = []
  const bill: (BillLine | undefined)[] = []
  for (const { units, billed, ...question } of asked) {
    const ofLine = { ...(units === undefined ? {} : { units }), ...(billed === undefined ? {} : { billed }) }
    if (typeof parseQuestion(question) === 'string') {
      results.push({ status: 400, problem: { code: 'invalid_input', status: 400 }, ...ofLine })
      decisions.push(undefined)
      bill.push(undefined)
      continue
    }
    const { body, decision } = await answerOf(registry, question)
    decisions.push(decision)
    if (decision.outcome !== 'price') {
      results.push({ status: 404, problem: shared.lineOf(body), ...ofLine })
      bill.push(undefined)
      continue
    }
    const { because, place, modifiers_ignored, adjustment, ...row } = body
    const beside = { because, place, modifiers_ignored, adjustment }
    const told = Object.fromEntries(Object.entries(beside).filter(([, value]) => value !== undefined))
    const comesTo = extended(decision.row, decision.adjustment, units ?? 1)
    results.push({ status: 200, ...shared.lineOf({ row, ...told }), extended: comesTo, ...ofLine })
    bill.push({ basis: decision.row.basis, extended: comesTo, billed: billed ?? null })
  }
  const body = {
    results,
    releases: shared.releases,
    hashes: shared.hashes,
    state: registry.state,
    log: await registry.proof(),
    summary: summaryOf(bill),
    as_of: asked[0]?.as_of,
  }
  return { body, decisions }
}

/** Releases and hashes of a list, each once. */
class Shared {
  readonly releases: SharedRelease[] = []
  readonly hashes: string[] = []

  #release(shared: SharedRelease): number {
    const at = this.releases.findIndex(({ release }) => canonical(release) === canonical(shared.release))
    return at < 0 ? this.releases.push(shared) - 1 : at
  }

  #path(path: readonly string[]): number[] {
    return path.map((hash) => {
      const at = this.hashes.indexOf(hash)
      return at < 0 ? this.hashes.push(hash) - 1 : at
    })
  }

  #cited({ proof, ...row }: Cited): Members {
    const { index, leaf_hash, path } = proof.row
    if (!proof.in_force) throw new Error('a release in force was expected')
    const { state: _, ...in_force } = proof.in_force
    const release = this.#release({ release: proof.release, in_force })
    return { ...row, proof: { type: SHARED_PROOF, release, index, leaf_hash, path: this.#path(path) } }
  }

  lineOf({ row, place, because, ...line }: Members): Members {
    const { releases = [], rows = [], periods = [], providers = [] } = (because ?? {}) as Partial<Because>
    const places = releases.map((release) => this.#release(release))
    const shown = rows.map(({ release, path, ...each }) => ({
      ...each,
      release: release === null ? null : (places[release] as number),
      path: this.#path(path),
    }))
    return {
      ...line,
      ...(row === undefined ? {} : { row: this.#cited(row as Cited) }),
      ...(place === undefined ? {} : { place: this.#cited(place as Cited) }),
      ...(because === undefined ? {} : { because: { rows: shown, periods, providers } }),
    }
  }
}
