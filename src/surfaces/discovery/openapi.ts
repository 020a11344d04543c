import { z } from 'zod'
import { type Access, type Operation, SCOPES, type Tag } from '../../operation.ts'
import { PROBLEMS, type ProblemCode } from '../../problem.ts'
import { STATUS } from '../../status.ts'
import type { PathParameter, Resource, ResourceForm } from '../http/resource.ts'

type JsonSchema = { [member: string]: unknown }

export interface OpenApiParts {
  baseUrl: () => string
  operations: () => readonly Operation[]
  resources: () => readonly Resource[]
  /** The schemas of the additional members in problems of the registry. */
  problemMembers: Record<string, z.ZodType>
}

export const API_VERSION = '0.2.0'

const TAGS: Record<Tag, string> = {
  discovery: 'What the service is and where its parts are',
  metrics: 'Aggregate dispute metrics and the log of their changes',
  'agent-tools': 'Cited prices, provider statistics and the integrity report',
  'agent-rails': 'How an agent gets access: policy, challenge, attest',
}

/** The refusals that any route may give. */
const COMMON: readonly ProblemCode[] = [
  'invalid_request',
  'not_acceptable',
  'uri_too_long',
  'headers_too_large',
  'rate_limited',
  'internal_error',
  'unavailable',
]

