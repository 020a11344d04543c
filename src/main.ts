import { readFileSync } from 'node:fs'
import { type App, type AppOptions, makeApp } from './app.ts'
import { type Config, ConfigFault } from './config.ts'
import { Valkey } from './db/valkey.ts'
import { faultOf } from './fault.ts'
import { LineQueue } from './host/line-queue.ts'
import type { Installation } from './installation.ts'
import { type ListenOptions, listen, type Server } from './listen.ts'
import { expositionOf, type Family } from './metrics/exposition.ts'
import { RequestMetrics } from './metrics/requests.ts'
import { conditionFamilies, storeFamilies } from './metrics/state.ts'
import { callerAddress, trustedProxies } from './surfaces/http/caller-address.ts'
import type { RequestLine } from './surfaces/http/router.ts'
import { hospitalNames, NamesFault } from './surfaces/words/hospitals.ts'

export interface RunningService {
  app: App
  /** The public address for agents. */
  url: string
  /** The address it listens on. */
  localUrl: string
  /** The address of its metrics, if ADMIN_PORT is set. */
  metricsUrl: string | undefined
  /** What it has measured. */
  families(): Promise<Family[]>
  /** Tells proxies and callers that the service is about to stop, and goes on answering. */
  leave(): void
  stop(): Promise<void>
}

/** One of several processes that listen on the same port. */
export interface Worker {
  /** From 1 on. The first one also does what is done once for all of them. */
  number: number
}

/** Starts listening. `stop` finishes the requests under way, then closes the store. */
export function start(
  config: Config,
  installation: Omit<Installation, 'keyFile'>,
  worker?: Worker,
  mirror?: AppOptions['mirror'],
): RunningService {
  let url = config.PUBLIC_URL ?? ''
  const valkey = config.VALKEY_URL === undefined ? undefined : new Valkey(config.VALKEY_URL)
  const log = requestLog(config.LOG_LEVEL, worker)
  const metrics = config.ADMIN_PORT === undefined ? undefined : new RequestMetrics()
  let isCountedTogether = true
  const app = makeApp(installation, {
    baseUrl: () => url,
    now: Date.now,
    limits: limitsOf(config),
    valkey: valkey && {
      valkey,
      tell(isAway) {
        isCountedTogether = !isAway
        logValkey(isAway, worker)
      },
    },
    retention: config.OUTCOMES_RETENTION === 'on',
    contact: config.CONTACT,
    hospitalNames: namesIn(config.HOSPITAL_NAMES),
    hasArchive: config.ARCHIVE !== undefined,
    mcpOrigins: config.MCP_ALLOWED_ORIGINS,
    observe: metrics ? (line) => [metrics.count(line), log.request(line)] : log.request,
    cacheBytes: config.CACHE_BYTES,
    mostLagMs: config.LAG_SECONDS * 1_000,
    isCardSignedTwice: config.CARD_SIGNATURES === 'compatible',
    mirror,
  })
  const isTrusted = trustedProxies(config.TRUSTED_PROXIES)
  const hasProxies = config.TRUSTED_PROXIES.length > 0
  const server = listenOn({
    hostname: config.HOST,
    port: config.PORT,
    // The parent of the workers has made sure that nobody else listens on the port.
    isShared: worker !== undefined,
    answer(request, peer) {
      const forwarded = hasProxies ? request.headers.get('x-forwarded-for') : null
      return app.fetch(request, callerAddress(peer, forwarded, isTrusted))
    },
    fault: (fault) => logListener(fault, worker),
  })
  const families = async (): Promise<Family[]> => {
    const condition = { ...app.condition(), isCountedTogether: valkey && isCountedTogether }
    const own = [...conditionFamilies(condition, Date.now()), ...(metrics?.families() ?? [])]
    return doesJobs(worker) ? [...own, ...(await storeFamilies(installation.db, config.DATA_DIR, Date.now()))] : own
  }
  let admin: Server | undefined
  try {
    // Of several workers, the process that started them has the port.
    admin = worker ? undefined : listenForMetrics(config, families)
  } catch (error) {
    void server.stop() // or the process would go on, half started
    throw error
  }
  const localUrl = localAddress(config.HOST, server.port)
  if (url === '') url = localUrl
  const heads = app.followHeads(({ fault }) => logFault('published_state', fault))
  const releases =
    config.FIGURES_SCHEDULE === 'on' && doesJobs(worker) ? app.followFiguresCalendar(logRelease) : undefined
  const verification =
    config.VERIFY_CPU_PERCENT > 0 && doesJobs(worker)
      ? app.verify({
          cpuPercent: config.VERIFY_CPU_PERCENT,
          everyMs: config.VERIFY_EVERY_SECONDS * 1_000,
          tell: ({ fault }) => logFault('verification', fault),
        })
      : undefined
  return {
    app,
    url,
    localUrl,
    metricsUrl: admin && `${localAddress(config.METRICS_HOST, admin.port)}/metrics`,
    families,
    leave: () => app.leave(),
    async stop() {
      await server.stop()
      await verification?.stop()
      await heads.stop()
      await admin?.stop()
      await releases?.stop()
      valkey?.close()
      await installation.db.close()
      log.flush()
      await standardError.drain()
    },
  }
}

