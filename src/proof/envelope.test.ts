import { expect, test } from 'bun:test'
import { toBase64 } from './bytes.ts'
import {
  type AnswerRef,
  isLogProof,
  isProof,
  isProofRef,
  isRowPointer,
  PROOF,
  PROOF_REF,
  type Proof,
  type ProofRef,
  type RowPointer,
} from './envelope.ts'
import {
  isManifest,
  isMove,
  isPeriod,
  isProvider,
  isState,
  isWithdrawal,
  type Manifest,
  MOVE_SCHEMA,
  type Period,
  type ProviderMove,
  type RegistryState,
  STATE_SCHEMA,
  WITHDRAWAL_SCHEMA,
  type Withdrawal,
} from './price/release.ts'
import { isPlaceRow, isRow, type Row } from './price/row.ts'
import { aFee, aPlace, aRow, MemoryRelease } from './registry-fixture.ts'

const HASH = toBase64(new Uint8Array(32))
const NPI = '1234567893'
const AT = '2026-07-01T00:00:00.123Z'

const price: Row = aFee({ code: 'G0101', flags: ['opps_cap'], locator: [{ citation: 0, line: 4312 }] })
const absence: Row = aRow({ code: 'G0101', kind: 'absence', basis: 'medicare_pfs' })
const range: Row = aRow({ code: 'G0101', price: { low: '9.00', high: '10.001', currency: 'USD', per: '10 MG' } })
const rate: Row = aRow({ code: '00100', kind: 'rate', basis: 'medicare_anesthesia', region: 'US-AL-00' })
const place = aPlace('60611', 'US-IL-16', '0001-0999')

const { manifest } = new MemoryRelease([price], { chart: 'cms-pfs' })
const hospital: Manifest = {
  ...manifest,
  chart: `hospital-mrf:${NPI}`,
  release_id: `hospital-mrf:${NPI}:2026C:1`,
  providers: [NPI],
}
const log = { index: 0, inclusion: [HASH], checkpoint: 'origin\n1\nroot\n' }
const state: RegistryState = {
  schema: STATE_SCHEMA,
  timeline_root: HASH,
  timeline_size: 1,
  providers_root: HASH,
  providers_size: 0,
  tables: 'ab'.repeat(32),
  recorded_at: AT,
}
const period: Period = { chart: 'cms-pfs', from: '2026-07-01', to: '2026-09-30', release: HASH }
const provider = { npi: NPI, chart: `hospital-mrf:${NPI}` }
const proof: Proof = {
  type: PROOF,
  ...{ log, state },
  timeline: { leaves: [[0, period]], hashes: [HASH] },
  providers: { leaves: [[0, provider]] },
  entries: { leaves: [[2, manifest]], hashes: [HASH, HASH] },
  releases: [{ release: manifest, rows: { leaves: [[1, price]], hashes: [HASH] } }, { release: hospital }],
}
const pointer: RowPointer = { release: 0, index: 1, leaf_hash: HASH }
const proofRef: ProofRef = { type: PROOF_REF, release_id: 'cms-pfs:A:1', index: 1, leaf_hash: HASH, href: '/rows/x/1' }
const answerRef: AnswerRef = { type: PROOF_REF, href: '/reference?cpt=99213' }

const withdrawal: Withdrawal = {
  schema: WITHDRAWAL_SCHEMA,
  release_id: 'cms-pfs:TEST:1',
  chart: 'cms-pfs',
  reason: 'wrong_source',
  recorded_at: AT,
}
const move: ProviderMove = { schema: MOVE_SCHEMA, ...provider, reason: 'merged', recorded_at: AT }

const shapes: [string, (value: unknown) => boolean, object][] = [
  ['a price row', isRow, price],
  ['a range', isRow, range],
  ['a rate', isRow, rate],
  ['a stated absence', isRow, absence],
  ['a place row', isPlaceRow, place],
  ['a manifest', isManifest, manifest],
  ['a manifest of a hospital', isManifest, hospital],
  ['a withdrawal', isWithdrawal, withdrawal],
  ['a move', isMove, move],
  ['a state', isState, state],
  ['a period', isPeriod, period],
  ['a provider', isProvider, provider],
  ['a place in the log', isLogProof, log],
  ['the proof of a body', isProof, proof],
  ['a pointer', isRowPointer, pointer],
  ['a proof reference', isProofRef, proofRef],
]

type Members = Record<string, unknown>

