// Every document that describes the service, once. Catalogues, link headers, sitemap and llms.txt are read off this list.

export interface ServiceDocument {
  path: string
  type: string
  title: string
  summary: string
  /** Its relation to the service: RFC 8288 and RFC 9727. */
  rel:
    | 'service-desc'
    | 'service-doc'
    | 'service-meta'
    | 'describedby'
    | 'status'
    | 'api-catalog'
    | 'ai-catalog'
    | 'alternate'
  /** The list in which programs find it: for readers of documentation, or as a further file of the service. */
  section: 'docs' | 'machine' | 'optional'
}

export const DOCUMENTS: readonly ServiceDocument[] = [
  {
    path: '/index.md',
    type: 'text/markdown',
    title: 'Guide for agents',
    summary: 'every call and parameter, how to get a key, how to check a proof',
    rel: 'service-doc',
    section: 'docs',
  },
  {
    path: '/auth.md',
    type: 'text/markdown',
    title: 'How to get in',
    summary: 'keys, rails tokens, OAuth, revocation',
    rel: 'service-doc',
    section: 'docs',
  },
  {
    path: '/llms.txt',
    type: 'text/plain',
    title: 'Table of contents',
    summary: 'these documents, for language models',
    rel: 'describedby',
    section: 'optional',
  },
  {
    path: '/api/readme',
    type: 'application/json',
    title: 'Briefing',
    summary: 'the service in short, as JSON',
    rel: 'describedby',
    section: 'machine',
  },
  {
    path: '/api/openapi.json',
    type: 'application/json',
    title: 'OpenAPI description',
    summary: 'every route and shape',
    rel: 'service-desc',
    section: 'machine',
  },
  {
    path: '/api/agent-rails/policy',
    type: 'application/json',
    title: 'Rails policy',
    summary: 'scopes, routes, headers and limits',
    rel: 'service-meta',
    section: 'machine',
  },
  {
    path: '/.well-known/agent-card.json',
    type: 'application/json',
    title: 'A2A agent card',
    summary: 'skills and interfaces, signed',
    rel: 'service-meta',
    section: 'machine',
  },
  {
    path: '/mcp/server-card',
    type: 'application/mcp-server-card+json',
    title: 'MCP server card',
    summary: 'where the MCP endpoint is and what it takes',
    rel: 'service-meta',
    section: 'machine',
  },
  {
    path: '/log/policy',
    type: 'text/plain',
    title: 'Log keys',
    summary: 'pin them before you trust any proof',
    rel: 'service-meta',
    section: 'machine',
  },
  {
    path: '/.well-known/ai-plugin.json',
    type: 'application/json',
    title: 'Plugin manifest',
    summary: 'for readers of that format',
    rel: 'service-meta',
    section: 'optional',
  },
  {
    path: '/.well-known/api-catalog',
    type: 'application/linkset+json',
    title: 'API catalogue',
    summary: 'RFC 9727',
    rel: 'api-catalog',
    section: 'optional',
  },
  {
    path: '/.well-known/ai-catalog.json',
    type: 'application/json',
    title: 'AI catalogue',
    summary: 'the MCP and A2A endpoints',
    rel: 'ai-catalog',
    section: 'optional',
  },
  {
    path: '/feed.atom',
    type: 'application/atom+xml',
    title: 'Feed of releases',
    summary: 'what was published and withdrawn',
    rel: 'alternate',
    section: 'optional',
  },
  {
    path: '/healthz',
    type: 'application/json',
    title: 'Health',
    summary: 'whether the process runs',
    rel: 'status',
    section: 'optional',
  },
]

/** The documents as a Link header (RFC 8288). */
export const linksToDocuments = (): string =>
  DOCUMENTS.map(({ path, rel, type }) => `<${path}>; rel="${rel}"; type="${type}"`).join(', ')
