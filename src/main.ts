import { type App, makeApp } from './app.ts'
import type { Config } from './config.ts'
import type { Installation } from './installation.ts'
import { callerAddress } from './surfaces/address.ts'
import type { RequestLine } from './surfaces/http.ts'

export interface Running {
  app: App
  url: string
  stop(): Promise<void>
}

const IDLE_SECONDS = 30
/** Larger than any body we take: the surface answers 413 itself, where Bun would send a bare one. */
const TRANSPORT_BODY_BYTES = 1024 ** 3

/** Starts to listen. Stopping finishes what is under way, then closes the store. */
export function start(config: Config, installation: Installation): Running {
  let url = config.PUBLIC_URL ?? ''
  const app = makeApp(installation, {
    baseUrl: () => url,
    now: Date.now,
    limits: {
      default_rpm: config.DEFAULT_RPM,
      reference_rpm: config.REFERENCE_RPM,
      enabled: config.RATE_LIMITS === 'on',
    },
    observe: (line) => logRequest(config.LOG_LEVEL, line),
  })
  const server = Bun.serve({
    hostname: config.HOST,
    port: config.PORT,
    idleTimeout: IDLE_SECONDS,
    maxRequestBodySize: TRANSPORT_BODY_BYTES,
    fetch: (request, transport) =>
      app.fetch(
        request,
        callerAddress(
          transport.requestIP(request)?.address ?? '',
          request.headers.get('x-forwarded-for'),
          config.TRUSTED_PROXIES,
        ),
      ),
  })
  if (url === '') url = `http://${config.HOST.includes(':') ? `[${config.HOST}]` : config.HOST}:${server.port}`
  return {
    app,
    url,
    async stop() {
      await server.stop()
      await installation.db.close()
    },
  }
}

const LEVELS = ['debug', 'info', 'warn', 'error']

function logRequest(threshold: Config['LOG_LEVEL'], { error, ...line }: RequestLine): void {
  const level = error !== undefined ? 'error' : 'info'
  if (LEVELS.indexOf(level) < LEVELS.indexOf(threshold)) return
  const fault =
    error instanceof Error
      ? {
          fault: error.name,
          at: (error.stack ?? '')
            .split('\n')
            .slice(1, 6)
            .map((frame) => frame.trim()),
        }
      : {}
  console.error(JSON.stringify({ at: new Date().toISOString(), level, ...line, ...fault }))
}
