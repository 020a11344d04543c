// Sends requests with a time limit, and again after a refusal for now or a network fault.

import { ClientError, refusalOf } from './error.ts'

export interface TransportOptions {
  baseUrl: string
  fetch: (url: string, init: RequestInit) => Promise<Response>
  /** The time limit of each attempt. */
  timeoutMs: number
  /** How often a request is sent again. */
  retries: number
  /** The longest wait after which a request is sent again. */
  patienceSeconds: number
}

export interface Request {
  method?: 'GET' | 'POST'
  headers?: Record<string, string>
  body?: string
  signal?: AbortSignal | undefined
  /** Whether it may be sent only once: a nonce that comes twice counts as stolen. */
  once?: boolean
  /** Whether caches must not answer. */
  fresh?: boolean
}

export interface Reply {
  response: Response
  bytes: Uint8Array
  text: string
}

/** Far more than any answer has. An endless answer must not fill the memory. */
const MOST_BYTES = 64 * 1024 ** 2
const FIRST_WAIT_MS = 200

export class Transport {
  constructor(readonly options: TransportOptions) {}

  /** Sends a request and returns the answer, whatever its status. After a refusal for now (429, 503) it waits and sends again. */
  async send(path: string, request: Request = {}): Promise<Reply> {
    const { retries } = this.options
    for (let tried = 0; ; tried++) {
      const isLast = request.once === true || tried >= retries
      const outcome = await this.#try(path, request)
      if (!(outcome instanceof ClientError)) {
        const waitMs = this.#waitMs(outcome, tried)
        if (waitMs === undefined || isLast) return outcome
        await pause(waitMs, request.signal)
      } else if (isLast || outcome.code === 'aborted') throw outcome
      else await pause(FIRST_WAIT_MS * 2 ** tried, request.signal)
    }
  }

  /** How long to wait before the request is sent again; undefined if that would not help. */
  #waitMs({ response, text }: Reply, tried: number): number | undefined {
    if (response.status !== 429 && response.status !== 503) return undefined
    const { code, retryAfterSeconds: seconds } = refusalOf(response, text)
    // This refusal lasts until the operator has repaired something.
    if (code === 'failed_verification') return undefined
    if (seconds === undefined) return FIRST_WAIT_MS * 2 ** tried
    return seconds <= this.options.patienceSeconds ? seconds * 1000 : undefined
  }

  async #try(
    path: string,
    { method = 'GET', headers = {}, body, signal, fresh }: Request,
  ): Promise<Reply | ClientError> {
    const { baseUrl, fetch, timeoutMs } = this.options
    const limit = AbortSignal.timeout(timeoutMs)
    try {
      const response = await fetch(`${baseUrl}${path}`, {
        method,
        headers: { accept: 'application/json, text/plain, */*;q=0.1', ...headers },
        ...(body !== undefined && { body }),
        ...(fresh && { cache: 'no-cache' }),
        // A redirection could send credentials to anyone, so it is a fault.
        redirect: 'error',
        signal: signal ? AbortSignal.any([signal, limit]) : limit,
      })
      const bytes = await upTo(response, MOST_BYTES)
      return { response, bytes, text: new TextDecoder().decode(bytes) }
    } catch (cause) {
      if (signal?.aborted) return new ClientError('aborted: the caller gave up', { code: 'aborted', cause })
      if (limit.aborted) return new ClientError(`timeout: no answer within ${timeoutMs} ms`, { code: 'timeout', cause })
      return new ClientError('unreachable: the service does not answer', { code: 'unreachable', cause })
    }
  }
}

async function upTo(response: Response, most: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  const reader = response.body?.getReader()
  for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) {
    size += read.value.length
    if (size > most) {
      await reader?.cancel()
      throw new RangeError('the answer is larger than any answer can be')
    }
    chunks.push(read.value)
  }
  const whole = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.length
  }
  return whole
}

/** Waits, and throws if the caller gives up first. */
function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer)
      reject(new ClientError('aborted: the caller gave up', { code: 'aborted', cause: signal?.reason }))
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    if (signal?.aborted) stop()
    else signal?.addEventListener('abort', stop, { once: true })
  })
}
