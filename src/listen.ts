/** Longer than any answer takes, and longer than a proxy keeps a connection that it does not use. */
const IDLE_SECONDS = 120
/** Routes have limits of their own, and refuse in our words. Far larger bodies are cut off by Bun. */
const MOST_BODY_BYTES = 1024 * 1024
/** How long requests may be under way after the service was told to stop. */
const STOP_MS = 60_000

export interface ListenOptions {
  hostname: string
  /** 0 picks a free one. */
  port: number
  /** Whether other processes may listen on the same port. */
  isShared?: boolean
  /** How long nothing may move on a connection, in seconds. A body that comes slowly has no longer in all. */
  idleSeconds?: number
  /** Answers a request that came from an address. */
  answer: (request: Request, address: string) => Response | Promise<Response>
  /** Called with what `answer` throws. The caller gets an empty 500. */
  fault?: (error: unknown) => void
}

export interface Server {
  readonly port: number
  /** Finishes the requests under way, and closes all connections. */
  stop(): Promise<void>
}

/** Listens for HTTP. Throws what the system says if it cannot. */
export function listen(options: ListenOptions): Server {
  const { hostname, port, isShared = false, idleSeconds = IDLE_SECONDS, answer, fault } = options
  const server = Bun.serve({
    hostname,
    port,
    // If this is left out, another server may share the port, and callers get answers from either.
    reusePort: isShared,
    idleTimeout: idleSeconds,
    maxRequestBodySize: MOST_BODY_BYTES,
    // The error page of development shows source code.
    development: false,
    fetch: (request, connection) => answer(request, connection.requestIP(request)?.address ?? ''),
    error(error) {
      fault?.(error)
      return new Response(null, { status: 500 })
    },
  })
  return {
    port: server.port ?? port,
    async stop() {
      const timer = setTimeout(() => void server.stop(true), STOP_MS)
      await server.stop()
      clearTimeout(timer)
    },
  }
}
