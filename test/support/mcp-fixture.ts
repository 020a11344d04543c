// The tools, resources and prompts that the official conformance suite calls by name. They stand behind the transport, gate
// and limits of the service itself: what the suite finds out about those is true of the real endpoint.

import { randomUUID } from 'node:crypto'
import {
  acceptedContent,
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  type InputRequiredResult,
  inputRequired,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { makeGate } from '../../src/rails/admission.ts'
import { makeLimiter } from '../../src/rails/limit/limits.ts'
import { httpSurface } from '../../src/surfaces/http/router.ts'
import { mcpTransport, type TransportParts } from '../../src/surfaces/mcp/endpoint.ts'
import { answerMessage, guarded } from '../../src/surfaces/mcp/protocol.ts'
import type { Visitor } from '../../src/surfaces/mcp/visitor.ts'
import { testApp } from './harness.ts'

type Answer = CallToolResult | InputRequiredResult
type Tool = (context: ServerContext, args: Record<string, unknown>) => Answer | Promise<Answer>

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='
const WAV = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA='
const IMAGE = { type: 'image', data: PNG, mimeType: 'image/png' } as const
const says = (text: string): CallToolResult => ({ content: [{ type: 'text', text }] })
const resource = (uri: string, mimeType = 'text/plain') =>
  ({ type: 'resource', resource: { uri, mimeType, text: 'This is an embedded resource content.' } }) as const

const codec = createRequestStateCodec<{ step: number }>({ key: crypto.getRandomValues(new Uint8Array(32)) })
const NAME = inputRequired.elicit({
  message: 'What is your name?',
  requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
})
const CONFIRM = inputRequired.elicit({
  message: 'Please confirm',
  requestedSchema: { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] },
})
const QUESTION = inputRequired.createMessage({
  messages: [{ role: 'user', content: { type: 'text', text: 'What is the capital of France?' } }],
  maxTokens: 100,
})

/** Asks until every question has an answer. */
const asking =
  (questions: Parameters<typeof inputRequired>[0]['inputRequests'] = {}): Tool =>
  ({ mcpReq: { inputResponses } }) => {
    const missing = Object.keys(questions).filter((name) => !inputResponses?.[name])
    return missing.length > 0 ? inputRequired({ inputRequests: questions }) : says('Thank you')
  }

/** Asks step by step. What was asked is in the state that the client sends back. */
const inSteps =
  (...steps: Parameters<typeof inputRequired>[0]['inputRequests'][]): Tool =>
  async (context) => {
    const { step } = context.mcpReq.requestState<{ step: number }>() ?? { step: 0 }
    const inputRequests = steps[step]
    return inputRequests
      ? inputRequired({ inputRequests, requestState: await codec.mint({ step: step + 1 }) })
      : says('All done')
  }

const capabilitiesOf = ({ mcpReq: { envelope } }: ServerContext): Record<string, unknown> =>
  (envelope as Record<string, Record<string, unknown>> | undefined)?.[CLIENT_CAPABILITIES_META_KEY] ?? {}

const TOOLS: Readonly<Record<string, Tool>> = {
  test_simple_text: () => says('This is a simple text response for testing.'),
  test_image_content: () => ({ content: [IMAGE] }),
  test_audio_content: () => ({ content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }] }),
  test_embedded_resource: () => ({ content: [resource('test://embedded-resource')] }),
  test_multiple_content_types: () => ({
    content: [
      { type: 'text', text: 'Multiple content types test:' },
      IMAGE,
      resource('test://mixed-content-resource', 'application/json'),
    ],
  }),
  test_error_handling: () => ({ ...says('This tool intentionally returns an error for testing'), isError: true }),
  test_tool_with_logging: async ({ mcpReq }) => {
    for (const data of ['Tool execution started', 'Tool processing data', 'Tool execution completed'])
      await mcpReq.notify({ method: 'notifications/message', params: { level: 'info', data } })
    return says('Tool with logging executed successfully')
  },
  test_logging_tool: async ({ mcpReq }) => {
    await mcpReq.log('info', 'Logged')
    return says('Logged')
  },
  test_tool_with_progress: async ({ mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken ?? 0
    for (const progress of [0, 50, 100])
      await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } })
    return says(String(progressToken))
  },
  test_missing_capability: (context) => {
    if (!('sampling' in capabilitiesOf(context)))
      throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } })
    return says('The client can sample')
  },
  test_streaming_elicitation: async ({ mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken ?? 0
    await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress: 1, total: 1 } })
    return says('Streamed')
  },
  test_input_required_result_elicitation: ({ mcpReq: { inputResponses } }) => {
    const { name } = acceptedContent(inputResponses, 'user_name') ?? {}
    return typeof name === 'string' ? says(`Hello, ${name}!`) : inputRequired({ inputRequests: { user_name: NAME } })
  },
  test_input_required_result_sampling: asking({ capital_question: QUESTION }),
  test_input_required_result_list_roots: asking({ client_roots: inputRequired.listRoots() }),
  test_input_required_result_request_state: inSteps({ confirm: CONFIRM }),
  test_input_required_result_tampered_state: inSteps({ confirm: CONFIRM }),
  test_input_required_result_multiple_inputs: inSteps({
    user_name: NAME,
    greeting: QUESTION,
    client_roots: inputRequired.listRoots(),
  }),
  test_input_required_result_multi_round: inSteps({ step1: NAME }, { step2: NAME }),
  test_input_required_result_capabilities: (context) => {
    const can = capabilitiesOf(context)
    const inputRequests = {
      ...('elicitation' in can && { user_name: NAME }),
      ...('sampling' in can && { greeting: QUESTION }),
    }
    return Object.keys(inputRequests).length > 0 ? inputRequired({ inputRequests }) : says('Nothing to ask')
  },
}

