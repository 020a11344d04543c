import type { Db } from '../db/db.ts'
import type { Scope } from '../operation.ts'
import { Problem } from '../problem.ts'
import { SPENT_NONCE_MEMORY_SECONDS } from './challenge.ts'
import { type Credential, digestOf, TOKEN_SECONDS } from './credential.ts'
import { isLive } from './keys.ts'
import { keyRefusal, scopeRefusal } from './refusal.ts'
import * as store from './store.ts'

// Makes tokens in exchange for a nonce, or for the credentials of an OAuth client.

const MAX_LIVE_TOKENS = 20

/** How long an expired token is reported as expired, and not as unknown. */
const EXPIRED_TOKEN_MEMORY_SECONDS = 24 * 60 * 60

export interface IssuedToken {
  token: string
  scopes: Scope[]
  issuedAt: number
  expiresAt: number
}

/** The result of an exchange. A refusal is returned, not thrown, if its revocation and event must commit. */
export type Exchange = { issued: IssuedToken } | { issued: undefined; refusal: Problem }

/** Locks a key, and throws if it was revoked since the gate admitted it. */
export async function lockLiveKey(tx: Db, keyId: string, now: number): Promise<store.StoredKey> {
  const key = await store.lockKey(tx, keyId)
  if (!key || !isLive(key, now)) throw keyRefusal('agent_key_invalid')
  return key
}

/** The requested scopes that the key has, or all scopes of the key if none were requested. */
export function grantedScopes(key: store.StoredKey, requested: readonly Scope[] | undefined): Scope[] {
  const scopes = requested ? key.scopes.filter((scope) => requested.includes(scope)) : key.scopes
  if (requested && scopes.length === 0) throw scopeRefusal('AgentKey', requested, key.scopes)
  return scopes
}

interface NewToken {
  key: store.StoredKey
  token: Credential
  scopes: Scope[]
  seconds: number
  now: number
}

/** Stores a token. The transaction holds the lock of its key. */
export async function putToken(
  tx: Db,
  { pepper }: { pepper: Uint8Array },
  { key, token, scopes, seconds, now }: NewToken,
): Promise<IssuedToken> {
  const issuedBefore = now - (TOKEN_SECONDS + EXPIRED_TOKEN_MEMORY_SECONDS) * 1000
  await store.pruneTokens(tx, key.key_id, { now, keep: MAX_LIVE_TOKENS - 1, issuedBefore })
  // A token ends with its key, so its stated expiry must not be later.
  const expiresAt = Math.min(now + seconds * 1000, key.expires_at)
  await store.insertToken(tx, {
    token_id: token.id,
    key_id: key.key_id,
    scopes,
    digest: digestOf(pepper, token.text),
    issued_at: now,
    expires_at: expiresAt,
    revoked_at: null,
  })
  return { token: token.text, scopes, issuedAt: now, expiresAt }
}

/**
 * The refusal of a nonce that could not be spent. If it was spent before, it or its key has leaked, so the token made from
 * it is revoked. `unknown` is the refusal of a nonce that is not stored.
 */
export async function refuseSpent(
  tx: Db,
  digest: Uint8Array,
  keyId: string,
  now: number,
  unknown: Problem,
): Promise<Problem> {
  const expiredAfter = now - SPENT_NONCE_MEMORY_SECONDS * 1000
  const tokenId = await store.findTokenOfSpentNonce(tx, digest, keyId, expiredAfter)
  if (tokenId === undefined) return unknown
  await store.putTokenRevocation(tx, tokenId, now)
  await store.insertEvent(tx, 'nonce_reused', keyId, now)
  return new Problem('nonce_already_used')
}
