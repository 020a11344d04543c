// The answers that an honest service would give from a registry in memory, and, with a view that hides something, the
// best that a service could do which hides it.

import type { Editions } from './lookup/editions.ts'
import { type Decision, lookUp } from './lookup/lookup.ts'
import { type ParsedQuestion, parseQuestion, type Question } from './lookup/question.ts'
import { PLACE_CHART } from './price/charts.ts'
import type { Because } from './price/proofs.ts'
import { type Period, type Provider, periodKey, providerKey } from './price/release.ts'
import { type AnyRow, rowKey } from './price/row.ts'
import { indexOfKey } from './price/timeline.ts'
import type { MemoryRegistry, MemoryRelease } from './registry-fixture.ts'

export interface DecidedAnswer {
  body: Record<string, unknown>
  decision: Decision
}

/** A leaf and its index in its tree. */
export interface PlacedLeaf<T> {
  leaf: T
  index: number
}
/** The leaves that a service admits to have, in order. Indexes are those of the real trees. */
export interface AdmittedLeaves {
  rows(release: MemoryRelease): readonly PlacedLeaf<AnyRow>[]
  periods: readonly PlacedLeaf<Period>[]
  providers: readonly PlacedLeaf<Provider>[]
}

export const placed = <T>(leaves: readonly T[]): PlacedLeaf<T>[] => leaves.map((leaf, index) => ({ leaf, index }))

export const everything = ({ standing: { periods, providers } }: MemoryRegistry): AdmittedLeaves => ({
  rows: (release) => placed(release.rows),
  periods: placed(periods),
  providers: placed(providers),
})

/** The answer to a question, as it follows from a view. */
export async function answerOf(
  registry: MemoryRegistry,
  question: Question,
  view: AdmittedLeaves = everything(registry),
): Promise<DecidedAnswer> {
  const asked = parseQuestion(question)
  if (typeof asked === 'string') throw new RangeError(`not a question: ${asked}`)
  const notes = new Notes(registry, asked, view)
  const { decision, place } = lookUp(notes, asked)
  const own = 'row' in decision ? notes.find(decision.chart, decision.row) : undefined
  const at = place && notes.find(PLACE_CHART, place)
  const because = await notes.because(own?.release, [own, at])
  const beside = {
    ...(because ? { because } : {}),
    ...(at ? { place: await registry.cite(at.release, at.index) } : {}),
  }
  const cited = own && (await registry.cite(own.release, own.index))
  return { decision, body: bodyOf(decision, cited, beside) }
}

/** A decision as the body of an answer, with its row and the members beside it. */
export function bodyOf(decision: Decision, cited: object | undefined, beside: object): Record<string, unknown> {
  if (decision.outcome === 'price') {
    const { ignored, adjustment } = decision
    const told = {
      ...(ignored.length > 0 ? { modifiers_ignored: ignored } : {}),
      ...(adjustment ? { adjustment } : {}),
    }
    return { ...cited, ...beside, ...told }
  }
  const code = decision.outcome === 'absent' ? `absent_${decision.row.reason}` : CODES[decision.outcome]
  const charts =
    decision.outcome === 'no_edition' ? { charts: decision.charts.map((each) => ({ chart: each, held: [] })) } : {}
  return { code, status: 404, ...(cited ? { row: cited } : {}), ...beside, ...charts }
}

export const CODES = {
  modifier_not_allowed: 'modifier_not_allowed',
  modifier_not_priced: 'modifier_not_priced',
  no_edition: 'no_edition_for_day',
  region_ambiguous: 'region_ambiguous',
  region_not_covered: 'region_not_covered',
  unknown_zip: 'unknown_zip',
  unknown_provider: 'unknown_provider',
  not_on_schedule: 'not_on_schedule',
} as const

/** A decision in a few words. */
export function sayingOf(decision: Decision): string {
  if (decision.outcome === 'absent') return `absent ${decision.row.reason}`
  if (decision.outcome !== 'price') return decision.outcome
  const { price } = decision.row
  return `price ${'amount' in price ? price.amount : `${price.low}-${price.high}`}`
}

type RowPlace = { release: MemoryRelease; index: number }

/** A view for the rule, which notes the leaves that the rule saw, to be shown. */
export class Notes implements Editions {
  readonly #rows = new Map<MemoryRelease, Set<number>>()
  readonly #periods = new Set<number>()
  readonly #providers = new Set<number>()

  constructor(
    readonly registry: MemoryRegistry,
    readonly question: ParsedQuestion,
    readonly view: AdmittedLeaves,
  ) {}

  get day(): string {
    return this.question.day
  }

  chartOf(npi: string): string | undefined {
    const { left, inside, right } = between(this.view.providers, providerKey, `${npi}|`)
    for (const each of inside.length > 0 ? inside : [left, right]) if (each) this.#providers.add(each.index)
    return inside[0]?.leaf.chart
  }

