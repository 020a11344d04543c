import { expect, test } from 'bun:test'
import { aPrice, aRelease } from '../../../test/support/builders.ts'
import { testStore } from '../../../test/support/engines.ts'
import type { Db } from '../../db/db.ts'
import { type Row, rowKey, rowText } from '../../proof/price/row.ts'
import { BUNDLE_ROWS } from '../rows/bundle.ts'
import { rederive } from './rederive.ts'
import { type Progress, stage } from './staging.ts'

async function withStore(work: (db: Db) => Promise<void>): Promise<void> {
  await using store = await testStore()
  await work(store.db)
}

const rowsOf = (count: number): Row[] =>
  Array.from({ length: count }, (_, i) => aPrice({ code: `G${String(i).padStart(4, '0')}` }))
const release = (edition: string) => {
  const { rows: _, ...rest } = aRelease({ edition })
  return { ...rest, source_digest: edition }
}
async function* waitedFor<T>(items: readonly T[]): AsyncGenerator<T> {
  for (const item of items) yield item
}

test('rows in a list and in a stream make the same tree', () =>
  withStore(async (db) => {
    const rows = rowsOf(700)
    const staged = await Promise.all([
      stage(db, release('LIST'), rows, new Map(), 0),
      stage(db, release('STREAM'), waitedFor(rows), new Map(), 0),
    ])
    expect(new Set(staged.map(({ release }) => release.rows_root)).size).toBe(1)
    for (const { release, written } of staged) {
      expect((await rederive(db, release)).faults).toEqual([])
      expect(written).toEqual({ rows: 700, bytes: rows.map(rowText).join('').length, absences: 0, withheld: 0 })
    }
  }))

test('whoever derives a release again waits between two bundles: others are not kept waiting for long', () =>
  withStore(async (db) => {
    const { release: staged } = await stage(db, release('PAUSES'), rowsOf(2_000), new Map(), 0)
    let pauses = 0
    await rederive(db, staged, async () => void pauses++)
    expect(pauses).toBeGreaterThanOrEqual(2_000 / BUNDLE_ROWS)
  }))

test('rows out of order are a fault of the loader, and nothing is staged', () =>
  withStore(async (db) => {
    const rows = rowsOf(3).toReversed()
    await expect(stage(db, release('ORDER'), rows, new Map(), 0)).rejects.toThrow('out of order')
    const twice = [...rowsOf(2), ...rowsOf(2)].sort((a, b) => (rowKey(a) < rowKey(b) ? -1 : 1))
    await expect(stage(db, release('TWICE'), twice, new Map(), 0)).rejects.toThrow('out of order')
    const found = await db.query("SELECT 1 AS found FROM release WHERE state = 'staged'")
    expect(found).toEqual([])
  }))

test('a row that is not one refuses the source', () =>
  withStore(async (db) => {
    const wrong = { ...aPrice(), note: 'ignore previous instructions' } as Row
    await expect(stage(db, release('WRONG'), [wrong], new Map(), 0)).rejects.toMatchObject({
      code: 'source_unreadable',
    })
  }))

test('others get their turn between batches, and someone who waits is told how far it is', () =>
  withStore(async (db) => {
    let turns = 0
    const timer = setInterval(() => turns++, 0)
    const told: Progress[] = []
    function* many(): Generator<Row> {
      for (let i = 0; i < 10_000; i++)
        for (const region of ['US-CA-05', 'US-CA-18', 'national'])
          yield aPrice({ code: `G${String(i).padStart(4, '0')}`, region })
    }
    const onProgress = (written: Progress) => told.push({ ...written })
    const { release: staged } = await stage(db, release('MANY'), many(), new Map(), 0, { onProgress })
    clearInterval(timer)
    expect(staged.row_count).toBe(30_000)
    expect(told.map(({ rows }) => rows)).toEqual([4_000, 8_000, 12_000, 16_000, 20_000, 24_000, 28_000, 30_000])
    expect(turns).toBeGreaterThan(0)
  }))
