import { parseArgs } from 'node:util'
import type { Installation } from '../installation.ts'
import { retireOldKeys, rotateKeys } from '../integrity/key-rotation.ts'
import { cosignAgain, finish } from '../integrity/publication.ts'
import { formatVerifierKey } from '../proof/note/signed-note.ts'
import { stateIfDue } from '../registry/state/state.ts'
import { type Command, DONE, openStore, show, UsageFault } from './command.ts'

async function publishWaiting({ db, registryLog, figuresLog, cosign }: Installation, asJson: boolean): Promise<number> {
  const logs = [registryLog, figuresLog]
  for (const each of logs) await finish({ db, log: each, cosign })
  // Where nothing serves, this is what tells that the registry is still looked after.
  await stateIfDue({ db, log: registryLog, cosign }, Date.now())
  for (const each of logs) await cosignAgain({ db, log: each, cosign }, Date.now())
  const sizes = await Promise.all(logs.map(async (each) => ({ log: each.name, size: (await each.head(db)).size })))
  show(asJson, sizes, sizes.map((each) => `the ${each.log} log is public up to ${each.size} entries`).join('\n'))
  return DONE
}

export const log: Command = {
  usage: 'log publish | keys | rotate-key | retire-key [--json]',
  summary:
    'Publishes entries that wait for witnesses and the daily state; lists, rotates and retires the keys of the logs',
  options: [
    [
      'publish',
      'publishes what a crash or missing witnesses held up, appends the daily state if it is due, and asks witnesses for new cosignatures once a day',
    ],
    ['keys', 'prints the verifier keys in use'],
    ['rotate-key', 'adds a new key to each log; old and new keys both sign from then on'],
    [
      'retire-key',
      'stops signing with the old keys; first give the new ones to readers and witnesses. The policy keeps the old ones for what they signed',
    ],
    ['--json', 'prints JSON'],
  ],
  async run(args, config) {
    const { values, positionals } = parseArgs({
      args,
      options: { json: { type: 'boolean', default: false } },
      allowPositionals: true,
    })
    const [action, ...more] = positionals
    if (more.length > 0 || !['publish', 'keys', 'rotate-key', 'retire-key'].includes(action ?? ''))
      throw new UsageFault('say what to do: atr log publish, keys, rotate-key or retire-key')
    const installation = await openStore(config)
    const { db, registryLog, figuresLog, keyFile } = installation
    const logs = [registryLog, figuresLog]
    try {
      if (action === 'publish') return await publishWaiting(installation, values.json)
      if (action === 'rotate-key') await rotateKeys(db, logs, keyFile)
      const retired = action === 'retire-key' ? await retireOldKeys(db, logs, keyFile) : []
      const keys = logs
        .flatMap(({ signers }) => signers)
        .map(({ name, publicKey }) => formatVerifierKey(name, publicKey))
      show(values.json, { keys, retired }, keys.join('\n'))
      return DONE
    } finally {
      await db.close()
    }
  },
}
