import { z } from 'zod'
import { type Access, type Operation, SCOPES, type Tag } from '../../operation.ts'
import type { PathParameter, Resource, ResourceForm } from '../http/resource.ts'
import { API_VERSION } from './about-api.ts'
import { ANSWERS, LINKS, nextPage, REQUESTS } from './openapi-examples.ts'
import { headersOf, operationProblems, problemSchema, refusals, sharedAnswer, unchanged } from './openapi-responses.ts'
import { type Gathering, type JsonSchema, schemaOf } from './openapi-schemas.ts'
import { type Item, reachable, shared } from './openapi-shared.ts'

export interface OpenApiParts {
  baseUrl: () => string
  operations: () => readonly Operation[]
  resources: () => readonly Resource[]
  /** The schemas of the additional members in problems of the registry. */
  problemMembers: Record<string, z.ZodType>
  /** Members that several shapes have in common, by the name that they get. */
  shapes: Record<string, z.ZodRawShape>
  /** The paths of the short document. */
  corePaths: readonly string[]
}

const TAGS: Record<Tag, string> = {
  discovery: 'What the service is and where its parts are',
  metrics: 'Aggregate dispute metrics and the log of their changes',
  'agent-tools': 'Cited prices, provider statistics and the integrity report',
  'agent-rails': 'How an agent gets access: policy, challenge, attest',
}

