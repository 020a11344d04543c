import type { Stamp } from '../../operation.ts'
import { Problem } from '../../problem.ts'
import { Queue } from '../../queue.ts'
import type { Resource } from '../http/resource.ts'
import { sentBy } from './sent-file.ts'

// The files of releases, for mirrors. docs/spec/mirror.md says what they are and how they are checked.

export interface ReleaseFileEntry {
  release_id: string
  /** The SHA-256 of the file. */
  file: string
  /** How many bytes the file has when it is not compressed. */
  bytes: number
}

export interface ReleaseFilesParts {
  /** The file of every release that the public log names, withdrawn since or not, in the order of the log. */
  list(): Promise<readonly ReleaseFileEntry[]>
  /** The compressed bytes of a file; undefined if no release of the public log has it. */
  find(file: string): Promise<(() => AsyncIterable<Uint8Array>) | undefined>
  /** Of the registry. */
  stamp: Stamp
}

export const RELEASE_FILES = 'agent-trust-registry/release-files@v1'
const ENDING = '.atr.zst'
/** What a file counts as: it takes more than any answer does. */
const REQUESTS = 10
/** A slow reader has its place for long, so places are few and one caller cannot have all of them. */
const PLACES = { atOnce: 8, waiting: 8, perCaller: 2 } as const

export function releaseFiles({ list, find, stamp }: ReleaseFilesParts): Resource[] {
  const queue = new Queue(PLACES)
  return [
    {
      name: 'get_release_files',
      path: '/releases/index.json',
      summary: 'Which file has the rows of each release',
      tag: 'discovery',
      limit: 'log',
      cache: 'no-cache',
      stamp,
      isBesideApi: true,
      forms: [
        {
          type: 'application/json',
          render: async () => JSON.stringify({ schema: RELEASE_FILES, files: await list() }),
        },
      ],
    },
    {
      name: 'get_release_file',
      path: '/releases/{file}',
      summary: 'The file of a release, with all its rows, compressed',
      tag: 'discovery',
      access: 'registry:read',
      cost: REQUESTS,
      cache: 'private, max-age=31536000, immutable',
      isBesideApi: true,
      parameters: [
        { name: 'file', description: 'The SHA-256 of the file, and `.atr.zst`', pattern: '^[0-9a-f]{64}\\.atr\\.zst$' },
      ],
      forms: [
        {
          type: 'application/zstd',
          async render(name) {
            const digest = name.slice(0, -ENDING.length)
            const open = await find(digest)
            if (!open) throw new Problem('route_not_found')
            return { etag: `"${digest}-zst"`, open: sentBy(queue, open) }
          },
        },
      ],
    },
  ]
}
