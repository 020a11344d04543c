import type { Db } from '../db/db.ts'
import { keyOf, listLost } from './store.ts'

/** The state of a cited file that has changed or is gone, and of which no copy is kept. */
interface LostState {
  state: 'changed' | 'gone'
  since: string
}

interface CitingRelease {
  release_id: string
  citations: readonly { url: string; sha256: string }[]
}

/** The cited sources that nobody can see any more, as they were when the store was read last. */
export class LostSources {
  #lost: ReadonlyMap<string, LostState> = new Map()
  #mark = ''

  constructor(
    private readonly db: Db,
    private readonly hasArchive: boolean,
  ) {}

  /** Reads the store. */
  async look(): Promise<void> {
    const rows = await listLost(this.db, this.hasArchive)
    const mark = rows.map(({ url, sha256, state }) => `${sha256} ${url} ${state}`).join('\n')
    if (mark === this.#mark) return
    this.#mark = mark
    this.#lost = new Map(
      rows.map(({ url, sha256, state, since }) => [
        keyOf({ url, sha256 }),
        { state, since: new Date(since).toISOString() },
      ]),
    )
  }

  /** A name for the set of lost sources. When it changes, answers that show lost sources must be made again. */
  mark(): string {
    return this.#mark === '' ? '' : `.${Bun.hash.crc32(this.#mark).toString(36)}`
  }

  find(source: { url: string; sha256: string }): LostState | undefined {
    return this.#lost.size === 0 ? undefined : this.#lost.get(keyOf(source))
  }

  /** The lost sources that a release cites, at most `most` of them. */
  citedIn(
    { release_id, citations }: CitingRelease,
    most: number,
  ): ({ release_id: string; sha256: string } & LostState)[] {
    if (this.#lost.size === 0) return []
    const lost = citations.flatMap((source) => {
      const found = this.find(source)
      return found ? [{ release_id, sha256: source.sha256, ...found }] : []
    })
    return lost.slice(0, most)
  }
}
