// A whole registry in memory, for tests and vectors: releases, withdrawals, moves and states in one log. Amounts are
// invented.

import { answerOf, type DecidedAnswer } from './answer-fixture.ts'
import { toBase64, utf8 } from './bytes.ts'
import { canonical } from './canonical-json.ts'
import { MemoryLog } from './fixture.ts'
import type { Question } from './lookup/question.ts'
import type { NoteSigner } from './note/signed-note.ts'
import {
  ABSENCE_PROOF,
  type AbsenceProof,
  type CitedRow,
  type LogProof,
  type Neighbour,
  type PeriodProof,
  type ProviderProof,
  ROW_PROOF,
  type SharedRelease,
} from './price/proofs.ts'
import {
  type Manifest,
  MOVE_SCHEMA,
  type Period,
  type Provider,
  RELEASE_SCHEMA,
  type RegistryEntry,
  type RegistryState,
  WITHDRAWAL_SCHEMA,
} from './price/release.ts'
import { type AnyRow, type PlaceRow, type Row, rowKey, rowText } from './price/row.ts'
import { indexOfKey, leafOf, periodOn, type Standing, standingAfter, stateOf } from './price/timeline.ts'
import { HashTree } from './tree/hash-tree.ts'
import { type Hash, leafHash } from './tree/merkle.ts'

export const RECORDED = '2026-10-02T00:00:00Z'

const EMPTY_ROW = {
  modifier: null,
  region: 'national',
  npi: null,
  class: null,
  effective_from: '2026-07-01',
  flags: [],
  indicators: {},
  locator: [{ citation: 0, line: 7 }],
} as const

type RowDraft = { [member in keyof Row]?: unknown } & { cpt: string; price?: unknown; reason?: unknown }

/** A stated price of the laboratory schedule unless said otherwise. */
export const aRow = (given: RowDraft & { amount?: string }): Row => {
  const { amount = '10.56', ...members } = given
  const stated =
    members.kind === 'absence'
      ? { derivation: { method: 'cms-status/1', inputs: { status_code: 'B' } }, reason: 'bundled' }
      : {
          price: { amount, currency: 'USD', per: null },
          derivation: { method: 'verbatim/1', inputs: { rate: amount } },
        }
  return { kind: 'price', basis: 'medicare_clfs', setting: null, ...EMPTY_ROW, ...stated, ...members } as unknown as Row
}

/** A fee of the physician schedule: the amount is made to fit a formula of work alone. */
export const aFee = (given: RowDraft & { amount?: string }): Row => {
  const { amount = '95.19', ...members } = given
  const national = (members.region ?? 'national') === 'national'
  const inputs = {
    work_rvu: '1.00',
    practice_rvu: '0.00',
    malpractice_rvu: '0.00',
    work_gpci: '1.000',
    practice_gpci: '1.000',
    malpractice_gpci: '1.000',
    conversion_factor: amount,
    ...(national ? {} : { work_gpci_column: 'with_floor' }),
  }
  return aRow({
    basis: 'medicare_pfs',
    setting: 'non_facility',
    indicators: { status: 'A', bilateral: '1', assistant: '2', co_surgeon: '1' },
    derivation: { method: 'pfs-formula/1', inputs },
    amount,
    ...members,
  })
}

export const aPlace = (zip: string, region: string | null, plus_four: string | null = null): PlaceRow => ({
  kind: 'place',
  zip,
  plus_four,
  region,
  state: region?.slice(3, 5) ?? null,
  effective_from: '2026-07-01',
  locator: [{ citation: 0, line: 3 }],
})

/** One release: its rows in order, and their tree. */
export class MemoryRelease {
  readonly rows: AnyRow[]
  readonly leaves: Hash[]
  readonly tree: HashTree
  readonly manifest: Manifest
  /** Base64 of the leaf hash of the manifest. */
  readonly name: string
  readonly #roots = new Map<string, string>()

  /** Rows are sorted, unless a test is about some that are not. */
  constructor(rows: readonly AnyRow[], given: Partial<Manifest> & { chart: string }, isSorted = true) {
    this.rows = isSorted ? [...rows].sort((a, b) => (rowKey(a) < rowKey(b) ? -1 : 1)) : [...rows]
    this.leaves = this.rows.map((row) => leafHash(utf8(rowText(row))))
    this.tree = new HashTree(this.leaves)
    const { chart, edition = '2026C' } = given
    this.manifest = {
      schema: RELEASE_SCHEMA,
      release_id: `${chart}:${edition}:1`,
      edition,
      publisher: 'A publisher',
      effective_from: '2026-07-01',
      effective_to: '2026-09-30',
      period_by: 'calendar',
      citations: [
        {
          title: 'A schedule',
          url: 'https://publisher.example/schedule.csv',
          file: 'schedule.csv',
          sha256: '0'.repeat(64),
          bytes: 1,
          media_type: 'text/csv',
          retrieved_at: RECORDED,
        },
      ],
      row_count: this.rows.length,
      rows_root: toBase64(this.tree.root),
      unreadable_lines: 0,
      rejected_count: 0,
      data_class: 'sample',
      supersedes: null,
      recorded_at: RECORDED,
      ...given,
    }
    this.name = toBase64(leafOf(this.manifest))
  }

  /** Base64 of the root over a part of the rows. */
  rootOf(from: number, to: number): string {
    const known = this.#roots.get(`${from}-${to}`) ?? toBase64(new HashTree(this.leaves.slice(from, to)).root)
    this.#roots.set(`${from}-${to}`, known)
    return known
  }

