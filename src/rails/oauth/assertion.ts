import type { JWTVerifyResult } from 'jose'
import type { Db } from '../../db/db.ts'
import type { Agent } from '../../operation.ts'
import { isText } from '../../proof/canonical-json.ts'
import { isSoundEd25519Key } from '../../proof/note/ed25519-key.ts'
import { isLive } from '../keys.ts'
import { jwkOf, thumbprintOf } from '../possession.ts'
import * as store from '../store.ts'

// RFC 7523 section 2.2: a client authenticates by a JSON Web Token that it signed. The token is hostile text.

/** The longest time between the making of an assertion and its use, and between its use and its expiry. */
const ASSERTION_SECONDS = 300
/** How far the clock of a client may differ from ours. */
export const CLOCK_SECONDS = 30
/** Two names of one algorithm (RFC 8037 and RFC 9864). All others are refused, such as `none` and HMAC with a public key. */
export const ASSERTION_ALGORITHMS = ['EdDSA', 'Ed25519']

/** The only members of a header. The key is the registered one: a header with a key or the address of one is refused. */
const HEADER_MEMBERS = ['alg', 'typ', 'kid']
const TYPES = [undefined, 'jwt', 'client-authentication+jwt']
const MOST_ID_LENGTH = 256

/** Used instead of a missing key, so that the time of an answer does not reveal which ids exist. */
const NOBODY = new Uint8Array(Buffer.from('d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a', 'hex'))

interface AssertionParts {
  db: Db
  now: () => Promise<number>
  /** The names under which this service may be the audience: its issuer identifier, and its token endpoint. */
  audiences: () => string[]
}

/** The agent whose key signed the assertion; undefined if the assertion is not valid now, whatever the reason. */
export async function agentOfAssertion(parts: AssertionParts, text: string): Promise<Agent | undefined> {
  const keyId = claimedIssuer(text)
  if (keyId === undefined) return undefined
  const key = await store.findKey(parts.db, keyId)
  const now = await parts.now()
  const publicKey = key?.public_key ?? NOBODY
  const assertion = await verified(text, publicKey, keyId, parts.audiences(), now)
  if (!assertion || !key?.public_key || !isLive(key, now)) return undefined
  return { key_id: keyId, scopes: key.scopes, assertion }
}

/** Loaded with the first assertion, so that the service starts sooner. */
const jose = () => import('jose')

/** The issuer that an assertion names, which decides whose public key is tried. Nothing is proved by it. */
export function claimedIssuer(text: string): string | undefined {
  try {
    const { iss } = JSON.parse(Buffer.from(text.split('.')[1] ?? '', 'base64url').toString())
    return typeof iss === 'string' && /^[0-9A-Za-z]{12}$/.test(iss) ? iss : undefined
  } catch {
    return undefined
  }
}

async function verified(
  text: string,
  publicKey: Uint8Array,
  keyId: string,
  audiences: string[],
  now: number,
): Promise<Agent['assertion']> {
  if (!isSoundEd25519Key(publicKey)) return undefined
  const { jwtVerify, errors } = await jose()
  const checked = await jwtVerify(text, jwkOf(publicKey), {
    algorithms: ASSERTION_ALGORITHMS,
    issuer: keyId,
    subject: keyId,
    audience: audiences,
    requiredClaims: ['exp', 'jti'],
    clockTolerance: CLOCK_SECONDS,
    currentDate: new Date(now),
  }).catch((error: unknown) => {
    if (error instanceof errors.JOSEError) return undefined
    throw error
  })
  if (!checked || !hasPlainHeader(checked, keyId, publicKey)) return undefined
  const { exp = 0, iat, aud, jti } = checked.payload
  const seconds = now / 1000
  if (exp > seconds + ASSERTION_SECONDS + CLOCK_SECONDS) return undefined
  if (iat !== undefined && Math.abs(seconds - iat) > ASSERTION_SECONDS + CLOCK_SECONDS) return undefined
  // If an assertion had several audiences, one of these services could use it at another (RFC 7523bis).
  if (Array.isArray(aud) && aud.length !== 1) return undefined
  if (typeof jti !== 'string' || jti === '' || jti.length > MOST_ID_LENGTH) return undefined
  return { id: jti, expires_at: Math.ceil(exp * 1000) }
}

function hasPlainHeader({ protectedHeader }: JWTVerifyResult, keyId: string, publicKey: Uint8Array): boolean {
  const { typ, kid } = protectedHeader
  return (
    Object.keys(protectedHeader).every((member) => HEADER_MEMBERS.includes(member)) &&
    TYPES.includes(isText(typ) ? typ.toLowerCase() : typ) &&
    (kid === undefined || kid === keyId || kid === thumbprintOf(publicKey))
  )
}
