// The shapes of proofs on the wire.

import { isText } from '../canonical-json.ts'
import { closed, count, either, hash, isObject, listOf, oneOf, orNull, path, token } from '../shape.ts'
import {
  isManifest,
  isPeriod,
  isProvider,
  isState,
  type Manifest,
  type Period,
  type Provider,
  type RegistryState,
} from './release.ts'
import { type AnyRow, isAnyRow } from './row.ts'

export const ROW_PROOF = 'agent-trust-registry/row-proof@v2'
export const ABSENCE_PROOF = 'agent-trust-registry/absence-proof@v2'
export const RANGE_PROOF = 'agent-trust-registry/range-proof@v2'
export const PAGE_PROOF = 'agent-trust-registry/page-proof@v2'
export const SET_PROOF = 'agent-trust-registry/set-proof@v2'
export const PROOF_REF = 'agent-trust-registry/proof-ref@v2'

/** An entry of a log, under a checkpoint of that log. */
export interface LogProof {
  index: number
  inclusion: string[]
  checkpoint: string
}

/** A leaf of the timeline. */
export interface PeriodProof {
  period: Period
  index: number
  path: string[]
}
/** A leaf of the tree of providers. */
export interface ProviderProof {
  provider: Provider
  index: number
  path: string[]
}
/** The period in which a release is in force, under a state. */
export interface InForce extends PeriodProof {
  state: RegistryState
}

export interface RowProof {
  type: typeof ROW_PROOF
  row: { index: number; leaf_hash: string; path: string[] }
  release: Manifest
  /** Null for a release that was withdrawn or replaced: `log` is then the entry of its manifest. */
  in_force: InForce | null
  log: LogProof
}
export type CitedRow<R extends AnyRow = AnyRow> = R & { proof: RowProof }

export interface Neighbour {
  row: AnyRow
  index: number
  path: string[]
}
export interface AbsenceProof {
  type: typeof ABSENCE_PROOF
  key_prefix: string
  left: Neighbour | null
  right: Neighbour | null
  release: Manifest
  in_force: InForce
  log: LogProof
}
/** A release whose state and log are elsewhere in the same answer. */
export interface SharedRelease {
  release: Manifest
  in_force: PeriodProof
}
/** A row whose release has this index in the list of releases; null for the release of the answer itself. */
export interface SharedRow extends Neighbour {
  release: number | null
}
/** The evidence that the answer is the first choice. State and log are here only if no row beside it has them. */
export interface Because {
  releases: SharedRelease[]
  rows: SharedRow[]
  periods: PeriodProof[]
  providers: ProviderProof[]
  state?: RegistryState
  log?: LogProof
}

/** The place of a row on a page: its run of neighbouring rows, and its index in the release. */
export interface PageProof {
  type: typeof PAGE_PROOF
  proof: number
  index: number
  leaf_hash: string
}
/** A run of neighbouring rows of a page. `release` is the index in the list of releases. */
export interface PageRange {
  type: typeof RANGE_PROOF
  release: number
  from: number
  left_path: string[]
  right_path: string[]
}
/** The index of the set proof in the list that proves a row, and the index of the row in that release. */
export interface SetProof {
  release: number
  index: number
}
/** A row that a list shows as evidence. */
export interface SetRow {
  release: number
  index: number
  /** The index of a row of this release that the list has shown before: `row` then has only the differences from it. */
  like?: number
  row: object
}
/** The evidence that an answer of a list is the first choice. */
export interface SetBecause {
  rows: SetRow[]
  periods?: PeriodProof[]
  providers?: ProviderProof[]
}
/** A release of which a list shows some rows. */
export interface SetRelease extends SharedRelease {
  type: typeof SET_PROOF
  /** Base64 of the roots of the largest subtrees without any of these rows, from left to right, 32 bytes each. */
  hashes: string
}
/** The parts that the answers of a list share. */
export interface SetParts {
  releases: SetRelease[]
  state: RegistryState
  log: LogProof
}

/** A pointer to the whole proof of a row, and the leaf hash that binds the row to it. */
export interface ProofRef {
  type: typeof PROOF_REF
  release_id: string
  index: number
  leaf_hash: string
  href: string
}

const logProof = closed({ index: count, inclusion: path, checkpoint: isText })
export const isLogProof = logProof as (value: unknown) => value is LogProof

const period = { period: isPeriod, index: count, path }
const provedPeriod = closed(period)
const periods = listOf(provedPeriod)
const providers = listOf(closed({ provider: isProvider, index: count, path }))
const inForce = closed({ ...period, state: isState })
const neighbour = { row: isAnyRow, index: count, path }
const side = orNull(closed(neighbour))
const proved = { release: isManifest, in_force: inForce, log: logProof }

export const isRowProof = closed({
  type: oneOf(ROW_PROOF),
  row: closed({ index: count, leaf_hash: hash, path }),
  ...proved,
  in_force: orNull(inForce),
}) as (value: unknown) => value is RowProof

export const isAbsenceProof = closed({
  type: oneOf(ABSENCE_PROOF),
  key_prefix: token,
  left: side,
  right: side,
  ...proved,
}) as (value: unknown) => value is AbsenceProof

export const isSharedRelease = closed({ release: isManifest, in_force: provedPeriod }) as (
  value: unknown,
) => value is SharedRelease

/** A divided ZIP code has a row for each part of it, and the rule of the lookup asks for all of them. */
const MOST_EVIDENCE = 4_096

export const isBecause = closed(
  {
    releases: listOf(isSharedRelease),
    rows: listOf(closed({ ...neighbour, release: orNull(count) }), MOST_EVIDENCE),
    periods,
    providers,
  },
  { state: isState, log: logProof },
) as (value: unknown) => value is Because

export const isPageProof = closed({
  type: oneOf(PAGE_PROOF),
  proof: count,
  index: count,
  leaf_hash: hash,
}) as (value: unknown) => value is PageProof
export const isPageRange = closed({
  type: oneOf(RANGE_PROOF),
  release: count,
  from: count,
  left_path: path,
  right_path: path,
}) as (value: unknown) => value is PageRange

export const isSetProof = closed({ release: count, index: count }) as (value: unknown) => value is SetProof
export const isSetBecause = closed(
  {
    rows: listOf(
      either(
        closed({ release: count, index: count, row: isAnyRow }),
        closed({ release: count, index: count, like: count, row: isObject }),
      ),
      MOST_EVIDENCE,
    ),
  },
  { periods, providers },
) as (value: unknown) => value is SetBecause
export const isSetRelease = closed({
  type: oneOf(SET_PROOF),
  release: isManifest,
  in_force: provedPeriod,
  hashes: isText,
}) as (value: unknown) => value is SetRelease

export const isProofRef = closed({
  type: oneOf(PROOF_REF),
  release_id: token,
  index: count,
  leaf_hash: hash,
  href: token,
}) as (value: unknown) => value is ProofRef