  isHeld(chart: string): boolean {
    const release = this.#editionOn(chart)
    if (release) this.#show(release, [])
    const after = indexOfKey(this.view.periods, `${chart}|${this.day}~`, ({ leaf }) => periodKey(leaf))
    const around = [this.view.periods[after - 1], this.view.periods[after]]
    if (!release) for (const each of around) if (each) this.#periods.add(each.index)
    return release !== undefined
  }

  row(chart: string, key: string): AnyRow | undefined {
    const release = this.#heldOf(chart)
    const rows = this.view.rows(release)
    const at = indexOfKey(rows, key, ({ leaf }) => rowKey(leaf))
    const isThere = rows[at] !== undefined && rowKey(rows[at].leaf) === key
    this.#show(release, isThere ? [rows[at]] : [rows[at - 1], rows[at]])
    return isThere ? rows[at]?.leaf : undefined
  }

  notAfter(chart: string, key: string): AnyRow | undefined {
    const release = this.#heldOf(chart)
    const rows = this.view.rows(release)
    const after = indexOfKey(rows, key, ({ leaf }) => rowKey(leaf))
    this.#show(release, [rows[after - 1], rows[after]])
    return rows[after - 1]?.leaf
  }

  rows(chart: string, prefix: string): AnyRow[] {
    const release = this.#heldOf(chart)
    const { left, inside, right } = between(this.view.rows(release), rowKey, prefix)
    this.#show(release, [left, ...inside, right])
    return inside.map(({ leaf }) => leaf)
  }

  regions(chart: string, prefix: string): string[] {
    const release = this.#heldOf(chart)
    const { inside } = between(this.view.rows(release), rowKey, prefix)
    const regions = [...new Set(inside.map(({ leaf }) => leaf.region as string))].slice(0, 2)
    if (regions.length > 1)
      this.#show(
        release,
        regions.map((region) => inside.find(({ leaf }) => leaf.region === region)),
      )
    else this.rows(chart, prefix)
    return regions
  }

  #heldOf(chart: string): MemoryRelease {
    const release = this.#editionOn(chart)
    if (!release) throw new Error('no edition')
    return release
  }

  #editionOn(chart: string): MemoryRelease | undefined {
    const holding = this.view.periods.findLast(({ leaf }) => leaf.chart === chart && leaf.from <= this.question.day)
    return holding && holding.leaf.to >= this.question.day
      ? this.registry.releaseNamed(holding.leaf.release)
      : undefined
  }

  #show(release: MemoryRelease, rows: readonly (PlacedLeaf<AnyRow> | undefined)[]): void {
    const known = this.#rows.get(release) ?? new Set<number>()
    this.#rows.set(release, known)
    for (const row of rows) if (row) known.add(row.index)
  }

  find(chart: string, row: AnyRow): RowPlace {
    const release = this.#heldOf(chart)
    return { release, index: indexOfKey(release.rows, rowKey(row), rowKey) }
  }

  async because(main: MemoryRelease | undefined, own: readonly (RowPlace | undefined)[]): Promise<Because | undefined> {
    const isOwn = (release: MemoryRelease, index: number): boolean =>
      own.some((each) => each?.release === release && each.index === index)
    const shown = [...this.#rows].map(([release, places]) => ({
      release,
      places: [...places].filter((place) => !isOwn(release, place)),
    }))
    const isProved = (release: MemoryRelease): boolean => own.some((each) => each?.release === release)
    const releases = shown.filter(
      ({ release, places }) => release !== main && (places.length > 0 || !isProved(release)),
    )
    const rows = shown.flatMap(({ release, places }) => {
      const at = releases.findIndex((each) => each.release === release)
      return places.map((place) => ({ release: at < 0 ? null : at, ...release.neighbour(place) }))
    })
    const because: Because = {
      releases: releases.map(({ release }) => this.registry.share(release)),
      rows,
      periods: [...this.#periods].map((index) => this.registry.periodProof(index)),
      providers: [...this.#providers].map((index) => this.registry.providerProof(index)),
    }
    const isEmpty = Object.values(because).every((list) => (list as unknown[]).length === 0)
    if (main) return isEmpty ? undefined : because
    return { ...because, state: this.registry.state, log: await this.registry.proof() }
  }
}

/** The leaves with keys that begin so, and those on either side. */
function between<T>(
  list: readonly PlacedLeaf<T>[],
  keyOf: (leaf: T) => string,
  prefix: string,
): { left: PlacedLeaf<T> | undefined; inside: PlacedLeaf<T>[]; right: PlacedLeaf<T> | undefined } {
  const key = ({ leaf }: PlacedLeaf<T>): string => keyOf(leaf)
  const [from, to] = [indexOfKey(list, prefix, key), indexOfKey(list, `${prefix}~`, key)]
  return { left: list[from - 1], inside: list.slice(from, to), right: list[to] }
}
