import type { Access, Stamp } from '../../operation.ts'
import { Problem } from '../../problem.ts'
import { TILE_WIDTH, type Tile } from '../../proof/tree/tiles.ts'
import type { PathParameter, Resource, ResourceForm } from '../http/resource.ts'

// C2SP tlog-tiles over HTTP: enough to clone a log and derive every root it has signed.

/** Which entries of a log, and how many of them: bundle `n` starts at entry `n * 256`. */
export type Bundle = Omit<Tile, 'level'>

/** The public part of a log. What its public checkpoint does not cover is undefined. */
export interface TiledLog {
  /** Its name in paths under `/log/`. */
  name: string
  checkpoint(): Promise<string>
  findTile(tile: Tile): Promise<Uint8Array | undefined>
  findEntries(bundle: Bundle): Promise<Uint8Array[] | undefined>
  /** The C2SP tlog-proof of an entry. */
  findProof(index: number): Promise<string | undefined>
}

export interface LogTilesParts {
  /** The hashes of a log are public; its entries may need a scope. */
  logs: readonly { log: TiledLog; entries: Access; stamp: Stamp }[]
  findRowTile(release_id: string, tile: Tile): Promise<Uint8Array | undefined>
  findRowBodies(release_id: string, bundle: Bundle): Promise<Uint8Array[] | undefined>
  /** Tiles of the rows of releases. */
  stamp: Stamp
}

const LEVEL = '(6[0-3]|[1-5]?[0-9])'
/** Groups of three digits, all but the last marked `x`; fifteen digits are more than any index has. */
const NUMBER = '((?!x000)(?:x[0-9]{3}/){0,4}[0-9]{3})'
/** The width of a partial tile. A full tile has no width in its path. */
const PARTIAL = '(?:\\.p/(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9][0-9]?))?'
const TILE = `^${LEVEL}/${NUMBER}${PARTIAL}$`
const BUNDLE = `^${NUMBER}${PARTIAL}$`

const FOREVER = 'max-age=31536000, immutable'
const WITH_SLASHES = 'Slashes may be sent as `%2F`.'
const tileParameter: PathParameter = {
  name: 'tile',
  description: `\`<L>/<N>\`, or \`<L>/<N>.p/<W>\` for the first W hashes: level, tile number in groups of three digits (\`x001/x234/067\`), width. ${WITH_SLASHES}`,
  pattern: TILE,
  rest: true,
}
const bundleParameter: PathParameter = {
  name: 'bundle',
  description: `\`<N>\`, or \`<N>.p/<W>\` for the first W entries: bundle number in groups of three digits (\`x001/x234/067\`), width. ${WITH_SLASHES}`,
  pattern: BUNDLE,
  rest: true,
}

const releaseParameter: PathParameter = {
  name: 'release_id',
  description: 'As in the manifest, `cms-pfs:RVU26C:1`',
}

export const logTiles = ({ logs, findRowTile, findRowBodies, stamp }: LogTilesParts): Resource[] => [
  // The router uses the first route that matches, and the route of tiles matches entry bundles too, so bundles come first.
  ...logs.flatMap(({ log, entries, stamp }) =>
    [checkpoint(log), entryBundles(log, entries), tiles(log), proofs(log)].map((each) => ({ ...each, stamp })),
  ),
  {
    name: 'get_release_rows',
    path: '/log/releases/{release_id}/tile/entries/{bundle}',
    summary: 'Rows of a release, as they were hashed',
    description:
      'Up to 256 rows of a release, in force or not, in the order of their keys: each one after its length in two bytes.',
    tag: 'discovery',
    access: 'registry:read',
    cache: `private, ${FOREVER}`,
    parameters: [releaseParameter, bundleParameter],
    forms: [bytes(async (release_id, bundle) => inBundle(await findRowBodies(release_id, readBundle(bundle))))],
  },
  {
    name: 'get_release_tile',
    path: '/log/releases/{release_id}/tile/{tile}',
    summary: 'A tile of the row hashes of a release',
    description:
      'Up to 256 hashes of the tree over the rows, as in C2SP tlog-tiles. Its root is `rows_root` in the manifest.',
    tag: 'discovery',
    limit: 'log',
    cache: `public, ${FOREVER}`,
    stamp,
    parameters: [releaseParameter, tileParameter],
    forms: [bytes((release_id, tile) => findRowTile(release_id, readTile(tile)))],
  },
]

