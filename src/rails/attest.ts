import type { Db } from '../db/db.ts'
import type { Scope } from '../operation.ts'
import { Problem } from '../problem.ts'
import { type ChallengeParts, SPENT_NONCE_MEMORY_SECONDS } from './challenge.ts'
import { digestOf, isNonce, makeRailsToken, TOKEN_SECONDS } from './credential.ts'
import { isLive } from './keys.ts'
import { possessionMessage, provesPossession } from './possession.ts'
import { keyRefusal, scopeRefusal } from './refusal.ts'
import * as store from './store.ts'

export const MAX_LIVE_TOKENS = 20

/** How long an expired token is reported as expired, and not as unknown. */
const EXPIRED_TOKEN_MEMORY_SECONDS = 24 * 60 * 60

export interface Attestation {
  /** Hostile, and of any type: every unusable nonce gets the same refusal. */
  nonce: unknown
  scopes?: readonly Scope[] | undefined
  proof?: string | undefined
}

export interface IssuedToken {
  token: string
  scopes: Scope[]
  issuedAt: number
  expiresAt: number
}

type Exchange = { made: IssuedToken } | { made: undefined; refusal: Problem }

/**
 * Exchanges a nonce for a rails token. The nonce is spent only if everything else is valid. The
 * proof of possession is checked first, so that a caller without the private key learns nothing about a nonce.
 */
export async function attest(parts: ChallengeParts, keyId: string, attestation: Attestation): Promise<IssuedToken> {
  const now = await parts.now()
  const nonce = typeof attestation.nonce === 'string' ? attestation.nonce : ''
  await checkPossession(parts, keyId, nonce, attestation.proof)
  // Returned, not thrown: the revocation and the event of a refused exchange must commit.
  const exchange = await parts.db.transaction((tx) => spend(tx, parts, keyId, nonce, attestation.scopes, now), {
    writers: 'many',
  })
  if (!exchange.made) throw exchange.refusal
  return exchange.made
}

async function checkPossession(
  { db, baseUrl }: ChallengeParts,
  keyId: string,
  nonce: string,
  proof: string | undefined,
): Promise<void> {
  const publicKey = (await store.findKey(db, keyId))?.public_key
  if (!publicKey) return
  if (proof === undefined) throw keyRefusal('proof_required')
  if (!(await provesPossession(publicKey, proof, possessionMessage(baseUrl(), keyId, nonce))))
    throw keyRefusal('proof_invalid')
}

async function spend(
  tx: Db,
  { pepper, random }: ChallengeParts,
  keyId: string,
  nonce: string,
  asked: readonly Scope[] | undefined,
  now: number,
): Promise<Exchange> {
  const key = await store.lockKey(tx, keyId)
  // The key may have been revoked since the gate admitted it.
  if (!key || !isLive(key, now)) throw keyRefusal('agent_key_invalid')
  const scopes = asked ? key.scopes.filter((scope) => asked.includes(scope)) : key.scopes
  if (asked && scopes.length === 0) throw scopeRefusal('AgentKey', asked, key.scopes)
  if (!isNonce(nonce)) throw nonceInvalid()

  const digest = digestOf(pepper, nonce)
  const { id, text } = makeRailsToken(random)
  if (!(await store.spendNonce(tx, { digest, key_id: keyId, token_id: id, now })))
    return { made: undefined, refusal: await refuseSpent(tx, digest, keyId, now) }

  const issuedBefore = now - (TOKEN_SECONDS + EXPIRED_TOKEN_MEMORY_SECONDS) * 1000
  await store.pruneTokens(tx, keyId, { now, keep: MAX_LIVE_TOKENS - 1, issuedBefore })
  // A token ends with its key, so its stated expiry must not be later.
  const expiresAt = Math.min(now + TOKEN_SECONDS * 1000, key.expires_at)
  await store.insertToken(tx, {
    token_id: id,
    key_id: keyId,
    scopes,
    digest: digestOf(pepper, text),
    issued_at: now,
    expires_at: expiresAt,
    revoked_at: null,
  })
  return { made: { token: text, scopes, issuedAt: now, expiresAt } }
}

/** A nonce sent twice means that it, or its key, has leaked: the token made from it is revoked too. */
async function refuseSpent(tx: Db, digest: Uint8Array, keyId: string, now: number): Promise<Problem> {
  const expiredAfter = now - SPENT_NONCE_MEMORY_SECONDS * 1000
  const tokenId = await store.findTokenOfSpentNonce(tx, digest, keyId, expiredAfter)
  if (tokenId === undefined) return nonceInvalid()
  await store.putTokenRevocation(tx, tokenId, now)
  await store.insertEvent(tx, 'nonce_reused', keyId, now)
  return new Problem('nonce_already_used')
}

/** Unknown, expired, malformed or another key's nonce: one answer, so that a caller cannot find out which. */
const nonceInvalid = (): Problem =>
  new Problem('nonce_invalid', undefined, {
    errors: [{ in: 'body', name: 'nonce', code: 'nonce_invalid', message: 'the nonce is not valid for this key now' }],
  })