  leafHash(index: number): string {
    return toBase64(this.leaves[index] as Hash)
  }

  neighbour(index: number): Neighbour {
    return { row: this.rows[index] as AnyRow, index, path: this.tree.path(index).map(toBase64) }
  }
}

/** A registry in memory. `now` is what its next entries say of the time. */
export class MemoryRegistry {
  readonly log: MemoryLog
  readonly entries: RegistryEntry[] = []
  readonly releases: MemoryRelease[] = []
  #proof: LogProof | undefined
  #standing: Standing | undefined
  #timeline: HashTree | undefined

  constructor(
    readonly signer: NoteSigner,
    readonly witnesses: NoteSigner[] = [],
    public now = RECORDED,
  ) {
    this.log = new MemoryLog(signer, witnesses)
    this.append()
  }

  /** The registry as it is now, which stays so while this one goes on. */
  snapshot(): MemoryRegistry {
    const copy = new MemoryRegistry(this.signer, this.witnesses)
    copy.entries.splice(0, Number.POSITIVE_INFINITY, ...this.entries)
    copy.releases.push(...this.releases)
    copy.log.leaves.splice(0, Number.POSITIVE_INFINITY, ...this.log.leaves)
    copy.now = this.now
    copy.#forget()
    return copy
  }

  #forget(): void {
    this.#proof = undefined
    this.#standing = undefined
    this.#timeline = undefined
  }

  /** Adds entries and the state that follows from all there are. */
  append(...entries: readonly RegistryEntry[]): this {
    this.entries.push(...entries)
    const state = stateOf(standingAfter(this.entries), this.now)
    this.entries.push(state)
    this.log.append(...[...entries, state].map((entry) => utf8(canonical(entry))))
    this.#forget()
    return this
  }

  publish(rows: readonly AnyRow[], given: Partial<Manifest> & { chart: string }): MemoryRelease {
    const release = new MemoryRelease(rows, { recorded_at: this.now, ...given })
    this.releases.push(release)
    this.append(release.manifest)
    return release
  }

  withdraw({ manifest: { release_id, chart } }: MemoryRelease): this {
    return this.append({ schema: WITHDRAWAL_SCHEMA, release_id, chart, reason: 'wrong_source', recorded_at: this.now })
  }

  move(npi: string, chart: string): this {
    return this.append({ schema: MOVE_SCHEMA, npi, chart, reason: 'operator_decision', recorded_at: this.now })
  }

  get standing(): Standing {
    this.#standing ??= standingAfter(this.entries)
    return this.#standing
  }
  get state(): RegistryState {
    return this.entries.at(-1) as RegistryState
  }
  async proof(): Promise<LogProof> {
    this.#proof ??= await this.log.prove(this.log.leaves.length - 1)
    return this.#proof
  }

  releaseNamed(hash: string): MemoryRelease | undefined {
    return this.releases.find((release) => release.name === hash)
  }

  editionOn(chart: string, day: string): MemoryRelease | undefined {
    const period = periodOn(this.standing.periods, chart, day)
    return period && this.releaseNamed(period.release)
  }

  periodProof(index: number): PeriodProof {
    const { periods } = this.standing
    this.#timeline ??= new HashTree(periods.map(leafOf))
    return { period: periods[index] as Period, index, path: this.#timeline.path(index).map(toBase64) }
  }

  providerProof(index: number): ProviderProof {
    const { providers } = this.standing
    const path = new HashTree(providers.map(leafOf)).path(index).map(toBase64)
    return { provider: providers[index] as Provider, index, path }
  }

  isInForce(release: MemoryRelease): boolean {
    return this.standing.periods.some((period) => period.release === release.name)
  }

  share(release: MemoryRelease): SharedRelease {
    const index = this.standing.periods.findIndex((period) => period.release === release.name)
    return { release: release.manifest, in_force: this.periodProof(index) }
  }

  async cite(release: MemoryRelease, place: number): Promise<CitedRow> {
    const { release: manifest, in_force } = this.share(release)
    const { row, index, path } = release.neighbour(place)
    return {
      ...row,
      proof: {
        type: ROW_PROOF,
        row: { index, leaf_hash: release.leafHash(place), path },
        release: manifest,
        in_force: { ...in_force, state: this.state },
        log: await this.proof(),
      },
    }
  }

  /** A row of a release that need not be in force: only that it was published. */
  async citePublished(release: MemoryRelease, index: number): Promise<CitedRow> {
    const { row, path } = release.neighbour(index)
    const place = this.entries.findIndex((entry) => canonical(entry) === canonical(release.manifest))
    return {
      ...row,
      proof: {
        type: ROW_PROOF,
        row: { index, leaf_hash: release.leafHash(index), path },
        release: release.manifest,
        in_force: null,
        log: await this.log.prove(place),
      },
    }
  }

  async absence(release: MemoryRelease, key_prefix: string): Promise<AbsenceProof> {
    const left = indexOfKey(release.rows, key_prefix, rowKey) - 1
    const right = indexOfKey(release.rows, `${key_prefix}~`, rowKey)
    const { release: manifest, in_force } = this.share(release)
    const at = (index: number): Neighbour | null => (index in release.rows ? release.neighbour(index) : null)
    return {
      type: ABSENCE_PROOF,
      key_prefix,
      left: at(left),
      right: at(right),
      release: manifest,
      in_force: { ...in_force, state: this.state },
      log: await this.proof(),
    }
  }

  /** The answer of an honest service. */
  answer(question: Question): Promise<DecidedAnswer> {
    return answerOf(this, question)
  }
}
