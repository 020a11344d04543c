// Release files that have the right tables and lie in them: what a mirror, a backup or a copied folder may bring. Each mutant
// changes one thing that the format says, and leaves everything else as it is.

import { Database } from 'bun:sqlite'
import { readFileSync, writeFileSync } from 'node:fs'
import { ByteReader, ByteWriter } from '../../src/registry/bundle/byte-stream.ts'
import { type RowShape, readShape, shapeFrom, writeShape } from '../../src/registry/bundle/row-shape.ts'
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

const inWords = (column: 'shapes' | 'words'): Mutation =>
  inDatabase((file, dice) => {
    file.run(`UPDATE word SET ${column} = ?`, [changed(bytesIn(file, `SELECT ${column} AS bytes FROM word`), dice)])
    return column
  })

/** A shape that is one, of another text or with its key taken from elsewhere. */
const shape = inDatabase((file, dice) => {
  const from = new ByteReader(bytesIn(file, 'SELECT shapes AS bytes FROM word'))
  const shapes: RowShape[] = []
  while (!from.isAtEnd) shapes.push(readShape(from))
  const at = dice.below(shapes.length)
  const { text, ends, key, gaps } = shapes[at] as RowShape
  const [newText, newEnds, newKey] = [Uint8Array.from(text), [...ends], [...key]]
  const part = dice.below(newKey.length)
  const gap = dice.below(gaps)
  pick(dice, [
    () => newKey.splice(part, 1, gap),
    () => newKey.splice(part, 1, ...newKey.splice(dice.below(newKey.length), 1, newKey[part] as number)),
    () => newKey.length < 8 && newKey.push(gap),
    () => newKey.pop(),
    () => newText.fill(pick(dice, ODD_BYTES), dice.below(text.length)).set(text.subarray(0, dice.below(text.length))),
    () => newEnds.splice(gap, 1, Math.min(text.length, (newEnds[gap] as number) + dice.below(5))),
  ])()
  const out = new ByteWriter()
  for (const [i, each] of shapes.entries()) writeShape(out, i === at ? shapeFrom(newText, newEnds, newKey) : each)
  file.run('UPDATE word SET shapes = ?', [out.bytes()])
  return `shape ${at}`
})

