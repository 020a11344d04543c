import type { Mount } from '../http/mount.ts'
import type { ServerParts } from './protocol.ts'
import { type Tool, toolsOf } from './tools.ts'
import { mcpTransport, type TransportParts } from './transport.ts'

export type McpParts = Omit<ServerParts, 'tools' | 'listed' | 'visitor'> & Omit<TransportParts, 'answer'>

/** The tools, resources and evidence card of this service. */
export function mcpEndpoint(parts: McpParts): Mount {
  let [tools, listed]: (Tool[] | undefined)[] = []
  return mcpTransport({
    ...parts,
    async answer(request, message, visitor) {
      // The protocol's own code is large: it is loaded with the first message, so that the service starts sooner.
      const { answerMessage, registryServer } = await import('./protocol.ts')
      tools ??= toolsOf(parts.operations())
      listed ??= parts.answered() === parts.operations() ? tools : toolsOf(parts.answered())
      const made = { ...parts, tools, listed, visitor }
      return answerMessage(request, message, visitor, () => registryServer(made))
    },
  })
}
