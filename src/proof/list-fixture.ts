// Lists that an honest service would give from a registry in memory: pages, bills and sheets.

import { type AdmittedLeaves, answerIn, everything, parsed, SeenRegistry } from './answer-fixture.ts'
import type { BillQuestion } from './list/batch.ts'
import type { PageQuestion } from './list/page.ts'
import { type BillLine, extended, summaryOf } from './lookup/bill.ts'
import type { Decision } from './lookup/decision.ts'
import { parseQuestion } from './lookup/question.ts'
import { type SheetQuestion, sheetFor } from './lookup/sheet.ts'
import { CHARTS, PLACE_CHART } from './price/charts.ts'
import { npiOf, regionOf, subjectOf } from './price/row.ts'
import { MemoryProof } from './proof-fixture.ts'
import type { MemoryRegistry, MemoryRelease } from './registry-fixture.ts'

type Members = Record<string, unknown>

/** A run of neighbouring rows of a release, from and to. */
export interface Run {
  release: MemoryRelease
  from: number
  to: number
}

/** A page of these runs, whatever they are. */
export async function pageOf(registry: MemoryRegistry, as_of: string, runs: readonly Run[]): Promise<Members> {
  const proof = new MemoryProof(registry)
  const data = runs.flatMap(({ release, from, to }) =>
    Array.from({ length: to - from }, (_, i) => proof.show(release, from + i)),
  )
  return { data, page: { limit: data.length, offset: 0 }, links: {}, as_of, proof: await proof.member() }
}

/** The runs of rows that fit a page, chart by chart. */
export function runsOf(registry: MemoryRegistry, { as_of, cpt, region, npi, chart }: PageQuestion): Run[] {
  const charts = [...new Set(registry.standing.periods.map((period) => period.chart))].sort()
  return charts.flatMap((each) => {
    const release = chart === undefined || chart === each ? registry.editionOn(each, as_of) : undefined
    const runs: Run[] = []
    for (const [i, row] of (release?.rows ?? []).entries()) {
      const fits =
        'zip' in row
          ? cpt === undefined && region === undefined && npi === undefined
          : (cpt ?? subjectOf(row)) === subjectOf(row) &&
            (region ?? regionOf(row)) === regionOf(row) &&
            (npi ?? npiOf(row)) === npiOf(row)
      const last = runs.at(-1)
      if (fits && last?.to === i) last.to++
      else if (fits) runs.push({ release: release as MemoryRelease, from: i, to: i + 1 })
    }
    return runs
  })
}

export const registryPage = (registry: MemoryRegistry, asked: PageQuestion): Promise<Members> =>
  pageOf(registry, asked.as_of, runsOf(registry, asked))

/** One answer as a line. */
export function lineOf(proof: MemoryProof, question: BillQuestion, view?: AdmittedLeaves) {
  const { decision, told, main } = answerIn(proof, parsed(question), view)
  const line: Members =
    decision.outcome === 'price' && main
      ? { status: 200, row: proof.show(main.release, main.index), ...told }
      : { status: 404, problem: told }
  return { decision, line }
}

/** A bill: each question with its answer as it follows from a view, under one proof. */
export async function billOf(
  registry: MemoryRegistry,
  asked: readonly BillQuestion[],
  view?: AdmittedLeaves,
): Promise<{ body: Members; decisions: (Decision | undefined)[] }> {
  const proof = new MemoryProof(registry)
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
    const { decision, line } = lineOf(proof, question, view)
    decisions.push(decision)
    if (decision.outcome !== 'price') {
      results.push({ ...line, ...ofLine })
      bill.push(undefined)
      continue
    }
    const comesTo = extended(decision.row, decision.adjustment, units ?? 1)
    results.push({ ...line, extended: comesTo, ...ofLine })
    bill.push({ basis: decision.row.basis, extended: comesTo, billed: billed ?? null })
  }
  const body = { results, summary: summaryOf(bill), as_of: asked[0]?.as_of, proof: await proof.member() }
  return { body, decisions }
}

/** A sheet, as it follows from a view. */
export async function sheetOf(
  registry: MemoryRegistry,
  question: SheetQuestion,
  view: AdmittedLeaves = everything(registry),
): Promise<Members> {
  const asked = parsed(question)
  const proof = new MemoryProof(registry)
  const seen = new SeenRegistry(proof, asked.day, view)
  const sheet = sheetFor(asked, seen.registry, CHARTS)
  if (sheet.outcome !== 'sheet') throw new RangeError(`no sheet: ${sheet.outcome}`)
  const shown = (chart: string, row: Parameters<SeenRegistry['find']>[1]) => {
    const { release, index } = seen.find(chart, row)
    return proof.show(release, index)
  }
  return {
    data: sheet.rows.map(({ chart, row }) => shown(chart, row)),
    ...(sheet.place && { place: shown(PLACE_CHART, sheet.place) }),
    ...(sheet.notHeld.length > 0 && { not_held: sheet.notHeld }),
    as_of: asked.day,
    proof: await proof.member(),
  }
}