const text = (uri: string, mimeType: string, words: string) => ({ uri, mimeType, text: words })
const RESOURCES = [
  text('test://static-text', 'text/plain', 'This is the content of the static text resource.'),
  { uri: 'test://static-binary', mimeType: 'image/png', blob: PNG },
  text('test://watched-resource', 'text/plain', 'Watched resource content'),
]
function contentsOf(uri: string): (typeof RESOURCES)[number] {
  const id = /^test:\/\/template\/(\w+)\/data$/.exec(uri)?.[1]
  const found = id
    ? text(uri, 'application/json', JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }))
    : RESOURCES.find((each) => each.uri === uri)
  if (!found) throw new ResourceNotFoundError(uri)
  return found
}

type Message = { role: 'user'; content: { type: 'text'; text: string } | typeof IMAGE | ReturnType<typeof resource> }
const told = (words: string): Message => ({ role: 'user', content: { type: 'text', text: words } })
const PROMPTS: Readonly<Record<string, { args?: string[]; messages: (args: Record<string, string>) => Message[] }>> = {
  test_simple_prompt: { messages: () => [told('This is a simple prompt for testing.')] },
  test_prompt_with_arguments: {
    args: ['arg1', 'arg2'],
    messages: ({ arg1, arg2 }) => [told(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)],
  },
  test_prompt_with_embedded_resource: {
    args: ['resourceUri'],
    messages: ({ resourceUri = '' }) => [
      { role: 'user', content: resource(resourceUri) },
      told('Please process the embedded resource above.'),
    ],
  },
  test_prompt_with_image: {
    messages: () => [{ role: 'user', content: IMAGE }, told('Please analyze the image above.')],
  },
  test_input_required_result_prompt: { messages: () => [told('Thank you')] },
}

const CACHED = { ttlMs: 300_000, cacheScope: 'public' } as const

/** The server of the suite, for one message. */
export function fixtureServer(visitor: Visitor): Server {
  const server = new Server(
    { name: 'fixture', version: '1.0.0' },
    {
      capabilities: { tools: {}, resources: { subscribe: true }, prompts: {}, completions: {}, logging: {} },
      cacheHints: {
        'tools/list': CACHED,
        'prompts/list': CACHED,
        'resources/list': CACHED,
        'resources/templates/list': CACHED,
        'resources/read': CACHED,
        'server/discover': CACHED,
      },
      requestState: { verify: codec.verify },
    },
  )
  server.setRequestHandler('tools/list', () => ({
    tools: Object.keys(TOOLS).map((name) => ({ name, description: name, inputSchema: { type: 'object' } })),
  }))
  server.setRequestHandler('tools/call', ({ params: { name, arguments: args = {} } }, context) =>
    guarded(visitor, async () => {
      const tool = TOOLS[name]
      if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is no such tool')
      return tool(context, args)
    }),
  )
  server.setRequestHandler('resources/list', () => ({
    resources: RESOURCES.map(({ uri, mimeType }) => ({ uri, name: uri, mimeType })),
  }))
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [{ uriTemplate: 'test://template/{id}/data', name: 'template' }],
  }))
  server.setRequestHandler('resources/read', ({ params: { uri } }) =>
    guarded(visitor, async () => ({ contents: [contentsOf(uri)] })),
  )
  server.setRequestHandler('resources/subscribe', () => ({}))
  server.setRequestHandler('resources/unsubscribe', () => ({}))
  server.setRequestHandler('prompts/list', () => ({
    prompts: Object.entries(PROMPTS).map(([name, { args = [] }]) => ({
      name,
      description: name,
      arguments: args.map((each) => ({ name: each, description: each, required: true })),
    })),
  }))
  server.setRequestHandler('prompts/get', ({ params: { name, arguments: args = {} } }, { mcpReq }) =>
    guarded(visitor, async () => {
      if (name === 'test_input_required_result_prompt' && !acceptedContent(mcpReq.inputResponses, 'user_context'))
        return inputRequired({ inputRequests: { user_context: NAME } })
      const prompt = PROMPTS[name]
      if (!prompt) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is no such prompt')
      return { messages: prompt.messages(args) }
    }),
  )
  server.setRequestHandler('completion/complete', () => ({ completion: { values: [], total: 0, hasMore: false } }))
  return server
}

/** The suite's server at an address of its own, behind the whole HTTP surface and the gate of a service. */
export async function fixtureService(): Promise<AsyncDisposable & { url: string }> {
  const app = await testApp()
  const { db, pepper } = app.installation
  const limits = { default_rpm: 10_000, reference_rpm: 10_000, log_rpm: 10_000, enabled: true }
  const gate = makeGate(
    { db, pepper, now: () => db.now() },
    makeLimiter(limits, () => performance.now()),
  )
  const answer: TransportParts['answer'] = (request, message, visitor) =>
    answerMessage(request, message, visitor, () => fixtureServer(visitor))
  let url = ''
  const baseUrl = (): string => url
  const { operations, resources } = app.app
  const surface = httpSurface({
    operations,
    resources,
    mounts: [mcpTransport({ gate, baseUrl, allowedOrigins: [], answer })],
    gate,
    baseUrl,
    observe: () => undefined,
    randomId: randomUUID,
  })
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: (request) => surface.fetch(request, '127.0.0.1'),
  })
  url = `http://127.0.0.1:${server.port}`
  return {
    url,
    async [Symbol.asyncDispose]() {
      await server.stop(true)
      await app[Symbol.asyncDispose]()
    },
  }
}
