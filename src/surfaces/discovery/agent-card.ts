import { z } from 'zod'
import { type Operation, SCOPES } from '../../operation.ts'
import { utf8 } from '../../proof/bytes.ts'
import { canonical } from '../../proof/canonical-json.ts'
import { jsonForm, type Resource } from '../http/resource.ts'
import { API_VERSION } from './about-api.ts'
import { ABOUT, type DiscoveryParts, SERVICE } from './descriptor.ts'
import { type DocumentKey, JWKS_PATH } from './jwks.ts'

const SCHEME = 'AgentRails'
const OAUTH = 'OAuth'
const names = z.array(z.string().min(1)).min(1)
const scopeList = z.strictObject({ list: z.array(z.string()) })
const Requirement = z.strictObject({
  schemes: z.union([z.strictObject({ [SCHEME]: scopeList }), z.strictObject({ [OAUTH]: scopeList })]),
})

/** A2A 1.0 AgentCard as ProtoJSON. Closed, so that a member of version 0.3 cannot come back by accident. */
export const AgentCard = z
  .strictObject({
    name: z.string().min(1),
    description: z.string().min(1),
    supportedInterfaces: z
      .array(z.strictObject({ url: z.url(), protocolBinding: z.string().min(1), protocolVersion: z.literal('1.0') }))
      .min(1),
    provider: z.strictObject({ url: z.url(), organization: z.string().min(1) }),
    version: z.string(),
    documentationUrl: z.url(),
    iconUrl: z.url(),
    capabilities: z.strictObject({
      streaming: z.literal(false),
      pushNotifications: z.literal(false),
      extendedAgentCard: z.literal(false),
    }),
    securitySchemes: z.strictObject({
      [SCHEME]: z.strictObject({
        apiKeySecurityScheme: z.strictObject({
          description: z.string(),
          location: z.literal('header'),
          name: z.string(),
        }),
      }),
      [OAUTH]: z.strictObject({
        oauth2SecurityScheme: z.strictObject({
          description: z.string(),
          flows: z.strictObject({
            clientCredentials: z.strictObject({ tokenUrl: z.url(), scopes: z.record(z.string(), z.string()) }),
          }),
          oauth2MetadataUrl: z.url(),
        }),
      }),
    }),
    defaultInputModes: names,
    defaultOutputModes: names,
    skills: z
      .array(
        z.strictObject({
          id: z.string().min(1),
          name: z.string().min(1),
          description: z.string().min(1),
          tags: names,
          examples: names.optional(),
          securityRequirements: z.array(Requirement).min(1).optional(),
        }),
      )
      .min(1),
    signatures: z
      .array(z.strictObject({ protected: z.string(), signature: z.string() }))
      .min(1)
      .max(2),
  })
  .meta({ id: 'AgentCard', 'x-spec': 'A2A 1.0', description: 'A2A 1.0 agent card' })

export interface AgentCardParts extends DiscoveryParts {
  /** Skills that A2A answers. */
  skills: () => readonly Operation[]
  a2aPath: string
  tokenPath: string
  key: DocumentKey
  /** Whether to sign the card a second time, without its security schemes: some clients leave them out when they verify. */
  isSignedTwice: boolean
}

export const agentCard = (parts: AgentCardParts): Resource => ({
  name: 'get_agent_card',
  path: '/.well-known/agent-card.json',
  summary: 'The agent card',
  tag: 'discovery',
  cache: 'public, max-age=3600',
  stamp: parts.baseUrl,
  forms: [jsonForm(AgentCard, () => signed(card(parts), parts))],
})

type Card = z.input<typeof AgentCard>

/**
 * A2A 1.0 section 8.4: a JWS over the canonical JSON of the card without its signatures. The card has no empty members, so
 * it is its own canonical form. The signature is the same each time, and with it the ETag.
 */
