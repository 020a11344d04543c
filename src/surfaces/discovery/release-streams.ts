import type { Stamp } from '../../operation.ts'
import { Problem } from '../../problem.ts'
import { Queue } from '../../queue.ts'
import type { Resource } from '../http/resource.ts'
import { sentBy } from './sent-file.ts'

// The rows of releases as streams, for mirrors. docs/spec/mirror.md says how they are checked.

export interface ReleaseStreamsParts {
  /** Every release of the public log whose rows are here, withdrawn since or not, in the order of the log. */
  list(): Promise<readonly { release_id: string; row_count: number }[]>
  /** The packed rows of a release; undefined if the public log does not have it. */
  find(release_id: string): Promise<{ rows_root: string; open: () => AsyncIterable<Uint8Array> } | undefined>
  /** The log of the registry. */
  stamp: Stamp
}

export const RELEASE_STREAMS = 'agent-trust-registry/release-streams@v1'
const ENDING = '.ndjson.zst'
/** A stream counts as so many requests: it takes more than any answer does. */
const REQUESTS = 10
/** A slow reader has its place for long, so places are few and one caller cannot have all of them. */
const PLACES = { atOnce: 8, waiting: 8, perCaller: 2 } as const

export function releaseStreams({ list, find, stamp }: ReleaseStreamsParts): Resource[] {
  const queue = new Queue(PLACES)
  return [
    {
      name: 'get_release_streams',
      path: '/releases/index.json',
      summary: 'Which releases there is a stream of rows of',
      tag: 'discovery',
      limit: 'log',
      cache: 'no-cache',
      stamp,
      isBesideApi: true,
      forms: [
        {
          type: 'application/json',
          render: async () => JSON.stringify({ schema: RELEASE_STREAMS, releases: await list() }),
        },
      ],
    },
    {
      name: 'get_release_stream',
      path: '/releases/{file}',
      summary: 'All rows of a release as lines of JSON, compressed',
      tag: 'discovery',
      access: 'registry:read',
      cost: REQUESTS,
      cache: 'private, max-age=31536000, immutable',
      isBesideApi: true,
      parameters: [
        {
          name: 'file',
          description: 'The name of the release, and `.ndjson.zst`',
          pattern: '^[\\w.:-]{1,300}\\.ndjson\\.zst$',
        },
      ],
      forms: [
        {
          type: 'application/zstd',
          async render(name) {
            const found = await find(name.slice(0, -ENDING.length))
            if (!found) throw new Problem('route_not_found')
            return { etag: `"${found.rows_root}-zst"`, open: sentBy(queue, found.open) }
          },
        },
      ],
    },
  ]
}
