// A rails token for a monitor: one that it was given, or new ones for an agent key.

import { type Fetcher, textOf } from './fetcher.ts'

const TOKEN_MS = 10 * 60_000

/** What the secret opens: a token (`atr_…`) is used as it is; for a key (`atk_…`) tokens are asked for as they expire. */
export function tokensOf(
  secret: string,
  now: () => number = Date.now,
): (fetcher: Fetcher) => Promise<string | undefined> {
  if (!secret.startsWith('atk_')) return async () => secret
  let known: { token: string; until: number } | undefined
  return async (fetcher) => {
    if (known && known.until > now()) return known.token
    const token = await newToken(fetcher, secret)
    known = token === undefined ? undefined : { token, until: now() + TOKEN_MS }
    return token
  }
}

async function newToken(fetcher: Fetcher, key: string): Promise<string | undefined> {
  fetcher.secrets.add(key)
  const headers = { 'x-agent-key': key, 'content-type': 'application/json' }
  const nonce = await said(fetcher, '/api/agent-rails/challenge', headers, '', 'nonce')
  return nonce && said(fetcher, '/api/agent-rails/attest', headers, JSON.stringify({ nonce }), 'rails_token')
}

async function said(
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
