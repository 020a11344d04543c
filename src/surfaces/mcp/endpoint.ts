import type { Mount } from '../http/mount.ts'
import type { McpParts } from './protocol.ts'

/** MCP over streamable HTTP, at one address. Its code is large: it is loaded with the first message, so that the service starts sooner. */
export function mcpEndpoint(
  parts: McpParts & {
    /** Origins of web pages that may use it, beside those of this service. */
    allowedOrigins: readonly string[]
  },
): Mount {
  let handle: Mount['handle'] | undefined
  return {
    name: 'mcp',
    path: '/mcp',
    origins: () => [new URL(parts.baseUrl()).origin, ...parts.allowedOrigins],
    async handle(request, caller) {
      const { mcpHandler } = await import('./protocol.ts')
      handle ??= mcpHandler(parts)
      return handle(request, caller)
    },
  }
}
