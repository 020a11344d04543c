import type { Db } from '../../db/db.ts'
import { failedParts, lastNews } from './store.ts'
import type { Span } from './verdict.ts'

/** The rows and entries that failed their last verification, as far as this process knows. They are not served. */
export class FailedParts {
  #texts: ReadonlyMap<string, string> = new Map()
  #spans: ReadonlyMap<string, readonly Span[]> = new Map()
  #mark = ''
  #news: string | undefined

  constructor(private readonly db: Db) {}

  /** Reads the store. Returns the parts whose failures have changed. */
  async look(): Promise<string[]> {
    const found = await failedParts(this.db, this.db.files.copy)
    this.#news = await lastNews(this.db)
    const texts = new Map(found.map(({ part, failed }) => [part, failed]))
    const named = [...new Set([...this.#texts.keys(), ...texts.keys()])]
    const changed = named.filter((part) => texts.get(part) !== this.#texts.get(part))
    if (changed.length === 0) return []
    this.#texts = texts
    this.#spans = new Map(found.map(({ part, failed }) => [part, JSON.parse(failed) as Span[]]))
    this.#mark = found.length === 0 ? '' : `-${Bun.hash.xxHash3(JSON.stringify([...texts])).toString(36)}`
    return changed
  }

  /** A name for the last verification, whatever its result; undefined before the store was read. */
  news(): string | undefined {
    return this.#news
  }

  /** The rows of a release, or the entries of a log, that are not served. */
  of(part: string): readonly Span[] {
    return this.#spans.get(part) ?? []
  }

  /** A name for the set of failures, which changes with it; empty while everything is sound. */
  mark(): string {
    return this.#mark
  }
}
