// Reads from one service and from nowhere else. Its answers are hostile: they may be late, endless, or lead away.

import { ask, OutgoingFault, type OutgoingRequest } from '../../src/outgoing/outgoing.ts'
import { fromUtf8 } from '../../src/proof/bytes.ts'
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

type RequestParts = Pick<OutgoingRequest, 'method' | 'headers' | 'body' | 'each'>

export class Fetcher {
  readonly base: string

  /** `token` gives a rails token each time one is needed. */
  constructor(
    url: string,
    readonly token?: (fetcher: Fetcher) => Promise<string | undefined>,
    readonly maxMs = MAX_MS,
  ) {
    const { origin, pathname } = new URL(url)
    this.base = `${origin}${pathname.replace(/(?<!\/)\/+$/, '')}`
  }

  /** The tokens and keys that were shown to the service. */
  readonly secrets = new Set<string>()

  /** The answer at a path below the base; undefined if there was none in time, or it is too large. */
  async get(path: string, most: number, withToken = false): Promise<FetchResult | undefined> {
    return this.#ask(path, most, { headers: withToken ? await this.#credentials() : {} })
  }

  /** Hands on the pieces of a large answer as they come. Returns the status; undefined if the answer did not come to its end. */
  async download(path: string, most: number, each: (piece: Uint8Array) => void): Promise<number | undefined> {
    return (await this.#ask(path, most, { headers: await this.#credentials(), each }, FILE_MS))?.status
  }

  async #credentials(): Promise<Record<string, string>> {
    const token = await this.token?.(this)
    if (token === undefined) return {}
    this.secrets.add(token)
    return { 'x-agent-rails': token }
  }

  /** Whether the service refused for want of a token, and there is none to show. */
  isForToken(status: number): boolean {
    return status === 401 && this.token === undefined
  }

  post(path: string, headers: Record<string, string>, body: string): Promise<FetchResult | undefined> {
    return this.#ask(path, MOST.note, { method: 'POST', headers, body })
  }

  async #ask(path: string, most: number, parts: RequestParts, maxMs = this.maxMs): Promise<FetchResult | undefined> {
    for (let tries = 1; ; tries++) {
      const { fetched, wait } = await this.#once(path, most, parts, maxMs)
      if (wait === undefined || tries === MOST_TRIES) return fetched
      await Bun.sleep(wait)
    }
  }

  async #once(
    path: string,
    most: number,
    parts: RequestParts,
    maxMs: number,
  ): Promise<{ fetched?: FetchResult; wait?: number }> {
    try {
      // A redirection is not followed: it is an answer like any other, with the wrong status.
      const { status, headers, bytes } = await ask(`${this.base}${path}`, {
        ...parts,
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

  /** A tile or a bundle. A partial one may be gone once the full one exists, which begins with the same bytes. */
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

/** The text of these bytes; undefined unless they are well-formed UTF-8. */
export function textOf(bytes: Uint8Array | undefined): string | undefined {
  try {
    return bytes && fromUtf8(bytes)
  } catch {
    return undefined
  }
}

const TOKEN_MS = 10 * 60_000
const RAILS = 'service_agent_rails_v1'
const NONCE = /^atn_[0-9A-Za-z]{49}$/

/** Signs a text with the private key whose public half belongs to an agent key; base64url without padding. */
export type Sign = (message: string) => string

/** Gives tokens for a secret. A token (`atr_…`) is used as it is; for a key (`atk_…`) a new one is asked for when one expires. */
export function tokensOf(
  secret: string,
  now: () => number = Date.now,
  sign?: Sign,
): (fetcher: Fetcher) => Promise<string | undefined> {
  if (!secret.startsWith('atk_')) return async () => secret
  let known: { token: string; until: number } | undefined
  return async (fetcher) => {
    if (known && known.until > now()) return known.token
    const token = await newToken(fetcher, secret, sign)
    known = token === undefined ? undefined : { token, until: now() + TOKEN_MS }
    return token
  }
}

async function newToken(fetcher: Fetcher, key: string, sign: Sign | undefined): Promise<string | undefined> {
  fetcher.secrets.add(key)
  const headers = { 'x-agent-key': key, 'content-type': 'application/json' }
  const nonce = await memberOf(fetcher, '/api/agent-rails/challenge', headers, '', 'nonce')
  // Never sign a text of the service's choice.
  if (nonce === undefined || (sign && !NONCE.test(nonce))) return undefined
  const message = [RAILS, 'attest', fetcher.base, key.split('_')[1] ?? '', nonce].join('\n')
  const body = { nonce, ...(sign && { proof: sign(message) }) }
  return memberOf(fetcher, '/api/agent-rails/attest', headers, JSON.stringify(body), 'rails_token')
}

/** One member of the answer to a POST. */
async function memberOf(
  fetcher: Fetcher,
  path: string,
  headers: Record<string, string>,
  body: string,
  member: string,
): Promise<string | undefined> {
  const text = textOf((await fetcher.post(path, headers, body))?.bytes)
  try {
    const value = (JSON.parse(text ?? 'null') as Record<string, unknown> | null)?.[member]
    return typeof value === 'string' && /^[!-~]{1,300}$/.test(value) ? value : undefined
  } catch {
    return undefined
  }
}