function signed(unsigned: Omit<Card, 'signatures'>, parts: AgentCardParts): Card {
  const { securitySchemes: _, ...without } = unsigned
  const payloads = parts.isSignedTwice ? [unsigned, without] : [unsigned]
  return { ...unsigned, signatures: payloads.map((payload) => signatureOf(payload, parts)) }
}

function signatureOf(card: object, { baseUrl, key }: AgentCardParts): Card['signatures'][number] {
  const header = JSON.stringify({ alg: 'EdDSA', typ: 'JOSE', kid: key.kid, jku: `${baseUrl()}${JWKS_PATH}` })
  const protectedHeader = base64url(utf8(header))
  const signature = key.sign(utf8(`${protectedHeader}.${base64url(utf8(canonical(card)))}`))
  return { protected: protectedHeader, signature: base64url(signature) }
}

const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url')

function card({ baseUrl, rails, skills, a2aPath, tokenPath }: AgentCardParts): Omit<Card, 'signatures'> {
  const base = baseUrl()
  const openapi = `${base}/api/openapi.json`
  return {
    name: SERVICE,
    description: `${ABOUT} Each skill is the operation with the same id in ${openapi}.`,
    supportedInterfaces: [
      { url: `${base}${a2aPath}`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      // Plain HTTP as in the OpenAPI description has no name in A2A: its binding is our own URI.
      { url: base, protocolBinding: openapi, protocolVersion: '1.0' },
    ],
    provider: { url: base, organization: SERVICE },
    version: API_VERSION,
    documentationUrl: `${base}/`,
    iconUrl: `${base}/logo.svg`,
    capabilities: { streaming: false, pushNotifications: false, extendedAgentCard: false },
    securitySchemes: {
      [SCHEME]: {
        apiKeySecurityScheme: {
          description: `Rails token; ${base}/api/agent-rails/policy says how to obtain one`,
          location: 'header',
          name: rails.header,
        },
      },
      [OAUTH]: {
        oauth2SecurityScheme: {
          description: 'The same token, obtained by OAuth client credentials and sent as a bearer token',
          flows: { clientCredentials: { tokenUrl: `${base}${tokenPath}`, scopes: { ...SCOPES } } },
          oauth2MetadataUrl: `${base}/.well-known/oauth-authorization-server`,
        },
      },
    },
    defaultInputModes: ['application/json', 'text/plain'],
    defaultOutputModes: ['application/json'],
    skills: skills().map(skill),
  }
}

/** Examples of what an agent can write for a skill, as text or as the data part of a message. */
const EXAMPLES: Readonly<Record<string, string[]>> = {
  lookup_reference: [
    'What does Medicare pay for 99213 in San Francisco, CA 94102?',
    '{"skill":"lookup_reference","cpt":"99213","region":"94102"}',
  ],
  check_bill: [
    '{"skill":"check_bill","kind":"hospital","day":"2026-07-15","lines":[{"code":"80053","billed":"310.00"},{"code":"82947","billed":"62.00"}]}',
  ],
  lookup_references: [
    'I was billed $300 for 99213 in 94102. Is that fair?',
    '{"skill":"lookup_references","lines":[{"cpt":"99213","region":"94102","units":1,"billed":"300.00"}]}',
  ],
}

function skill({ name, summary, tag, access }: Operation): Card['skills'][number] {
  const examples = EXAMPLES[name]
  const shown = { id: name, name: readable(name), tags: [tag], ...(examples && { examples }) }
  if (access === 'public') return { ...shown, description: `${summary}. Open to all.` }
  const list = [access]
  return {
    ...shown,
    description: `${summary}. Needs a rails token with the scope ${access}.`,
    securityRequirements: [{ schemes: { [SCHEME]: { list } } }, { schemes: { [OAUTH]: { list } } }],
  }
}

const readable = (name: string): string => `${name.charAt(0).toUpperCase()}${name.slice(1).replaceAll('_', ' ')}`
