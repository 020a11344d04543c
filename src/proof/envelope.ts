// The proof of a body, as it is on the wire: one envelope, whatever the body is. A member that has nothing to say is left out.

import { isText } from './canonical-json.ts'
import {
  isManifest,
  isPeriod,
  isProvider,
  isState,
  isWithdrawal,
  type Manifest,
  type Period,
  type Provider,
  type RegistryState,
  type Withdrawal,
} from './price/release.ts'
import { type AnyRow, isAnyRow } from './price/row.ts'
import { both, type Check, closed, count, either, hash, listOf, type Members, oneOf, token } from './shape.ts'

export const PROOF = 'agent-trust-registry/proof@v3'
export const PROOF_REF = 'agent-trust-registry/proof-ref@v3'

/** Some leaves of a tree by rising index, and the missing nodes that lead to its root, in base64. */
export interface LeafSet<Leaf> {
  leaves?: [index: number, leaf: Leaf][]
  hashes?: string[]
}
/** A release, and rows of it that the body does not show elsewhere. */
export interface ReleaseProof {
  release: Manifest
  rows?: LeafSet<AnyRow>
}
/** The place of the state in the log, under a signed checkpoint. */
export interface LogProof {
  index: number
  inclusion?: string[]
  checkpoint: string
}
export interface Proof {
  type: typeof PROOF
  log: LogProof
  state: RegistryState
  timeline?: LeafSet<Period>
  providers?: LeafSet<Provider>
  /** Releases that are in force on no day, and withdrawals, as entries of the log. */
  entries?: LeafSet<Manifest | Withdrawal>
  releases?: ReleaseProof[]
}

/** The place of a row that a body shows: the release by its index in the proof, and the row's own index in it. */
export interface RowPointer {
  release: number
  index: number
  leaf_hash: string
}
/** A row that a body shows. It is itself the leaf, and stands nowhere else in the body. */
export type ShownRow<R extends AnyRow = AnyRow> = R & { proof: RowPointer }

/** A pointer to the whole proof of a row, and the leaf hash that binds the row to it. */
export interface ProofRef {
  type: typeof PROOF_REF
  release_id: string
  index: number
  leaf_hash: string
  href: string
}
/** A pointer to an answer with its whole proof: a refusal has no row to point to. */
export interface AnswerRef {
  type: typeof PROOF_REF
  href: string
}

/** A row is at most 64 KiB, a body at most some megabytes: these limits only keep a hostile one from being checked for long. */
const MOST_LEAVES = 8_192
const MOST_HASHES = 64 * 1_024
const MOST_RELEASES = 1_024

const rises = (leaves: unknown): boolean =>
  (leaves as [number][]).every(([index], i, all) => i === 0 || (all[i - 1] as [number])[0] < index)

const leavesOf = (leaf: Check): Check =>
  both(
    listOf((each) => Array.isArray(each) && each.length === 2 && count(each[0]) && leaf(each[1]), MOST_LEAVES, 1),
    rises,
  )
const hashes = listOf(hash, MOST_HASHES, 1)
/** A set without leaves is left out. */
const setOf = (leaf: Check): Check => closed({ leaves: leavesOf(leaf) }, { hashes })
/** The rows of a release may all be shown by the body, so that only hashes are left. */
const isRowSet: Check = both(
  closed({}, { leaves: leavesOf(isAnyRow), hashes }),
  (value) => Object.keys(value as Members).length > 0,
)

export const isLogProof = closed({ index: count, checkpoint: isText }, { inclusion: listOf(hash, 63, 1) }) as (
  value: unknown,
) => value is LogProof

export const isProof = closed(
  { type: oneOf(PROOF), log: isLogProof, state: isState },
  {
    timeline: setOf(isPeriod),
    providers: setOf(isProvider),
    entries: setOf(either(isManifest, isWithdrawal)),
    releases: listOf(closed({ release: isManifest }, { rows: isRowSet }), MOST_RELEASES, 1),
  },
) as (value: unknown) => value is Proof

export const isRowPointer = closed({ release: count, index: count, leaf_hash: hash }) as (
  value: unknown,
) => value is RowPointer

export const isProofRef = closed({
  type: oneOf(PROOF_REF),
  release_id: token,
  index: count,
  leaf_hash: hash,
  href: token,
}) as (value: unknown) => value is ProofRef
