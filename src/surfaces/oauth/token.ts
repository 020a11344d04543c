import { type Call, type Gate, type Operation, perform, refusalOf, type Visit } from '../../operation.ts'
import { Problem, type ProblemCode } from '../../problem.ts'
import { STATUS } from '../../status.ts'
import type { Mount } from '../http/mount.ts'
import { LIMITS, readBody } from '../http/request.ts'
import { quotaHeaders, REALM } from '../http/response.ts'

/** The members of a token request that mean something here. RFC 6749 section 3.2: others are ignored. */
const MEMBERS = [
  'grant_type',
  'scope',
  'client_id',
  'client_secret',
  'client_assertion',
  'client_assertion_type',
] as const
type Member = (typeof MEMBERS)[number]
type TokenForm = { [name in Member]?: string } & { resource?: string[] }

/** The credentials that the client sent. Hostile. */
export type ClientClaim = Record<
  'authorization' | 'client_secret' | 'client_assertion' | 'client_assertion_type',
  string | undefined
>

export interface TokenEndpointParts {
  operation: Operation
  gate: Gate
  baseUrl: () => string
  /** How the gate identifies the client. */
  clientCall: (claim: ClientClaim) => Pick<Call, 'agentKey' | 'proof'>
}

/** The token endpoint of RFC 6749 section 3.2: a form in, a token or an OAuth error out. */
export const tokenEndpoint = (parts: TokenEndpointParts): Mount => ({
  name: 'request_token',
  path: parts.operation.http.path,
  async handle(request, { call: { address } }) {
    const { operation, gate } = parts
    const asked = await read(parts, request)
    if (asked instanceof Problem) {
      const visit = await gate.enter({ address }, 'public', operation.limit)
      return tokenError(parts, visit.refusal ?? asked, visit)
    }
    const outcome = await perform(operation, { address, ...asked.client }, gate, async () => asked.input)
    if (!outcome.ok) return tokenError(parts, outcome.problem, outcome.visit)
    return Response.json(outcome.output, { headers: { ...NO_STORE, ...quotaHeaders(outcome.visit.quota) } })
  },
})

/** RFC 6749 section 5.1 asks for both. */
const NO_STORE = { 'cache-control': 'no-store', pragma: 'no-cache' }

interface TokenRequest {
  client: Pick<Call, 'agentKey' | 'proof'>
  input: Record<string, unknown>
}

async function read({ clientCall }: TokenEndpointParts, request: Request): Promise<TokenRequest | Problem> {
  try {
    const { client_secret, client_assertion, client_assertion_type, ...input } = await readForm(request)
    const authorization = request.headers.get('authorization') ?? undefined
    return { client: clientCall({ authorization, client_secret, client_assertion, client_assertion_type }), input }
  } catch (error) {
    const problem = refusalOf(error)
    if (problem) return problem
    throw error
  }
}

/** RFC 6749 section 3.2: an empty parameter is as if it were not there, and none comes twice but `resource` (RFC 8707). */
async function readForm(request: Request): Promise<TokenForm> {
  const type = (request.headers.get('content-type') ?? '').toLowerCase().replaceAll(' ', '')
  if (!/^application\/x-www-form-urlencoded(;charset="?utf-8"?)?$/.test(type))
    throw new Problem('unsupported_media_type', 'the body must be a form: application/x-www-form-urlencoded')
  const sent = new URLSearchParams(new TextDecoder().decode(await readBody(request, LIMITS.bodyBytes)))
  const form: TokenForm = {}
  for (const name of MEMBERS) {
    const [value, ...more] = sent.getAll(name)
    if (more.length > 0) throw new Problem('duplicate_parameter', `the parameter ${name} is given more than once`)
    if (value) form[name] = value
  }
  const resource = sent.getAll('resource').filter((value) => value !== '')
  return resource.length > 0 ? { ...form, resource } : form
}

/** RFC 6749 section 5.2 and RFC 8707. What is not among them means that the request was malformed. */
const ERRORS: { readonly [code in ProblemCode]?: string } = {
  agent_key_missing: 'invalid_client',
  agent_key_invalid: 'invalid_client',
  proof_required: 'invalid_client',
  nonce_already_used: 'invalid_client',
  unsupported_grant_type: 'unsupported_grant_type',
  invalid_scope: 'invalid_scope',
  insufficient_scope: 'invalid_scope',
  invalid_target: 'invalid_target',
  rate_limited: 'temporarily_unavailable',
  unavailable: 'temporarily_unavailable',
  internal_error: 'server_error',
}

/** Where the words of the catalogue speak of a nonce or of headers that this endpoint does not take. */
const DESCRIPTIONS: { readonly [code in ProblemCode]?: string } = {
  agent_key_missing:
    'authenticate with private_key_jwt, or with client_secret_basic: the id of the agent key and the whole key',
  agent_key_invalid: 'the client is unknown, or its secret or assertion is not valid now',
  proof_required: 'this agent key has a public key: authenticate with private_key_jwt',
  nonce_already_used: 'the assertion was used before; the token made from it is now revoked',
  insufficient_scope: 'the agent key has none of these scopes',
}

/** All text is ours, without the characters that RFC 6749 section 5.2 leaves out: nothing of the request is repeated. */
function tokenError({ baseUrl }: TokenEndpointParts, { code, detail, entry, extra }: Problem, visit: Visit): Response {
  const error = ERRORS[code] ?? 'invalid_request'
  const status = { invalid_client: 401, invalid_scope: 400 }[error] ?? STATUS[entry.kind]
  const body = {
    error,
    error_description: DESCRIPTIONS[code] ?? detail,
    error_uri: `${baseUrl()}/problems/${code}`,
  }
  const wait = extra.retryAfterSeconds
  return Response.json(body, {
    status,
    headers: {
      ...NO_STORE,
      ...quotaHeaders(visit.quota),
      ...(status === 401 && { 'www-authenticate': `Basic realm="${REALM}"` }),
      ...(wait !== undefined && { 'retry-after': String(wait) }),
    },
  })
}
