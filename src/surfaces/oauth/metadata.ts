import { z } from 'zod'
import { SCOPE_NAMES } from '../../operation.ts'
import { jsonForm, type Resource } from '../http/resource.ts'

export interface OAuthMetadataParts {
  baseUrl: () => string
  tokenPath: string
  /** The signature algorithms of assertions. */
  algorithms: readonly string[]
  /** The names of the parts of the service that clients treat as resources of their own. */
  resources: readonly string[]
}

const scopes = z.array(z.enum(SCOPE_NAMES))

// The RFC describes all members: here stand those that a client of this service looks for.
const AuthorizationServer = z
  .looseObject({
    issuer: z.url(),
    token_endpoint: z.url(),
    token_endpoint_auth_methods_supported: z.array(z.string()),
    scopes_supported: scopes,
  })
  .meta({ id: 'AuthorizationServer', description: 'RFC 8414 metadata of the authorization server' })

const ProtectedResource = z
  .strictObject({
    resource: z.url(),
    authorization_servers: z.array(z.url()),
    scopes_supported: scopes,
    bearer_methods_supported: z.array(z.string()),
    resource_name: z.string(),
    resource_documentation: z.url(),
  })
  .meta({ id: 'ProtectedResource', description: 'RFC 9728 metadata of the protected resource' })

const RESOURCE_PATH = '/.well-known/oauth-protected-resource'

export function oauthMetadata(parts: OAuthMetadataParts): Resource[] {
  const { baseUrl, tokenPath, algorithms, resources } = parts
  const about = { tag: 'agent-rails', cache: 'public, max-age=3600' } as const
  const documentation = (): string => `${baseUrl()}/api/agent-rails/policy`
  const protectedResource = (path: string): z.input<typeof ProtectedResource> => ({
    resource: baseUrl() + path,
    authorization_servers: [baseUrl()],
    scopes_supported: [...SCOPE_NAMES],
    bearer_methods_supported: ['header'],
    resource_name: 'Agent Trust Registry',
    resource_documentation: documentation(),
  })
  return [
    {
      ...about,
      name: 'get_authorization_server',
      path: '/.well-known/oauth-authorization-server',
      summary: 'Where and how an OAuth client gets a token',
      forms: [
        jsonForm(AuthorizationServer, () => ({
          issuer: baseUrl(),
          // RFC 8414 lets it be left out, but MCP clients refuse a document without it. There is none: the page says so.
          authorization_endpoint: `${baseUrl()}/problems/unsupported_grant_type`,
          token_endpoint: baseUrl() + tokenPath,
          token_endpoint_auth_methods_supported: ['private_key_jwt', 'client_secret_basic'],
          token_endpoint_auth_signing_alg_values_supported: [...algorithms],
          grant_types_supported: ['client_credentials'],
          // RFC 8414 wants the member. There is no authorization endpoint, so there are no response types.
          response_types_supported: [],
          scopes_supported: [...SCOPE_NAMES],
          service_documentation: documentation(),
        })),
      ],
    },
    {
      ...about,
      name: 'get_protected_resource',
      path: RESOURCE_PATH,
      summary: 'Which authorization server gives tokens for this service',
      forms: [jsonForm(ProtectedResource, () => protectedResource(''))],
    },
    {
      ...about,
      name: 'get_protected_part',
      path: `${RESOURCE_PATH}/{part}`,
      summary: 'The same for one part of the service',
      parameters: [{ name: 'part', description: 'The part, as in its path', values: resources }],
      forms: [jsonForm(ProtectedResource, (part) => protectedResource(`/${part}`))],
    },
  ]
}
