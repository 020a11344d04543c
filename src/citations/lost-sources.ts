import type { Db } from '../db/db.ts'
import { keyOf, listLost } from './store.ts'

/** A cited file that is changed or gone, and of which there is no copy. */
export interface LostState {
  state: 'changed' | 'gone'
  since: string
}

interface Citing {
  release_id: string
  citations: readonly { url: string; sha256: string }[]
}

/** The cited sources that nobody can be shown any more, as they were when the store was asked last. */
export class LostSources {
  #lost: ReadonlyMap<string, LostState> = new Map()
  #mark = ''

  constructor(
    private readonly db: Db,
    private readonly hasArchive: boolean,
  ) {}

  /** Asks the store. Whoever makes an answer after this finds what is stored now. */
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

  /** Names what is lost: answers that show it are made anew when it changes. */
  mark(): string {
    return this.#mark === '' ? '' : `.${Bun.hash.crc32(this.#mark).toString(36)}`
  }

  of(source: { url: string; sha256: string }): LostState | undefined {
    return this.#lost.size === 0 ? undefined : this.#lost.get(keyOf(source))
  }

  /** Those that a release cites, at most so many. */
  citedIn({ release_id, citations }: Citing, most: number): ({ release_id: string; sha256: string } & LostState)[] {
    if (this.#lost.size === 0) return []
    const lost = citations.flatMap((source) => {
      const found = this.of(source)
      return found ? [{ release_id, sha256: source.sha256, ...found }] : []
    })
    return lost.slice(0, most)
  }
}
