import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type Config, ConfigFault, isLoopback } from '../config.ts'
import { faultOf } from '../fault.ts'
import { createInstallation, type Installation, isInstalled } from '../installation.ts'
import { followWaiting, type Publisher, type WaitingNews } from '../integrity/publication.ts'
import {
  doesJobs,
  listenForMetrics,
  localAddress,
  logFault,
  logLine,
  type RunningService,
  start,
  tryPort,
  type Worker,
} from '../main.ts'
import { ofWorkers } from '../metrics/exposition.ts'
import { SCOPE_NAMES } from '../operation.ts'
import { createKey } from '../rails/keys.ts'
import { scheduleStates } from '../registry/state/state.ts'
import { type Command, DONE, openStore, UsageFault } from './command.ts'
import { originOf } from './init.ts'
import { keyParts } from './keys.ts'
import { MEASURE, startWorkers } from './workers.ts'

export const serve: Command = {
  usage: 'serve [--demo | --mirror <folder>]',
  summary: 'Runs the service until SIGINT or SIGTERM',
  options: [
    ['--demo', 'listens on this machine only, and first creates a store with sample data if there is none'],
    ['--mirror FOLDER', 'answers from a folder of `atr mirror`, read-only: no keys, no store, no signing'],
  ],
  examples: [
    ['serve', 'serves the store in DATA_DIR on HOST and PORT'],
    ['serve --demo', 'tries it out with sample data'],
    ['serve --mirror ./mirror', 'answers from what `atr mirror` has copied'],
  ],
  async run(args, given) {
    const { values } = parseArgs({
      args,
      options: {
        demo: { type: 'boolean', default: false },
        mirror: { type: 'string' },
        worker: { type: 'string' },
      },
    })
    if (values.mirror !== undefined && values.demo) throw new UsageFault('give --demo or --mirror, not both')
    if (values.mirror !== undefined) return serveMirror(given, values.mirror)
    // The option of workers, which the parent starts: see `serveByWorkers`.
    if (values.worker !== undefined) return serveAsWorker(given, { number: Number(values.worker) })
    const config = values.demo ? quieter(given) : given
    checkWorkers(config)
    if (values.demo && !isLoopback(config.HOST)) throw new UsageFault('demo mode listens on loopback only: unset HOST')
    if (values.demo && !(await isInstalled(config))) {
      await tryPort(config) // before the key is made: it is shown once, and a busy port must not waste it
      console.log(demoKeyLines(await makeDemo(config)))
    }
    if (values.demo) await (await import('./sample.ts')).upgradeSample(config)
    needAddress(config)
    warnIfExposed(config)
    if (config.WORKERS > 1) return serveByWorkers(config, values.demo)
    const running = await serveHere(config)
    const stop = stopSignal() // before the address is printed
    if (!values.demo) goOnAfterHangUp()
    console.log(values.demo ? welcome(running.localUrl) : listening(running))
    // Nobody stands before a demo.
    await leave(running, values.demo ? 0 : config.DRAIN_SECONDS, await stop)
    await running.stop()
    console.log(stopped(values.demo))
    return DONE
  },
}

/** Starts the service. If it cannot listen, the store is closed, because it would keep the process alive. */
const startOn = (config: Config, installation: Installation, worker: Worker | undefined): Promise<RunningService> =>
  Promise.try(() => start(config, installation, worker)).catch(async (error: unknown) => {
    await installation.db.close()
    throw error
  })

/** Answers requests in this process, and does the jobs unless another worker does. */
async function serveHere(config: Config, worker?: Worker): Promise<Omit<RunningService, 'app' | 'metricsUrl'>> {
  const installation = await openStore(config)
  const running = await startOn(config, installation, worker)
  const { db, registryLog, figuresLog, cosign } = installation
  if (doesJobs(worker)) warnIfElsewhere(config, registryLog.origin)
  const [registry, figures] = [registryLog, figuresLog].map((log) => ({ db, log, cosign })) as [Publisher, Publisher]
  const jobs = doesJobs(worker)
    ? [
        scheduleStates(registry, [figures], Date.now, ({ fault }) => logFault('registry_state', fault)),
        followWaiting({
          publishers: [registry, figures],
          tell: logWaiting,
          tellFault: ({ fault }) => logFault('publication', fault),
        }),
      ]
    : []
  if (config.CITATIONS_SCHEDULE !== 'off' && doesJobs(worker)) {
    const { scheduleCitations } = await import('./citation-schedule.ts')
    const loopback = config.CITATIONS_SCHEDULE === 'loopback'
    jobs.push(scheduleCitations({ db, loopback, tell: ({ fault }) => logFault('citations', fault) }))
  }
  if (config.UPDATES !== 'off' && doesJobs(worker)) {
    const { fetchableOf } = await import('./fetch-parts.ts')
    const { scheduleUpdates } = await import('./update-schedule.ts')
    const charts = fetchableOf(config)
    const publishes = config.UPDATES === 'publish'
    jobs.push(scheduleUpdates({ db, charts, publishes, tell: ({ fault }) => logFault('update', fault) }))
  }
  return {
    ...running,
    async stop() {
      await Promise.all(jobs.map((job) => job.stop()))
      await running.stop()
    },
  }
}