const checkpoint = ({ name, checkpoint }: TiledLog): Resource => ({
  name: `get_${name}_checkpoint`,
  path: `/log/${name}/checkpoint`,
  summary: `The signed checkpoint of the ${name} log`,
  description: 'A C2SP tlog-checkpoint. Its keys are in `/log/policy`.',
  tag: 'discovery',
  limit: 'log',
  cache: 'no-cache',
  forms: [{ type: 'text/plain; charset=utf-8', render: () => checkpoint() }],
})

const tiles = ({ name, findTile }: TiledLog): Resource => ({
  name: `get_${name}_tile`,
  path: `/log/${name}/tile/{tile}`,
  summary: `A tile of the hashes of the ${name} log`,
  description: 'Up to 256 hashes that the checkpoint covers, as in C2SP tlog-tiles.',
  tag: 'discovery',
  limit: 'log',
  cache: `public, ${FOREVER}`,
  parameters: [tileParameter],
  forms: [bytes((tile) => findTile(readTile(tile)))],
})

/** Public for both logs: a path is made of hashes that the tiles show to everyone. */
const proofs = ({ name, findProof }: TiledLog): Resource => ({
  name: `get_${name}_proof`,
  path: `/log/${name}/proof/{index}`,
  summary: `The proof that an entry is in the ${name} log`,
  description: 'A C2SP tlog-proof of an entry under the newest checkpoint.',
  tag: 'discovery',
  limit: 'log',
  cache: 'no-cache',
  parameters: [{ name: 'index', description: 'The place of the entry, from 0', pattern: '^(0|[1-9][0-9]{0,15})$' }],
  forms: [
    {
      type: 'text/plain; charset=utf-8',
      async render(index) {
        const proof = await findProof(Number(index))
        if (proof === undefined) throw new Problem('route_not_found')
        return proof
      },
    },
  ],
})

const entryBundles = ({ name, findEntries }: TiledLog, access: Access): Resource => ({
  name: `get_${name}_entries`,
  path: `/log/${name}/tile/entries/{bundle}`,
  summary: `Entries of the ${name} log`,
  description: 'Up to 256 entries under the checkpoint, as in C2SP tlog-tiles: each after its length in two bytes.',
  tag: 'discovery',
  access,
  limit: 'log',
  compressed: true,
  cache: `${access === 'public' ? 'public' : 'private'}, ${FOREVER}`,
  parameters: [bundleParameter],
  forms: [bytes(async (bundle) => inBundle(await findEntries(readBundle(bundle))))],
})

/** A missing tile may exist later, so the refusal must not be cached; no refusal is. */
const bytes = (find: (...parameters: string[]) => Promise<Uint8Array | undefined>): ResourceForm => ({
  type: 'application/octet-stream',
  async render(...parameters) {
    const found = await find(...parameters)
    if (!found) throw new Problem('route_not_found')
    return found
  },
})

function readTile(text: string): Tile {
  const [, level = '', n = '', width] = new RegExp(TILE).exec(text) ?? []
  return { level: Number(level), ...tileNumber(n, width) }
}

function readBundle(text: string): Bundle {
  const [, n = '', width] = new RegExp(BUNDLE).exec(text) ?? []
  return tileNumber(n, width)
}

const tileNumber = (n: string, width = String(TILE_WIDTH)): Bundle => ({
  n: Number(n.replaceAll(/[x/]/g, '')),
  width: Number(width),
})

function inBundle(entries: readonly Uint8Array[] | undefined): Uint8Array | undefined {
  if (!entries) return undefined
  const bundle = new Uint8Array(entries.reduce((size, entry) => size + 2 + entry.length, 0))
  const view = new DataView(bundle.buffer)
  let at = 0
  for (const entry of entries) {
    view.setUint16(at, entry.length)
    bundle.set(entry, at + 2)
    at += 2 + entry.length
  }
  return bundle
}
