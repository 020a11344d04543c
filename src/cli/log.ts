import { parseArgs } from 'node:util'
import type { Installation } from '../installation.ts'
import { retireOldKeys, rotateKeys } from '../integrity/key-rotation.ts'
import { cosignAgain, finish } from '../integrity/publication.ts'
import { formatVerifierKey } from '../proof/note/signed-note.ts'
import { stateIfDue } from '../registry/state/state.ts'
import { type Command, DONE, JSON_OPTION, openStore, show, table, UsageFault, unknownAction } from './command.ts'

async function publishWaiting({ db, registryLog, figuresLog, cosign }: Installation, asJson: boolean): Promise<number> {
  const logs = [registryLog, figuresLog]
  for (const each of logs) await finish({ db, log: each, cosign })
  // If no service runs, this is the only sign that the registry is still maintained.
  await stateIfDue({ db, log: registryLog, cosign }, Date.now())
  for (const each of logs) await cosignAgain({ db, log: each, cosign }, Date.now())
  const sizes = await Promise.all(logs.map(async (each) => ({ log: each.name, size: (await each.head(db)).size })))
  show(asJson, sizes, sizes.map((each) => `the ${each.log} log is public up to ${each.size} entries`).join('\n'))
  return DONE
}

const ACTIONS = {
  publish: {
    usage: 'log publish [--json]',
    summary:
      'Publishes what a crash or missing witnesses held up, appends the daily state if it is due, and asks witnesses for new cosignatures once a day',
    options: [JSON_OPTION],
    examples: [['log publish', 'once a day by cron, where no service runs']],
  },
  keys: {
    usage: 'log keys [--json]',
    summary: 'Prints the verifier keys in use',
    options: [JSON_OPTION],
    examples: [['log keys', 'what a witness needs to follow these logs']],
  },
  'rotate-key': {
    usage: 'log rotate-key [--json]',
    summary: 'Adds a new key to each log; old and new keys both sign from then on',
    options: [JSON_OPTION],
    examples: [['log rotate-key', 'then give the new keys to readers and witnesses']],
  },
  'retire-key': {
    usage: 'log retire-key [--json]',
    summary:
      'Stops signing with the old keys; first give the new ones to readers and witnesses. The policy keeps the old ones for what they signed',
    options: [JSON_OPTION],
    examples: [['log retire-key', 'when every reader and witness has the new keys']],
  },
} as const

interface Keys {
  keys: readonly string[]
  /** One key of each log. */
  newest: readonly string[]
  retired: readonly string[]
}

/** The texts of the actions. `log keys` prints only keys, because scripts read them. */
const TEXTS: Readonly<Record<Exclude<keyof typeof ACTIONS, 'publish'>, (result: Keys) => string>> = {
  keys: ({ keys }) => keys.join('\n'),
  'rotate-key': ({ keys, newest }) =>
    [
      table([
        ...newest.map((key) => ['new', key]),
        ...keys.filter((key) => !newest.includes(key)).map((key) => ['old', key]),
      ]),
      'All of them sign from now on. Next: back up log-keys, give the policy (/log/policy) to your readers, and the new keys to your witnesses.',
      'When all of them have the new keys, weeks later: `atr log retire-key`',
    ].join('\n'),
  'retire-key': ({ keys, retired }) =>
    retired.length === 0
      ? 'there is nothing to retire: each log has one key. `atr log rotate-key` adds a new one'
      : [
          table([...keys.map((key) => ['in use', key]), ...retired.map((key) => ['retired', key])]),
          'Next: back up log-keys, make a new backup with `atr backup`, and give the policy (/log/policy) to your readers again.',
          'A backup from before `atr log rotate-key` cannot be restored with these log-keys: see docs/operate.md, Backup',
        ].join('\n'),
}

export const log: Command = {
  usage: 'log ACTION',
  summary: 'Publishes entries that wait; lists, rotates and retires the keys of the logs',
  actions: ACTIONS,
  async run(args, config) {
    const { values, positionals } = parseArgs({
      args,
      options: { json: { type: 'boolean', default: false } },
      allowPositionals: true,
    })
    const [action = '', ...more] = positionals
    if (!Object.hasOwn(ACTIONS, action)) throw unknownAction('log', action, ACTIONS)
    if (more.length > 0) throw new UsageFault('atr log takes one action at a time')
    const installation = await openStore(config, { takesOlder: true })
    const { db, registryLog, figuresLog, keyFile } = installation
    const logs = [registryLog, figuresLog]
    try {
      if (action === 'publish') return await publishWaiting(installation, values.json)
      if (action === 'rotate-key') await rotateKeys(db, logs, keyFile)
      const retired = action === 'retire-key' ? await retireOldKeys(db, logs, keyFile) : []
      const keysOf = (log: (typeof logs)[number]) =>
        log.signers.map(({ name, publicKey }) => formatVerifierKey(name, publicKey))
      const [keys, newest] = [logs.flatMap(keysOf), logs.flatMap((each) => keysOf(each).slice(0, 1))]
      const result = { keys, newest, retired }
      show(values.json, result, TEXTS[action as keyof typeof TEXTS](result))
      return DONE
    } finally {
      await db.close()
    }
  },
}
