// Release files that have the right tables and wrong content. Each mutant changes one thing that the format says, and leaves
// everything else as it is.

import { Database } from 'bun:sqlite'
import { readFileSync, writeFileSync } from 'node:fs'
import { type FileRow, withRows } from '../support/release-file.ts'
import type { Dice } from './dice.ts'

/** Changes the file at a path, and says what it did. */
export type Mutation = (path: string, dice: Dice) => string

const pick = <T>(dice: Dice, list: readonly T[]): T => list[dice.below(list.length)] as T

const inDatabase =
  (change: (file: Database, dice: Dice) => string): Mutation =>
  (path, dice) => {
    using file = new Database(path)
    return change(file, dice)
  }

const bytesIn = (file: Database, sql: string, ...params: number[]): Uint8Array =>
  file.query<{ bytes: Uint8Array }, number[]>(sql).get(...params)?.bytes ?? new Uint8Array()
const bundles = (file: Database): number =>
  file.query<{ count: number }, []>('SELECT COUNT(*) AS count FROM bundle').get()?.count ?? 0
const firstKey = (file: Database, n: number): string =>
  file.query<{ key: string }, [number]>('SELECT first_key AS key FROM bundle WHERE n = ?').get(n)?.key ?? ''

const ODD_BYTES = [0, 10, 34, 92, 127, 128, 191, 192, 250, 251, 253, 254, 255]

function changed(bytes: Uint8Array, dice: Dice): Uint8Array {
  const list = [...bytes]
  for (let changes = 1 + dice.below(3); changes > 0; changes--) {
    const at = dice.below(list.length + 1)
    const some = (): number[] => Array.from({ length: 1 + dice.below(4) }, () => dice.below(256))
    pick(dice, [
      () => list.splice(at, 1, (list[at] ?? 0) ^ (1 << dice.below(8))),
      () => list.splice(at, 1, pick(dice, ODD_BYTES)),
      () => list.splice(at, 1 + dice.below(4)),
      () => list.splice(at, 0, ...some()),
      () => list.splice(at, 0, ...list.slice(at, at + dice.below(40))),
      () => list.splice(at),
      () => list.push(...some()),
    ])()
  }
  return Uint8Array.from(list)
}

const inBundle = (column: 'rows' | 'hashes'): Mutation =>
  inDatabase((file, dice) => {
    const n = dice.below(bundles(file))
    const bytes = changed(bytesIn(file, `SELECT ${column} AS bytes FROM bundle WHERE n = ?`, n), dice)
    file.run(`UPDATE bundle SET ${column} = ? WHERE n = ?`, [bytes, n])
    return `${column} of bundle ${n}`
  })

const NO_ROWS = ['', 'null', '{}', '7', '{"kind":"price","price":{}}', '{"__proto__":{"price":{"amount":"1.00"}}}']

/** Rows under keys or with texts that are not theirs, packed as they should be. */
const rows = inDatabase((file, dice) => {
  let what = ''
  withRows((all) => {
    const [at, other] = [dice.below(all.length), dice.below(all.length)]
    const { key, body } = all[at] as FileRow
    const more = pick(dice, ['|', '|x'])
    const made: [string, () => FileRow[]][] = [
      ['a key with one more part', () => all.with(at, { key: key + more, body })],
      ['every key with one more part', () => all.map((row) => ({ key: row.key + more, body: row.body }))],
      ['the key of another code', () => all.with(at, { key: key.replace(/^...../, '99998'), body })],
      ['the key of another row', () => all.with(at, { key: all[other]?.key ?? '', body })],
      ['the text of another row', () => all.with(at, { key, body: all[other]?.body ?? '' })],
      ['a text that is no row', () => all.with(at, { key, body: pick(dice, NO_ROWS) })],
      ['a price that is none', () => all.with(at, { key, body: body.replace(/"price":\{[^}]*\}/, '"price":null') })],
    ]
    const [name, change] = pick(dice, made)
    what = `${name}, ${at} and ${other}`
    return change()
  })(file)
  return what
})

const key = inDatabase((file, dice) => {
  const n = dice.below(bundles(file))
  const now = firstKey(file, n)
  const lie = pick(dice, ['', '~', 'é', `${now}\n${now}`, `\n${now}`, `${now}|`, now.slice(0, 7), now.slice(0, -1)])
  file.run('UPDATE OR IGNORE bundle SET first_key = ? WHERE n = ?', [lie, n])
  return `the first key of bundle ${n} is ${JSON.stringify(lie)}`
})

