// Reads from one service and from nowhere else. What it answers is hostile: it may be late, endless, or lead away.

import { ask, OutgoingFault, type OutgoingRequest } from '../../src/outgoing/outgoing.ts'
import { equalBytes, fromUtf8, utf8 } from '../../src/proof/bytes.ts'
import { HASH_SIZE } from '../../src/proof/tree/merkle.ts'
import { TILE_WIDTH, tilePath } from '../../src/proof/tree/tiles.ts'

export interface FetchResult {
  status: number
  bytes: Uint8Array
}

const MAX_MS = 30_000
/** Large files may take long. */
const FILE_MS = 3_600_000
const MOST_TRIES = 4
const LONGEST_WAIT_MS = 60_000
const KIB = 1024
const MIB = 1024 * KIB

/** The most bytes that each kind of answer may have, unpacked. */
export const MOST = {
  note: 64 * KIB,
  tile: TILE_WIDTH * HASH_SIZE,
  bundle: TILE_WIDTH * (2 + 65_535),
  answer: 8 * MIB,
  page: 64 * MIB,
} as const

type Asked = Pick<OutgoingRequest, 'method' | 'headers' | 'body' | 'each'>

export class Fetcher {
  readonly base: string

  /** `token` is asked for a rails token each time that one is needed. */
  constructor(
    url: string,
    readonly token?: (fetcher: Fetcher) => Promise<string | undefined>,
    readonly maxMs = MAX_MS,
  ) {
    const { origin, pathname } = new URL(url)
    this.base = `${origin}${pathname.replace(/\/+$/, '')}`
  }

  /** What it has shown to the service to be let in. */
  readonly secrets = new Set<string>()

  /** The answer at a path below the base; undefined if there was none in time, or it is too large. */
  async get(path: string, most: number, withToken = false): Promise<FetchResult | undefined> {
    const token = withToken ? await this.token?.(this) : undefined
    if (token !== undefined) this.secrets.add(token)
    return this.#ask(path, most, { headers: token === undefined ? {} : { 'x-agent-rails': token } })
  }

  /** The same for a file, whose pieces are handed on as they come. The status; undefined if it did not come to its end. */
  async download(path: string, most: number, each: (piece: Uint8Array) => void): Promise<number | undefined> {
    const token = await this.token?.(this)
    if (token !== undefined) this.secrets.add(token)
    const headers: Record<string, string> = token === undefined ? {} : { 'x-agent-rails': token }
    return (await this.#ask(path, most, { headers, each }, FILE_MS))?.status
  }

  /** Whether the service refused because it was shown no token, and there is none to show. */
  isForToken(status: number): boolean {
    return status === 401 && this.token === undefined
  }

  post(path: string, headers: Record<string, string>, body: string): Promise<FetchResult | undefined> {
    return this.#ask(path, MOST.note, { method: 'POST', headers, body })
  }

  async #ask(path: string, most: number, init: Asked, maxMs = this.maxMs): Promise<FetchResult | undefined> {
    for (let tries = 1; ; tries++) {
      const { fetched, wait } = await this.#once(path, most, init, maxMs)
      if (wait === undefined || tries === MOST_TRIES) return fetched
      await Bun.sleep(wait)
    }
  }

  async #once(
    path: string,
    most: number,
    init: Asked,
    maxMs: number,
  ): Promise<{ fetched?: FetchResult; wait?: number }> {
    try {
      // A redirection is an answer like any other, and not the one that was asked for: it is not followed.
      const { status, headers, bytes } = await ask(`${this.base}${path}`, {
        ...init,
        timeoutMs: maxMs,
        mostBytes: most,
        loopback: true,
      })
      const later = headers.get('retry-after')
      if (status !== 429 && !(status === 503 && later !== null)) return { fetched: { status, bytes } }
      const seconds = Number(later)
      return { fetched: { status, bytes }, wait: Math.min(LONGEST_WAIT_MS, Math.max(1, seconds || 1) * 1000) }
    } catch (error) {
      if (error instanceof OutgoingFault) return {}
      throw error
    }
  }

  /** The body of a good answer; undefined for any other. */
  async bytes(path: string, most: number, withToken = false): Promise<Uint8Array | undefined> {
    const fetched = await this.get(path, most, withToken)
    return fetched?.status === 200 ? fetched.bytes : undefined
  }

  /** A tile or a bundle. A partial one may be gone once the full one exists, which begins in the same way. */
  async part(
    base: string,
    kind: number | 'entries',
    n: number,
    width: number,
    withToken = false,
  ): Promise<Uint8Array | undefined> {
    const most = kind === 'entries' ? MOST.bundle : MOST.tile
    for (const path of new Set([tilePath(kind, n, width), tilePath(kind, n)])) {
      const bytes = await this.bytes(`${base}/${path}`, most, withToken)
      if (bytes) return bytes
    }
    return undefined
  }
}

/** The text of these bytes; undefined unless they are well-formed UTF-8 without a mark before it. */
export function textOf(bytes: Uint8Array | undefined): string | undefined {
  if (bytes === undefined) return undefined
  try {
    const text = fromUtf8(bytes)
    return equalBytes(utf8(text), bytes) ? text : undefined
  } catch {
    return undefined
  }
}
