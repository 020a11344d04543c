// The answers that an honest service would give from a registry in memory, and, with a view that hides something, the
// best that a service could do which hides it.

import { choose } from './lookup/choose.ts'
import type { Decision } from './lookup/decision.ts'
import type { Registry } from './lookup/lists.ts'
import { type ParsedQuestion, parseQuestion, type Question } from './lookup/question.ts'
import { sideMember } from './lookup/side.ts'
import { PLACE_CHART } from './price/charts.ts'
import { prolongedBy } from './price/prolonged.ts'
import { type Period, type Provider, periodKey, providerKey } from './price/release.ts'
import { type AnyRow, rowKey } from './price/row.ts'
import { indexOfKey, type Neighbours, neighboursOf } from './price/timeline.ts'
import { MemoryProof } from './proof-fixture.ts'
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
  const asked = parsed(question)
  const proof = new MemoryProof(registry)
  const { decision, told, main } = answerIn(proof, asked, view)
  const body =
    decision.outcome === 'price' && main
      ? {
          ...main.release.rows[main.index],
          row: proof.pointer(main.release, main.index),
          ...prolongedBy(main.release.manifest),
        }
      : { status: 404 }
  return { decision, body: { ...body, ...told, proof: await proof.member() } }
}

export function parsed(question: Question): ParsedQuestion {
  const asked = parseQuestion(question)
  if (typeof asked === 'string') throw new RangeError(`not a question: ${asked}`)
  return asked
}

interface RowPlace {
  release: MemoryRelease
  index: number
}

/** A decision, what stands beside the row of a price or in a refusal, and where the row of the decision is. */
export interface TakenDecision {
  decision: Decision
  told: Record<string, unknown>
  main: RowPlace | undefined
}

/** One answer, whose rows are shown by a proof that others may share. */
export function answerIn(
  proof: MemoryProof,
  asked: ParsedQuestion,
  view: AdmittedLeaves = everything(proof.registry),
): TakenDecision {
  const seen = new SeenRegistry(proof, asked.day, view)
  const { decision, place } = choose(asked, seen.registry)
  const main = 'row' in decision ? seen.find(decision.chart, decision.row) : undefined
  const at = place && seen.find(PLACE_CHART, place)
  const side = asked.side ? { side: sideMember(asked) } : {}
  const placeMember = at ? { place: proof.show(at.release, at.index) } : {}
  if (decision.outcome === 'price') {
    const { ignored, left, adjustment, listedWith } = decision
    const told = {
      ...placeMember,
      ...side,
      ...(ignored.length > 0 && { modifiers_ignored: ignored }),
      ...(left.length > 0 && { left_to_bill: left }),
      ...(adjustment && { adjustment }),
      ...(listedWith !== undefined && { listed_with: listedWith }),
    }
    return { decision, told, main }
  }
  const code = decision.outcome === 'absent' ? `absent_${decision.row.reason}` : CODES[decision.outcome]
  const charts = decision.outcome === 'no_edition' ? { charts: decision.charts.map((each) => seen.heldOf(each)) } : {}
  const row = main && { row: proof.show(main.release, main.index) }
  return { decision, told: { code, rule: decision.rule, ...row, ...placeMember, ...side, ...charts }, main }
}

export const CODES = {
  modifier_not_allowed: 'modifier_not_allowed',
  modifier_not_priced: 'modifier_not_priced',
  no_edition: 'no_edition_for_day',
  region_ambiguous: 'region_ambiguous',
  region_not_covered: 'region_not_covered',
  unknown_zip: 'unknown_zip',
  unknown_provider: 'unknown_provider',
  payer_not_listed: 'payer_not_listed',
  payer_ambiguous: 'payer_ambiguous',
  not_on_schedule: 'not_on_schedule',
} as const

/** A decision in a few words. */
export function sayingOf(decision: Decision): string {
  if (decision.outcome === 'absent') return `absent ${decision.row.reason}`
  if (decision.outcome !== 'price') return decision.outcome
  const { price } = decision.row
  return `price ${'amount' in price ? price.amount : `${price.low}-${price.high}`}`
}

/** A view for the rule. The leaves that the rule saw are added to a proof. */
export class SeenRegistry {
  constructor(
    readonly proof: MemoryProof,
    readonly day: string,
    readonly view: AdmittedLeaves,
  ) {}