/** Answers from the folder of a mirror. Changes by another process are seen within about a second. */
async function serveMirror(config: Config, folder: string): Promise<number> {
  if (config.WORKERS > 1) throw new ConfigFault('a mirror is served by one process: leave WORKERS out')
  const { openMirror } = await import('../../tools/mirror/open-mirror.ts')
  const { StaticTree } = await import('../../tools/mirror/static-tree.ts')
  const mirror = await openMirror(new StaticTree(resolve(folder)))
  warnIfExposed(config)
  const { origin } = mirror.registryLog
  const recorded = new Date((await mirror.registryLog.head(mirror.db)).signed_at).toISOString()
  const running = start({ ...config, FIGURES_SCHEDULE: 'off' }, mirror, undefined, mirror)
  goOnAfterHangUp()
  console.log(`${listening(running)}\nmirror of ${origin}, state of ${recorded}`)
  await leave(running, config.DRAIN_SECONDS, await stopSignal())
  await running.stop()
  return DONE
}

async function serveAsWorker(config: Config, worker: Worker): Promise<number> {
  process.on('SIGINT', () => undefined) // a terminal sends it to all processes; the parent decides when to stop
  const orphaned = new Promise<void>((resolve) => process.on('disconnect', () => resolve()))
  const running = await serveHere(config, worker)
  if (process.connected) process.send?.('ready')
  else return running.stop().then(() => DONE) // the parent ended before this process noticed
  goOnAfterHangUp()
  process.on('message', (message) => {
    if (message === MEASURE) void running.families().then((families) => process.send?.({ families }))
  })
  const signal = await Promise.race([stopSignal(['SIGTERM']), orphaned])
  if (signal) await leave(running, config.DRAIN_SECONDS, signal)
  await running.stop()
  process.disconnect?.()
  return DONE
}

/** Refuses settings of workers that cannot work, before anything is created. */
function checkWorkers({ WORKERS, VALKEY_URL, RATE_LIMITS }: Config): void {
  if (WORKERS === 1) return
  if (process.platform !== 'linux') throw new ConfigFault('WORKERS needs Linux: leave it out here')
  if (VALKEY_URL === undefined && RATE_LIMITS === 'on')
    throw new ConfigFault('WORKERS above 1 needs VALKEY_URL: the workers count the requests of a caller together there')
}

/** Documents and links have the public address, which nobody can guess from "all addresses of this machine". */
function needAddress({ HOST, PUBLIC_URL }: Config): void {
  if (PUBLIC_URL === undefined && (HOST === '0.0.0.0' || HOST === '::'))
    throw new ConfigFault(
      'HOST is all addresses of this machine, so PUBLIC_URL must say how agents reach the service, such as https://registry.example',
    )
}

/** Logs are named after the host that agents know. A store that was made for another one is usually the wrong store. */
function warnIfElsewhere({ PUBLIC_URL }: Config, origin: string): void {
  const [host] = origin.split('/')
  if (PUBLIC_URL === undefined || new URL(PUBLIC_URL).host === host) return
  console.error(
    'warning: PUBLIC_URL has another host than the one that the logs of this store are named after: check DATA_DIR and DATABASE_URL, or set PUBLIC_URL to the address for which the store was made',
  )
}

/** Slow heads, floods of connections and paths that can be read in two ways are the work of a proxy. */
function warnIfExposed({ HOST, TRUSTED_PROXIES }: Config): void {
  if (isLoopback(HOST) || TRUSTED_PROXIES.length > 0) return
  console.error(
    'warning: HOST is not loopback and TRUSTED_PROXIES is not set: put a proxy in front of the service (deploy/nginx, deploy/caddy), and name its address in TRUSTED_PROXIES',
  )
}

