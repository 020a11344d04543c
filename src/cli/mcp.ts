// MCP over standard input and output, for clients that start a program. Each message goes to a service, which has the tools,
// and its answer comes back. The rails flow is done here, so that a client needs only the key.

import { createInterface } from 'node:readline'
import { Fetcher, tokensOf } from '../../tools/monitor/fetcher.ts'
import { isAddress } from './answer-source.ts'
import { type Command, DONE, UsageFault } from './command.ts'

export const mcp: Command = {
  usage: 'mcp',
  summary: 'Serves MCP on standard input and output, for clients that start a program',
  options: [
    ['ATR_BASE_URL', 'in the environment: the address of the service'],
    ['ATR_AGENT_KEY', 'in the environment: an agent key, for the tools that need a scope; the others need none'],
  ],
  examples: [['mcp', 'with ATR_BASE_URL set, as an MCP client starts it']],
  async run(args) {
    if (args.length > 0) throw new UsageFault('mcp takes no arguments: set ATR_BASE_URL and ATR_AGENT_KEY')
    const { ATR_BASE_URL: url = '', ATR_AGENT_KEY: key = '' } = process.env
    if (!isAddress(url) || !URL.canParse(url))
      throw new UsageFault('set ATR_BASE_URL to the http or https address of the service')
    const bridge = new Bridge(url, key, (message) => process.stdout.write(`${JSON.stringify(message)}\n`))
    const underWay = new Set<Promise<void>>()
    for await (const line of createInterface({ input: process.stdin })) {
      const answer = bridge.take(line).finally(() => underWay.delete(answer))
      underWay.add(answer)
    }
    await Promise.all(underWay)
    return DONE
  },
}

type Members = Record<string, unknown>
interface Message {
  id?: string | number
  method?: string
  params?: Members & { _meta?: Members }
}
interface Answer extends Message {
  result?: Members
  error?: { code: number; message: string; data?: unknown }
}

const MAX_MS = 120_000
const PARSE_ERROR = -32_700
const INTERNAL_ERROR = -32_603
const VERSION = 'io.modelcontextprotocol/protocolVersion'
const NEEDS_CREDENTIAL = [401, 403]

class Bridge {
  readonly #fetcher: Fetcher
  /** The token, requested once for all calls when a tool needs it. Public tools need none. */
  #token: Promise<string | undefined> | undefined
  /** The protocol version from `initialize`, which old clients send. */
  #agreed: string | undefined
  readonly #open = new Map<string | number, AbortController>()

  constructor(
    url: string,
    readonly key: string,
    readonly send: (message: unknown) => void,
  ) {
    this.#fetcher = new Fetcher(url)
  }

  async take(line: string): Promise<void> {
    if (line.trim() === '') return
    const message = parsed(line)
    if (message === undefined)
      return this.send({ jsonrpc: '2.0', id: null, error: { code: PARSE_ERROR, message: 'This line is not JSON' } })
    if (message.method === 'notifications/cancelled') {
      this.#open.get(message.params?.['requestId'] as string | number)?.abort()
      return
    }
    const { id } = message
    const stopped = new AbortController()
    if (id !== undefined) this.#open.set(id, stopped)
    try {
      await this.#ask(message, stopped.signal)
    } catch {
      if (id !== undefined && !stopped.signal.aborted) this.send(unreachable(id))
    } finally {
      if (id !== undefined) this.#open.delete(id)
    }
  }

  async #ask(message: Message, signal: AbortSignal): Promise<void> {
    const token = this.#token
    const first = await this.#post(message, await token, signal)
    const newToken = first.status === 401 ? await this.#renewed(token) : undefined
    const response = newToken === undefined ? first : await this.#post(message, newToken, signal)
    for await (const answer of messagesOf(response)) {
      const { protocolVersion } = answer.result ?? {}
      if (message.method === 'initialize' && typeof protocolVersion === 'string') this.#agreed = protocolVersion
      this.send(NEEDS_CREDENTIAL.includes(response.status) ? this.#asRefusal(message, answer) : answer)
    }
  }

  #post(message: Message, token: string | undefined, signal: AbortSignal): Promise<Response> {
    return fetch(`${this.#fetcher.base}/mcp`, {
      method: 'POST',
      headers: { ...headersOf(message, this.#agreed), ...(token === undefined ? {} : { 'x-agent-rails': token }) },
      body: JSON.stringify(message),
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(MAX_MS)]),
    })
  }

  /** Gets a new token, unless another call has got one since. Undefined without a key, or if the key is refused. */
  async #renewed(used: Promise<string | undefined> | undefined): Promise<string | undefined> {
    if (this.key === '') return undefined
    if (this.#token === used) this.#token = tokensOf(this.key)(this.#fetcher)
    const token = await this.#token
    return token === (await used) ? undefined : token
  }

  /** Turns a refusal into a text for the model, because without HTTP no status makes a client get a credential. */
  #asRefusal({ method }: Message, answer: Answer): Answer {
    const { error } = answer
    if (method !== 'tools/call' || !error) return answer
    const { error: _, ...rest } = answer
    const missing =
      this.key === '' ? 'Set ATR_AGENT_KEY to use this tool.' : 'The key in ATR_AGENT_KEY does not open this tool.'
    const text = `${error.message}. ${missing} lookup_price and the other public tools need no key.`
    return {
      ...rest,
      result: {
        resultType: 'complete',
        content: [{ type: 'text', text }],
        structuredContent: error.data,
        isError: true,
      },
    }
  }
}

function parsed(line: string): Message | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Message) : undefined
  } catch {
    return undefined
  }
}

/** The headers of streamable HTTP. Since 2026-07-28 they describe the message. */
function headersOf({ method, params }: Message, agreed: string | undefined): Record<string, string> {
  const common = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  const version = params?._meta?.[VERSION]
  if (typeof version !== 'string') return agreed === undefined ? common : { ...common, 'mcp-protocol-version': agreed }
  const name = params?.['name'] ?? params?.['uri']
  return {
    ...common,
    'mcp-protocol-version': asHeader(version),
    ...(method === undefined ? {} : { 'mcp-method': asHeader(method) }),
    ...(typeof name === 'string' ? { 'mcp-name': asHeader(name) } : {}),
  }
}

const asHeader = (text: string): string =>
  /^[!-~]([ -~]*[!-~])?$/.test(text) && !text.startsWith('=?base64?')
    ? text
    : `=?base64?${Buffer.from(text).toString('base64')}?=`

/** The messages of an answer, which is one JSON object or a stream of events. */
async function* messagesOf(response: Response): AsyncGenerator<Answer> {
  const type = response.headers.get('content-type') ?? ''
  if (!type.startsWith('text/event-stream')) {
    const text = await response.text()
    if (text !== '') yield JSON.parse(text) as Answer
    return
  }
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of response.body ?? []) {
    const events = (rest + decoder.decode(chunk, { stream: true })).split(/\r?\n\r?\n/)
    rest = events.pop() ?? ''
    for (const event of events) {
      const lines = event.split(/\r?\n/).filter((line) => line.startsWith('data:'))
      if (lines.length > 0) yield JSON.parse(lines.map((line) => line.slice(5).trimStart()).join('\n')) as Answer
    }
  }
}

const unreachable = (id: string | number): object => ({
  jsonrpc: '2.0',
  id,
  error: {
    code: INTERNAL_ERROR,
    message: 'The service at ATR_BASE_URL did not answer. Check the address, then try again.',
  },
})
