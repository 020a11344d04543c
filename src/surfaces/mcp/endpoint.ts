import { type Gate, refusalOf } from '../../operation.ts'
import { Problem } from '../../problem.ts'
import type { Json } from '../../proof/canonical-json.ts'
import { STATUS } from '../../status.ts'
import type { Mount } from '../http/mount.ts'
import { readJson } from '../http/request.ts'
import { quotaHeaders, refusalHeaders } from '../http/response.ts'
import type { ServerParts } from './server.ts'
import { Visitor } from './visitor.ts'

export type McpParts = ServerParts & Omit<TransportParts, 'answer'>

/** The tools, resources and evidence card of this service. */
export function mcpEndpoint(parts: McpParts): Mount {
  let answer: TransportParts['answer'] | undefined
  return mcpTransport({
    ...parts,
    async answer(request, message, visitor) {
      // The protocol's own code is large: it is loaded with the first message, so that the service starts sooner.
      answer ??= (await import('./server.ts')).registryServer(parts)
      return answer(request, message, visitor)
    },
  })
}

export interface TransportParts {
  gate: Gate
  baseUrl: () => string
  /** Origins of web pages that may use it, beside those of this service. */
  allowedOrigins: readonly string[]
  /** Answers one message, whose body has been read. Nothing is remembered between messages. */
  answer: (request: Request, message: unknown, visitor: Visitor) => Promise<Response>
}

const BODY_BYTES = 64 * 1024

/** These count as the operation that they perform; every other message counts as one request. */
const COUNTED_AS_OPERATION = ['tools/call', 'resources/read']

/** MCP over streamable HTTP: revision 2026-07-28 and those before it, without sessions, at one address. */
export const mcpTransport = ({ gate, baseUrl, allowedOrigins, answer }: TransportParts): Mount => ({
  name: 'mcp',
  path: '/mcp',
  origins: () => [new URL(baseUrl()).origin, ...allowedOrigins],
  async handle(request, { call, requestId }) {
    const visitor = new Visitor(call, requestId, gate, baseUrl())
    const message = await readMessage(request)
    if (message instanceof Problem) return turnedAway(visitor, (await visitor.enter()) ?? message)
    const { method } = message
    const performs = typeof method === 'string' && COUNTED_AS_OPERATION.includes(method)
    const refused = performs ? undefined : await visitor.enter()
    if (refused) return turnedAway(visitor, refused, message)
    return finished(await answer(request, message, visitor), visitor, message)
  },
})

type Message = { [name: string]: Json }

async function readMessage(request: Request): Promise<Message | Problem> {
  try {
    const message = await readJson(request, BODY_BYTES)
    if (typeof message !== 'object' || message === null || Array.isArray(message))
      return new Problem('invalid_request', 'the body must be one JSON-RPC message; for several prices, use price_bill')
    return message as Message
  } catch (error) {
    const problem = refusalOf(error)
    if (problem) return problem
    throw error
  }
}

/** An answer is whole here: only then it is known whether the caller must come again with a credential. */
async function finished(response: Response, visitor: Visitor, message: Message): Promise<Response> {
  if (visitor.fault !== undefined) throw visitor.fault
  // A message that the protocol itself refused has performed nothing; it is not free for that.
  const refused = visitor.turnedAway ?? (visitor.isCounted ? undefined : await visitor.enter())
  if (refused) return turnedAway(visitor, refused, message)
  return withQuota(response, visitor)
}

function withQuota(response: Response, { quota }: Visitor): Response {
  for (const [name, value] of Object.entries(quotaHeaders(quota))) response.headers.set(name, value)
  return response
}

/** JSON-RPC 2.0, section 5.1. */
const RPC_CODES: { readonly [code: string]: number } = {
  invalid_json: -32_700,
  invalid_request: -32_600,
}
const SERVER_ERROR = -32_000

/** A refusal of HTTP with the body of a JSON-RPC error, which has the whole problem in `data`. */
function turnedAway(visitor: Visitor, problem: Problem, { id }: Message = {}): Response {
  const { baseUrl } = visitor
  const error = {
    code: RPC_CODES[problem.code] ?? SERVER_ERROR,
    message: `${problem.code}: ${problem.detail}`,
    data: visitor.document(problem),
  }
  const headers = { ...refusalHeaders(problem, baseUrl), 'content-type': 'application/json' }
  const status = STATUS[problem.entry.kind]
  const known = typeof id === 'string' || typeof id === 'number' ? id : null
  return withQuota(new Response(JSON.stringify({ jsonrpc: '2.0', id: known, error }), { status, headers }), visitor)
}