/** Starts the workers, which listen on one port, and keeps them running. */
async function serveByWorkers(config: Config, isDemo: boolean): Promise<number> {
  // Opened once before the workers do: faults of the store are said once, and a crash is put right once.
  await (await openStore(config)).db.close()
  // Workers share the port with any program that allows it, so make sure first that it is free.
  const port = await tryPort(config)
  const workers = await startWorkers(config.WORKERS, {
    command: (number) => {
      const words = ['serve', '--worker', String(number)]
      return [process.execPath, ...process.execArgv, process.argv[1] as string, ...words]
    },
    environment: { ...process.env, PORT: String(port), LOG_LEVEL: config.LOG_LEVEL },
    tell: (end) => logLine({ level: 'error', ...end }),
  })
  const metrics = listenForMetrics(config, async () => ofWorkers(await workers.measurements()))
  const localUrl = localAddress(config.HOST, port)
  const stop = stopSignal()
  if (!isDemo) goOnAfterHangUp()
  console.log(isDemo ? welcome(localUrl) : listening({ localUrl, url: config.PUBLIC_URL ?? localUrl }))
  await stop
  await workers.stop()
  await metrics?.stop()
  console.log(stopped(isDemo))
  return DONE
}

/** The last message. All requests have been answered then, and the store is closed. */
const stopped = (isDemo: boolean): string =>
  `stopped: what was answered is in the store. ${isDemo ? '`npm start`' : '`atr serve`'} goes on with it`

const listening = ({ url, localUrl }: Pick<RunningService, 'url' | 'localUrl'>): string =>
  `listening on ${localUrl}${url === localUrl ? '' : `, public as ${url}`}`

/** Logs an alarm each time a signed checkpoint could not be made public, and a line when it is. */
const logWaiting = ({ log, fault }: WaitingNews): void =>
  logLine(
    fault === undefined
      ? { level: 'info', job: 'publication', log, is: 'public' }
      : { level: 'error', alarm: 'publication_waits', log, ...faultOf(fault) },
  )

/** Logs less in the demo, so that requests do not scroll the key away. */
const quieter = (config: Config): Config => ({
  ...config,
  LOG_LEVEL: process.env['LOG_LEVEL'] ? config.LOG_LEVEL : 'warn',
})

/** Creates the demo installation and returns its key, which is shown once. */
const makeDemo = (config: Config): Promise<string> =>
  createInstallation(config, { origin: originOf(config), now: Date.now(), replaceLock: true }, async (installation) => {
    const { loadSample } = await import('./sample.ts')
    await loadSample(installation, Date.now)
    const { key } = await createKey(keyParts(installation), { name: 'demo', scopes: [...SCOPE_NAMES] })
    return key
  })

/** Printed before anything else can fail: the key cannot be shown again. */
const demoKeyLines = (key: string): string => `Demo agent key, all five scopes, shown this once:\n  ${key}`

const welcome = (url: string): string => `
Agent Trust Registry, demo mode on this machine only. What is marked "sample" is invented.
  ${url}

The prices are samples. For real ones, stop this and use a folder of its own:
  export DATA_DIR=./registry
  npm run -s atr -- init
  npm run -s atr -- fetch all --accept-license ama --by "YOUR NAME"
  npm run -s atr -- update --publish
  npm run -s atr -- serve

Another agent key:
  npm run -s atr -- keys create --name me --scopes registry:read

Three things to try:
  curl -s '${url}/reference?cpt=99213'
  npm run -s atr -- verify '${url}/reference?cpt=99213' --policy ${url}/log/policy
  curl -s -X POST -H 'X-Agent-Key: <key>' ${url}/api/agent-rails/challenge
`

const stopSignal = (signals: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM']): Promise<NodeJS.Signals> =>
  new Promise((resolve) => {
    for (const signal of signals) process.on(signal, () => resolve(signal)) // not once: a terminal and npm may both send it
  })

/**
 * Goes on answering after SIGTERM, so that proxies notice that this process is about to stop and send requests elsewhere. Ctrl-C
 * does not wait, and a second signal ends the wait.
 */
async function leave(running: Pick<RunningService, 'leave'>, seconds: number, signal: NodeJS.Signals): Promise<void> {
  if (signal !== 'SIGTERM' || seconds === 0) return
  running.leave()
  logLine({ level: 'info', service: 'leaving', drain_seconds: seconds })
  const over = new Promise((resolve) => setTimeout(resolve, seconds * 1_000).unref())
  await Promise.race([over, stopSignal()])
}

/** The signal of a closed terminal does not end a service. Other programs read their settings again on it; this one does not. */
const goOnAfterHangUp = (): void =>
  void process.on('SIGHUP', () => logLine({ level: 'info', signal: 'SIGHUP', service: 'goes on with its settings' }))
