// A whole registry in memory, for tests and vectors: releases, withdrawals, moves and states in one log. Amounts are
// invented.

import { answerOf, type DecidedAnswer } from './answer-fixture.ts'
import { toBase64, utf8 } from './bytes.ts'
import { canonical } from './canonical-json.ts'
import type { LogProof } from './envelope.ts'
import type { FiguresLogProof as EntryProof } from './figures.ts'
import { MemoryLog } from './fixture.ts'
import type { Question } from './lookup/question.ts'
import type { NoteSigner } from './note/signed-note.ts'
import { prolongedBy } from './price/prolonged.ts'
import {
  type Manifest,
  MOVE_SCHEMA,
  RELEASE_SCHEMA,
  type RegistryEntry,
  type RegistryState,
  WITHDRAWAL_SCHEMA,
} from './price/release.ts'
import { type AnyRow, type PlaceRow, type Row, rowKey, rowText } from './price/row.ts'
import { leafOf, periodOn, type Standing, standingAfter, stateOf } from './price/timeline.ts'
import { MemoryProof } from './proof-fixture.ts'
import { HashTree } from './tree/hash-tree.ts'
import { type Hash, leafHash } from './tree/merkle.ts'

export const RECORDED = '2026-10-02T00:00:00Z'

const EMPTY_ROW = {
  region: 'national',
  npi: null,
  payer: null,
  modifier: null,
  class: null,
  effective_from: '2026-07-01',
  flags: [],
  indicators: {},
  locator: [{ citation: 0, line: 7 }],
} as const

type RowDraft = { [member in keyof Row]?: unknown } & { code: string; price?: unknown; reason?: unknown }

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

  leafHash(index: number): string {
    return toBase64(this.leaves[index] as Hash)
  }
}

/** A proof of a log without an empty path. */
export const shortProof = ({ inclusion, ...place }: EntryProof): LogProof => ({
  ...place,
  ...(inclusion.length > 0 && { inclusion }),
})

/** A registry in memory. `now` is what its next entries say of the time. */
export class MemoryRegistry {
  readonly log: MemoryLog
  readonly entries: RegistryEntry[] = []
  readonly releases: MemoryRelease[] = []
  #proof: LogProof | undefined
  #standing: Standing | undefined

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
  /** The place of the state in the log. */
  async proof(): Promise<LogProof> {
    this.#proof ??= shortProof(await this.log.prove(this.log.leaves.length - 1))
    return this.#proof
  }

  releaseNamed(hash: string): MemoryRelease | undefined {
    return this.releases.find((release) => release.name === hash)
  }

  editionOn(chart: string, day: string): MemoryRelease | undefined {
    const period = periodOn(this.standing.periods, chart, day)
    return period && this.releaseNamed(period.release)
  }

  isInForce(release: MemoryRelease): boolean {
    return this.standing.periods.some((period) => period.release === release.name)
  }

  /** The place of the period of a release in the timeline; -1 if it is in force on no day. */
  placeOf(release: MemoryRelease): number {
    return this.standing.periods.findIndex((period) => period.release === release.name)
  }

  /** A row with its whole proof, as its permalink has it. Of a release that is in force on no day, its entry in the log is shown. */
  async cite(release: MemoryRelease, index: number): Promise<Record<string, unknown>> {
    const proof = new MemoryProof(this)
    const row = proof.pointer(release, index)
    if (!this.isInForce(release)) proof.addEntries([this.entryOf(release)])
    return { ...release.rows[index], row, ...prolongedBy(release.manifest), proof: await proof.member() }
  }

  /** The place of a release in the log. */
  entryOf({ manifest }: MemoryRelease): number {
    return this.entries.findIndex((entry) => canonical(entry) === canonical(manifest))
  }

  /** The answer of an honest service. */
  answer(question: Question): Promise<DecidedAnswer> {
    return answerOf(this, question)
  }
}
