import { z } from 'zod'
import { type Access, SCOPE_NAMES, SCOPES, type Scope } from '../operation.ts'
import { KEY_DAYS, NONCE_SECONDS, PATTERNS, RAILS, TOKEN_SECONDS } from './credential.ts'
import { possessionMessage } from './possession.ts'

export const POLICY_VERSION = '1.1.0'
export const POLICY_PATH = '/api/agent-rails/policy'
export const CHALLENGE_PATH = '/api/agent-rails/challenge'
export const ATTEST_PATH = '/api/agent-rails/attest' as const
/** The headers that carry credentials. */
export const HEADERS = { agent_key: 'X-Agent-Key', agent_rails: 'X-Agent-Rails' } as const

export const PROTECTED_ROUTES = {
  '/api/registry': ['registry:read'],
  '/api/provider/{npi}': ['provider:read'],
  '/api/data-integrity': ['integrity:read'],
  '/api/figure-changes': ['audit:read'],
} as const satisfies Record<string, readonly Scope[]>

const PUBLIC_ROUTES = [
  '/',
  '/api/readme',
  '/api/figures',
  '/reference',
  '/.well-known/ai-plugin.json',
  '/.well-known/agent-card.json',
  '/api/openapi.json',
  POLICY_PATH,
] as const

/** The fourteen routes that the contract names. */
export const CONTRACT_ROUTES: readonly string[] = [
  ...PUBLIC_ROUTES,
  ...Object.keys(PROTECTED_ROUTES),
  CHALLENGE_PATH,
  ATTEST_PATH,
]

export const FLOW = [
  `GET ${POLICY_PATH} to read the scopes and what each route requires`,
  `POST ${CHALLENGE_PATH} with the header ${HEADERS.agent_key}: <AGENT_KEY>; the answer carries a nonce`,
  `POST ${ATTEST_PATH} with the body {"nonce": "<NONCE>"} and the header ${HEADERS.agent_key}: <AGENT_KEY>; the answer carries rails_token`,
  `Call protected routes with the header ${HEADERS.agent_rails}: <RAILS_TOKEN>`,
] as const

export const NAMING = {
  agent_rails: `Authentication and permission rails (header ${HEADERS.agent_rails})`,
  agent_tools: 'Callable HTTP and MCP tools',
  agent_structures: 'OpenAPI description, agent card, README, schemas',
} as const

const described = (description: string) => z.string().meta({ description })
const seconds = (description: string) => z.int().positive().meta({ description })
const scopeList = z.array(z.enum(SCOPE_NAMES))

export const RailsPolicy = z
  .strictObject({
    policy_version: described('Version of this policy'),
    rails: z.literal(RAILS).meta({ description: 'Identifier of the rails scheme' }),
    flow: z.array(z.string()).length(4).meta({ description: 'The four steps of authentication, in order' }),
    scopes: z
      .strictObject(Object.fromEntries(SCOPE_NAMES.map((scope) => [scope, described(SCOPES[scope])])))
      .meta({ description: 'What each scope allows its holder to read, by scope name' }),
    protected_routes: z
      .record(z.string(), scopeList)
      .meta({ description: 'The scopes a rails token needs, by protected path' }),
    public_routes: z.array(z.string()).meta({ description: 'Paths that need no header' }),
    additional_protected_routes: z
      .record(z.string(), scopeList)
      .meta({ description: 'Further protected paths of this service, in the same form' }),
    additional_public_routes: z
      .array(z.string())
      .meta({ description: 'Further paths of this service that need no header' }),
    headers: z
      .strictObject({
        agent_key: z.literal(HEADERS.agent_key).meta({ description: 'Header of the agent key' }),
        agent_rails: z.literal(HEADERS.agent_rails).meta({ description: 'Header of the rails token' }),
      })
      .meta({ description: 'The headers that carry credentials' }),
    rate_limits: z
      .strictObject({
        default_rpm: z.int().positive().meta({ description: 'Requests per minute on all other routes' }),
        reference_rpm: z.int().positive().meta({ description: 'Requests per minute on /reference and below it' }),
      })
      .meta({ description: 'Counted per key if the request has a valid credential, otherwise per address' }),
    proof_required: z.literal(true).meta({ description: 'Registry rows without a proof block are rejected' }),
    pii_policy: z.literal('aggregate_only').meta({ description: 'Only aggregates about disputes are exposed' }),
    naming: z
      .strictObject({
        agent_rails: described('What is called agent_rails'),
        agent_tools: described('What is called agent_tools'),
        agent_structures: described('What is called agent_structures'),
      })
      .meta({ description: 'What the three groups of the service are called' }),
    'x-credential-patterns': z
      .strictObject({
        agent_key: described('Pattern of an agent key'),
        nonce: described('Pattern of a nonce'),
        rails_token: described('Pattern of a rails token'),
        checksum: described('How the last six characters are computed from the others'),
      })
      .meta({ description: 'The exact shape of each credential, for secret scanners and early checks' }),
    'x-lifetimes-seconds': z
      .strictObject({
        agent_key: seconds('Lifetime of an agent key, unless the operator chose another'),
        nonce: seconds('Lifetime of a nonce, which can be used once'),
        rails_token: seconds('Longest lifetime of a rails token'),
      })
      .meta({ description: 'Lifetime of each credential, in seconds' }),
    'x-proof-of-possession': z
      .strictObject({
        applies_to: described('Which keys need it'),
        field: described('The member of the attest body that carries the signature'),
        algorithm: described('Signature algorithm'),
        encoding: described('How the signature is written'),
        message: described('The text to sign, in UTF-8, with the names in angle brackets replaced'),
        base_url: described('What <base_url> stands for'),
        signed_request: described('What takes the place of the signature over the nonce'),
      })
      .meta({ description: 'How a key that is registered with a public key signs its nonces' }),
    'x-oauth': z
      .strictObject({
        token_endpoint: described('Where OAuth clients get the same tokens'),
        metadata: described('The description of the authorization server (RFC 8414)'),
        client_id: described('What the client is called'),
        client_secret: described('What its secret is'),
      })
      .meta({ description: 'The same rails for OAuth clients: client credentials, in place of challenge and attest' }),
  })
  .meta({
    id: 'RailsPolicy',
    'x-plain': true,
    'x-long': true,
    description: 'How an agent gets access: scopes, routes, headers and limits',
  })

