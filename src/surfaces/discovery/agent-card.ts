import { z } from 'zod'
import type { Operation } from '../../operation.ts'
import { jsonForm } from '../http/json-form.ts'
import type { Resource } from '../http/resource.ts'
import { ABOUT, type DiscoveryParts, SERVICE } from './descriptor.ts'
import { API_VERSION } from './openapi.ts'

const SCHEME = 'AgentRails'
const names = z.array(z.string().min(1)).min(1)
const Requirement = z.strictObject({
  schemes: z.strictObject({ [SCHEME]: z.strictObject({ list: z.array(z.string()) }) }),
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
          securityRequirements: z.array(Requirement).min(1).optional(),
        }),
      )
      .min(1),
  })
  .meta({ id: 'AgentCard', description: 'A2A 1.0 agent card' })

export const agentCard = (parts: DiscoveryParts): Resource => ({
  name: 'get_agent_card',
  path: '/.well-known/agent-card.json',
  summary: 'The agent card',
  tag: 'discovery',
  cache: 'public, max-age=3600',
  forms: [jsonForm(AgentCard, () => card(parts))],
})

function card({ baseUrl, rails, operations }: DiscoveryParts): z.input<typeof AgentCard> {
  const base = baseUrl()
  const openapi = `${base}/api/openapi.json`
  return {
    name: SERVICE,
    description: `${ABOUT} Each skill is the operation with the same id in ${openapi}.`,
    // The binding is our own URI, because plain HTTP as in the OpenAPI description is the only interface.
    supportedInterfaces: [{ url: base, protocolBinding: openapi, protocolVersion: '1.0' }],
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
    },
    defaultInputModes: ['application/json'],
    defaultOutputModes: ['application/json'],
    skills: operations()
      .filter(({ http }) => http.method === 'GET')
      .map(skill),
  }
}

function skill({ name, summary, tag, access }: Operation): z.input<typeof AgentCard>['skills'][number] {
  const shown = { id: name, name: readable(name), tags: [tag] }
  if (access === 'public') return { ...shown, description: `${summary}. Open to all.` }
  return {
    ...shown,
    description: `${summary}. Needs a rails token with the scope ${access}.`,
    securityRequirements: [{ schemes: { [SCHEME]: { list: [access] } } }],
  }
}

const readable = (name: string): string => `${name.charAt(0).toUpperCase()}${name.slice(1).replaceAll('_', ' ')}`
