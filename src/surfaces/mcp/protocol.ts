// One message, answered by the library of the protocol. In its errors the library repeats what was sent: a URI, a version,
// a header. A model may read them, so callers get our own words for the same codes.

import {
  createMcpHandler,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/server'
import type { Visitor } from './visitor.ts'

/** Answers one message, whose body has been read, by the rules of the protocol. The answer is whole, and repeats nothing. */
export const answerMessage = async (
  request: Request,
  parsedBody: unknown,
  visitor: Visitor,
  serverFor: () => Server,
): Promise<Response> => withoutEcho(await createMcpHandler(serverFor).fetch(request, { parsedBody }), visitor)

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

type Members = Record<string, unknown>
interface RpcError {
  code: number
  message: string
  data?: unknown
}

/** A code of the revision 2026-07-28 that the library does not name. */
const HEADER_MISMATCH = -32_020
const VERSIONS = `the revisions of this service are 2026-07-28, ${SUPPORTED_PROTOCOL_VERSIONS.join(', ')}`

const WORDS: { readonly [code: number]: string } = {
  [ProtocolErrorCode.ParseError]: 'The body is not a JSON-RPC message',
  [ProtocolErrorCode.InvalidRequest]: 'The body is not a JSON-RPC message that this service takes',
  [ProtocolErrorCode.MethodNotFound]: 'Method not found',
  [ProtocolErrorCode.InvalidParams]:
    'Invalid params: they do not fit the method, or `_meta` lacks the protocol version or the capabilities of the client',
  // Our own failures are logged and sent elsewhere; the library also says this of params of a wrong type.
  [ProtocolErrorCode.InternalError]: 'The request could not be answered: check that its params fit the method',
  [ProtocolErrorCode.MissingRequiredClientCapability]:
    'The client lacks a capability that this request needs: see `data.requiredCapabilities`',
  [ProtocolErrorCode.UnsupportedProtocolVersion]: `Unsupported protocol version: ${VERSIONS}`,
  [HEADER_MISMATCH]: 'MCP-Protocol-Version, Mcp-Method and Mcp-Name must be there and say the same as the body',
}

/** Errors of the transport have one code, and differ in the status. */
const WORDS_BY_STATUS: { readonly [status: number]: string } = {
  400: `The message does not fit its headers; ${VERSIONS}`,
  406: 'Accept must have both application/json and text/event-stream',
  415: 'Content-Type must be application/json',
}

/** The answer with every error of the library in our words. */
async function withoutEcho(response: Response, visitor: Visitor): Promise<Response> {
  const body = await response.text()
  const shown = visitor.hasRefused || !body.includes('"error"') ? body : inOurWords(response, body)
  return new Response(shown === '' ? null : shown, response)
}

function inOurWords({ headers, status }: Response, body: string): string {
  const isStream = headers.get('content-type')?.startsWith('text/event-stream') ?? false
  return isStream
    ? body.replaceAll(/^data: (.+)$/gm, (_, text: string) => `data: ${rewritten(text, status)}`)
    : rewritten(body, status)
}

function rewritten(text: string, status: number): string {
  const message = JSON.parse(text) as { error?: RpcError }
  const { error } = message
  if (error === undefined) return text
  const { code } = error
  const data = code in DATA ? DATA[code]?.((error.data ?? {}) as Members) : undefined
  const said = WORDS[code] ?? WORDS_BY_STATUS[status] ?? 'The request was refused'
  return JSON.stringify({ ...message, error: { code, message: said, ...(data && { data }) } })
}

/** A version of letters could say anything; one of digits cannot. */
const isVersion = (text: unknown): boolean => typeof text === 'string' && /^v?[0-9][0-9.-]{0,15}$/.test(text)

/** The data that a client needs in order to continue, by code. */
const DATA: { readonly [code: number]: (data: Members) => Members } = {
  [ProtocolErrorCode.MissingRequiredClientCapability]: ({ requiredCapabilities }) => ({ requiredCapabilities }),
  [ProtocolErrorCode.UnsupportedProtocolVersion]: ({ supported, requested }) => ({
    supported,
    requested: isVersion(requested) ? requested : '',
  }),
}