/** OpenAPI 3.1.0, made from the operations and resources. The router uses the same lists. */
export function openApi(parts: OpenApiParts): JsonSchema {
  const schemas: JsonSchema = {}
  const paths: Record<string, JsonSchema> = {}
  const add = (path: string, method: string, item: JsonSchema): void => {
    paths[path] = { ...paths[path], [method]: item }
  }
  for (const op of parts.operations()) add(op.http.path, op.http.method.toLowerCase(), operationItem(op, schemas))
  for (const resource of parts.resources()) add(resource.path, 'get', resourceItem(resource, schemas))
  schemas['Problem'] = problemSchema(parts.problemMembers, schemas)
  return {
    openapi: '3.1.0',
    info: {
      title: 'Agent Trust Registry: Trust API',
      version: API_VERSION,
      summary: 'Cited reference prices with proofs, and aggregate-only dispute metrics, for software agents',
      description:
        'Protected routes require the `X-Agent-Rails` header. A token for it is obtained with an agent key: ' +
        'challenge, nonce, attest. Every price carries a proof block that can be checked offline with the keys of `/log/policy`.',
      contact: { name: 'The operator of this service', url: `${parts.baseUrl()}/` },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: parts.baseUrl(), description: 'This service' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      securitySchemes: {
        AgentRails: {
          type: 'apiKey',
          in: 'header',
          name: 'X-Agent-Rails',
          description: `Rails token. Scopes: ${Object.entries(SCOPES)
            .map(([scope, grants]) => `\`${scope}\` (${grants})`)
            .join('; ')}`,
        },
        AgentKey: {
          type: 'apiKey',
          in: 'header',
          name: 'X-Agent-Key',
          description: 'Agent key, for challenge and attest only',
        },
      },
      headers: headerComponents,
      schemas,
    },
  }
}

function operationItem(op: Operation, schemas: JsonSchema): JsonSchema {
  const post = op.http.method === 'POST'
  const inputs = post ? {} : { parameters: parameters(op, schemas) }
  const body = post && {
    requestBody: {
      required:
        Object.values(op.input.shape).some((field) => !(field as z.ZodType).safeParse(undefined).success) ||
        op.name === 'attest',
      content: { 'application/json': { schema: schemaOf(op.input, 'input', schemas) } },
    },
  }
  const codes: ProblemCode[] = [...COMMON, ...op.problems, ...accessProblems(op.access), ...inputProblems(op)]
  return {
    operationId: op.name,
    summary: op.summary,
    description: op.description,
    tags: [op.tag],
    ...accessItem(op.access),
    ...inputs,
    ...body,
    responses: {
      200: {
        description: op.summary,
        headers: quotaHeaders,
        content: { 'application/json': { schema: schemaOf(op.output, 'output', schemas) } },
      },
      ...(op.cache === 'no-store' ? {} : { 304: { description: 'Unchanged since the ETag that was sent' } }),
      ...problemResponses(codes),
    },
  }
}

function resourceItem(resource: Resource, schemas: JsonSchema): JsonSchema {
  const { parameters, access = 'public', lenient = false } = resource
  const forms = resource.forms.map((form) => [form.type.split(';')[0], { schema: formSchema(form, schemas) }])
  return {
    operationId: resource.name,
    summary: resource.summary,
    description: resource.description ?? `${resource.summary}.`,
    tags: [resource.tag],
    ...accessItem(access),
    ...(parameters && { parameters: parameters.map(pathParameter) }),
    responses: {
      200: { description: resource.summary, headers: quotaHeaders, content: Object.fromEntries(forms) },
      304: { description: 'Unchanged since the ETag that was sent' },
      ...problemResponses([
        ...COMMON,
        ...accessProblems(access),
        ...(lenient ? [] : (['unknown_parameter'] as const)),
        ...(parameters ? (['route_not_found'] as const) : []),
      ]),
    },
  }
}

/** Binary content has no JSON type. */
function formSchema({ type, schema }: ResourceForm, schemas: JsonSchema): JsonSchema {
  if (schema) return schemaOf(schema, 'output', schemas)
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
  if (access === 'public') return { security: [] }
  return access === 'agent_key'
    ? { security: [{ AgentKey: [] }] }
    : { security: [{ AgentRails: [] }], 'x-required-scopes': [access] }
}

function accessProblems(access: Access): ProblemCode[] {
  if (access === 'public') return ['conflicting_credentials']
  if (access === 'agent_key') return ['agent_key_missing', 'agent_key_invalid']
  return [
    'conflicting_credentials',
    'rails_token_missing',
    'rails_token_required',
    'rails_token_invalid',
    'rails_token_expired',
    'insufficient_scope',
  ]
}

const inputProblems = (op: Operation): ProblemCode[] =>
  op.http.method === 'POST'
    ? [
        'invalid_json',
        'missing_parameter',
        'invalid_parameter',
        'unknown_parameter',
        'payload_too_large',
        'unsupported_media_type',
      ]
    : ['missing_parameter', 'invalid_parameter', 'unknown_parameter', 'duplicate_parameter']

function parameters(op: Operation, schemas: JsonSchema): JsonSchema[] {
  const { properties = {}, required = [] } = schemaOf(op.input, 'input', schemas) as {
    properties?: Record<string, JsonSchema>
    required?: string[]
  }
  return Object.entries(properties).map(([name, { description, examples: _, ...schema }]) => {
    const inPath = op.http.path.includes(`{${name}}`)
    return { name, in: inPath ? 'path' : 'query', required: inPath || required.includes(name), description, schema }
  })
}

/** One entry per status, naming the codes that come with it. */
function problemResponses(codes: readonly ProblemCode[]): JsonSchema {
  const byStatus = new Map<number, Set<ProblemCode>>()
  for (const code of codes) {
    const status = STATUS[PROBLEMS[code].kind]
    byStatus.set(status, (byStatus.get(status) ?? new Set()).add(code))
  }
  return Object.fromEntries(
    [...byStatus].map(([status, set]) => [
      status,
      {
        description: `Refused: ${[...set].map((code) => `\`${code}\``).join(', ')}`,
        headers: quotaHeaders,
        content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    ]),
  )
}

const HEADERS = {
  RateLimit: 'What is left of the quota',
  'RateLimit-Policy': 'The quota that applies',
  'X-Request-Id': 'Identifies this request to the operator',
}
const headerComponents = Object.fromEntries(
  Object.entries(HEADERS).map(([name, description]) => [name, { description, schema: { type: 'string' } }]),
)
const quotaHeaders = Object.fromEntries(
  Object.keys(HEADERS).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
)

function problemSchema(members: Record<string, z.ZodType>, schemas: JsonSchema): JsonSchema {
  const codes = Object.keys(PROBLEMS) as [ProblemCode, ...ProblemCode[]]
  const FieldError = z.strictObject({
    in: z.enum(['query', 'path', 'body', 'header']),
    name: z.string().optional(),
    code: z.enum(codes),
    message: z.string(),
  })
  const optional = Object.fromEntries(Object.entries(members).map(([name, schema]) => [name, schema.optional()]))
  const problem = z.strictObject({
    type: z.string(),
    title: z.string(),
    status: z.int().min(400).max(599),
    code: z.enum(codes),
    detail: z.string(),
    request_id: z.string(),
    agent_hint: z.string().meta({ description: 'What to do next' }),
    errors: z.array(FieldError).optional(),
    required_scopes: z.array(z.string()).optional(),
    granted_scopes: z.array(z.string()).optional(),
    'violated-policies': z.array(z.string()).optional(),
    ...optional,
  })
  return { description: 'RFC 9457 problem details', ...schemaOf(problem, 'output', schemas) }
}

/** A schema with an id becomes a component, once; other schemas are inlined. */
function schemaOf(schema: z.ZodType, io: 'input' | 'output', schemas: JsonSchema): JsonSchema {
  const { $schema: _, ...whole } = z.toJSONSchema(schema, { io, target: 'draft-2020-12' }) as JsonSchema
  const { $defs = {}, ...rest } = relinked(whole) as JsonSchema & { $defs?: JsonSchema }
  for (const [id, definition] of Object.entries($defs)) schemas[id] = withoutId(definition)
  const id = rest['id']
  if (typeof id !== 'string') return rest
  schemas[id] = withoutId(rest)
  return { $ref: `#/components/schemas/${id}` }
}

const withoutId = (definition: unknown): JsonSchema => {
  const { id: _, ...rest } = definition as JsonSchema
  return rest
}

function relinked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(relinked)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      name === '$ref' && typeof member === 'string'
        ? member.replace('#/$defs/', '#/components/schemas/')
        : relinked(member),
    ]),
  )
}

export const openApiDocument = (parts: OpenApiParts): Resource => ({
  name: 'get_openapi',
  path: '/api/openapi.json',
  summary: 'This description',
  tag: 'discovery',
  cache: 'public, max-age=3600',
  forms: [
    {
      type: 'application/json',
      schema: z.looseObject({ openapi: z.string() }),
      render: () => JSON.stringify(openApi(parts)),
    },
  ],
})
