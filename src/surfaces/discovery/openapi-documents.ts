import { z } from 'zod'
import type { Resource } from '../http/resource.ts'
import { CORE_PATH } from './about-api.ts'
import type { OpenApiParts } from './openapi.ts'

/** The whole description, and one of the routes that the contract names, for readers with little room. */
export const openApiDocuments = (parts: OpenApiParts): Resource[] => [
  document(parts, { name: 'get_openapi', path: '/api/openapi.json', summary: 'This description' }),
  document(
    parts,
    {
      name: 'get_openapi_core',
      path: CORE_PATH,
      summary: 'This description, with the fourteen routes of the contract only',
    },
    parts.corePaths,
  ),
]

function document(
  parts: OpenApiParts,
  about: Pick<Resource, 'name' | 'path' | 'summary'>,
  paths?: readonly string[],
): Resource {
  /** Nothing changes while the service runs but its address, which is known once it listens. */
  const made = new Map<string, string>()
  const render = async (): Promise<string> => {
    const base = parts.baseUrl()
    const text = made.get(base) ?? JSON.stringify((await import('./openapi.ts')).openApi(parts, paths))
    made.set(base, text)
    return text
  }
  const form = { type: 'application/json', schema: z.looseObject({ openapi: z.string() }), render }
  return { ...about, tag: 'discovery', cache: 'public, max-age=3600', stamp: parts.baseUrl, forms: [form] }
}
