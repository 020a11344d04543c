// A rails token for a monitor: one that it was given, or new ones for an agent key.

import { type Fetcher, textOf } from './fetcher.ts'

const TOKEN_MS = 10 * 60_000
const RAILS = 'service_agent_rails_v1'
const NONCE = /^atn_[0-9A-Za-z]{49}$/

/** Signs a text with the private half of the public key that an agent key is registered with; base64url without padding. */
export type Sign = (message: string) => string

/** What the secret opens: a token (`atr_…`) is used as it is; for a key (`atk_…`) tokens are asked for as they expire. */
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
  const nonce = await said(fetcher, '/api/agent-rails/challenge', headers, '', 'nonce')
  // What is signed is never a text of the service's choice.
  if (nonce === undefined || (sign && !NONCE.test(nonce))) return undefined
  const message = [RAILS, 'attest', fetcher.base, key.split('_')[1] ?? '', nonce].join('\n')
  const body = { nonce, ...(sign && { proof: sign(message) }) }
  return said(fetcher, '/api/agent-rails/attest', headers, JSON.stringify(body), 'rails_token')
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
