import { expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Db } from './db.ts'
import { openSqlite } from './sqlite.ts'

async function withStore(work: (db: Db) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'atr-'))
  const db = await openSqlite(join(folder, 'store.db'), { create: true })
  try {
    await work(db)
  } finally {
    await db.close()
    rmSync(folder, { recursive: true })
  }
}

interface Column {
  table: string
  name: string
  bytewise: boolean
}

/** Every text column of the schema, and whether it was declared to sort by its bytes. */
async function textColumns(db: Db): Promise<Column[]> {
  const columns = await db.query<{ table: string; name: string; sql: string }>(
    `SELECT t.name AS "table", c.name, t.sql FROM sqlite_schema t, pragma_table_info(t.name) c
      WHERE t.type = 'table' AND c.type = 'TEXT'`,
  )
  return columns.map(({ table, name, sql }) => ({
    table,
    name,
    bytewise: new RegExp(`^\\s*${name} TEXT COLLATE BINARY\\b`, 'm').test(sql),
  }))
}

/** All SQL texts of the code. */
function storeTexts(): string {
  const root = join(import.meta.dir, '..')
  const stores = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('store.ts'))
  return stores.map((file) => readFileSync(join(root, file), 'utf8')).join('\n')
}

const unmarked = (columns: readonly Column[]): string[] =>
  columns.filter(({ bytewise }) => !bytewise).map(({ table, name }) => `${table}.${name}`)

test('every text column of a key or an index sorts by its bytes, whatever the engine', () =>
  withStore(async (db) => {
    const keys = await db.query<{ table: string; name: string }>(
      `SELECT DISTINCT t.name AS "table", k.name
         FROM sqlite_schema t, pragma_index_list(t.name) i, pragma_index_xinfo(i.name) k
        WHERE t.type = 'table' AND k.key = 1`,
    )
    const text = await textColumns(db)
    const inKeys = text.filter(({ table, name }) => keys.some((key) => key.table === table && key.name === name))
    expect(inKeys.length).toBeGreaterThan(25)
    expect(unmarked(inKeys)).toEqual([])
  }))

test('every text column that a store orders or compares sorts by its bytes, in all tables that have it', () =>
  withStore(async (db) => {
    const sql = storeTexts()
    const lists = [...sql.matchAll(/(?:ORDER|GROUP) BY ([\w., ]+)/g)].flatMap(
      ([, list = '']) => list.match(/\w+/g) ?? [],
    )
    const compared = [...sql.matchAll(/(\w+)\)? (?:<=?|>=?) (?:[$'(\w])/g)].map(([, name = '']) => name)
    const extremes = [...sql.matchAll(/\b(?:MIN|MAX)\((?:\w+\.)?(\w+)\)/g)].map(([, name = '']) => name)
    const used = new Set([...lists, ...compared, ...extremes])
    const text = (await textColumns(db)).filter(({ name }) => used.has(name))
    expect(new Set(text.map(({ name }) => name))).toContain('effective_from')
    expect(unmarked(text)).toEqual([])
  }))

test('every sum is cast, because PostgreSQL makes a sum of whole numbers a decimal text', () => {
  const sums = [...storeTexts().matchAll(/.{0,9}\bSUM\((?!CASE WHEN)/g)].map(([text]) => text)
  expect(sums.filter((text) => !text.endsWith('CAST(SUM('))).toEqual([])
})
