import { createMcpHandler, ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server'
import type { Operation } from '../../operation.ts'
import { API_VERSION } from '../discovery/about-api.ts'
import { ABOUT } from '../discovery/descriptor.ts'
import type { Resource } from '../http/resource.ts'
import { callTool } from './call.ts'
import type { Card } from './card.ts'
import { withoutEcho } from './protocol-error.ts'
import { listResources, listTemplates, readResource } from './resources.ts'
import type { Tool } from './tools.ts'
import type { Visitor } from './visitor.ts'

export interface ServerParts {
  operations: () => readonly Operation[]
  /** The operations that answer: all, except on a mirror. */
  answered: () => readonly Operation[]
  resources: () => readonly Resource[]
  /** The day, as an ISO date in UTC. */
  today: () => string
  card: Card
  tools: readonly Tool[]
  /** The tools of `answered`. The others are not listed; a call of one is told where to ask. */
  listed: readonly Tool[]
  /** The notice of a mirror; undefined on the service itself. */
  notice: string | undefined
  visitor: Visitor
}

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

/** Answers one message, whose body has been read, by the rules of the protocol. The answer is whole, and repeats nothing. */
export const answerMessage = async (
  request: Request,
  parsedBody: unknown,
  visitor: Visitor,
  serverFor: () => Server,
): Promise<Response> =>
  withoutEcho(await createMcpHandler(serverFor).fetch(request, { parsedBody }), () => visitor.hasRefused)

/** Runs what answers a message. The protocol would send the text of any error to the caller. */
export async function guarded<Result>(visitor: Visitor, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    visitor.hasRefused = true
    if (error instanceof ProtocolError) throw error
    visitor.fault = error
    throw new ProtocolError(ProtocolErrorCode.InternalError, 'The service failed')
  }
}

/** The server of this service, for one message. */
export function registryServer(parts: ServerParts): Server {
  const { operations, answered, resources, card, today, tools, listed, notice, visitor } = parts
  const { baseUrl } = visitor
  const readable = { operations: operations(), resources: resources(), card }
  const shown = { ...readable, operations: answered() }
  const server = new Server(
    { name: 'agent-trust-registry', version: API_VERSION },
    {
      // No changes are announced, so a stream to listen on ends at once and cannot be held.
      capabilities: { tools: {}, resources: {}, prompts: {} },
      instructions: notice === undefined ? INSTRUCTIONS : `${INSTRUCTIONS} ${notice}`,
      cacheHints: CACHE_HINTS,
    },
  )
  server.setRequestHandler('tools/list', () => ({ tools: listed.map((tool) => tool.listed) }))
  server.setRequestHandler('tools/call', ({ params }) =>
    guarded(visitor, () => callTool(tools, params, visitor, today)),
  )
  server.setRequestHandler('resources/list', () => ({ resources: listResources(shown, baseUrl) }))
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: listTemplates(shown, baseUrl) }))
  server.setRequestHandler('resources/read', ({ params }) =>
    guarded(visitor, () => readResource(readable, params.uri, visitor)),
  )
  server.setRequestHandler('prompts/list', () => ({ prompts: [] }))
  return server
}