const word = inDatabase((file, dice) => {
  const bytes = bytesIn(file, 'SELECT words AS bytes FROM word')
  const words: Uint8Array[] = []
  for (const from = new ByteReader(bytes); !from.isAtEnd; ) {
    const size = from.number(bytes.length)
    const start = from.pass(size)
    words.push(bytes.subarray(start, start + size))
  }
  const [at, other] = [dice.below(words.length), dice.below(words.length)]
  pick(dice, [
    () => words.splice(at, 1, changed(words[at] as Uint8Array, dice)),
    () => words.splice(at, 1, ...words.splice(other, 1, words[at] as Uint8Array)),
    () => words.splice(at, 1, new Uint8Array(16_384).fill(65)),
    () => words.fill(new Uint8Array(4_000).fill(65), at, at + 60),
    () => words.splice(at),
  ])()
  const out = new ByteWriter()
  for (const each of words) out.text(each, 0, each.length)
  file.run('UPDATE word SET words = ?', [out.bytes()])
  return `word ${at}`
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
  'INSERT INTO word SELECT words, shapes FROM word',
  'DELETE FROM word',
)
const tile = statement(
  'UPDATE tile SET hashes = zeroblob(length(hashes))',
  `UPDATE tile SET hashes = CAST(hashes || X'00' AS BLOB)`,
  'UPDATE tile SET hashes = SUBSTR(hashes, 1, 40)',
  'UPDATE bundle SET hashes = SUBSTR(hashes, 1, 40)',
  'INSERT INTO tile VALUES (7, 0, zeroblob(32))',
)
const total = statement(
  ...[-1, 0, 7, '9007199254740993'].map((rows) => `UPDATE total SET row_count = ${rows}`),
  `DELETE FROM total WHERE item >= '9'`,
  `INSERT INTO total VALUES ('code', 'A<script>', 1)`,
)

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
  const column = pick(dice, [
    'bundle.rows',
    'bundle.hashes',
    'word.shapes',
    'word.words',
    'header.rows_root',
    'tile.hashes',
  ])
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

const LEAVES = [10, 13]
const CHILDREN = 40

/** Where the right-most leaf below a page is. Children stand last in the head of a page. */
function leafUnder(bytes: Buffer, page: number, size: number): number {
  const at = headOf(page, size)
  return LEAVES.includes(bytes[at] ?? 0) ? page : leafUnder(bytes, bytes.readUInt32BE(at + 8), size)
}
/** The first page begins with the header of the file. */
const headOf = (page: number, size: number): number => (page === 1 ? 100 : (page - 1) * size)

/** A page that leads to the same child again and again. In an index, each way has a key beside it: that of the leaf. */
function pageOfWays(child: number, leaf: Buffer): Buffer {
  const page = Buffer.alloc(leaf.length)
  const isIndex = leaf[0] === 10
  const first = leaf.readUInt16BE(8)
  const key = isIndex ? leaf.subarray(first, first + 1 + (leaf[first] ?? 0)) : Buffer.from([1])
  let at = page.length
  for (let i = 0; i < CHILDREN; i++) {
    at -= 4 + key.length
    page.writeUInt32BE(child, at)
    key.copy(page, at + 4)
    page.writeUInt16BE(at, 12 + 2 * i)
  }
  page[0] = isIndex ? 2 : 5
  page.writeUInt16BE(CHILDREN, 3)
  page.writeUInt16BE(at, 5)
  page.writeUInt32BE(child, 8)
  return page
}

/** A table whose pages lead to each other on so many ways that to count its lines would take years. */
export function withoutEnd(path: string, table: string): void {
  const database = new Database(path)
  const root = database
    .query<{ rootpage: number }, [string]>('SELECT rootpage FROM sqlite_schema WHERE name = ?')
    .get(table)?.rootpage
  database.close()
  let bytes = readFileSync(path)
  const size = bytes.readUInt16BE(16)
  const at = (page: number): number => (page - 1) * size
  let child = leafUnder(bytes, root as number, size)
  const leaf = Buffer.from(bytes.subarray(at(child), at(child + 1)))
  bytes = Buffer.concat([bytes, leaf])
  child = bytes.length / size
  for (let depth = 0; depth < 8; depth++) {
    bytes = Buffer.concat([bytes, pageOfWays(child, leaf)])
    child = bytes.length / size
  }
  pageOfWays(child, leaf).copy(bytes, at(root as number))
  bytes.writeUInt32BE(bytes.length / size, 28)
  writeFileSync(path, bytes)
}

/** The same of the list of tables itself, which stands on the first page, behind the head of the file. */
export function withoutEndOfTables(path: string): void {
  let bytes = readFileSync(path)
  const size = bytes.readUInt16BE(16)
  const head = headOf(1, size)
  const leaf = Buffer.from(bytes.subarray(0, size))
  bytes.copy(leaf, 0, head, head + 8 + 2 * bytes.readUInt16BE(head + 3))
  bytes = Buffer.concat([bytes, leaf])
  for (let depth = 0; depth < 8; depth++) bytes = Buffer.concat([bytes, pageOfWays(bytes.length / size, leaf)])
  const ways = pageOfWays(bytes.length / size, leaf)
  ways.copy(bytes, head, 0, 12 + 2 * CHILDREN)
  ways.copy(bytes, ways.readUInt16BE(5), ways.readUInt16BE(5))
  bytes.writeUInt32BE(bytes.length / size, 28)
  writeFileSync(path, bytes)
}

export const MUTATIONS: Record<string, Mutation> = {
  rows: inBundle('rows'),
  hashes: inBundle('hashes'),
  shapes: inWords('shapes'),
  words: inWords('words'),
  shape,
  word,
  repacked: rows,
  key,
  places,
  header,
  tile,
  total,
  typed,
  disk,
}
