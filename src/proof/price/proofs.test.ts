import { expect, test } from 'bun:test'
import { toBase64 } from '../bytes.ts'
import { aFee, aPlace, aRow, MemoryRelease } from '../registry-fixture.ts'
import {
  ABSENCE_PROOF,
  type AbsenceProof,
  type Because,
  type InForce,
  isAbsenceProof,
  isBecause,
  isLogProof,
  isPageProof,
  isPageRange,
  isProofRef,
  isRowProof,
  isSetBecause,
  isSetProof,
  isSetRelease,
  PAGE_PROOF,
  type PageRange,
  PROOF_REF,
  type ProofRef,
  RANGE_PROOF,
  ROW_PROOF,
  type RowProof,
  SET_PROOF,
  type SetBecause,
  type SetProof,
  type SetRelease,
} from './proofs.ts'
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
} from './release.ts'
import { isPlaceRow, isRow, type Row } from './row.ts'

const HASH = toBase64(new Uint8Array(32))
const NPI = '1234567893'
const AT = '2026-07-01T00:00:00.123Z'

const price: Row = aFee({ cpt: 'G0101', flags: ['opps_cap'], locator: [{ citation: 0, line: 4312 }] })
const absence: Row = aRow({ cpt: 'G0101', kind: 'absence', basis: 'medicare_pfs' })
const range: Row = aRow({ cpt: 'G0101', price: { low: '9.00', high: '10.001', currency: 'USD', per: '10 MG' } })
const rate: Row = aRow({ cpt: '00100', kind: 'rate', basis: 'medicare_anesthesia', region: 'US-AL-00' })
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
  recorded_at: AT,
}
const period: Period = { chart: 'cms-pfs', from: '2026-07-01', to: '2026-09-30', release: HASH }
const provider = { npi: NPI, chart: `hospital-mrf:${NPI}` }
const periodProof = { period, index: 0, path: [HASH] }
const in_force: InForce = { ...periodProof, state }
const rowProof: RowProof = {
  type: ROW_PROOF,
  row: { index: 0, leaf_hash: HASH, path: [] },
  release: manifest,
  in_force,
  log,
}
const absenceProof: AbsenceProof = {
  type: ABSENCE_PROOF,
  key_prefix: '99999|national|',
  left: { row: price, index: 0, path: [HASH] },
  right: null,
  release: manifest,
  in_force,
  log,
}
const because: Because = {
  releases: [{ release: manifest, in_force: periodProof }],
  rows: [{ row: place, index: 0, path: [HASH], release: 0 }],
  periods: [periodProof],
  providers: [{ provider, index: 0, path: [] }],
}
const pageRange: PageRange = { type: RANGE_PROOF, release: 0, from: 1, left_path: [HASH], right_path: [] }
const setProof: SetProof = { release: 0, index: 1 }
const setBecause: SetBecause = {
  rows: [{ release: 0, index: 1, row: price }],
}
const setRelease: SetRelease = {
  type: SET_PROOF,
  release: manifest,
  in_force: { period, index: 0, path: [] },
  hashes: '',
}
const proofRef: ProofRef = { type: PROOF_REF, release_id: 'cms-pfs:A:1', index: 1, leaf_hash: HASH, href: '/rows/x/1' }

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
  ['a row proof', isRowProof, rowProof],
  ['an absence proof', isAbsenceProof, absenceProof],
  ['a log proof', isLogProof, log],
  ['the reasons of a choice', isBecause, because],
  ['a run of a page', isPageRange, pageRange],
  ['the proof of a row on a page', isPageProof, { type: PAGE_PROOF, proof: 0, index: 1, leaf_hash: HASH }],
  ['the proof of a row of a list', isSetProof, setProof],
  ['what a list shows beside an answer', isSetBecause, setBecause],
  ['a release of a list', isSetRelease, setRelease],
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

test.each(shapes)('%s is accepted as it is', (_, check, value) => {
  expect(check(value)).toBe(true)
})

test.each(shapes)('%s with any member left out, anywhere inside, is refused', (_, check, value) => {
  const without = (members: Members) =>
    isOpen(members)
      ? []
      : Object.keys(members).map((name) => Object.fromEntries(Object.entries(members).filter(([key]) => key !== name)))
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

test('evidence of a list may have periods, providers, and rows that state what differs from another one', () => {
  const { periods, providers } = because
  const rows = [...setBecause.rows, { release: 0, index: 2, like: 1, row: { cpt: '99214' } }]
  expect(isSetBecause({ rows, periods, providers })).toBe(true)
  for (const wrong of [
    { rows, periods: null },
    { rows, providers: [{}] },
    { rows: [{ release: 0, index: 2, row: { cpt: '99214' } }] },
    { rows: [{ release: 0, index: 2, like: -1, row: {} }] },
    { rows: [{ release: 0, index: 2, like: 1, row: [] }] },
    { rows: [{ release: 0, index: 2, like: 1, row: {}, note: 'x' }] },
  ])
    expect([wrong, isSetBecause(wrong)]).toEqual([wrong, false])
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

test('a row that is in force on no day says so with null, and an absence cannot', () => {
  expect(isRowProof({ ...rowProof, in_force: null })).toBe(true)
  expect(isAbsenceProof({ ...absenceProof, in_force: null })).toBe(false)
  expect(isBecause({ ...because, state, log })).toBe(true)
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
