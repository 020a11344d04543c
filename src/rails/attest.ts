import type { Db } from '../db/db.ts'
import type { Scope, SignedCall } from '../operation.ts'
import { Problem } from '../problem.ts'
import type { ChallengeParts } from './challenge.ts'
import { digestOf, isNonce, makeRailsToken, TOKEN_SECONDS } from './credential.ts'
import { ATTEST_PATH } from './policy.ts'
import { possessionMessage, provesPossession } from './possession.ts'
import { keyRefusal } from './refusal.ts'
import { isSignedRequest } from './signed-request.ts'
import * as store from './store.ts'
import { type Exchange, grantedScopes, type IssuedToken, lockLiveKey, putToken, refuseSpent } from './token.ts'

interface Attestation {
  /** Hostile text of any type. Every unusable nonce gets the same refusal. */
  nonce: unknown
  scopes?: readonly Scope[] | undefined
  proof?: string | undefined
  /** A request with signature fields. It replaces `proof`. */
  signed?: SignedCall | undefined
}

/**
 * Exchanges a nonce for a rails token. The nonce is spent only if everything else is valid. The proof of possession is
 * checked first, so that a caller without the private key learns nothing about a nonce.
 */
export async function attest(parts: ChallengeParts, keyId: string, attestation: Attestation): Promise<IssuedToken> {
  const now = await parts.now()
  const nonce = typeof attestation.nonce === 'string' ? attestation.nonce : ''
  await checkPossession(parts, keyId, { ...attestation, nonce }, now)
  // A refusal is returned and thrown later, because its revocation and event must commit.
  const exchange = await parts.db.transaction((tx) => spend(tx, parts, keyId, nonce, attestation.scopes, now), {
    writers: 'many',
  })
  if (!exchange.issued) throw exchange.refusal
  return exchange.issued
}

/** A signed request covers its body, and so the nonce. The nonce is used once, so the signature is valid for one request. */
async function checkPossession(
  { db, baseUrl }: ChallengeParts,
  keyId: string,
  { nonce, proof, signed }: { nonce: string } & Pick<Attestation, 'proof' | 'signed'>,
  now: number,
): Promise<void> {
  const public_key = (await store.findKey(db, keyId))?.public_key
  if (!public_key) return
  if (proof === undefined && signed === undefined) throw keyRefusal('proof_required')
  const isProved =
    proof !== undefined
      ? await provesPossession(public_key, proof, possessionMessage(baseUrl(), keyId, nonce))
      : signed !== undefined && (await isSignedCall(signed, baseUrl(), { key_id: keyId, public_key }, now))
  if (!isProved) throw keyRefusal('proof_invalid')
}

const isSignedCall = async (
  { header, body }: SignedCall,
  baseUrl: string,
  key: { key_id: string; public_key: Uint8Array },
  now: number,
): Promise<boolean> =>
  isSignedRequest({ method: 'POST', url: `${baseUrl}${ATTEST_PATH}`, header, body: await body() }, key, now)

async function spend(
  tx: Db,
  parts: ChallengeParts,
  keyId: string,
  nonce: string,
  requested: readonly Scope[] | undefined,
  now: number,
): Promise<Exchange> {
  const key = await lockLiveKey(tx, keyId, now)
  const scopes = grantedScopes(key, requested)
  if (!isNonce(nonce)) throw nonceInvalid()

  const digest = digestOf(parts.pepper, nonce)
  const token = makeRailsToken(parts.random)
  if (!(await store.spendNonce(tx, { digest, key_id: keyId, token_id: token.id, now })))
    return { issued: undefined, refusal: await refuseSpent(tx, digest, keyId, now, nonceInvalid()) }
  return { issued: await putToken(tx, parts, { key, token, scopes, seconds: TOKEN_SECONDS, now }) }
}

/** The refusal of every unusable nonce (unknown, expired, malformed, another key's), so that a caller cannot tell which. */
const nonceInvalid = (): Problem =>
  new Problem('nonce_invalid', undefined, {
    errors: [{ in: 'body', name: 'nonce', code: 'nonce_invalid', message: 'the nonce is not valid for this key now' }],
  })
