// The form of a vector, and how this project's verifier is run on one. What it imports is pure, so that it runs wherever
// the verifier does: Bun, Node and browsers.

import { equalBytes, fromBase64, toBase64, utf8 } from '../../src/proof/bytes.ts'
import { canonical, jsonIn } from '../../src/proof/canonical-json.ts'
import { type FailedCheck, type Fault, failed } from '../../src/proof/fault.ts'
import { figuresFaults } from '../../src/proof/figures-replay.ts'
import type { BillQuestion } from '../../src/proof/list/batch.ts'
import type { PageQuestion } from '../../src/proof/list/page.ts'
import type { Question } from '../../src/proof/lookup/question.ts'
import type { SheetQuestion } from '../../src/proof/lookup/sheet.ts'
import { CHARTS } from '../../src/proof/price/charts.ts'
import type { Manifest, Period, Provider, RegistryEntry } from '../../src/proof/price/release.ts'
import { isAnyRow, rowKey, rowText } from '../../src/proof/price/row.ts'
import { rowFault } from '../../src/proof/price/row-of-release.ts'
import { leafOf, standingAfter, stateOf } from '../../src/proof/price/timeline.ts'
import { Replay, type ReplayCode, registryEntryOf } from '../../src/proof/replay/registry-replay.ts'
import { rootOfSet } from '../../src/proof/tree/leaf-set.ts'
import { type Hash, leafHash } from '../../src/proof/tree/merkle.ts'
import type {
  CoverageQuestion,
  HistoryQuestion,
  Inquiry,
  ProvedPage,
  ReleasesQuestion,
  TrustPolicy,
} from '../../src/proof/verify-lists.ts'

export type Verifier = typeof import('../../src/proof/verify-lists.ts') &
  typeof import('../../src/proof/growth.ts') &
  typeof import('../../src/proof/changes.ts') &
  typeof import('../../src/proof/price/derivation.ts')

/** The question; left out of a vector where any question will do. */
export type VectorInquiry =
  | { question: Question }
  | { questions: BillQuestion[] }
  | { page: PageQuestion }
  | { sheet: SheetQuestion }
  | { figures: true }
  | { releases: ReleasesQuestion }
  | { coverage: CoverageQuestion }
  | { history: HistoryQuestion }

export interface Head {
  origin: string
  size: number
  root: string
}

/** The releases and providers in force after the entries of a log. */
export interface Standing {
  periods: Period[]
  providers: Provider[]
  timeline_root: string
  providers_root: string
}

/** The class is what all verifiers agree on. The reason is a hint, and of a policy the only word there is. */
type Failure = Pick<FailedCheck, 'ok' | 'class' | 'reason'>
interface Named {
  name: string
}

export type Vector = Named &
  (
    | {
        kind: 'body'
        policy: string
        body: string
        asked?: VectorInquiry
        /** The oldest view of the registry that will do. */
        not_before?: string
        not_after?: string
        expect: { ok: true; rows: number; entries: number; refused: number; page?: ProvedPage } | Failure
      }
    | {
        kind: 'json'
        text: string
        /** The reason word of canonical-json.md; to a verifier all of them are one. */
        word?: string
        expect: { ok: true; canonical: string } | Failure
      }
    | {
        kind: 'row'
        row: string
        /** The manifest of the release that the row is said to be of. */
        release?: string
        expect: { ok: true; key: string; leaf_hash: string } | Failure
      }
    | {
        kind: 'set'
        size: number
        root: string
        leaves: [index: number, leaf: unknown][]
        hashes: string[]
        expect: { ok: true } | Failure
      }
    | {
        kind: 'checkpoint'
        policy: string
        note: string
        expect: { ok: true; head: Head; cosigners: { name: string; seconds: number }[] } | Failure
      }
    | {
        kind: 'policy'
        policy: string
        expect:
          | {
              ok: true
              logs: string[]
              retired: { name: string; size: number }[]
              witnesses: string[]
              quorum: string
            }
          | { ok: false; class: 'malformed'; reason: 'policy_malformed' }
      }
    | {
        kind: 'growth'
        policy: string
        older: string
        newer: string
        /** Either the tiles of the newer tree, by path, or an RFC 9162 consistency path. */
        tiles?: Record<string, string>
        path?: string[]
        expect: { ok: true } | Failure
      }
    | {
        kind: 'changes'
        policy: string
        older: string
        newer: string
        /** Pages of the change log as one body. */
        page: string
        expect: { ok: true; changes: number } | Failure
      }
    | { kind: 'derivation'; row: string; expect: { ok: true } | Failure }
    | { kind: 'replay'; entries: string[]; expect: { ok: true; faults: number[] } }
    | {
        kind: 'registry-replay'
        entries: string[]
        expect: { ok: true; faults: { entry: number; code: ReplayCode }[] }
      }
    | { kind: 'timeline'; entries: string[]; expect: { ok: true } & Standing }
  )
export type Kind = Vector['kind']
export type VectorOf<K extends Kind> = Extract<Vector, { kind: K }>
export type Outcome = Vector['expect']