  get registry(): Registry {
    return {
      lists: {
        under: (chart, prefix) => {
          const release = this.#heldOf(chart)
          const { left, inside, right } = between(this.view.rows(release), rowKey, prefix)
          this.#show(release, [left, ...inside, right])
          return inside.map(({ leaf }) => leaf)
        },
        has: (chart, prefix) => {
          const release = this.#heldOf(chart)
          const { left, inside, right } = between(this.view.rows(release), rowKey, prefix)
          this.#show(release, inside.length > 0 ? inside.slice(0, 1) : [left, right])
          return inside.length > 0
        },
        upTo: (chart, key) => {
          const release = this.#heldOf(chart)
          const rows = this.view.rows(release)
          const at = indexOfKey(rows, key, ({ leaf }) => rowKey(leaf))
          const here = rows[at]
          const isThere = here !== undefined && rowKey(here.leaf) === key
          this.#show(release, isThere ? [here] : [rows[at - 1], here])
          return (isThere ? here : rows[at - 1])?.leaf
        },
      },
      timeline: {
        day: this.day,
        isHeld: (chart) => this.#isHeld(chart),
        around: (chart) => this.#around(chart),
      },
      providers: { chartOf: (npi) => this.#chartOf(npi) },
    }
  }

  /** The charts without an edition, each with the periods that the view has of it. */
  heldOf(chart: string): { chart: string; held: { from: string; to: string }[] } {
    const { left, inside, right } = between(this.view.periods, periodKey, `${chart}|`)
    this.proof.addPeriods([left, ...inside, right].flatMap((each) => each?.index ?? []))
    return { chart, held: inside.map(({ leaf: { from, to } }) => ({ from, to })) }
  }

  find(chart: string, row: AnyRow): RowPlace {
    const release = this.#heldOf(chart)
    const key = rowKey(row)
    // A release that is not sorted has indices too.
    return { release, index: release.rows.findIndex((each) => rowKey(each) === key) }
  }

  #chartOf(npi: string): string | undefined {
    const { left, inside, right } = between(this.view.providers, providerKey, `${npi}|`)
    this.proof.addProviders([left, ...inside, right].flatMap((each) => each?.index ?? []))
    return inside[0]?.leaf.chart
  }

  #isHeld(chart: string): boolean {
    const release = this.#editionOn(chart)
    if (release) this.proof.release(release)
    const after = indexOfKey(this.view.periods, `${chart}|${this.day}~`, ({ leaf }) => periodKey(leaf))
    const around = [this.view.periods[after - 1], this.view.periods[after]]
    if (!release) this.proof.addPeriods(around.flatMap((each) => each?.index ?? []))
    return release !== undefined
  }

  #around(chart: string): Neighbours {
    const { periods } = this.view
    const last = indexOfKey(periods, `${chart}|${this.day}~`, ({ leaf }) => periodKey(leaf)) - 1
    this.proof.addPeriods([-1, 0, 1].flatMap((away) => periods[last + away]?.index ?? []))
    return neighboursOf((place) => periods[place]?.leaf, last, chart, this.day)
  }

  #heldOf(chart: string): MemoryRelease {
    const release = this.#editionOn(chart)
    if (!release) throw new Error('no edition')
    return release
  }

  #editionOn(chart: string): MemoryRelease | undefined {
    const holding = this.view.periods.findLast(({ leaf }) => leaf.chart === chart && leaf.from <= this.day)
    return holding && holding.leaf.to >= this.day ? this.proof.registry.releaseNamed(holding.leaf.release) : undefined
  }

  #show(release: MemoryRelease, rows: readonly (PlacedLeaf<AnyRow> | undefined)[]): void {
    this.proof.addRows(
      release,
      rows.flatMap((each) => each?.index ?? []),
    )
  }
}

/** The leaves with keys that begin so, and those on either side. */
export function between<T>(
  list: readonly PlacedLeaf<T>[],
  keyOf: (leaf: T) => string,
  prefix: string,
): { left: PlacedLeaf<T> | undefined; inside: PlacedLeaf<T>[]; right: PlacedLeaf<T> | undefined } {
  const key = ({ leaf }: PlacedLeaf<T>): string => keyOf(leaf)
  const [from, to] = [indexOfKey(list, prefix, key), indexOfKey(list, `${prefix}~`, key)]
  return { left: list[from - 1], inside: list.slice(from, to), right: list[to] }
}
