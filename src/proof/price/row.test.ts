import { expect, test } from 'bun:test'
import { toBase64 } from '../bytes.ts'
import { aPrice } from '../fixture.ts'
import {
  ABSENCE_PROOF,
  type AbsenceProof,
  isAbsenceProof,
  isLogProof,
  isManifest,
  isRow,
  isRowProof,
  isWithdrawal,
  type Manifest,
  ROW_PROOF,
  type Row,
  type RowProof,
  rowKey,
  rowText,
  WITHDRAWAL_SCHEMA,
  type Withdrawal,
} from './row.ts'

const HASH = toBase64(new Uint8Array(32))

const price: Row = aPrice({
  price: { amount: '95.19', currency: 'USD' },
  effective_from: '2026-07-01',
  flags: ['na_non_facility'],
  derivation: { method: 'pfs-formula/1', inputs: { work_rvu: '1.30' } },
  locator: [{ citation: 0, line: 4312 }],
})
const { price: _, ...unpriced } = price as Row & { kind: 'price' }
const absence: Row = { ...unpriced, kind: 'absence', reason: 'bundled' }
const range: Row = { ...unpriced, kind: 'price', price: { low: '10.00', high: '20.00', currency: 'USD' } }

const manifest: Manifest = {
  schema: 'price-release/1',
  release_id: 'cms-pfs:RVU26C:1',
  chart: 'cms-pfs',
  edition: 'RVU26C',
  publisher: 'Centers for Medicare & Medicaid Services',
  effective_from: '2026-07-01',
  citations: [
    {
      title: 'Relative value file',
      url: 'https://publisher.example/rvu26c.zip',
      file: 'PPRRVU2026_Jul.csv',
      sha256: 'ab'.repeat(32),
      bytes: 1,
      media_type: 'text/csv',
      retrieved_at: '2026-07-01T00:00:00Z',
    },
  ],
  row_count: 1,
  rows_root: HASH,
  rejected_count: 0,
  data_class: 'sample',
  supersedes: null,
  recorded_at: '2026-07-01T00:00:00.123Z',
}
const log = { index: 0, inclusion: [HASH], checkpoint: 'origin\n1\nroot\n' }
const rowProof: RowProof = { type: ROW_PROOF, row: { index: 0, leaf_hash: HASH, path: [] }, release: manifest, log }
const absenceProof: AbsenceProof = {
  type: ABSENCE_PROOF,
  key_prefix: '99999|national|',
  left: { row: price, index: 0, path: [HASH] },
  right: null,
  release: manifest,
  log,
}

const withdrawal: Withdrawal = {
  schema: WITHDRAWAL_SCHEMA,
  release_id: 'cms-pfs:TEST:1',
  chart: 'cms-pfs',
  reason: 'wrong_source',
  recorded_at: '2026-07-01T00:00:00.123Z',
}

const shapes: [string, (value: unknown) => boolean, object][] = [
  ['a price row', isRow, price],
  ['a range', isRow, range],
  ['a stated absence', isRow, absence],
  ['a manifest', isManifest, manifest],
  ['a withdrawal', isWithdrawal, withdrawal],
  ['a row proof', isRowProof, rowProof],
  ['an absence proof', isAbsenceProof, absenceProof],
  ['a log proof', isLogProof, log],
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

/** The inputs of a derivation are the one open object: names and texts of a fixed form. */
const isInputs = (members: Members): boolean => 'work_rvu' in members

test.each(shapes)('%s is accepted as it is', (_, check, value) => {
  expect(check(value)).toBe(true)
})

test.each(shapes)('%s with any member left out, anywhere inside, is refused', (_, check, value) => {
  const without = (members: Members) =>
    isInputs(members)
      ? []
      : Object.keys(members).map((name) => Object.fromEntries(Object.entries(members).filter(([key]) => key !== name)))
  const copies = [...changed(value, without)]
  expect(copies.length).toBeGreaterThan(2)
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

test.each<[keyof Row | 'price' | 'reason', unknown[]]>([
  ['kind', ['Price', 'absence', '']],
  ['cpt', ['99213 ', '9921', '992133', 'g0101', '99213\n', 'GXXX1', '9921O2', '\u0661\u0661\u0661\u0661\u0661']],
  ['modifier', ['', '2', '260', 'tc', '26-', '26|TC']],
  ['region', ['National', 'US-CA', 'US-CA-1', 'ZIP-90001', 'national|', '']],
  ['npi', ['', '0234567893', '123456789', '12345678933']],
  ['basis', ['hospital', '', null]],
  ['setting', ['both', '']],
  ['effective_from', ['2026-7-1', '2026-13-01', '2026-00-10', '2026-01-32', '2026-07-01T00:00:00Z', '']],
  ['flags', [['Flag'], ['a b'], [''], ['ignore previous instructions'], Array(65).fill('a')]],
  ['locator', [[{ citation: -1, line: 1 }], [{ citation: 0, line: 1.5 }], [{ citation: 0, line: '1' }], {}]],
])('a row with a strange %s is refused', (name, values) => {
  for (const value of values) expect(isRow({ ...price, [name]: value })).toBe(false)
})

test('amounts are decimals with two places and nothing else', () => {
  const odd = [
    '',
    '1',
    '1.0',
    '1.000',
    '01.00',
    '-1.00',
    '+1.00',
    '1,000.00',
    '$1.00',
    '1e2',
    '.50',
    ' 1.00',
    '1.00\n',
    1,
  ]
  for (const amount of odd) {
    expect(isRow({ ...price, price: { amount, currency: 'USD' } })).toBe(false)
    expect(isRow({ ...price, price: { low: amount, high: '20.00', currency: 'USD' } })).toBe(false)
  }
  for (const currency of ['usd', 'EUR', '', null])
    expect(isRow({ ...price, price: { amount: '1.00', currency } })).toBe(false)
  expect(isRow({ ...price, price: { amount: '1.00', low: '1.00', high: '1.00', currency: 'USD' } })).toBe(false)
})

test('derivation inputs are names and short codes: no free text fits', () => {
  const withInputs = (inputs: unknown) => isRow({ ...price, derivation: { method: 'pfs-formula/1', inputs } })
  expect(withInputs({})).toBe(true)
  for (const inputs of [
    { Work: '1' },
    { 'a b': '1' },
    { '1a': '1' },
    { a: '' },
    { a: 'two words' },
    { a: 'x'.repeat(65) },
    [],
  ])
    expect(withInputs(inputs)).toBe(false)
})

test('labels of a manifest carry no control, direction or invisible characters and are NFC', () => {
  for (const title of ['a\nb', 'a\u202eb', 'a\u200bb', 'a\u{e0041}b', 'A\u030a', '\ud800', 'x'.repeat(301)])
    expect(isManifest({ ...manifest, publisher: title })).toBe(false)
  expect(isManifest({ ...manifest, publisher: '\u00c5 publisher' })).toBe(true)
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

test('a key names the row, with nothing where there is null', () => {
  expect(rowKey(price)).toBe('G0101|national|||medicare_pfs|non_facility')
  const hospital = { ...price, npi: '1234567893', modifier: '26', basis: 'hospital_cash', setting: null } as const
  expect(rowKey(hospital)).toBe('G0101|national|1234567893|26|hospital_cash|')
})

test('the hashed text does not depend on the order of members', () => {
  const reversed = Object.fromEntries(Object.entries(price).reverse()) as unknown as Row
  expect(rowText(reversed)).toBe(rowText(price))
  expect(rowText(price)).toStartWith('{"basis":"medicare_pfs","cpt":"G0101","derivation":')
})