const securitySchemes = {
  AgentRails: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Agent-Rails',
    description: `Rails token. Scopes: ${Object.entries(SCOPES)
      .map(([scope, grants]) => `\`${scope}\` (${grants})`)
      .join('; ')}`,
  },
  Bearer: { type: 'http', scheme: 'bearer', description: 'The same rails token, as `Authorization: Bearer`' },
  AgentKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Agent-Key',
    description: 'Agent key, for challenge and attest only',
  },
}

/** OpenAPI 3.1.0, made from the operations and resources. The router uses the same lists. */
export function openApi(parts: OpenApiParts, paths?: readonly string[]): JsonSchema {
  const schemas: JsonSchema = {}
  const gathering = { schemas, explained: paths !== undefined }
  const isShown = (path: string): boolean => paths?.includes(path) ?? true
  const items = [
    ...parts.operations().flatMap((op) => (isShown(op.http.path) ? operationItem(op, gathering) : [])),
    ...parts
      .resources()
      .filter(({ path, isBesideApi }) => isShown(path) && !isBesideApi)
      .flatMap((resource) => resourceItem(resource, gathering)),
  ]
  schemas['Problem'] = problemSchema(parts.problemMembers, gathering)
  for (const [name, shape] of Object.entries(parts.shapes))
    schemas[name] = schemaOf(z.object(shape), 'output', gathering)
  const base = parts.baseUrl()
  return reachable({
    openapi: '3.1.0',
    info: {
      title: 'Agent Trust Registry: Trust API',
      version: API_VERSION,
      summary: 'Cited reference prices with proofs, and aggregate-only dispute metrics, for software agents',
      description:
        'Protected routes require the `X-Agent-Rails` header. A token for it is obtained with an agent key: ' +
        'challenge, nonce, attest. Every price carries a proof block that can be checked offline with the keys of `/log/policy`. ' +
        'Pages of every origin may read answers (CORS, no cookies); `nosniff` and `no-referrer` come with each. ' +
        'Every answer has the headers of `Refused` but the last two. No answer has a member that is not listed here. ' +
        'What `x-spec` names is for verifiers: its form is in that page of the specification. ' +
        (paths
          ? 'These are the routes of the contract, with every member explained; all routes are in `/api/openapi.json`.'
          : 'The members of answers are explained in `/api/openapi-core.json`, which has the fourteen routes of the contract. A GET with `If-None-Match` may be answered by 304, and any request by 5XX, a problem like the others.'),
      contact: { name: 'The operator of this service', url: `${base}/` },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: base, description: 'This service' }],
    security: [],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    ...shared(items, { securitySchemes, schemas }, Object.keys(parts.shapes)),
  })
}

function operationItem(op: Operation, gathering: Gathering): Item {
  const { name, http, output } = op
  const post = http.method === 'POST'
  const { responses, ...problems } = refusals(op.access, gathering, operationProblems(op))
  const isPaged = !post && 'offset' in op.input.shape
  const links = LINKS[name] ?? (isPaged ? nextPage(name) : undefined)
  const item = {
    operationId: name,
    summary: op.summary,
    description: op.description,
    tags: [op.tag],
    ...accessItem(op.access),
    ...problems,
    ...(post ? { requestBody: requestBody(op, gathering) } : parametersOf(op, gathering)),
    responses: {
      200: {
        description: 'OK',
        ...(isPaged && { headers: headersOf('Link') }),
        content: {
          'application/json': {
            schema: schemaOf(output, 'output', gathering),
            ...exampleOf(gathering.explained ? ANSWERS[name] : undefined),
          },
        },
        ...(links && { links }),
      },
      ...(gathering.explained && op.cache !== 'no-store' ? unchanged : {}),
      ...responses,
    },
  }
  return { path: http.path, method: http.method.toLowerCase(), item }
}

const requestBody = ({ name, input }: Operation, gathering: Gathering): JsonSchema => ({
  required:
    name === 'attest' || Object.values(input.shape).some((field) => !(field as z.ZodType).safeParse(undefined).success),
  content: { 'application/json': { schema: schemaOf(input, 'input', gathering), ...exampleOf(REQUESTS[name]) } },
})

const exampleOf = (example: unknown): JsonSchema => (example === undefined ? {} : { example })

function resourceItem(resource: Resource, gathering: Gathering): Item {
  const { parameters, access = 'public', forms } = resource
  const { responses, ...problems } = refusals(access, gathering)
  const types = forms.map(({ type }) => type.split(';')[0] as string)
  const contents = forms.map((form, i) => [types[i], { schema: formSchema(form, gathering) }])
  const shared = sharedAnswer(types, forms[0]?.schema !== undefined)
  const item = {
    operationId: resource.name,
    summary: resource.summary,
    description: resource.description ?? `${resource.summary}.`,
    tags: [resource.tag],
    ...accessItem(access),
    ...problems,
    ...(parameters && { parameters: parameters.map(pathParameter) }),
    responses: {
      200: shared ?? { description: 'OK', content: Object.fromEntries(contents) },
      ...(gathering.explained && unchanged),
      ...responses,
    },
  }
  return { path: resource.path, method: 'get', item }
}

/** Binary content has no JSON type. */
function formSchema({ type, schema }: ResourceForm, gathering: Gathering): JsonSchema {
  if (schema) return schemaOf(schema, 'output', gathering)
  return type === 'application/octet-stream' ? { contentMediaType: type } : { type: 'string' }
}

const pathParameter = ({ name, description, values, pattern }: PathParameter): JsonSchema => ({
  name,
  in: 'path',
  required: true,
  description,
  schema: { type: 'string', ...(values && { enum: values }), ...(pattern && { pattern }) },
})

const accessItem = (access: Access): JsonSchema => {
  if (access === 'public') return {}
  return access === 'agent_key'
    ? { security: [{ AgentKey: [] }] }
    : { security: [{ AgentRails: [] }, { Bearer: [] }], 'x-required-scopes': [access] }
}

function parametersOf(op: Operation, gathering: Gathering): { parameters?: JsonSchema[] } {
  const { properties = {}, required = [] } = schemaOf(op.input, 'input', gathering) as {
    properties?: Record<string, JsonSchema>
    required?: string[]
  }
  const parameters = Object.entries(properties).map(([name, schema]) => {
    const inPath = op.http.path.includes(`{${name}}`)
    const isRequired = inPath || required.includes(name)
    return { name, in: inPath ? 'path' : 'query', ...(isRequired && { required: true }), schema }
  })
  return parameters.length > 0 ? { parameters } : {}
}
