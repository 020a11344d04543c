import { expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { anAbsence, aPrice } from '../../../test/support/builders.ts'
import { parquet } from '../../registry/export/parquet.ts'
import { int, text, type Value } from '../../registry/export/thrift.ts'
import type { AnyRow } from '../price/row.ts'
import { columnsOf } from './columns.ts'
import {
  changedAt,
  fieldOf,
  fileOf,
  itemsOf,
  type ParquetParts,
  partsOf,
  pathsIn,
  withField,
} from './parquet-fixture.ts'
import { parquetRows } from './parquet-rows.ts'
import { type ExportTree, treeOfExport } from './whole-export.ts'

const ROWS: AnyRow[] = [
  aPrice({ cpt: '00100', modifier: null }),
  aPrice({ cpt: '99213', modifier: '26' }),
  anAbsence({ cpt: '99215', reason: 'bundled' }),
]
const COLUMNS = columnsOf('cms-pfs').map(({ name }) => name)
const [CPT, MODIFIER, AMOUNT, DAY] = ['cpt', 'modifier', 'amount', 'effective_from'].map((name) =>
  COLUMNS.indexOf(name),
) as [number, number, number, number]

async function parquetOf(rows: Iterable<AnyRow>, chart = 'cms-pfs'): Promise<Buffer> {
  const source = async function* () {
    yield* rows
  }
  return Buffer.concat(await Array.fromAsync(parquet(source(), columnsOf(chart), { release_id: 'x' })))
}

const good = await parquetOf(ROWS)
const parts = partsOf(good)
const truth = (await treeOfExport(good)) as ExportTree

/** Whether a file is taken for the release. */
const isTaken = async (file: Buffer): Promise<boolean> => Bun.deepEquals(await treeOfExport(file), truth)

/** Whether a file is read at all, as whatever release. */
const isRead = async (file: Buffer): Promise<boolean> => (await treeOfExport(file)) !== undefined

const withContent = (page: number, change: (content: Buffer) => Buffer): ParquetParts => ({
  ...parts,
  pages: parts.pages.map((each, i) => (i === page ? { ...each, content: change(each.content) } : each)),
})

const otherThan = (old: Value): Value | undefined => {
  if (old.type === 'text') return text(`${old.value}x`)
  return 'value' in old ? { ...old, value: old.value + 1 } : undefined
}

/** Of fields in these places, one column of each kind stands for all. */
const isOfShownColumn = (path: readonly number[]): boolean => {
  const column = path[0] === 2 ? (path[1] ?? 1) - 1 : path[0] === 4 ? (path[3] ?? 0) : 0
  return [-1, CPT, MODIFIER, AMOUNT, DAY].includes(column)
}

test('a file that is taken apart and put together again is the same', () => {
  expect(fileOf(parts)).toEqual(good)
})

test('no field of the footer can be another, be left out, or have a field more beside it, but for what nobody reads', async () => {
  const taken = new Set<string>()
  const named = ([field, item, ...path]: readonly number[]): string =>
    [field, item === 0 ? 'first' : 'other', ...path.map((id, i) => (i === 1 ? 'column' : id))].join(' ')
  for (const path of pathsIn(parts.footer)) {
    if (path.length === 0 || path[0] === 5 || !isOfShownColumn(path)) continue
    const [parent, last] = [path.slice(0, -1), path.at(-1) as number]
    const lies: ((footer: Value) => Value)[] = [
      (footer) => changedAt(footer, path, (old) => otherThan(old) ?? old),
      (footer) => changedAt(footer, parent, (old) => (old.type === 'struct' ? withField(old, last, undefined) : old)),
      (footer) => changedAt(footer, path, (old) => (old.type === 'struct' ? withField(old, 14, int(0)) : old)),
      (footer) => changedAt(footer, path, (old) => (old.type === 'list' ? { ...old, items: old.items.slice(1) } : old)),
      (footer) =>
        changedAt(footer, path, (old) =>
          old.type === 'list' ? { ...old, items: [...old.items, ...old.items.slice(-1)] } : old,
        ),
      ...[7, 8].map(
        (id) => (footer: Value) =>
          changedAt(footer, path, (old) =>
            old.type === 'struct' && !fieldOf(old, id) ? withField(old, id, int(4)) : old,
          ),
      ),
    ]
    for (const footer of lies) {
      const lie = fileOf(parts, { footer })
      if (!lie.equals(good) && (await isRead(lie))) taken.add(named(path))
    }
  }
  // The name of the row, the sizes of what is unpacked, and how values may be encoded, which each page says of itself.
  expect([...taken].sort()).toEqual([
    '2 first 4',
    '4 first 1 column 3 2',
    '4 first 1 column 3 2 0',
    '4 first 1 column 3 2 1',
    '4 first 1 column 3 6',
    '4 first 2',
  ])
})

test('no field of the header of a page can be another, be left out, or have a field more beside it', async () => {
  for (const page of [CPT, MODIFIER, AMOUNT, DAY])
    for (const path of pathsIn(parts.pages[page]?.header as Value)) {
      const [parent, last] = [path.slice(0, -1), path.at(-1) as number]
      const lies: ((header: Value) => Value)[] = [
        (header) => changedAt(header, path, (old) => otherThan(old) ?? old),
        (header) => (path.length > 0 ? changedAt(header, parent, (old) => withField(old, last, undefined)) : header),
        (header) => changedAt(header, path, (old) => (old.type === 'struct' ? withField(old, 14, int(0)) : old)),
      ]
      for (const change of lies) {
        const lie = fileOf(parts, { header: (header, i) => (i === page ? change(header) : header) })
        if (!lie.equals(good)) expect([page, path, await isRead(lie)]).toEqual([page, path, false])
      }
    }
})

test('a page with a byte more than its values, one less, or other runs of what is there is none', async () => {
  const more = (content: Buffer): Buffer => Buffer.concat([content, Buffer.from([0])])
  const runs =
    (...bytes: number[]) =>
    (content: Buffer): Buffer => {
      const length = Buffer.alloc(4)
      length.writeUInt32LE(bytes.length)
      return Buffer.concat([length, Buffer.from(bytes), content.subarray(4 + content.readUInt32LE(0))])
    }
  // None, one, none, as it is: and the same in another spelling, which another reader may take for something else.
  expect(await isTaken(fileOf(withContent(MODIFIER, runs(2, 0, 2, 1, 2, 0))))).toBe(true)
  for (const lie of [
    withContent(CPT, more),
    withContent(MODIFIER, more),
    withContent(CPT, (content) => content.subarray(0, -1)),
    withContent(MODIFIER, runs(2, 0, 2, 1)),
    withContent(MODIFIER, runs(2, 0, 2, 1, 4, 0)),
    withContent(MODIFIER, runs(2, 0, 2, 2, 2, 0)),
    withContent(MODIFIER, runs(2, 0, 2, 1, 3, 0)),
    withContent(MODIFIER, runs(2, 0, 2, 1, 3, 0, 0)),
    withContent(MODIFIER, runs(2, 0, 2, 1, 1, 0)),
    withContent(MODIFIER, runs(2, 2, 2, 1, 2, 0)),
    withContent(MODIFIER, runs(4, 0, 2, 1, 2, 0)),
    withContent(MODIFIER, runs(0, 1, 2, 0, 2, 1, 2, 0)),
    withContent(MODIFIER, runs(2, 0, 2, 1, 2, 0, 0, 0)),
  ])
    expect(await isTaken(fileOf(lie))).toBe(false)
  // A length of the runs that ends in the middle of one.
  const short = (content: Buffer): Buffer => Buffer.concat([Buffer.from([5]), content.subarray(1)])
  expect(await isTaken(fileOf(withContent(MODIFIER, short)))).toBe(false)
})

test('texts are UTF-8 as it is written, and a mark before one is a part of it', async () => {
  const first =
    (bytes: number[]) =>
    (content: Buffer): Buffer => {
      const length = Buffer.alloc(4)
      length.writeUInt32LE(bytes.length)
      return Buffer.concat([length, Buffer.from(bytes), content.subarray(4 + content.readUInt32LE(0))])
    }
  const code = [...Buffer.from('00100')]
  expect(await isTaken(fileOf(withContent(CPT, first(code))))).toBe(true)
  expect(await isTaken(fileOf(withContent(CPT, first([0xef, 0xbb, 0xbf, ...code]))))).toBe(false)
  const damaged = fileOf(withContent(CPT, first([0xff, ...code])))
  expect(await Array.fromAsync(parquetRows(damaged))).toEqual([undefined])
})

test('a group that has more rows than it says is none', async () => {
  for (const rows of [2, 4]) {
    const stated = (footer: Value): Value =>
      [[3], [4, 0, 3]].reduce((all, path) => changedAt(all, path, () => ({ type: 'long', value: rows })), footer)
    expect(await isRead(fileOf(parts, { footer: stated }))).toBe(false)
  }
})

/** The longest array that something makes. */
async function largestOf(work: () => Promise<unknown>): Promise<number> {
  const { Array: PlainArray, Uint8Array: PlainBytes } = globalThis
  let largest = 0
  const seen = ([first]: unknown[]): void => {
    if (typeof first === 'number') largest = Math.max(largest, first)
  }
  const watched = <T extends typeof PlainArray | typeof PlainBytes>(type: T): T =>
    new Proxy<T>(type, {
      apply(target, self, given) {
        seen(given)
        return Reflect.apply(target as never, self, given)
      },
      construct(target, given, as) {
        seen(given)
        return Reflect.construct(target, given, as)
      },
    })
  globalThis.Array = watched(PlainArray)
  globalThis.Uint8Array = watched(PlainBytes)
  try {
    await work()
  } finally {
    globalThis.Array = PlainArray
    globalThis.Uint8Array = PlainBytes
  }
  return largest
}

test('a few bytes that speak of millions of rows, or of bytes, make nothing large', async () => {
  const millions = 50_000_000
  const counting = fileOf(parts, {
    header: (header, i) => (i === CPT ? changedAt(header, [5, 1], () => int(millions)) : header),
    footer: (footer) => changedAt(footer, [4, 0, 1, CPT, 3, 5], () => ({ type: 'long', value: millions })),
  })
  const unpacking = fileOf(parts, {
    header: (header, i) => (i === CPT ? changedAt(header, [2], () => int(millions)) : header),
  })
  for (const file of [counting, unpacking]) {
    expect(await largestOf(() => Array.fromAsync(parquetRows(file)))).toBeLessThan(1_000_000)
    expect(await isTaken(file)).toBe(false)
  }
})

test('a page that is larger or smaller than it says is none', async () => {
  for (const other of [Buffer.from('x'), Buffer.alloc(200_000)]) {
    const lie = fileOf(parts, {
      pack: (content, i) => gzipSync(i === CPT ? Buffer.concat([content, other]) : content),
    })
    expect(await isTaken(lie)).toBe(false)
  }
  const short = fileOf(parts, { pack: (content, i) => gzipSync(i === CPT ? content.subarray(0, -1) : content) })
  expect(await isTaken(short)).toBe(false)
})

test('a group has at most 65,536 rows: one more begins another, and a group that has one more is none', async () => {
  const place = (i: number): AnyRow =>
    ({
      kind: 'place',
      zip: '94102',
      plus_four: `${String(i % 10_000).padStart(4, '0')}`,
      region: 'US-CA-05',
      state: 'CA',
      effective_from: '2026-10-01',
      locator: [{ citation: 0, line: i }],
    }) as unknown as AnyRow
  const file = await parquetOf(
    Array.from({ length: 65_537 }, (_, i) => place(i)),
    'zip-locality',
  )
  expect(await treeOfExport(file)).toMatchObject({ row_count: 65_537 })
  const { pages, footer } = partsOf(file)
  const width = pages.length / 2
  const columns = columnsOf('zip-locality')
  // The row of the second group joins the first. Where a column may be empty, both have one run of what is there.
  const joined = pages.slice(0, width).map(({ header, content }, i) => {
    const own = pages[width + i]?.content ?? Buffer.alloc(0)
    const runs = Buffer.from([4, 0, 0, 0, 0x82, 0x80, 8, 1])
    const all = columns[i]?.optional ? [runs, content.subarray(8), own.subarray(6)] : [content, own]
    return { header: changedAt(header, [5, 1], () => int(65_537)), content: Buffer.concat(all) }
  })
  const one = changedAt(footer, [4], (groups) => ({ type: 'list', of: 'struct', items: itemsOf(groups).slice(0, 1) }))
  const counted = columns.reduce(
    (all, _, i) => changedAt(all, [4, 0, 1, i, 3, 5], () => ({ type: 'long', value: 65_537 })),
    changedAt(one, [4, 0, 3], () => ({ type: 'long', value: 65_537 })),
  )
  expect(fieldOf(counted, 3)).toEqual({ type: 'long', value: 65_537 })
  expect(await treeOfExport(fileOf({ pages: joined, footer: counted }))).toBeUndefined()
})
