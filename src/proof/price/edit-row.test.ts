import { expect, test } from 'bun:test'
import type { AddOnRow, EditsRow, LimitRow, Pair } from './edit-row.ts'
import type { Manifest } from './release.ts'
import { type AnyRow, isAnyRow, rowKey } from './row.ts'
import { rowFault } from './row-of-release.ts'

const at = { effective_from: '2026-07-01', locator: [{ citation: 0, line: 7 }] }
const limit: LimitRow = { ...at, kind: 'limit', code: '99213', units: 0, adjudication: 2, rationale: 2 }
const pairs: EditsRow = {
  ...at,
  kind: 'edits',
  code: '80053',
  edits: [
    ['80048', 0, '2019-01-01', '2025-12-31', 11],
    ['80048', 0, '2019-01-01', null, 11],
    ['80048', 0, '2026-01-01', null, 11],
    ['G0101', 9, '2026-01-01', '2026-01-01', 0],
  ],
}
const addOn: AddOnRow = {
  ...at,
  kind: 'add_on',
  code: '90472',
  primaries: [
    ['90471', 1, '2013-01-01', null, null],
    ['90471', 1, '2013-01-01', null, 5],
    ['CCCCC', 2, '2013-01-01', null, 1],
  ],
}

test('a row of edits stands under its code, and its shape is closed', () => {
  for (const row of [limit, pairs, addOn]) {
    expect([isAnyRow(row), rowKey(row)]).toEqual([true, row.code])
    for (const name of Object.keys(row)) {
      const { [name as 'code']: _, ...without } = row
      expect([name, isAnyRow(without), isAnyRow({ ...row, [name]: undefined })]).toEqual([name, false, false])
    }
    expect(isAnyRow({ ...row, region: 'national' })).toBe(false)
  }
})

test.each([
  ...[-1, 1.5, '1', 2 ** 53].map((units) => ({ ...limit, units })),
  ...[0, 4, '1'].map((adjudication) => ({ ...limit, adjudication })),
  ...[15, -1, '1', null].map((rationale) => ({ ...limit, rationale })),
  ...['9921', 'ABCDE', 99_213].map((code) => ({ ...limit, code })),
  ...[[], [pairs.edits[1], pairs.edits[0]], [pairs.edits[0], pairs.edits[0]]].map((edits) => ({ ...pairs, edits })),
  ...[
    ['80048', 2, '2019-01-01', null, 11],
    ['80048', 0, '2019-02-30', null, 11],
    ['80048', 0, '2019-01-01', '', 11],
    ['80048', 0, '2019-01-01', null, 13],
    ['80048', 0, '2019-01-01', null],
    ['80048', 0, '2019-01-01', null, 11, 0],
    ['CCCCC', 0, '2019-01-01', null, 11],
  ].map((edit) => ({ ...pairs, edits: [edit] })),
  { ...pairs, edits: Array.from({ length: 2_049 }, (_, i): Pair => [String(10_000 + i), 1, '2020-01-01', null, 1]) },
  ...[
    ['90471', 4, '2013-01-01', null, null],
    ['90471', 1, '2013-01-01', null, 6],
  ].map((entry) => ({ ...addOn, primaries: [entry] })),
])('this is no row of edits: %j', (row) => {
  expect(isAnyRow(row)).toBe(false)
})

test('a table has rows of its own kind alone', () => {
  const manifest = (chart: string) => ({ chart, effective_to: '2026-09-30', citations: [{}] }) as unknown as Manifest
  const charts = ['ncci-mue-dme', 'ncci-ptp-outpatient', 'ncci-add-on', 'zip-locality', 'cms-pfs']
  const fits = (row: AnyRow): boolean[] => charts.map((chart) => rowFault(row, manifest(chart)) === undefined)
  expect([limit, pairs, addOn].map(fits)).toEqual([
    [true, false, false, false, false],
    [false, true, false, false, false],
    [false, false, true, false, false],
  ])
})
