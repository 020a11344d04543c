import { z } from 'zod'
import type { Db } from '../db/db.ts'
import { type Agent, type Operation, operation, refusedAs, SCOPE_NAMES } from '../operation.ts'
import { attest } from './attest.ts'
import { issueNonce } from './challenge.ts'
import { NONCE_SECONDS, PATTERNS, RAILS, TOKEN_SECONDS } from './credential.ts'
import {
  type AdditionalRoutes,
  ATTEST_PATH,
  CHALLENGE_PATH,
  HEADERS,
  POLICY_PATH,
  POLICY_VERSION,
  RailsPolicy,
  railsPolicy,
} from './policy.ts'
import { SIGNATURE_PATTERN } from './possession.ts'

export interface RailsParts {
  db: Db
  pepper: Uint8Array
  /** Epoch milliseconds by the database's clock, which all replicas share. */
  now: () => Promise<number>
  random: (bytes: number) => Uint8Array
  baseUrl: () => string
  limits: { default_rpm: number; reference_rpm: number }
  routes: AdditionalRoutes
}

const SCHEME = { rails: RAILS, policy_version: POLICY_VERSION } as const
const schemeFields = {
  rails: z.literal(RAILS).meta({ description: 'Identifier of the rails scheme' }),
  policy_version: z.string().meta({ description: 'Version of the policy in force' }),
}

const Challenge = z
  .strictObject({
    nonce: z
      .string()
      .regex(new RegExp(PATTERNS.nonce))
      .meta({ description: 'Send it to attest, once, with the same key' }),
    expires_in: z.int().min(0).max(NONCE_SECONDS).meta({ description: 'Seconds until the nonce expires' }),
    expires_at: z.iso.datetime().meta({ description: 'When the nonce expires, UTC' }),
    ...schemeFields,
    attest: z.literal(ATTEST_PATH).meta({ description: 'Where to send it' }),
  })
  .meta({ description: 'A nonce for one agent key' })

/** The schema only documents the nonce. `attest` refuses all invalid ones with the same text, so none is refused earlier. */
const Nonce = z
  .unknown()
  .meta({
    type: 'string',
    pattern: PATTERNS.nonce,
    description: 'the nonce from the challenge, at most 120 seconds old',
  })
  .register(refusedAs, { problem: 'nonce_invalid' })

const AttestRequest = z.strictObject({
  nonce: Nonce,
  scopes: z
    .array(z.enum(SCOPE_NAMES))
    .min(1)
    .max(SCOPE_NAMES.length)
    .optional()
    .meta({ description: 'a list of fewer scopes than the key has; all of them if left out' }),
  proof: z.string().max(128).optional().meta({
    pattern: SIGNATURE_PATTERN,
    description: 'the signature over the nonce; only for keys with a public key',
  }),
})

const RailsToken = z
  .strictObject({
    rails_token: z
      .string()
      .regex(new RegExp(PATTERNS.rails_token))
      .meta({ description: 'A secret: send it to protected routes of this service and nowhere else' }),
    header: z.literal(HEADERS.agent_rails).meta({ description: 'The header that carries it' }),
    expires_in: z.int().min(0).max(TOKEN_SECONDS).meta({ description: 'Seconds until the token expires' }),
    expires_at: z.iso.datetime().meta({ description: 'When the token expires, UTC' }),
    scopes: z
      .array(z.enum(SCOPE_NAMES))
      .meta({ description: 'The scopes of the token, as long as its key has them too' }),
    key_id: z.string().meta({ description: 'Public id of the agent key' }),
    ...schemeFields,
  })
  .meta({ description: 'A rails token with its scopes and expiry' })

export const railsOperations = (parts: RailsParts): Operation[] => [
  operation({
    name: 'get_policy',
    summary: 'How an agent gets access: scopes, routes, headers and limits',
    description:
      'The rails policy: the four steps from agent key to rails token, the five scopes, the scope that each route needs, and the rate limits.',
    tag: 'agent-rails',
    http: { method: 'GET', path: POLICY_PATH },
    access: 'public',
    limit: 'default',
    cache: 'public, max-age=3600',
    stamp: parts.baseUrl,
    input: z.strictObject({}),
    output: RailsPolicy,
    problems: [],
    run: async () => railsPolicy(parts),
  }),
  operation({
    name: 'request_challenge',
    summary: 'Issues a nonce for the calling agent key',
    description: 'The second step of the rails. A nonce is valid for 120 seconds, once, and only with the same key.',
    tag: 'agent-rails',
    http: { method: 'POST', path: CHALLENGE_PATH },
    access: 'agent_key',
    limit: 'default',
    cache: 'no-store',
    input: z.strictObject({}),
    output: Challenge,
    problems: ['agent_key_missing', 'agent_key_invalid'],
    async run(_, { agent }) {
      const { nonce, issuedAt, expiresAt } = await issueNonce(parts, keyIdOf(agent))
      return { nonce, ...life(issuedAt, expiresAt), ...SCHEME, attest: ATTEST_PATH }
    },
  }),
  operation({
    name: 'attest',
    summary: 'Exchanges a nonce for a rails token',
    description:
      'The third step of the rails. The token is valid for at most 900 seconds, with the scopes that it was issued with and that its key still has. Sending a nonce twice revokes the token made from it.',
    tag: 'agent-rails',
    http: { method: 'POST', path: ATTEST_PATH },
    access: 'agent_key',
    limit: 'default',
    cache: 'no-store',
    input: AttestRequest,
    output: RailsToken,
    problems: [
      'nonce_invalid',
      'nonce_already_used',
      'agent_key_missing',
      'agent_key_invalid',
      'proof_required',
      'proof_invalid',
      'insufficient_scope',
    ],
    async run(attestation, { agent, signed }) {
      const key_id = keyIdOf(agent)
      const { token, scopes, issuedAt, expiresAt } = await attest(parts, key_id, { ...attestation, signed })
      return {
        rails_token: token,
        header: HEADERS.agent_rails,
        ...life(issuedAt, expiresAt),
        scopes,
        key_id,
        ...SCHEME,
      }
    },
  }),
]

const life = (issuedAt: number, expiresAt: number): { expires_in: number; expires_at: string } => ({
  expires_in: Math.floor((expiresAt - issuedAt) / 1000),
  expires_at: new Date(expiresAt).toISOString(),
})

function keyIdOf(agent: Agent | undefined): string {
  if (!agent) throw new Error('the gate admitted a caller without an agent key to an operation that needs one')
  return agent.key_id
}