function namesIn(file: string | undefined): ReadonlyMap<string, string> | undefined {
  if (file === undefined) return undefined
  try {
    return hospitalNames(readFileSync(file, 'utf8'))
  } catch (error) {
    const why = error instanceof NamesFault ? error.message : 'it cannot be read'
    throw new ConfigFault(`the file of HOSPITAL_NAMES is not valid: ${why}`)
  }
}

/** The first process does the jobs that are done once, whatever the number of processes. */
export const doesJobs = (worker: Worker | undefined): boolean => worker === undefined || worker.number === 1

export const limitsOf = (config: Config) => ({
  default_rpm: config.DEFAULT_RPM,
  reference_rpm: config.REFERENCE_RPM,
  log_rpm: config.LOG_RPM,
  anonymous_rpm: config.ANONYMOUS_RPM,
  enabled: config.RATE_LIMITS === 'on',
})

/** The port that can be used; a free one for 0. Fails with the same message as `start` if it cannot. */
export async function tryPort({ HOST, PORT }: Config): Promise<number> {
  const server = listenOn({ hostname: HOST, port: PORT, answer: () => new Response(null, { status: 503 }) })
  await server.stop()
  return server.port
}

/** The address that a service listens on. */
export const localAddress = (host: string, port: number): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`

/** Listens where Prometheus asks; undefined if no port is set. */
export const listenForMetrics = (
  { ADMIN_PORT, METRICS_HOST }: Config,
  families: () => Promise<Family[]>,
): Server | undefined =>
  ADMIN_PORT === undefined
    ? undefined
    : listenOn(
        {
          hostname: METRICS_HOST,
          port: ADMIN_PORT,
          fault: (fault) => logListener(fault, undefined),
          answer: async ({ url }) =>
            new URL(url, 'http://localhost').pathname === '/metrics'
              ? new Response(expositionOf(await families()), { headers: { 'content-type': EXPOSITION } })
              : new Response(null, { status: 404 }),
        },
        'ADMIN_PORT',
      )
const EXPOSITION = 'text/plain; version=0.0.4; charset=utf-8'

function listenOn(options: ListenOptions, setting: 'PORT' | 'ADMIN_PORT' = 'PORT'): Server {
  try {
    return listen(options)
  } catch (cause) {
    const { port, hostname } = options
    const isTaken = (cause as { code?: string }).code === 'EADDRINUSE'
    throw new ConfigFault(
      isTaken
        ? `port ${port} is in use: stop what listens there, or choose another one with ${setting}=${port < 65_535 ? port + 1 : port - 1}`
        : `cannot listen on port ${port} of ${hostname}: set HOST to an address of this machine, and ${setting} to a port that you may use`,
      { cause },
    )
  }
}

const named = (worker: Worker | undefined): { worker?: number } => (worker ? { worker: worker.number } : {})

export const standardError = new LineQueue(2)

/** One line on standard error, with the time. It waits for nobody who reads it. */
export const logLine = (line: { level: string; [member: string]: unknown }): void =>
  standardError.add(`${JSON.stringify({ at: new Date().toISOString(), ...line })}\n`)

const LEVELS = ['debug', 'info', 'warn', 'error']

const LOG_BATCH_CHARACTERS = 16 * 1024
const LOG_BATCH_MS = 100

/** Lines about requests. They are written in batches, because a write for each would cost more than a ready-made answer. */
function requestLog(
  threshold: Config['LOG_LEVEL'],
  worker: Worker | undefined,
): { request: (line: RequestLine) => void; flush: () => void } {
  const isShown = (level: string): boolean => LEVELS.indexOf(level) >= LEVELS.indexOf(threshold)
  const [showsInfo, showsErrors] = [isShown('info'), isShown('error')]
  const clock = isoClock()
  let lines = ''
  let timer: ReturnType<typeof setTimeout> | undefined
  const flush = (): void => {
    clearTimeout(timer)
    timer = undefined
    if (lines !== '') standardError.add(lines)
    lines = ''
  }
  const faultText = ({ error, ...line }: RequestLine): string =>
    `${JSON.stringify({ at: clock(), level: 'error', ...line, ...named(worker), ...faultOf(error) })}\n`
  const request = (line: RequestLine): void => {
    const isFault = line.error !== undefined
    if (!(isFault ? showsErrors : showsInfo)) return
    lines += isFault ? faultText(line) : lineText(clock(), line, worker)
    if (isFault || lines.length > LOG_BATCH_CHARACTERS) flush()
    else timer ??= setTimeout(flush, LOG_BATCH_MS)
  }
  return { request, flush }
}

const logValkey = (isAway: boolean, worker: Worker | undefined): void =>
  logLine({
    level: isAway ? 'error' : 'info',
    limits: isAway ? 'Valkey is away: each machine counts for itself' : 'Valkey counts for all machines',
    ...named(worker),
  })

/** The service failed before it could log so itself. */
const logListener = (fault: unknown, worker: Worker | undefined): void =>
  logLine({ level: 'error', part: 'listener', ...named(worker), ...faultOf(fault) })

/** Writes what JSON.stringify would write. All its texts are ours, without a character that needs an escape. */
const lineText = (
  at: string,
  { request_id, method, route, status, ms, caller, code, key_id }: RequestLine,
  worker: Worker | undefined,
): string => {
  const more = `${code === undefined ? '' : `,"code":"${code}"`}${key_id === undefined ? '' : `,"key_id":"${key_id}"`}`
  return `{"at":"${at}","level":"info","request_id":"${request_id}","method":"${method}","route":"${route}","status":${status},"ms":${ms},"caller":"${caller}"${more}${worker ? `,"worker":${worker.number}` : ''}}\n`
}

/** The time as text, written once a millisecond. */
function isoClock(): () => string {
  let [ms, text] = [0, '']
  return () => {
    const now = Date.now()
    if (now !== ms) [ms, text] = [now, new Date(now).toISOString()]
    return text
  }
}

const logRelease: Parameters<App['followFiguresCalendar']>[0] = (result) =>
  logLine({
    level: 'fault' in result ? 'error' : 'info',
    job: 'figures_release',
    ...('fault' in result ? faultOf(result.fault) : result),
  })

/** A job of the service has failed. */
export const logFault = (job: string, fault: unknown): void => logLine({ level: 'error', job, ...faultOf(fault) })
