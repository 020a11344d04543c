import type { Visit } from '../../operation.ts'
import type { Problem } from '../../problem.ts'
import type { Reply } from './response.ts'

/** A line of the log about a request. */
export interface RequestLine {
  request_id: string
  method: string
  route: string
  status: number
  ms: number
  /** Whether the call was counted for a key. Unknown where a protocol with messages of its own decides. */
  caller: 'agent' | 'anonymous' | 'unknown'
  /** The public id of the key. */
  key_id?: string
  /** Why it was refused. */
  code?: string
  error?: unknown
}

/** Members of a log line about the caller and a refusal. */
export const lineOf = (
  { agent }: Visit,
  code?: string,
  error?: unknown,
): Pick<RequestLine, 'caller' | 'key_id' | 'code' | 'error'> => {
  const line: ReturnType<typeof lineOf> = { caller: agent ? 'agent' : 'anonymous' }
  if (agent) line.key_id = agent.key_id
  if (code !== undefined) line.code = code
  if (error !== undefined) line.error = error
  return line
}

/** Members of a log line about a refusal. The caller is told that something is damaged; the log says where. */
export const refusedLineOf = (visit: Visit, { code, extra }: Problem): ReturnType<typeof lineOf> =>
  lineOf(visit, code, code === 'failed_verification' ? extra.cause : undefined)

/** Status in the log where the caller hung up before there was an answer. It is no fault of the service. */
const CALLER_GONE = 499

export const loggedStatus = ({ signal }: Request, { status }: Reply): number =>
  status >= 500 && signal.aborted ? CALLER_GONE : status

export const millisecondsSince = (started: number): number => Math.round((performance.now() - started) * 1000) / 1000
