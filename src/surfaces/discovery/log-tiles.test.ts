import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Tile } from '../../proof/tree/tiles.ts'
import { TILE_WIDTH, tilePath } from '../../proof/tree/tiles.ts'
import { served } from './fixture.ts'
import { type Bundle, logTiles } from './log-tiles.ts'

const HUGE = 999_999_999_999_999

/** A log that has every tile and every bundle, and says which one it was asked for. */
function listening() {
  const asked: (Tile | Bundle | string)[] = []
  const found = new Uint8Array([1, 2, 3])
  const resources = logTiles({
    logs: [
      {
        log: {
          name: 'registry',
          checkpoint: async () => 'the note — as it is\n',
          findTile: async (tile) => {
            asked.push(tile)
            return found
          },
          findEntries: async (bundle) => {
            asked.push(bundle)
            return [new Uint8Array(), new Uint8Array(258).fill(7)]
          },
          findProof: async () => undefined,
        },
        entries: 'public',
        stamp: () => undefined,
      },
    ],
    stamp: () => undefined,
    findRowBodies: async (release_id, bundle) => {
      asked.push(release_id, bundle)
      return [new Uint8Array(), new Uint8Array(258).fill(7)]
    },
    findRowTile: async (release_id, tile) => {
      asked.push(release_id, tile)
      return found
    },
  })
  return { get: served(...resources), asked }
}

const REFUSED = [
  ['0', 'no number'],
  ['0/', 'an empty number'],
  ['0/0', 'one digit'],
  ['0/00', 'two digits'],
  ['0/0000', 'four digits'],
  ['0/1000', 'a number without groups'],
  ['0/001/000', 'a group that is not marked'],
  ['0/x001', 'no last group'],
  ['0/x001/x000', 'a last group that is marked'],
  ['0/X001/000', 'a large X'],
  ['0/x000/001', 'a first group of zeros'],
  ['0/x000/x001/000', 'a first group of zeros before others'],
  ['0/x1/000', 'a short group'],
  ['0/x001/x002/x003/x004/x005/000', 'more digits than an index can have'],
  ['00/000', 'a level with a leading zero'],
  ['07/000', 'a level with a leading zero'],
  ['64/000', 'a level above 63'],
  ['100/000', 'a level above 63'],
  ['-1/000', 'a level below zero'],
  ['+1/000', 'a sign'],
  ['/000', 'no level'],
  ['data/000', 'a level that is a word'],
  ['0/000.p', 'no width'],
  ['0/000.p/', 'an empty width'],
  ['0/000.p/0', 'a width of nothing'],
  ['0/000.p/01', 'a width with a leading zero'],
  ['0/000.p/256', 'a full width spelled as a partial one'],
  ['0/000.p/300', 'a width above 256'],
  ['0/000.p/1000', 'a width of four digits'],
  ['0/000.P/1', 'a large P'],
  ['0/000/p/1', 'no dot'],
  ['0/000.p/1/', 'a slash at the end'],
  ['0//000', 'an empty step'],
  ['0/%30%30%30', 'digits in another spelling'],
  ['0/000%2Ep/1', 'a dot in another spelling'],
  ['0%252F000', 'a slash that is encoded twice'],
  ['0/000%0A', 'a line break at the end'],
  ['0/\u0660\u0660\u0660', 'digits of another script'],
] as const

describe('a tile has one address, and its slashes may be percent-encoded', () => {
  test.each(REFUSED)('%s is not one: %s', async (path) => {
    const { get, asked } = listening()
    for (const prefix of ['/log/registry/tile', '/log/releases/cms-pfs:A:1/tile']) {
      const response = await get(`${prefix}/${path}`)
      expect([path, response.status, response.headers.get('cache-control')]).toEqual([path, 404, 'no-store'])
      expect(await response.json()).toMatchObject({ code: 'route_not_found' })
    }
    const bundle = await get(`/log/registry/tile/entries/${path.replace(/^0\//, '')}`)
    if (path.startsWith('0/')) expect([path, bundle.status]).toEqual([path, 404])
    expect(asked).toEqual([])
  })

  test('the address that the geometry writes is the one that is read', async () => {
    const tile = fc.record({
      level: fc.integer({ min: 0, max: 63 }),
      n: fc.oneof(
        fc.integer({ min: 0, max: 2_000_000 }),
        fc.maxSafeNat().filter((n) => n <= HUGE),
      ),
      width: fc.integer({ min: 1, max: TILE_WIDTH }),
    })
    await fc.assert(
      fc.asyncProperty(tile, async ({ level, n, width }) => {
        const { get, asked } = listening()
        await get(`/log/registry/${tilePath(level, n, width)}`)
        await get(`/log/registry/${tilePath('entries', n, width)}`)
        await get(`/log/releases/cms-pfs%3AA%3A1/${tilePath(level, n, width)}`)
        expect(asked).toEqual([{ level, n, width }, { n, width }, 'cms-pfs:A:1', { level, n, width }])
      }),
    )
  })

  test('an address that is read is spelled as the geometry writes it', async () => {
    const digits = fc.stringMatching(/^[0-9x./p]{0,16}$/)
    await fc.assert(
      fc.asyncProperty(digits, digits, async (level, rest) => {
        const { get, asked } = listening()
        const path = `/log/registry/tile/${level}/${rest}`
        const response = await get(path)
        const [tile] = asked as Tile[]
        // A URL with dots for steps is another URL, and is taken as that one.
        const { pathname } = new URL(path, 'http://localhost')
        if (tile) expect(`/log/registry/${tilePath(tile.level, tile.n, tile.width)}`).toBe(pathname)
        expect(response.status).toBe(tile ? 200 : 404)
      }),
      { numRuns: 500 },
    )
  })
})

test('tiles and bundles are bytes that never change; a checkpoint is text that does', async () => {
  const { get } = listening()
  for (const path of ['registry/tile/0/000', 'registry/tile/entries/000.p/2', 'releases/a:b:1/tile/1/000.p/9']) {
    const response = await get(`/log/${path}`)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/octet-stream'])
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(response.headers.get('etag')).toMatch(/^"/)
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
  }
  const response = await get('/log/registry/checkpoint')
  expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  expect(response.headers.get('cache-control')).toBe('no-cache')
  expect(await response.text()).toBe('the note — as it is\n')
})

test('an entry is its length in two bytes, the higher first, and its bytes', async () => {
  const { get } = listening()
  const bundle = await (await get('/log/registry/tile/entries/000.p/2')).bytes()
  expect(bundle).toEqual(new Uint8Array([0, 0, 1, 2, ...new Uint8Array(258).fill(7)]))
})

test('whoever takes no bytes is told so', async () => {
  const { get } = listening()
  const response = await get('/log/registry/tile/0/000', { accept: 'application/json' })
  expect([response.status, await response.json()]).toMatchObject([406, { code: 'not_acceptable' }])
})
