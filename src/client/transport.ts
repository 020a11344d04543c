// How requests are sent: with a time limit, and again where the service or the network asks for patience.

import { ClientError, refusalOf } from './error.ts'

export interface TransportOptions {
  baseUrl: string
  fetch: (url: string, init: RequestInit) => Promise<Response>
  /** For each try. */
  timeoutMs: number
  /** How often a request is sent again. */
  retries: number
  /** The longest wait for which a request is still sent again. */
  patienceSeconds: number
}

export interface Sent {
  method?: 'GET' | 'POST'
  headers?: Record<string, string>
  body?: string
  signal?: AbortSignal | undefined
  /** Whether it may be sent only once: a nonce that comes twice is taken for a stolen one. */
  once?: boolean
  /** Past all caches. */
  fresh?: boolean
}

export interface Received {
  response: Response
  bytes: Uint8Array
  text: string
}

/** Far more than any answer has: a service that sends without end must not fill the memory of its client. */
const MOST_BYTES = 64 * 1024 ** 2
const FIRST_WAIT_MS = 200

export class Transport {
  constructor(readonly options: TransportOptions) {}

  /** The answer, whatever its status. A refusal for now (429, 503) is waited out as long as that is worth it. */
  async send(path: string, sent: Sent = {}): Promise<Received> {
    const { retries } = this.options
    for (let tried = 0; ; tried++) {
      const isLast = sent.once === true || tried >= retries
      const outcome = await this.#try(path, sent)
      if (!(outcome instanceof ClientError)) {
        const waitMs = this.#waitOf(outcome, tried)
        if (waitMs === undefined || isLast) return outcome
        await pause(waitMs, sent.signal)
      } else if (isLast || outcome.code === 'aborted') throw outcome
      else await pause(FIRST_WAIT_MS * 2 ** tried, sent.signal)
    }
  }

  /** How long the service asks to wait; undefined where there is nothing to wait for. */
  #waitOf({ response, text }: Received, tried: number): number | undefined {
    if (response.status !== 429 && response.status !== 503) return undefined
    const { code, retryAfterSeconds: seconds } = refusalOf(response, text)
    // It stays so until the operator has repaired something.
    if (code === 'failed_verification') return undefined
    if (seconds === undefined) return FIRST_WAIT_MS * 2 ** tried
    return seconds <= this.options.patienceSeconds ? seconds * 1000 : undefined
  }

  async #try(
    path: string,
    { method = 'GET', headers = {}, body, signal, fresh }: Sent,
  ): Promise<Received | ClientError> {
    const { baseUrl, fetch, timeoutMs } = this.options
    const limit = AbortSignal.timeout(timeoutMs)
    try {
      const response = await fetch(`${baseUrl}${path}`, {
        method,
        headers: { accept: 'application/json, text/plain, */*;q=0.1', ...headers },
        ...(body !== undefined && { body }),
        ...(fresh && { cache: 'no-cache' }),
        // A credential goes where it was meant to go: it would follow a redirection to anyone.
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

/** Waits, unless the caller gives up first. */
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
