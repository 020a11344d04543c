import { heapStats } from 'bun:jsc'
import { afterAll, expect, test } from 'bun:test'
import { toBase64 } from '../../src/proof/bytes.ts'
import type { Manifest } from '../../src/proof/price/release.ts'
import { GrowingTree, HASH_SIZE } from '../../src/proof/tree/merkle.ts'
import { TILE_WIDTH, tilePath } from '../../src/proof/tree/tiles.ts'
import { Alarms } from './alarm.ts'
import { Fetcher } from './fetcher.ts'
import { pieces, upperTilesOf } from './log.ts'
import { rowHashes } from './rows.ts'

const ROWS = 100_000
const RELEASE = 'cms-pfs:LARGE:1'

/** Hashes of rows that nobody has: each is its own number, again and again. */
function tileAt(n: number, width: number): Uint8Array {
  const words = new Uint32Array((width * HASH_SIZE) / 4)
  for (let i = 0; i < words.length; i++) words[i] = n * TILE_WIDTH + Math.floor(i / 8)
  return new Uint8Array(words.buffer)
}

function* leaves(): Generator<Uint8Array> {
  for (const { n, width } of pieces(0, ROWS)) {
    const tile = tileAt(n, width)
    for (let at = 0; at < tile.length; at += HASH_SIZE) yield tile.subarray(at, at + HASH_SIZE)
  }
}

const tiles = new Map<string, () => Uint8Array>()
for (const { n, width } of pieces(0, ROWS)) tiles.set(tilePath(0, n, width), () => tileAt(n, width))
for (const { tile, hashes } of upperTilesOf(leaves())) tiles.set(tilePath(tile.level, tile.n, tile.width), () => hashes)

const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: ({ url }) => {
    const tile = tiles.get(new URL(url).pathname.replace(/^.*?\/tile\//, 'tile/'))
    return new Response(tile ? (tile() as Uint8Array<ArrayBuffer>) : null, { status: tile ? 200 : 404 })
  },
})
afterAll(() => server.stop(true))

/** How many pieces of memory there are. The engine does not count the bytes of those that came over a connection. */
function piecesHeld(): number {
  Bun.gc(true)
  return heapStats().objectTypeCounts['Uint8Array'] ?? 0
}

test('of the hashes of many rows a monitor keeps few', async () => {
  const whole = new GrowingTree()
  for (const leaf of leaves()) whole.add(leaf)
  const release = { release_id: RELEASE, row_count: ROWS, rows_root: toBase64(whole.root) } as Manifest
  const alarms = new Alarms()
  const fetcher = new Fetcher(`http://127.0.0.1:${server.port}`)
  const read = () => rowHashes({ fetcher, alarms }, { release, evidence: {} })
  const trees = [await read()] // what is made only once is there after that
  const before = piecesHeld()
  for (let i = 0; i < 3; i++) trees.push(await read())
  const kept = piecesHeld() - before
  expect(alarms.raised).toEqual([])
  expect(trees).not.toContain(undefined)
  expect(kept).toBeLessThan(ROWS / TILE_WIDTH)
})
