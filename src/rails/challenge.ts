import { digestOf, makeNonce, NONCE_SECONDS, TOKEN_SECONDS } from './credential.ts'
import { isLive, type KeyParts } from './keys.ts'
import { keyRefusal } from './refusal.ts'
import * as store from './store.ts'

export const MAX_LIVE_NONCES = 8

/**
 * How long a spent nonce is remembered: as long as the token made from it could live, so that a replay is noticed while it
 * can do harm.
 */
export const SPENT_NONCE_MEMORY_SECONDS = TOKEN_SECONDS

export interface ChallengeParts extends KeyParts {
  baseUrl: () => string
}

/** Issues a nonce for one key. At most eight are live: a ninth drops the oldest. */
export async function issueNonce(
  parts: ChallengeParts,
  keyId: string,
): Promise<{ nonce: string; issuedAt: number; expiresAt: number }> {
  const now = await parts.now()
  const nonce = makeNonce(parts.random)
  const expiresAt = now + NONCE_SECONDS * 1000
  await parts.db.transaction(
    async (tx) => {
      const key = await store.lockKey(tx, keyId)
      // The key may have been revoked since the gate admitted it.
      if (!key || !isLive(key, now)) throw keyRefusal('agent_key_invalid')
      // Prune before the insert, so that the new nonce is never dropped for another of the same millisecond.
      const spentBefore = now - SPENT_NONCE_MEMORY_SECONDS * 1000
      await store.pruneNonces(tx, keyId, { now, keep: MAX_LIVE_NONCES - 1, spentBefore })
      const digest = digestOf(parts.pepper, nonce)
      await store.insertNonce(tx, { digest, key_id: keyId, issued_at: now, expires_at: expiresAt })
    },
    { writers: 'many' },
  )
  return { nonce, issuedAt: now, expiresAt }
}
