import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { anAbsence, aPrice, aRelease } from '../../../test/support/builders.ts'
import { testStore } from '../../../test/support/engines.ts'
import type { Db } from '../../db/db.ts'
import type { Pair } from '../../proof/price/edit-row.ts'
import { dollars } from '../../proof/price/physician-fee.ts'
import { type AnyRow, type Row, rowKey } from '../../proof/price/row.ts'
import { diffReleases, type ReleaseDiff } from './diff.ts'
import { stage } from './staging.ts'
import type { ReleaseState } from './store.ts'

async function withDb<T>(work: (db: Db) => Promise<T>): Promise<T> {
  await using store = await testStore()
  return await work(store.db)
}

let editions = 0
async function staged(db: Db, rows: Row[]): Promise<ReleaseState> {
  const { rows: sorted, ...release } = aRelease({ edition: `E${editions++}`, rows })
  return (await stage(db, release, sorted, new Map(), 0)).release
}

const diffOf = (from: Row[], to: Row[]): Promise<ReleaseDiff> =>
  withDb(async (db) => diffReleases(db, await staged(db, from), await staged(db, to)))

const priced = (code: string, cents: number): Row =>
  aPrice({
    code,
    price: { amount: dollars(cents), currency: 'USD', per: null },
    locator: [{ citation: 0, line: cents }],
  })

test('a row that moved to another line is unchanged; other prices and reasons are changes', async () => {
  const from = [
    aPrice({ code: '10000' }),
    aPrice({ code: '20000' }),
    anAbsence({ code: '30000', reason: 'bundled' }),
    anAbsence({ code: '40000', reason: 'bundled' }),
    anAbsence({ code: '50000', reason: 'bundled' }),
    aPrice({ code: '60000' }),
  ]
  const to = [
    aPrice({ code: '10000', locator: [{ citation: 0, line: 77 }], effective_from: '2026-07-01' }),
    aPrice({ code: '20000', price: { amount: '12.35', currency: 'USD', per: null } }),
    anAbsence({ code: '30000', reason: 'bundled' }),
    anAbsence({ code: '40000', reason: 'not_valid' }),
    aPrice({ code: '50000', setting: null }),
    aPrice({ code: '70000' }),
  ]
  expect(await diffOf(from, to)).toMatchObject({
    added: 1,
    removed: 1,
    changed: 3,
    unchanged: 2,
    moved_over_25_pct: { count: 1, sample_keys: ['50000|national||medicare_pfs||||'] },
    largest_by_amount: [{ row_key: '20000|national||medicare_pfs|||non_facility|', change: '0.01', change_pct: 0.08 }],
  })
})

test('a price that gives way to an absence has moved by more than a quarter, and so has one that comes back', async () => {
  const priced = ['10000', '20000'].map((code) => aPrice({ code, setting: null }))
  const none = ['10000', '20000'].map((code) => anAbsence({ code, reason: 'withheld_conflict' }))
  for (const [from, to] of [
    [priced, none],
    [none, priced],
  ] as const)
    expect(await diffOf([...from], [...to])).toMatchObject({
      changed: 2,
      moved_over_25_pct: { count: 2 },
      moved_over_100_pct: { count: 0 },
      largest_by_amount: [],
    })
})

test('of a range, the end that moved most counts', async () => {
  const range = (low: string, high: string): Row => aPrice({ price: { low, high, currency: 'USD', per: null } })
  const diff = await diffOf([range('10.00', '100.00')], [range('5.00', '101.00')])
  expect(diff).toMatchObject({ changed: 1, moved_over_25_pct: { count: 1 }, max_abs_change_pct: 50 })
  expect(diff.largest_by_amount).toMatchObject([{ change: '-5.00', change_pct: -50 }])
})

test('exactly a quarter is not more than a quarter', async () => {
  const from = [priced('10000', 10_000), priced('10001', 10_000), priced('10002', 10_000)]
  const to = [priced('10000', 12_500), priced('10001', 12_501), priced('10002', 20_001)]
  expect(await diffOf(from, to)).toMatchObject({
    moved_over_25_pct: { count: 2 },
    moved_over_100_pct: { count: 1, sample_keys: ['10002|national||medicare_pfs|||non_facility|'] },
  })
})