/** Every copy of a value with one change made to one object somewhere inside it. */
function* changed(value: unknown, change: (members: Members) => Iterable<Members>): Generator<unknown> {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) yield* change(value as Members)
  for (const [name, member] of Object.entries(value))
    for (const inner of changed(member, change))
      yield Array.isArray(value) ? value.with(Number(name), inner) : { ...value, [name]: inner }
}

/** Inputs and indicators are the open objects: names and texts of a fixed form. */
const isOpen = (members: Members): boolean =>
  ['work_rvu', 'rate', 'status', 'status_code'].some((name) => name in members)

/** Members of a proof and of sets that are left out to say that there are none. */
const MAY_BE_LEFT_OUT = ['inclusion', 'timeline', 'providers', 'entries', 'releases', 'leaves', 'hashes', 'rows']

test.each(shapes)('%s is accepted as it is', (_, check, value) => {
  expect(check(value)).toBe(true)
})

test.each(shapes)('%s with any member left out, anywhere inside, is refused', (_, check, value) => {
  const without = (members: Members) =>
    isOpen(members)
      ? []
      : Object.keys(members)
          .filter((name) => !MAY_BE_LEFT_OUT.includes(name))
          .map((name) => Object.fromEntries(Object.entries(members).filter(([key]) => key !== name)))
  const copies = [...changed(value, without)]
  expect(copies.length).toBeGreaterThan(1)
  for (const copy of copies) expect(check(copy)).toBe(false)
})

test.each(shapes)('%s with a member added, anywhere inside, is refused', (_, check, value) => {
  const strange = ['extra', 'note', 'proof', 'constructor', 'toString', '__proto__']
  const added = (members: Members) =>
    strange.map((name) => Object.defineProperty({ ...members }, name, { value: {}, enumerable: true }))
  for (const copy of changed(value, added)) expect(check(copy)).toBe(false)
})

test.each(shapes)('%s with a member of another type, anywhere inside, is refused', (_, check, value) => {
  const retyped = (members: Members) =>
    Object.keys(members).flatMap((name) =>
      [undefined, true, 1.5, -1, [[]], { strange: {} }].map((odd) => ({ ...members, [name]: odd })),
    )
  for (const copy of changed(value, retyped)) expect(check(copy)).toBe(false)
})

test.each(shapes)('%s is no list, no text and not null', (_, check, value) => {
  for (const other of [null, undefined, [], [value], JSON.stringify(value), 1, true, () => value])
    expect(check(other)).toBe(false)
})

test('what a proof does not need is left out, and is never null and never empty', () => {
  expect(isProof({ type: PROOF, log, state })).toBe(true)
  for (const name of ['timeline', 'providers', 'entries', 'releases'] as const) {
    const { [name]: _, ...less } = proof
    expect([name, isProof(less)]).toEqual([name, true])
    for (const none of [null, undefined, {}, [], { leaves: [] }, { hashes: [] }, { leaves: null }])
      expect([name, none, isProof({ ...proof, [name]: none })]).toEqual([name, none, false])
  }
  for (const rows of [null, undefined, {}, [], { leaves: [] }, { hashes: [] }])
    expect([rows, isProof({ ...proof, releases: [{ release: manifest, rows }] })]).toEqual([rows, false])
  expect(isLogProof({ index: 0, checkpoint: 'x' })).toBe(true)
  for (const inclusion of [null, undefined, []]) expect(isLogProof({ ...log, inclusion })).toBe(false)
})

test('a leaf is a pair of an index and a value of its tree', () => {
  const timeline = (...leaves: unknown[]) => isProof({ ...proof, timeline: { leaves } })
  expect(timeline([0, period], [1, period])).toBe(true)
  expect([timeline([1, period], [0, period]), timeline([0, period], [0, period])]).toEqual([false, false])
  for (const leaf of [
    [period],
    [0, period, 0],
    ['0', period],
    [-1, period],
    [0.5, period],
    [0, provider],
    [0, null],
    [0],
    period,
  ])
    expect([leaf, timeline(leaf)]).toEqual([leaf, false])
  const entry = (value: unknown) => isProof({ ...proof, entries: { leaves: [[0, value]] } })
  expect([entry(withdrawal), entry(manifest), entry(state), entry(move)]).toEqual([true, true, false, false])
})

