// JSON-RPC 2.0 as A2A 1.0 uses it: the errors that it names, and the envelope.

/** A2A 1.0 section 5.4, and JSON-RPC 2.0 section 5.1. */
const ERRORS = {
  parse_error: [-32700, 'The body is not acceptable JSON'],
  invalid_request: [-32600, 'The body is not a JSON-RPC 2.0 request'],
  method_not_found: [-32601, 'There is no such method'],
  invalid_params: [-32602, 'The parameters do not have the form of this method'],
  /** A refusal of the service itself; the reason is the code of a problem. */
  refused: [-32000, 'The request was refused'],
  task_not_found: [-32001, 'There is no such task'],
  task_not_cancelable: [-32002, 'Every task is complete when it is made'],
  push_notification_not_supported: [-32003, 'Push notifications are not offered'],
  unsupported_operation: [-32004, 'This operation is not offered'],
  content_type_not_supported: [-32005, 'Questions are one data part or one text part; answers are application/json'],
  extended_agent_card_not_configured: [-32007, 'There is no extended agent card'],
  version_not_supported: [-32009, 'Send the header A2A-Version: 1.0'],
} as const

export type RpcErrorName = keyof typeof ERRORS
export type RpcId = string | number | null

/** An error that goes back in the envelope. All of its text is ours. */
export class RpcError extends Error {
  readonly reason: string

  constructor(
    readonly kind: RpcErrorName,
    detail: string = ERRORS[kind][1],
    /** The code of the problem, where a problem is the reason. */
    reason: string = kind,
    readonly details: readonly object[] = [],
  ) {
    super(detail)
    this.reason = reason.toUpperCase()
  }

  /** The details follow google.rpc.ErrorInfo, as the A2A specification asks. */
  toJSON(): object {
    const info = { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: this.reason, domain: DOMAIN }
    return { code: ERRORS[this.kind][0], message: this.message, data: [info, ...this.details] }
  }
}

const DOMAIN = 'a2a-protocol.org'

export interface RpcRequest {
  id: RpcId
  method: string
  params: unknown
}

const MOST_ID_LENGTH = 128

/** Throws unless it is one request with an id. Batches are not part of A2A, and nobody waits for a notification. */
export function readRequest(body: unknown): RpcRequest {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw new RpcError('invalid_request')
  const { jsonrpc, id, method, params } = body as Record<string, unknown>
  const isId = typeof id === 'string' ? id.length <= MOST_ID_LENGTH : Number.isSafeInteger(id)
  if (jsonrpc !== '2.0' || typeof method !== 'string' || !isId) throw new RpcError('invalid_request')
  return { id: id as RpcId, method, params }
}

export const envelope = (id: RpcId, content: { result: unknown } | { error: RpcError }): string =>
  JSON.stringify({ jsonrpc: '2.0', id, ...content })