test('releases longer than one stretch are compared to their ends', async () => {
  const codes = Array.from({ length: 12_000 }, (_, i) => String(10_000 + i))
  const from = codes.slice(0, 11_000).map((cpt, i) => priced(cpt, 1_000 + i))
  const to = codes.slice(500).map((cpt, i) => priced(cpt, 1_500 + i + (i % 7 === 0 ? i : 0)))
  const diff = await diffOf(from, to)
  const changes = Array.from({ length: 10_500 }, (_, i) => i).filter((i) => i % 7 === 0 && i > 0)
  expect(diff).toMatchObject({ added: 1000, removed: 500, changed: changes.length, unchanged: 10_500 - changes.length })
  expect(diff.largest_by_amount.map(({ change }) => change)).toEqual(
    changes
      .slice(-10)
      .reverse()
      .map((i) => dollars(i)),
  )
})

test('any two releases differ as two tables compared line by line do', async () => {
  const table = fc.dictionary(fc.integer({ min: 10_000, max: 10_030 }).map(String), fc.integer({ min: 1, max: 400 }), {
    minKeys: 1,
  })
  await withDb(async (db) => {
    await fc.assert(
      fc.asyncProperty(table, table, async (old, current) => {
        const rowsOf = (prices: Record<string, number>) =>
          Object.entries(prices).map(([cpt, cents]) => priced(cpt, cents))
        const diff = await diffReleases(db, await staged(db, rowsOf(old)), await staged(db, rowsOf(current)))
        const both = Object.keys(old).filter((cpt) => cpt in current)
        const change = (cpt: string): number => (current[cpt] ?? 0) - (old[cpt] ?? 0)
        const changed = both.filter((cpt) => change(cpt) !== 0)
        expect(diff.removed).toBe(Object.keys(old).length - both.length)
        expect(diff.added).toBe(Object.keys(current).length - both.length)
        expect([diff.changed, diff.unchanged]).toEqual([changed.length, both.length - changed.length])
        const beyond = changed.filter((cpt) => Math.abs(change(cpt)) * 4 > (old[cpt] ?? 0))
        expect(diff.moved_over_25_pct.count).toBe(beyond.length)
        const sizes = changed.map((cpt) => Math.abs(change(cpt))).sort((a, b) => b - a)
        const shown = diff.largest_by_amount.map((move) => Math.round(Math.abs(Number(move.change)) * 100))
        expect(shown).toEqual(sizes.slice(0, 10))
        expect(diff.largest_by_amount.every(({ row_key }) => changed.includes(row_key.slice(0, 5)))).toBe(true)
      }),
      { numRuns: 40 },
    )
  })
})

test('keys are compared by their bytes, as they are sorted', async () => {
  const rows = [aPrice({ code: '99213' }), aPrice({ code: 'G0101' }), aPrice({ code: '0001U', region: 'US-AL-00' })]
  expect(await diffOf(rows, rows)).toMatchObject({ added: 0, removed: 0, changed: 0, unchanged: rows.length })
  expect(new Set(rows.map(rowKey)).size).toBe(rows.length)
})

test('of tables of edits each entry is compared, and one that ended long ago is not missed', async () => {
  const at = { effective_from: '2026-07-01', locator: [{ citation: 0, line: 1 }] }
  const pairs = (code: string, ...edits: Pair[]): AnyRow => ({ ...at, kind: 'edits', code, edits })
  const of = async (db: Db, effective_from: string, ...rows: AnyRow[]) => {
    const { rows: sorted, ...release } = aRelease({
      ...{ chart: 'ncci-ptp-practitioner', edition: `E${editions++}`, effective_from, rows },
    })
    return (await stage(db, release, sorted, new Map(), 0)).release
  }
  const found = await withDb(async (db) => {
    const before = pairs(
      '10060',
      ['99211', 1, '2020-01-01', '2024-05-31', 1],
      ['99212', 1, '2020-01-01', null, 1],
      ['99213', 1, '2020-01-01', null, 1],
      ['99214', 1, '2020-01-01', null, 1],
    )
    const after = pairs(
      '10060',
      ['99213', 0, '2020-01-01', null, 1],
      ['99214', 1, '2020-01-01', null, 1],
      ['99215', 1, '2026-07-01', null, 1],
    )
    const gone = pairs('80053', ['80048', 0, '2019-01-01', null, 11])
    return diffReleases(db, await of(db, '2026-04-01', before, gone), await of(db, '2026-07-01', after))
  })
  expect(found).toMatchObject({ removed: 1, changed: 1, edits: { before: 5, added: 1, changed: 3 } })
})
