// Answers in the OpenAPI document: headers, refusals, and which call may follow.

import { z } from 'zod'
import type { Access, Operation } from '../../operation.ts'
import { PROBLEMS, type ProblemCode } from '../../problem.ts'
import { STATUS } from '../../status.ts'
import { type Gathering, type JsonSchema, schemaOf } from './openapi-schemas.ts'

/** The headers that an answer may have, beside those of every answer of the web. */
const HEADERS = {
  RateLimit: 'What is left of the quota: `"default";r=117;t=2`',
  'RateLimit-Policy': 'The quota that applies: `"default";q=120;w=60`',
  'X-Request-Id': 'Identifies this request to the operator',
  'Cache-Control': 'How long the answer may be kept, and by whom',
  ETag: 'Send it as `If-None-Match` to ask for changes only',
  Link: 'First, previous, next and last page (RFC 8288)',
  Vary: 'The request headers that the answer depends on',
  'Retry-After': 'Seconds to wait before the next try',
  'WWW-Authenticate': 'Which credential is needed, with its scope, and where the policy is',
  Allow: 'The methods of this path',
} as const
type Header = keyof typeof HEADERS

/** Every answer has them. They are listed once, in the refusal that all operations share. */
const EVERYWHERE: readonly Header[] = ['RateLimit', 'RateLimit-Policy', 'X-Request-Id', 'Cache-Control']

export const headerComponents = Object.fromEntries(
  Object.entries(HEADERS).map(([name, description]) => [name, { description, schema: { type: 'string' } }]),
)

export const headersOf = (...names: readonly Header[]): JsonSchema =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

/** The refusals that any route may give. */
const COMMON: readonly ProblemCode[] = [
  'invalid_request',
  'missing_parameter',
  'invalid_parameter',
  'unknown_parameter',
  'duplicate_parameter',
  'conflicting_credentials',
  'route_not_found',
  'method_not_allowed',
  'method_not_implemented',
  'not_acceptable',
  'precondition_failed',
  'uri_too_long',
  'headers_too_large',
  'rate_limited',
  'internal_error',
  'unavailable',
  'failed_verification',
]
const RAILS_TOKEN: readonly ProblemCode[] = [
  'rails_token_missing',
  'rails_token_required',
  'rails_token_invalid',
  'rails_token_expired',
  'insufficient_scope',
]
const AGENT_KEY: readonly ProblemCode[] = ['agent_key_missing', 'agent_key_invalid']
const BODY: readonly ProblemCode[] = ['invalid_json', 'payload_too_large', 'unsupported_media_type']

const statusOf = (code: ProblemCode): number => STATUS[PROBLEMS[code].kind]
const listed = (codes: readonly ProblemCode[]): string => codes.join(', ')
const refTo = (name: string): JsonSchema => ({ $ref: `#/components/responses/${name}` })

const problem = (description: string, ...further: readonly Header[]): JsonSchema => ({
  description,
  ...(further.length > 0 && { headers: headersOf(...further) }),
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
})

export const responseComponents: JsonSchema = {
  Unchanged: { description: 'Unchanged since the ETag that was sent', headers: headersOf('ETag') },
  NotAuthenticated: problem(
    `A credential is missing, wrong or expired: ${listed([...AGENT_KEY, ...RAILS_TOKEN].filter((code) => statusOf(code) === 401))}`,
    'WWW-Authenticate',
    'Vary',
  ),
  NotAllowed: problem(
    'The token lacks the scope in `x-required-scopes`: `insufficient_scope`',
    'WWW-Authenticate',
    'Vary',
  ),
  NotFound: problem('There is none, and why. Of a lookup with a proof of its own: that is an answer too'),
  Refused: problem(
    `The request is refused: what \`x-problems\` lists, or ${listed(COMMON)}; 5XX: try again later`,
    ...EVERYWHERE,
    'ETag',
    'Retry-After',
    'Allow',
  ),
  Text: { description: 'Text', content: { 'text/plain': { schema: { type: 'string' } } } },
  Bytes: {
    description: 'Bytes',
    content: { 'application/octet-stream': { schema: { contentMediaType: 'application/octet-stream' } } },
  },
}

/** An answer that several routes share, if it is one. */
export const sharedAnswer = (types: readonly string[], hasSchema: boolean): JsonSchema | undefined => {
  if (types.length !== 1 || hasSchema) return undefined
  if (types[0] === 'text/plain') return refTo('Text')
  return types[0] === 'application/octet-stream' ? refTo('Bytes') : undefined
}

export const operationProblems = ({ problems, http }: Operation): ProblemCode[] => [
  ...problems,
  ...(http.method === 'POST' ? BODY : []),
]

/** The refusals as responses. Those of a credential, and that there is none, have an entry of their own. */
export function refusals(
  access: Access,
  { explained }: Gathering,
  codes: readonly ProblemCode[] = [],
): { 'x-problems'?: ProblemCode[]; responses: JsonSchema } {
  const implied = [...COMMON, ...AGENT_KEY, ...RAILS_TOKEN]
  const own = [...new Set(codes)].filter((code) => !implied.includes(code))
  const has = (status: number): boolean => own.some((code) => statusOf(code) === status)
  return {
    ...(own.length > 0 && { 'x-problems': own }),
    responses: {
      ...(has(400) && { 400: refTo('Refused') }),
      ...(access !== 'public' && { 401: refTo('NotAuthenticated') }),
      ...((access.includes(':') || codes.includes('insufficient_scope')) && { 403: refTo('NotAllowed') }),
      ...(has(404) && { 404: refTo('NotFound') }),
      '4XX': refTo('Refused'),
      ...(explained && { '5XX': refTo('Refused') }),
    },
  }
}

export const unchanged = { 304: refTo('Unchanged') }

export function problemSchema(members: Record<string, z.ZodType>, gathering: Gathering): JsonSchema {
  const Code = z.enum(Object.keys(PROBLEMS) as [ProblemCode, ...ProblemCode[]]).meta({ id: 'ProblemCode' })
  const FieldError = z
    .strictObject({
      in: z.enum(['query', 'path', 'body', 'header']),
      name: z.string().optional(),
      code: Code,
      message: z.string(),
    })
    .meta({ id: 'FieldError' })
  const optional = Object.fromEntries(Object.entries(members).map(([name, schema]) => [name, schema.optional()]))
  const Problem = z.strictObject({
    type: z.string().meta({ description: 'A page about the code' }),
    title: z.string(),
    status: z.int().min(400).max(599),
    code: Code,
    detail: z.string(),
    request_id: z.string(),
    agent_hint: z.string().meta({ description: 'What to do next' }),
    errors: z.array(FieldError).optional(),
    required_scopes: z.array(z.string()).optional(),
    granted_scopes: z.array(z.string()).optional(),
    'violated-policies': z.array(z.string()).optional(),
    retry_after_seconds: z.number().optional(),
    allowed_methods: z.array(z.string()).optional(),
    allowed_parameters: z.array(z.string()).optional(),
    available_types: z.array(z.string()).optional(),
    ...optional,
  })
  return { description: 'RFC 9457 problem details', ...schemaOf(Problem, 'output', gathering) }
}