/** The routes that the policy lists in addition to those of the rails contract. */
export interface AdditionalRoutes {
  additional_public: string[]
  additional_protected: Record<string, Scope[]>
}

export function additionalRoutes(routes: readonly { path: string; access?: Access }[]): AdditionalRoutes {
  const named = new Set<string>([...Object.keys(PROTECTED_ROUTES), ...PUBLIC_ROUTES])
  const further: AdditionalRoutes = { additional_public: [], additional_protected: {} }
  for (const { path, access = 'public' } of routes) {
    if (named.has(path)) continue
    if (access === 'public') further.additional_public.push(path)
    else if (access !== 'agent_key') further.additional_protected[path] = [access]
  }
  return further
}

interface RailsPolicyParts {
  baseUrl: () => string
  limits: { default_rpm: number; reference_rpm: number }
  routes: AdditionalRoutes
}

export const railsPolicy = ({ baseUrl, limits, routes }: RailsPolicyParts): z.input<typeof RailsPolicy> => ({
  policy_version: POLICY_VERSION,
  rails: RAILS,
  flow: [...FLOW],
  scopes: { ...SCOPES },
  protected_routes: Object.fromEntries(Object.entries(PROTECTED_ROUTES).map(([path, scopes]) => [path, [...scopes]])),
  public_routes: [...PUBLIC_ROUTES],
  additional_protected_routes: routes.additional_protected,
  additional_public_routes: routes.additional_public,
  headers: HEADERS,
  rate_limits: { default_rpm: limits.default_rpm, reference_rpm: limits.reference_rpm },
  proof_required: true,
  pii_policy: 'aggregate_only',
  naming: NAMING,
  'x-credential-patterns': {
    ...PATTERNS,
    checksum: 'the last six characters are the CRC-32 of all characters before them, in base62 (0-9A-Za-z)',
  },
  'x-lifetimes-seconds': { agent_key: KEY_DAYS * 86_400, nonce: NONCE_SECONDS, rails_token: TOKEN_SECONDS },
  'x-proof-of-possession': {
    applies_to: 'keys that the operator registered with an Ed25519 public key',
    field: 'proof',
    algorithm: 'Ed25519',
    encoding: 'base64url without padding',
    message: possessionMessage('<base_url>', '<key_id>', '<nonce>'),
    base_url: baseUrl(),
    signed_request:
      'a request to attest signed as in RFC 9421: tag web-bot-auth, keyid the key id or JWK thumbprint, created and expires at most 300 seconds apart, covering @method, @authority, @path and content-digest',
  },
  'x-oauth': {
    token_endpoint: '/token',
    metadata: '/.well-known/oauth-authorization-server',
    client_id: 'the id of the agent key: its 12 characters after atk_',
    client_secret: 'the whole agent key; a key with a public key signs an assertion instead (private_key_jwt)',
  },
})
