// Bills and sheets that an honest service would give from a registry in memory: all rows of a release that a list shows
// are proved at once.

import { type AdmittedLeaves, answerOf, everything, Notes } from './answer-fixture.ts'
import { concat, fromBase64, toBase64 } from './bytes.ts'
import type { BillQuestion } from './list/batch.ts'
import { partOf } from './list/likeness.ts'
import { type BillLine, extended, summaryOf } from './lookup/bill.ts'
import type { Decision } from './lookup/lookup.ts'
import { parseQuestion } from './lookup/question.ts'
import { type SheetQuestion, sheetFor } from './lookup/sheet.ts'
import { CHARTS, PLACE_CHART } from './price/charts.ts'
import { type Because, type CitedRow, SET_PROOF, type SetParts, type SharedRelease } from './price/proofs.ts'
import type { MemoryRegistry, MemoryRelease } from './registry-fixture.ts'
import { rangesBeside } from './tree/leaves.ts'

type Members = Record<string, unknown>

/** Base64 of the roots beside these rows of a release; nothing beside no row. */
export function hashesBeside(release: MemoryRelease, places: readonly number[]): string {
  if (places.length === 0) return ''
  const roots = rangesBeside(places, release.rows.length).map(([from, to]) => release.rootOf(from, to))
  return toBase64(concat(...roots.map((root) => fromBase64(root) as Uint8Array)))
}

/** The rows that a list shows, release by release. */
export class ShownRows {
  readonly #shown = new Map<MemoryRelease, Set<number>>()

  constructor(readonly registry: MemoryRegistry) {}

  /** The place of a release in the list. */
  #release(release: MemoryRelease): number {
    if (!this.#shown.has(release)) this.#shown.set(release, new Set())
    return [...this.#shown.keys()].indexOf(release)
  }
  #named({ in_force: { period } }: SharedRelease): MemoryRelease {
    const release = this.registry.releaseNamed(period.release)
    if (!release) throw new Error('a release of the registry was expected')
    return release
  }
  #show(release: MemoryRelease, index: number): number {
    const place = this.#release(release)
    this.#shown.get(release)?.add(index)
    return place
  }

  /** A row with a proof of its own, as a row of the list. */
  cited({ proof, ...row }: CitedRow): Members {
    if (!proof.in_force) throw new Error('a release in force was expected')
    const { state: _, ...in_force } = proof.in_force
    const release = this.#show(this.#named({ release: proof.release, in_force }), proof.row.index)
    return { ...row, proof: { release, index: proof.row.index } }
  }

  /** The evidence that an answer is the first choice. A row without its own release is of the answer's release. */
  because({ releases, rows, periods, providers }: Because, own?: CitedRow): Members {
    const all = releases.map((each) => this.#named(each))
    for (const release of all) this.#release(release)
    const ofAnswer = own?.proof.in_force && this.#named({ release: own.proof.release, in_force: own.proof.in_force })
    const shown = rows.map(({ release, row, index }) => {
      const of = release === null ? ofAnswer : all[release]
      if (!of) throw new Error('evidence without a release')
      const like = [...(this.#shown.get(of) ?? [])].at(-1)
      const known = like === undefined || like === index ? undefined : of.rows[like]
      const part = known && partOf(known as unknown as Members, row as unknown as Members)
      return { ...(part ? { like, row: part } : { row }), index, release: this.#show(of, index) }
    })
    return {
      rows: shown,
      ...(periods.length > 0 ? { periods } : {}),
      ...(providers.length > 0 ? { providers } : {}),
    }
  }

  lineOf({ row, place, because, ...line }: Members): Members {
    return {
      ...line,
      ...(row === undefined ? {} : { row: this.cited(row as CitedRow) }),
      ...(place === undefined ? {} : { place: this.cited(place as CitedRow) }),
      ...(because === undefined ? {} : { because: this.because(because as Because, row as CitedRow | undefined) }),
    }
  }

  /** The proofs of the rows that were shown. */
  async parts(): Promise<SetParts> {
    const releases = [...this.#shown].map(([release, places]) => ({
      type: SET_PROOF as typeof SET_PROOF,
      ...this.registry.share(release),
      hashes: hashesBeside(
        release,
        [...places].sort((a, b) => a - b),
      ),
    }))
    return { releases, state: this.registry.state, log: await this.registry.proof() }
  }
}

/** A bill: each question with its answer, and what the answers share stands once. */
export async function billOf(
  registry: MemoryRegistry,
  asked: readonly BillQuestion[],
): Promise<{ body: Members; decisions: (Decision | undefined)[] }> {
  const shown = new ShownRows(registry)
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
      results.push({ status: 404, problem: shown.lineOf(body), ...ofLine })
      bill.push(undefined)
      continue
    }
    const { because, place, modifiers_ignored, adjustment, ...row } = body
    const beside = { because, place, modifiers_ignored, adjustment }
    const told = Object.fromEntries(Object.entries(beside).filter(([, value]) => value !== undefined))
    const comesTo = extended(decision.row, decision.adjustment, units ?? 1)
    results.push({ status: 200, ...shown.lineOf({ row, ...told }), extended: comesTo, ...ofLine })
    bill.push({ basis: decision.row.basis, extended: comesTo, billed: billed ?? null })
  }
  const body = {
    results,
    ...(await shown.parts()),
    summary: summaryOf(bill),
    as_of: asked[0]?.as_of,
  }
  return { body, decisions }
}

/** A sheet, as it follows from a view. */
export async function sheetOf(
  registry: MemoryRegistry,
  question: SheetQuestion,
  view: AdmittedLeaves = everything(registry),
): Promise<Members> {
  const asked = parseQuestion(question)
  if (typeof asked === 'string') throw new RangeError(`not a question: ${asked}`)
  const notes = new Notes(registry, asked, view)
  const sheet = sheetFor(notes, asked, CHARTS)
  if (sheet.outcome !== 'sheet') throw new RangeError(`no sheet: ${sheet.outcome}`)
  const shown = new ShownRows(registry)
  const own = sheet.rows.map(({ chart, row }) => notes.find(chart, row))
  const place = sheet.place && notes.find(PLACE_CHART, sheet.place)
  const data: Members[] = []
  for (const { release, index } of own) data.push(shown.cited(await registry.cite(release, index)))
  const because = await notes.because(undefined, [...own, place])
  return {
    data,
    ...(place ? { place: shown.cited(await registry.cite(place.release, place.index)) } : {}),
    because: shown.because(because as Because),
    not_held: sheet.notHeld,
    ...(await shown.parts()),
    as_of: asked.day,
  }
}
