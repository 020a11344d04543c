import { parseArgs } from 'node:util'
import { type Config, isLoopback } from '../config.ts'
import { createInstallation, exists } from '../installation.ts'
import { faultOf, start, tryPort } from '../main.ts'
import { SCOPE_NAMES } from '../operation.ts'
import { createKey } from '../rails/keys.ts'
import { scheduleStates } from '../registry/state/state.ts'
import { type Command, DONE, openStore, UsageFault } from './command.ts'
import { originOf } from './init.ts'
import { keyParts } from './keys.ts'
import { loadSample } from './sample.ts'

export const serve: Command = {
  usage: 'serve [--demo]',
  summary: 'Runs the service until SIGINT or SIGTERM',
  options: [['--demo', 'listens on this machine only, and first creates a store with sample data if there is none']],
  async run(args, given) {
    const { values } = parseArgs({ args, options: { demo: { type: 'boolean', default: false } } })
    const config = values.demo ? quieter(given) : given
    if (values.demo && !isLoopback(config.HOST)) throw new UsageFault('demo mode listens on loopback only: unset HOST')
    if (values.demo && !(await exists(config))) {
      await tryPort(config) // before the key is made: it is shown once, and a busy port must not waste it
      console.log(demoKeyLines(await makeDemo(config)))
    }
    const installation = await openStore(config)
    const running = start(config, installation)
    const { db, registryLog, figuresLog, cosign } = installation
    const states = scheduleStates(
      { db, log: registryLog, cosign },
      [{ db, log: figuresLog, cosign }],
      Date.now,
      ({ fault }) => logFault(fault),
    )
    const { url, localUrl } = running
    console.log(
      values.demo ? welcome(localUrl) : `listening on ${localUrl}${url === localUrl ? '' : `, public as ${url}`}`,
    )
    await stopSignal()
    await states.stop()
    await running.stop()
    return DONE
  },
}

const logFault = (fault: unknown): void =>
  console.error(
    JSON.stringify({ at: new Date().toISOString(), level: 'error', job: 'registry_state', ...faultOf(fault) }),
  )

/** A person is reading the terminal: requests would only scroll the key away. */
const quieter = (config: Config): Config => ({
  ...config,
  LOG_LEVEL: process.env['LOG_LEVEL'] ? config.LOG_LEVEL : 'warn',
})

/** Creates the demo installation and returns its key, which is shown once. */
const makeDemo = (config: Config): Promise<string> =>
  createInstallation(config, { origin: originOf(config), now: Date.now(), replaceLock: true }, async (installation) => {
    await loadSample(installation, Date.now)
    const { key } = await createKey(keyParts(installation), { name: 'demo', scopes: [...SCOPE_NAMES] })
    return key
  })

/** Printed before anything else can fail: the key cannot be shown again. */
const demoKeyLines = (key: string): string => `Demo agent key, all five scopes, shown this once:\n  ${key}`

const welcome = (url: string): string => `
Agent Trust Registry, demo mode on this machine only. What is marked "sample" is invented.
  ${url}

Another agent key:
  npm run -s atr -- keys create --name me --scopes registry:read

Three things to try:
  curl -s '${url}/reference?cpt=99213'
  npm run -s atr -- verify '${url}/reference?cpt=99213' --policy ${url}/log/policy
  curl -s -X POST -H 'X-Agent-Key: <key>' ${url}/api/agent-rails/challenge
`

const stopSignal = (): Promise<void> =>
  new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => resolve()) // on, not once: a terminal and npm may both send it
  })
