import { parseArgs } from 'node:util'
import type { Config } from '../config.ts'
import { createInstallation } from '../installation.ts'
import { type Command, DONE, JSON_OPTION, show } from './command.ts'

/** The origin of the logs: the public address without its scheme. */
export const originOf = (config: Config): string =>
  (config.PUBLIC_URL ?? `http://${config.HOST}:${config.PORT}`).replace(/^https?:\/\//, '')

export const init: Command = {
  usage: 'init [--origin HOST/PATH] [--json]',
  summary:
    'Creates the store in DATA_DIR, or in the database of DATABASE_URL, and the log keys and the pepper in DATA_DIR; refuses if any of them exists',
  options: [
    ['--origin HOST/PATH', 'the name of the logs, without a scheme; by default PUBLIC_URL. It cannot be changed later'],
    JSON_OPTION,
  ],
  examples: [['init --origin registry.example', 'makes a new store for the service at https://registry.example']],
  async run(args, config) {
    const { values } = parseArgs({
      args,
      options: { origin: { type: 'string' }, json: { type: 'boolean', default: false } },
    })
    const origin = values.origin ?? originOf(config)
    const logs = await createInstallation(config, { origin, now: Date.now() }, async ({ registryLog, figuresLog }) => [
      registryLog.origin,
      figuresLog.origin,
    ])
    const created = { data_dir: config.DATA_DIR, logs }
    const store = config.DATABASE_URL === undefined ? '' : ', and the store in the schema atr of the database,'
    show(values.json, created, `created ${config.DATA_DIR}${store} with the logs ${logs.join(' and ')}`)
    return DONE
  },
}
