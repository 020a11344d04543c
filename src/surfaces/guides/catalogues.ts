import { z } from 'zod'
import { API_VERSION } from '../discovery/about-api.ts'
import { ABOUT, type DiscoveryParts, SERVICE } from '../discovery/descriptor.ts'
import type { Resource } from '../http/resource.ts'
import { DOCUMENTS, type ServiceDocument } from './documents.ts'

const HOUR = 'public, max-age=3600'
const LINKSET = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"'
/** Reverse DNS, as the registry of MCP servers names them. */
const MCP_NAME = 'io.github.agent-trust-registry/registry'

const Target = z.strictObject({ href: z.url(), type: z.string(), title: z.string() })

/** RFC 9727, in the form of RFC 9264. */
const ApiCatalog = z
  .strictObject({
    linkset: z.tuple([
      z.strictObject({
        anchor: z.url(),
        'service-desc': z.array(Target).min(1),
        'service-doc': z.array(Target).min(1),
        'service-meta': z.array(Target).min(1),
        status: z.array(Target).min(1),
      }),
    ]),
  })
  .meta({ id: 'ApiCatalog', description: 'The documents of this API, as a linkset' })

const AiCatalog = z
  .strictObject({
    specVersion: z.literal('1.0'),
    host: z.strictObject({ displayName: z.string(), documentationUrl: z.url() }),
    entries: z.array(
      z.strictObject({
        identifier: z.string().regex(/^urn:air:[a-z0-9.-]+:[a-z0-9-]+:[a-z0-9-]+$/),
        displayName: z.string(),
        type: z.string(),
        url: z.url(),
      }),
    ),
  })
  .meta({ id: 'AiCatalog', description: 'The endpoints of this host for agents' })

const ServerCard = z
  .strictObject({
    name: z.string(),
    title: z.string(),
    description: z.string(),
    version: z.string(),
    remotes: z.array(
      z.strictObject({
        type: z.literal('streamable-http'),
        url: z.url(),
        supportedProtocolVersions: z.array(z.string()),
        headers: z.array(
          z.strictObject({
            name: z.string(),
            description: z.string(),
            isRequired: z.literal(false),
            isSecret: z.literal(true),
          }),
        ),
      }),
    ),
  })
  .meta({ id: 'McpServerCard', description: 'Where the MCP endpoint is and what it takes' })

const catalogue = (
  spec: Pick<Resource, 'name' | 'path' | 'summary'> & { schema: z.ZodType; type?: string },
  make: () => unknown,
): Resource => {
  const { schema, type = 'application/json', ...rest } = spec
  return {
    ...rest,
    tag: 'discovery',
    isBesideApi: true,
    cache: HOUR,
    forms: [{ type, schema, render: () => JSON.stringify(schema.parse(make())) }],
  }
}

/** Lists for programs that look for what a host offers. */
export function catalogues(parts: DiscoveryParts): Resource[] {
  const card = (names: Pick<Resource, 'name' | 'path'>): Resource =>
    catalogue(
      { ...names, summary: 'The MCP server card', schema: ServerCard, type: 'application/mcp-server-card+json' },
      // A mirror has no tool that a token would open.
      () => serverCard(parts.baseUrl(), parts.notice === undefined ? parts.rails.header : undefined),
    )
  return [
    {
      ...catalogue(
        {
          name: 'get_api_catalog',
          path: '/.well-known/api-catalog',
          summary: 'The API catalogue (RFC 9727)',
          schema: ApiCatalog,
          type: LINKSET,
        },
        () => apiCatalog(parts.baseUrl()),
      ),
      headers: { link: '</.well-known/api-catalog>; rel="api-catalog"' },
    },
    catalogue(
      {
        name: 'get_ai_catalog',
        path: '/.well-known/ai-catalog.json',
        summary: 'The endpoints of this host for agents',
        schema: AiCatalog,
      },
      () => aiCatalog(parts.baseUrl()),
    ),
    card({ name: 'get_mcp_server_card', path: '/mcp/server-card' }),
    card({ name: 'get_well_known_mcp_server_card', path: '/.well-known/mcp/server-card.json' }),
  ]
}

function apiCatalog(base: string): z.input<typeof ApiCatalog> {
  const all = (rel: ServiceDocument['rel']): z.input<typeof Target>[] =>
    DOCUMENTS.filter((document) => document.rel === rel).map(({ path, type, title }) => ({
      href: `${base}${path}`,
      type,
      title,
    }))
  return {
    linkset: [
      {
        anchor: `${base}/`,
        'service-desc': all('service-desc'),
        'service-doc': all('service-doc'),
        'service-meta': all('service-meta'),
        status: all('status'),
      },
    ],
  }
}

function aiCatalog(base: string): z.input<typeof AiCatalog> {
  const { hostname } = new URL(base)
  const domain = hostname.replaceAll(/[^a-z0-9.-]/g, '')
  return {
    specVersion: '1.0',
    host: { displayName: SERVICE, documentationUrl: `${base}/index.md` },
    entries: [
      {
        identifier: `urn:air:${domain}:mcp:trust-registry`,
        displayName: `${SERVICE} over MCP`,
        type: 'application/mcp-server-card+json',
        url: `${base}/mcp/server-card`,
      },
      {
        identifier: `urn:air:${domain}:a2a:trust-registry`,
        displayName: `${SERVICE} over A2A`,
        type: 'application/a2a-agent-card+json',
        url: `${base}/.well-known/agent-card.json`,
      },
    ],
  }
}

/** The card has the facts of `server.json`; that file is for the registry of MCP servers, and names no host. */
export function serverCard(base: string, header: string | undefined): z.input<typeof ServerCard> {
  const description = 'Rails token, for the protected tools only; /auth.md says how to obtain one'
  return {
    name: MCP_NAME,
    title: SERVICE,
    description: ABOUT,
    version: API_VERSION,
    remotes: [
      {
        type: 'streamable-http',
        url: `${base}/mcp`,
        supportedProtocolVersions: ['2026-07-28', '2025-11-25'],
        headers: header === undefined ? [] : [{ name: header, description, isRequired: false, isSecret: true }],
      },
    ],
  }
}
