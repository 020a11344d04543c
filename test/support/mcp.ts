import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { App } from '../../src/app.ts'
import { BASE_URL, type TestApp } from './harness.ts'

type Members = Record<string, unknown>
type Headers = Record<string, string>

export interface ToolResult {
  content: { type: string; text?: string; uri?: string; [member: string]: unknown }[]
  structuredContent?: Members
  isError?: boolean
}

/** The calls that tests need of a client, of either line. */
export interface AnyClient {
  listTools(): Promise<{
    tools: { name: string; description?: string; inputSchema: Members; [member: string]: unknown }[]
  }>
  callTool(call: { name: string; arguments?: Members }): Promise<ToolResult>
  listResources(): Promise<{ resources: { uri: string; mimeType?: string }[] }>
  listResourceTemplates(): Promise<{ resourceTemplates: { uriTemplate: string }[] }>
  readResource(asked: {
    uri: string
  }): Promise<{ contents: { text: string; mimeType?: string; [member: string]: unknown }[] }>
  listPrompts(): Promise<{ prompts: unknown[] }>
  close(): Promise<void>
}

export const ERAS = ['modern', 'legacy', 'legacy by the new client'] as const
export type Era = (typeof ERAS)[number]
export const INFO = { name: 'test', version: '1' }

/** The new client speaks the newest revision, or the old one; the client of the old line knows only that. */
export const newClient = (era: Era): Client =>
  new Client(INFO, { versionNegotiation: { mode: era === 'modern' ? { pin: '2026-07-28' } : 'legacy' } })

/** A client that is connected to the service in this process. Every answer is what the service would send by network. */
export async function connect(
  { app }: { app: Pick<App, 'fetch'> },
  era: Era,
  headers: Headers = {},
): Promise<AnyClient> {
  const url = new URL(`${BASE_URL}/mcp`)
  const fetch = async (target: string | URL, init?: RequestInit): Promise<Response> =>
    app.fetch(new Request(target, init), '192.0.2.1')
  const options = { fetch, requestInit: { headers } }
  if (era === 'legacy') {
    const client = new OldClient(INFO)
    await client.connect(new OldTransport(url, options) as never)
    return client as unknown as AnyClient
  }
  const client = newClient(era)
  await client.connect(new StreamableHTTPClientTransport(url, options))
  return client as unknown as AnyClient
}

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': INFO,
}

/** One message of the newest revision, as bytes: for what no proper client would send. */
export function message(
  method: string,
  params: Members = {},
  headers: Headers = {},
): RequestInit & { headers: Headers } {
  const name = params['name'] ?? params['uri']
  return {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(typeof name === 'string' ? { 'mcp-name': name } : {}),
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: META } }),
  }
}

export const post = async (app: TestApp, init: RequestInit, address = '192.0.2.1'): Promise<Response> =>
  app.app.fetch(new Request(`${BASE_URL}/mcp`, init), address)

/** Calls a tool with one message. */
export const call = (app: TestApp, name: string, args: Members = {}, headers: Headers = {}): Promise<Response> =>
  post(app, message('tools/call', { name, arguments: args }, headers))