/** Two bundles in each other's place. */
const places = inDatabase((file, dice) => {
  const [one, other] = [dice.below(bundles(file)), dice.below(bundles(file))]
  for (const [from, to] of [
    [one, -1],
    [other, one],
    [-1, other],
  ] as const)
    file.run('UPDATE OR IGNORE bundle SET n = ? WHERE n = ?', [to, from])
  return `bundles ${one} and ${other}`
})

const statement = (...statements: readonly string[]): Mutation =>
  inDatabase((file, dice) => {
    const sql = pick(dice, statements)
    file.run(sql)
    return sql
  })

const SIZES = [0, -5, 5, 2 ** 32, 10 ** 11, '9223372036854775807']
const header = statement(
  ...SIZES.map((rows) => `UPDATE header SET row_count = ${rows}`),
  'UPDATE header SET row_count = row_count - 1',
  'DELETE FROM header',
  `UPDATE header SET format = 'release-file/9'`,
  'INSERT INTO header SELECT format, 5, rows_root FROM header',
)
const tile = statement(
  'UPDATE tile SET hashes = zeroblob(length(hashes))',
  `UPDATE tile SET hashes = CAST(hashes || X'00' AS BLOB)`,
  'UPDATE tile SET hashes = SUBSTR(hashes, 1, 40)',
  'UPDATE bundle SET hashes = SUBSTR(hashes, 1, 40)',
  'INSERT INTO tile VALUES (7, 0, zeroblob(32))',
)
/** Counts that are not those of the rows, or names that no row has. */
const total = inDatabase((file, dice) => {
  const kind = pick(dice, ['code', 'region', 'provider'])
  const names = pick(dice, [
    '',
    '99213\t-1',
    '99213\t0',
    '99213\t7',
    'A<script>\t1',
    '99213\t9007199254740993',
    '\t',
    '\n',
  ])
  file.run('UPDATE total SET names = ? WHERE kind = ?', [Bun.zstdCompressSync(names), kind])
  return `${kind} ${JSON.stringify(names)}`
})

const RULES = [' STRICT, ', ' STRICT', ' NOT NULL', ' TEXT', ' BLOB']

/** Values of other types than the schema says: the rules are taken out of it while they are written, and put back. */
const typed: Mutation = (path, dice) => {
  const bytes = readFileSync(path)
  const schema = Buffer.from(bytes.subarray(0, bytes.readUInt16BE(16)))
  for (const rule of RULES)
    for (let at = bytes.indexOf(rule); at >= 0 && at < schema.length; at = bytes.indexOf(rule, at))
      bytes.fill(' ', at, at + rule.length)
  writeFileSync(path, bytes)
  const loose = Buffer.from(bytes.subarray(0, schema.length))
  const value = pick(dice, ['NULL', `'5aaaaa'`, '-1', '1.5', `'${'1'.repeat(512)}'`, `'${'1'.repeat(768)}'`, `X''`])
  const column = pick(dice, ['bundle.rows', 'bundle.hashes', 'total.names', 'header.rows_root', 'tile.hashes'])
  const [table = '', name = ''] = column.split('.')
  const file = new Database(path)
  file.run(`UPDATE ${table} SET ${name} = ${value}`)
  file.close()
  const now = readFileSync(path)
  for (const [i, byte] of schema.entries()) if (loose[i] !== byte) now[i] = byte
  writeFileSync(path, now)
  return `${column} is ${value.slice(0, 20)}`
}

const disk: Mutation = (path, dice) => {
  const bytes = readFileSync(path)
  const at = dice.below(bytes.length)
  if (dice.below(4) === 0) writeFileSync(path, bytes.subarray(0, at))
  else {
    bytes[at] = (bytes[at] ?? 0) ^ (1 << dice.below(8))
    writeFileSync(path, bytes)
  }
  return `a bit at ${at}, or cut there`
}

export const MUTATIONS: Record<string, Mutation> = {
  rows: inBundle('rows'),
  hashes: inBundle('hashes'),
  repacked: rows,
  key,
  places,
  header,
  tile,
  total,
  typed,
  disk,
}
