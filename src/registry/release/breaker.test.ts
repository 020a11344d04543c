import { expect, test } from 'bun:test'
import { type Facts, heldBy, overrideAll, usedOverrides } from './breaker.ts'
import type { ReleaseDiff } from './diff.ts'

const aDiff = (diff: Partial<ReleaseDiff> = {}): ReleaseDiff => ({
  added: 0,
  removed: 0,
  changed: 0,
  unchanged: 1000,
  moved_over_25_pct: { count: 0, sample_keys: [] },
  moved_over_100_pct: { count: 0, sample_keys: [] },
  max_abs_change_pct: 0,
  largest_by_amount: [],
  largest_by_percent: [],
  ...diff,
})
const facts = (given: Partial<Facts> = {}): Facts => ({
  holdsConflicts: true,
  rows: 1000,
  stated: 1000,
  lost: 0,
  conflicts: 0,
  before: { rows: 1000, diff: aDiff() },
  edition: {},
  ...given,
})
const rulesOf = (given: Partial<Facts>): string[] => heldBy(facts(given)).map(({ rule }) => rule)

test('a release from a source that is far too short is held', () => {
  expect(heldBy(facts({ before: undefined, edition: { w03_short: 1 } }))).toEqual([
    { rule: 'w03_short', found: 1, limit: 0 },
  ])
})

test('what speaks against an edition as a whole holds it, each by its own name', () => {
  const edition = { r11_gap: 1, r11_overlap: 2, no_url: 1, gpci_changed: 3, provider_taken: 1 }
  expect(rulesOf({ edition })).toEqual(['r11_gap', 'r11_overlap', 'no_url', 'gpci_changed', 'provider_taken'])
  expect(rulesOf({ edition: { r11_gap: 0, provider_taken: 0 } })).toEqual([])
})

test('a release like the one before it is not held', () => {
  expect(heldBy(facts())).toEqual([])
})

test('a tenth fewer rows hold a release, and one row more do not', () => {
  expect(heldBy(facts({ rows: 900 }))).toEqual([{ rule: 'row_count_drop', found: 10, limit: 10 }])
  expect(rulesOf({ rows: 901 })).toEqual([])
  expect(rulesOf({ rows: 5000 })).toEqual([])
})

test('more than a fifth of the rows that both have, moved by more than a quarter, hold a release', () => {
  const moved = (count: number) => ({
    before: {
      rows: 1000,
      diff: aDiff({ changed: 500, unchanged: 500, moved_over_25_pct: { count, sample_keys: [] } }),
    },
  })
  expect(rulesOf(moved(200))).toEqual([])
  expect(heldBy(facts(moved(201)))).toEqual([{ rule: 'prices_moved', found: 20.1, limit: 20 }])
})

test('more than one per cent lost holds a release, even the first of its chart', () => {
  expect(rulesOf({ before: undefined, stated: 1000, lost: 10 })).toEqual([])
  expect(rulesOf({ before: undefined, stated: 1001, lost: 11 })).toEqual(['rejected_share'])
})

test('one key with different prices holds a schedule, and not a hospital', () => {
  expect(rulesOf({ conflicts: 1 })).toEqual(['conflicting_keys'])
  expect(rulesOf({ conflicts: 1, holdsConflicts: false })).toEqual([])
})

test('the first release of a chart is not compared with anything', () => {
  expect(rulesOf({ before: undefined, rows: 1 })).toEqual([])
})

test('only the overrides that were needed are used', () => {
  const held = heldBy(facts({ rows: 10 }))
  expect(usedOverrides(held, overrideAll('annual_update'))).toEqual([
    { rule: 'row_count_drop', reason: 'annual_update' },
  ])
  expect(usedOverrides(held, [{ rule: 'prices_moved', reason: 'annual_update' }])).toEqual([])
})

test('more than a tenth of the edits added, changed or gone hold a table of them, and so does one that cannot be read', () => {
  const moved = (added: number, changed: number): string[] =>
    rulesOf({ before: { rows: 1000, diff: aDiff({ edits: { before: 1000, added, changed } }) } })
  expect([moved(50, 50), moved(50, 51)]).toEqual([[], ['edits_moved']])
  expect(rulesOf({ before: undefined, edition: { edits_lost: 1 } })).toEqual(['edits_lost'])
})