/** The verifier's verdict on a vector, in the form of the vector's own `expect`. */
export async function judge(verifier: Verifier, vector: Vector): Promise<Outcome> {
  if (vector.kind === 'json') return jsonOutcome(vector.text)
  if (vector.kind === 'derivation') return classed(verifier.verifyDerivation(JSON.parse(vector.row)))
  if (vector.kind === 'row') return rowOutcome(vector)
  if (vector.kind === 'timeline') return timelineOutcome(vector.entries.map((text) => JSON.parse(text)))
  if (vector.kind === 'set') return setOutcome(vector)
  if (vector.kind === 'replay')
    return { ok: true, faults: figuresFaults(vector.entries.map((text) => JSON.parse(text))) }
  if (vector.kind === 'registry-replay') return { ok: true, faults: registryFaults(vector.entries) }
  const policy = verifier.parsePolicy(vector.policy)
  if (!policy) return { ok: false, class: 'malformed', reason: 'policy_malformed' }
  switch (vector.kind) {
    case 'policy':
      return {
        ok: true,
        logs: policy.logs.map(({ key }) => key.name),
        retired: policy.retired.map(({ key, size }) => ({ name: key.name, size })),
        witnesses: policy.witnesses.map(({ name }) => name),
        quorum: policy.quorum,
      }
    case 'body': {
      const { body, not_before, not_after } = vector
      const asked: Inquiry = vector.asked ?? { anyQuestion: true }
      const options = {
        ...(not_before === undefined ? {} : { notBefore: not_before }),
        ...(not_after === undefined ? {} : { notAfter: not_after }),
      }
      const verdict = await verifier.verifyBody(body, policy, asked, options)
      if (!verdict.ok) return failed(verdict.reason)
      const { rows, entries, refused, page } = verdict
      // Where a page stands in its list is left out for a vector that expects something else. A case may expect nothing.
      const { expect } = vector as Partial<typeof vector>
      const isAboutPlace = !expect || (expect.ok && expect.page !== undefined)
      return { ok: true, rows: rows.length, entries, refused, ...(isAboutPlace && page ? { page } : {}) }
    }
    case 'checkpoint': {
      const opened = await verifier.openCheckpoint(vector.note, policy)
      if (!opened.ok) return opened
      const { origin, size, root } = opened.head
      const cosigners = opened.cosigners.map(({ key, seconds }) => ({ name: key.name, seconds }))
      return { ok: true, head: { origin, size, root: toBase64(root) }, cosigners }
    }
    case 'growth':
      return growth(verifier, vector, policy)
    case 'changes': {
      const page = JSON.parse(vector.page) as { data: unknown[]; states?: unknown }
      const found = await verifier.verifyChanges(page, vector.older, vector.newer, policy)
      return found.ok ? { ok: true, changes: found.entries } : found
    }
  }
}

/** A derivation, and growth, are said to be wrong by a reason alone. */
const classed = (verdict: { ok: true } | { ok: false; reason: Fault }): Outcome =>
  verdict.ok ? { ok: true } : failed(verdict.reason)

function jsonOutcome(text: string): Outcome {
  const value = jsonIn(text)
  return value === undefined ? failed('json_malformed') : { ok: true, canonical: canonical(value) }
}

function rowOutcome({ row: text, release }: VectorOf<'row'>): Outcome {
  const row: unknown = JSON.parse(text)
  if (!isAnyRow(row)) return failed('row_malformed')
  const fault = release === undefined ? undefined : rowFault(row, JSON.parse(release) as Manifest, CHARTS)
  return fault ? failed(fault) : { ok: true, key: rowKey(row), leaf_hash: toBase64(leafHash(utf8(rowText(row)))) }
}

function setOutcome({ leaves, hashes, size, root }: VectorOf<'set'>): Outcome {
  const beside = hashes.map(fromBase64)
  const placed = leaves.map(([index, leaf]) => ({ index, hash: leafOf(leaf) }))
  const found = beside.every((hash) => hash !== undefined) ? rootOfSet(placed, size, beside as Hash[]) : undefined
  const expected = fromBase64(root)
  return found && expected && equalBytes(found, expected) ? { ok: true } : failed('row_not_in_release')
}

function registryFaults(texts: readonly string[]): { entry: number; code: ReplayCode }[] {
  const replay = new Replay()
  return texts.flatMap((text, entry) => {
    const known = registryEntryOf(text)
    const faults = known ? replay.add(known) : [{ code: 'entry_unknown' as const }]
    return faults.map(({ code }) => ({ entry, code }))
  })
}

function timelineOutcome(entries: readonly RegistryEntry[]): Outcome {
  const standing = standingAfter(entries)
  const { timeline_root, providers_root } = stateOf(standing, '')
  return { ok: true, ...standing, timeline_root, providers_root }
}

async function growth(
  verifier: Verifier,
  { older, newer, tiles = {}, path }: VectorOf<'growth'>,
  policy: TrustPolicy,
): Promise<Outcome> {
  if (path) {
    const [from, to] = [await verifier.openCheckpoint(older, policy), await verifier.openCheckpoint(newer, policy)]
    if (!from.ok) return from
    if (!to.ok) return to
    return classed(verifier.verifyGrowth(from.head, to.head, path.map(bytes)))
  }
  const grown = await verifier.checkGrowth(older, newer, policy, async (level, n, width) => {
    const tile = tiles[verifier.tilePath(level, n, width)]
    if (tile === undefined) throw new Error('no such tile')
    return bytes(tile)
  })
  return classed(grown)
}

const bytes = (base64: string): Uint8Array => Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))
