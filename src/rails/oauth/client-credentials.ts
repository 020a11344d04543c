import { z } from 'zod'
import {
  type Agent,
  type Call,
  type Operation,
  operation,
  refusedAs,
  SCOPE_NAMES,
  type Scope,
} from '../../operation.ts'
import { Problem } from '../../problem.ts'
import { type ChallengeParts, MAX_LIVE_NONCES, SPENT_NONCE_MEMORY_SECONDS } from '../challenge.ts'
import { agentKeyId, digestOf, makeRailsToken, PATTERNS } from '../credential.ts'
import { keyRefusal } from '../refusal.ts'
import * as store from '../store.ts'
import { type Exchange, grantedScopes, type IssuedToken, lockLiveKey, putToken, refuseSpent } from '../token.ts'
import { agentOfAssertion, claimedIssuer } from './assertion.ts'

// OAuth 2.0 client credentials (RFC 6749 section 4.4): challenge and attest for programs that use OAuth. The client is an
// agent key; the access token is a rails token with a shorter life.

export const TOKEN_PATH = '/token'
const ACCESS_TOKEN_SECONDS = 300
const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

interface OAuthParts extends ChallengeParts {
  /** Paths of this service that a `resource` parameter may name, in addition to the service itself. */
  resources: readonly string[]
}

/** The credentials in a request to the token endpoint. Hostile text. */
export interface ClientClaim {
  authorization: string | undefined
  client_secret: string | undefined
  client_assertion: string | undefined
  client_assertion_type: string | undefined
}

/**
 * The credential for the gate: the agent key, or an assertion. A client may use only one of them (RFC 6749 section 2.3).
 * Nothing is looked up here, so that the gate counts a wrong credential as failed authentication.
 */
export function clientCall(parts: OAuthParts, claim: ClientClaim): Pick<Call, 'agentKey' | 'proof'> {
  const { authorization, client_secret, client_assertion, client_assertion_type } = claim
  const ways = [authorization, client_secret, client_assertion].filter((way) => way !== undefined)
  if (ways.length > 1) throw new Problem('invalid_request', 'a client authenticates in one way, not in several')
  if (authorization !== undefined) return { agentKey: basicKey(authorization) ?? 'malformed' }
  if (client_assertion === undefined) return {}
  if (client_assertion_type !== ASSERTION_TYPE)
    throw new Problem('invalid_request', `the client_assertion_type must be ${ASSERTION_TYPE}`)
  const audiences = (): string[] => [parts.baseUrl(), `${parts.baseUrl()}${TOKEN_PATH}`]
  const agent = (): Promise<Agent | undefined> => agentOfAssertion({ ...parts, audiences }, client_assertion)
  return { proof: { keyId: claimedIssuer(client_assertion), agent } }
}

/** Reads id and secret, which are form-encoded (RFC 6749 section 2.3.1). The id is the key's, the secret is the whole key. */
function basicKey(authorization: string): string | undefined {
  const [, encoded = ''] = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(authorization) ?? []
  const [id = '', secret = '', ...more] = Buffer.from(encoded, 'base64').toString('latin1').split(':')
  const key = formDecoded(secret)
  return more.length === 0 && key !== undefined && agentKeyId(key) === formDecoded(id) ? key : undefined
}

function formDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}

const TokenRequest = z.strictObject({
  grant_type: z
    .literal('client_credentials')
    .register(refusedAs, { problem: 'unsupported_grant_type' })
    .meta({ description: 'client_credentials' }),
  scope: z.string().optional().meta({ description: 'Scopes, separated by spaces; all of the key if left out' }),
  resource: z.array(z.string()).optional().meta({ description: 'What the token is for: this service' }),
  client_id: z.string().optional().meta({ description: 'The id of the agent key' }),
})

const AccessToken = z
  .strictObject({
    access_token: z.string().regex(new RegExp(PATTERNS.rails_token)),
    token_type: z.literal('Bearer'),
    expires_in: z.int().min(0).max(ACCESS_TOKEN_SECONDS),
    scope: z.string(),
  })
  .meta({ description: 'A rails token, in the form of RFC 6749 section 5.1' })

/** The operation of the token endpoint, whose requests are forms. */
export const tokenOperation = (parts: OAuthParts): Operation =>
  operation({
    name: 'request_token',
    summary: 'Exchanges the credentials of an OAuth client for a rails token',
    description:
      'OAuth 2.0 client credentials. The client is an agent key; the token is valid for at most 300 seconds.',
    tag: 'agent-rails',
    http: { method: 'POST', path: TOKEN_PATH },
    access: 'agent_key',
    limit: 'default',
    cache: 'no-store',
    input: TokenRequest,
    output: AccessToken,
    problems: ['unsupported_grant_type', 'invalid_scope', 'invalid_target', 'proof_required', 'nonce_already_used'],
    async run({ scope, resource = [], client_id }, { agent }) {
      if (!agent || (client_id !== undefined && client_id !== agent.key_id)) throw keyRefusal('agent_key_invalid')
      const known = ['', '/', ...parts.resources].map((path) => parts.baseUrl() + path)
      if (!resource.every((name) => known.includes(name))) throw new Problem('invalid_target')
      const { token, scopes, issuedAt, expiresAt } = await exchange(parts, agent, scopesOf(scope))
      const expires_in = Math.floor((expiresAt - issuedAt) / 1000)
      return { access_token: token, token_type: 'Bearer', expires_in, scope: scopes.join(' ') } as const
    },
  })

function scopesOf(text: string | undefined): Scope[] | undefined {
  if (text === undefined) return undefined
  const words = text.split(' ')
  const scopes = SCOPE_NAMES.filter((scope) => words.includes(scope))
  if (!words.every((word) => scopes.some((scope) => scope === word))) throw new Problem('invalid_scope')
  return scopes
}

async function exchange(
  parts: OAuthParts,
  agent: Agent,
  requested: readonly Scope[] | undefined,
): Promise<IssuedToken> {
  const { db, pepper, random } = parts
  const now = await parts.now()
  const { key_id, assertion } = agent
  const result = await db.transaction<Exchange>(
    async (tx) => {
      const key = await lockLiveKey(tx, key_id, now)
      // A key with a public key needs both the secret and a signature.
      if (key.public_key && !assertion) throw keyRefusal('proof_required')
      const scopes = grantedScopes(key, requested)
      const token = makeRailsToken(random)
      if (assertion) {
        // The id of an assertion is a nonce that the client made. It is stored as spent.
        const spentBefore = now - SPENT_NONCE_MEMORY_SECONDS * 1000
        await store.pruneNonces(tx, key_id, { now, keep: MAX_LIVE_NONCES, spentBefore })
        const digest = digestOf(pepper, `assertion\n${key_id}\n${assertion.id}`)
        const spent = { digest, key_id, token_id: token.id, now, expires_at: assertion.expires_at }
        if (!(await store.insertSpentNonce(tx, spent)))
          return {
            issued: undefined,
            refusal: await refuseSpent(tx, digest, key_id, now, new Problem('nonce_already_used')),
          }
      }
      return { issued: await putToken(tx, parts, { key, token, scopes, seconds: ACCESS_TOKEN_SECONDS, now }) }
    },
    { writers: 'many' },
  )
  if (!result.issued) throw result.refusal
  return result.issued
}
