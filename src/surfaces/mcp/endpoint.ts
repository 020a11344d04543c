import { createMcpHandler, ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server'
import { type Gate, type Operation, refusalOf } from '../../operation.ts'
import { Problem } from '../../problem.ts'
import type { Json } from '../../proof/canonical-json.ts'
import { STATUS } from '../../status.ts'
import { ABOUT } from '../discovery/descriptor.ts'
import { API_VERSION } from '../discovery/openapi.ts'
import type { Mount } from '../http/mount.ts'
import { readJson } from '../http/request.ts'
import type { Resource } from '../http/resource.ts'
import { refusalHeaders, setQuota } from '../http/response.ts'
import { callTool } from './call.ts'
import type { Card } from './card.ts'
import { listResources, listTemplates, readResource } from './resources.ts'
import { type Tool, toolsOf } from './tools.ts'
import { Visitor } from './visitor.ts'

export interface McpParts {
  operations: () => readonly Operation[]
  resources: () => readonly Resource[]
  gate: Gate
  baseUrl: () => string
  /** The day, as an ISO date in UTC. */
  today: () => string
  /** Origins of web pages that may use it, beside those of this service. */
  allowedOrigins: readonly string[]
  card: Card
}

const BODY_BYTES = 64 * 1024
const FIVE_MINUTES = { ttlMs: 300_000, cacheScope: 'public' } as const
const CACHE_HINTS = {
  'server/discover': FIVE_MINUTES,
  'tools/list': FIVE_MINUTES,
  'prompts/list': FIVE_MINUTES,
  'resources/list': FIVE_MINUTES,
  'resources/templates/list': FIVE_MINUTES,
  'resources/read': FIVE_MINUTES,
}
const INSTRUCTIONS = `${ABOUT} A Medicare amount is a reference, not what a patient owes. A refusal that says there is no price is an answer: do not invent one. Cite the source that stands in each answer.`

/** These count as the operation that they perform; every other message counts as one request. */
const COUNTED_AS_OPERATION = ['tools/call', 'resources/read']

/** MCP over streamable HTTP: revision 2026-07-28 and those before it, without sessions, at one address. */
export function mcpEndpoint(parts: McpParts): Mount {
  let tools: Tool[] | undefined
  const toolsNow = (): Tool[] => {
    tools ??= toolsOf(parts.operations())
    return tools
  }
  return {
    name: 'mcp',
    path: '/mcp',
    origins: () => [new URL(parts.baseUrl()).origin, ...parts.allowedOrigins],
    async handle(request, { call, requestId }) {
      const visitor = new Visitor(call, requestId, parts.gate, parts.baseUrl())
      const message = await readMessage(request)
      if (message instanceof Problem) return turnedAway(visitor, (await visitor.enter()) ?? message)
      const { method } = message
      const performs = typeof method === 'string' && COUNTED_AS_OPERATION.includes(method)
      const refused = performs ? undefined : await visitor.enter()
      if (refused) return turnedAway(visitor, refused, message)
      const handler = createMcpHandler(() => serverFor(parts, toolsNow(), visitor))
      const response = await handler.fetch(request, { parsedBody: message })
      return performs ? finished(response, visitor, message) : withQuota(response, visitor)
    },
  }
}

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

function serverFor(parts: McpParts, tools: readonly Tool[], visitor: Visitor): Server {
  const { baseUrl } = visitor
  const readable = { operations: parts.operations(), resources: parts.resources(), card: parts.card }
  const server = new Server(
    { name: 'agent-trust-registry', version: API_VERSION },
    {
      // No changes are announced, so a stream to listen on ends at once and cannot be held.
      capabilities: { tools: {}, resources: {}, prompts: {} },
      instructions: INSTRUCTIONS,
      cacheHints: CACHE_HINTS,
    },
  )
  /** The protocol would send the text of any error to the caller. */
  const guarded = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    try {
      return await work()
    } catch (error) {
      if (error instanceof ProtocolError) throw error
      visitor.fault = error
      throw new ProtocolError(ProtocolErrorCode.InternalError, 'The service failed')
    }
  }
  server.setRequestHandler('tools/list', () => ({ tools: tools.map(({ listed }) => listed) }))
  server.setRequestHandler('tools/call', ({ params }) => guarded(() => callTool(tools, params, visitor, parts.today)))
  server.setRequestHandler('resources/list', () => ({ resources: listResources(readable, baseUrl) }))
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: listTemplates(readable, baseUrl) }))
  server.setRequestHandler('resources/read', ({ params }) => guarded(() => readResource(readable, params.uri, visitor)))
  server.setRequestHandler('prompts/list', () => ({ prompts: [] }))
  return server
}

/** The answer to a call is read whole: only then it is known whether the caller must come again with a credential. */
async function finished(response: Response, visitor: Visitor, message: Message): Promise<Response> {
  const body = await response.text()
  if (visitor.fault !== undefined) throw visitor.fault
  // A message that the protocol itself refused has performed nothing; it is not free for that.
  const refused = visitor.turnedAway ?? (visitor.isCounted ? undefined : await visitor.enter())
  if (refused) return turnedAway(visitor, refused, message)
  return withQuota(new Response(body === '' ? null : body, response), visitor)
}

function withQuota(response: Response, { quota }: Visitor): Response {
  if (quota) setQuota(response.headers, quota)
  return response
}

const RPC_CODES: { readonly [code: string]: number } = {
  invalid_json: ProtocolErrorCode.ParseError,
  invalid_request: ProtocolErrorCode.InvalidRequest,
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