test('a proof has no more leaves, hashes and releases than can be checked in a short time', () => {
  const many = (leaves: number, hashes: number, releases: number) =>
    isProof({
      ...{ type: PROOF, log, state },
      timeline: { leaves: Array.from({ length: leaves }, (_, i) => [i, period]), hashes: Array(hashes).fill(HASH) },
      releases: Array(releases).fill({ release: manifest }),
    })
  expect(many(8_192, 65_536, 1_024)).toBe(true)
  expect([many(8_193, 1, 1), many(1, 65_537, 1), many(1, 1, 1_025)]).toEqual([false, false, false])
})

test('a reference to an answer has no row', () => {
  expect(isProofRef(answerRef)).toBe(false)
})

test('only an edition that the operator prolonged says when the publisher\u2019s own period ended', () => {
  const prolonged = (members: object) => isManifest({ ...manifest, ...members })
  const publisher_until = '2026-09-29'
  expect(prolonged({ period_by: 'operator', publisher_until })).toBe(true)
  for (const wrong of [
    { publisher_until },
    { period_by: 'file', publisher_until },
    { period_by: 'operator', publisher_until: manifest.effective_to },
    { period_by: 'operator', publisher_until: '2026-12-31' },
    { period_by: 'operator', publisher_until: null },
  ])
    expect([wrong, prolonged(wrong)]).toEqual([wrong, false])
})

test('a release is withdrawn for one of the known reasons', () => {
  for (const reason of ['', 'x', 'Wrong_source', 'owner_changed', null, 1])
    expect([reason, isWithdrawal({ ...withdrawal, reason })]).toEqual([reason, false])
})

test('labels of a manifest are printable ASCII', () => {
  for (const title of ['a\nb', 'a\u202eb', 'a\u200bb', 'a\u{e0041}b', '\u00c5', '\ud800', 'x'.repeat(301)])
    expect(isManifest({ ...manifest, publisher: title })).toBe(false)
  expect(isManifest({ ...manifest, publisher: 'A publisher & Co. (2026)' })).toBe(true)
})

test('a manifest is named by its chart, edition and revision, and does not end before it begins', () => {
  for (const release_id of [
    'cms-pfs:2026C:0',
    'cms-pfs:2026C:01',
    'cms-pfs:2026C',
    'cms-clfs:2026C:1',
    'cms-pfs:2026D:1',
    '',
  ])
    expect([release_id, isManifest({ ...manifest, release_id })]).toEqual([release_id, false])
  expect(isManifest({ ...manifest, release_id: 'cms-pfs:2026C:12' })).toBe(true)
  expect(isManifest({ ...manifest, effective_to: manifest.effective_from })).toBe(true)
  expect(isManifest({ ...manifest, effective_to: '2026-06-30' })).toBe(false)
  expect(isManifest({ ...manifest, period_by: 'guess' })).toBe(false)
})

test('only the files of hospitals name providers, and they always do', () => {
  expect(isManifest({ ...manifest, providers: [NPI] })).toBe(false)
  for (const providers of [undefined, null, [], ['123'], [NPI, 1], Array(1_001).fill(NPI)])
    expect(isManifest({ ...hospital, providers })).toBe(false)
  expect(isManifest({ ...hospital, providers: Array(1_000).fill(NPI) })).toBe(true)
})

test('a manifest may name limits that were overridden, each with a reason', () => {
  const overriding = (overrides: unknown) => isManifest({ ...manifest, overrides })
  const override = { rule: 'rejected_share', reason: 'verified_by_operator' }
  expect(overriding([override, { ...override, rule: 'prices_moved' }])).toBe(true)
  for (const wrong of [
    [],
    null,
    undefined,
    override,
    [{ rule: 'x' }],
    [{ ...override, by: 'x' }],
    [{ ...override, rule: 'A b' }],
  ])
    expect([wrong, overriding(wrong)]).toEqual([wrong, false])
})

test('document digests are hex and Merkle hashes base64, and neither passes for the other', () => {
  const cited = (sha256: string) => ({ ...manifest, citations: [{ ...manifest.citations[0], sha256 }] })
  expect(isManifest(cited(HASH))).toBe(false)
  expect(isManifest(cited('AB'.repeat(32)))).toBe(false)
  expect(isManifest({ ...manifest, rows_root: 'ab'.repeat(32) })).toBe(false)
})

test('a proof path has at most 63 hashes', () => {
  const withPath = (length: number) => ({ ...log, inclusion: Array(length).fill(HASH) })
  expect(isLogProof(withPath(63))).toBe(true)
  expect(isLogProof(withPath(64))).toBe(false)
})
