import { Server } from '@modelcontextprotocol/server'
import type { Operation } from '../../operation.ts'
import { ABOUT } from '../discovery/descriptor.ts'
import { API_VERSION } from '../discovery/openapi.ts'
import type { Mount } from '../http/mount.ts'
import type { Resource } from '../http/resource.ts'
import { callTool } from './call.ts'
import type { Card } from './card.ts'
import { listResources, listTemplates, readResource } from './resources.ts'
import { type Tool, toolsOf } from './tools.ts'
import { messageHandler, type TransportParts } from './transport.ts'
import type { Visitor } from './visitor.ts'

export interface McpParts extends Omit<TransportParts, 'serverFor'> {
  operations: () => readonly Operation[]
  resources: () => readonly Resource[]
  /** The day, as an ISO date in UTC. */
  today: () => string
  card: Card
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

/** Answers messages with the tools, resources and evidence card of this service. */
export function mcpHandler(parts: McpParts): Mount['handle'] {
  let tools: Tool[] | undefined
  const toolsNow = (): Tool[] => {
    tools ??= toolsOf(parts.operations())
    return tools
  }
  return messageHandler({ ...parts, serverFor: (visitor) => serverFor(parts, toolsNow(), visitor) })
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
  server.setRequestHandler('tools/list', () => ({ tools: tools.map(({ listed }) => listed) }))
  server.setRequestHandler('tools/call', ({ params }) =>
    visitor.guard(() => callTool(tools, params, visitor, parts.today)),
  )
  server.setRequestHandler('resources/list', () => ({ resources: listResources(readable, baseUrl) }))
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: listTemplates(readable, baseUrl) }))
  server.setRequestHandler('resources/read', ({ params }) =>
    visitor.guard(() => readResource(readable, params.uri, visitor)),
  )
  server.setRequestHandler('prompts/list', () => ({ prompts: [] }))
  return server
}
