import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { type Command, DONE, JSON_OPTION, show, UsageFault, unknownAction } from '../../src/cli/command.ts'
import { ConfigFault } from '../../src/config.ts'
import { parsePolicy } from '../../src/proof/note/policy.ts'
import { ED25519, parseVerifierKey, type VerifierKey } from '../../src/proof/note/signed-note.ts'
import { startWitness } from './serve.ts'
import { createWitness } from './witness-key.ts'

const DIR = ['--dir FOLDER', 'the folder of the witness'] as const

const ACTIONS = {
  init: {
    usage: 'witness init --dir FOLDER --name HOST/PATH [--json]',
    summary: 'Creates a witness, and prints its verifier key',
    options: [DIR, ['--name HOST/PATH', 'its name, without a scheme'], JSON_OPTION],
    examples: [['witness init --dir ./witness --name witness.example/w1', 'makes a key, whose public half is printed']],
  },
  serve: {
    usage: 'witness serve --dir FOLDER [--log VKEY]... [--policy FILE] [--port N] [--host H]',
    summary: 'Runs the witness until Ctrl-C or SIGTERM',
    options: [
      DIR,
      ['--log VKEY', 'the verifier key of a log to follow, as `atr log keys` prints it; may be repeated'],
      ['--policy FILE', 'a log policy, whose logs are followed'],
      ['--port N', '8788 by default; 0 picks a free port'],
      ['--host H', '127.0.0.1 by default'],
    ],
    examples: [['witness serve --dir ./witness --policy policy.txt --port 0', 'follows both logs of a service']],
  },
} as const

export const witness: Command = {
  usage: 'witness ACTION',
  summary: 'Creates or runs a witness, which cosigns the checkpoints of logs as long as they only grow',
  actions: ACTIONS,
  async run([action = '', ...args]) {
    if (action === 'init') return init(args)
    if (action === 'serve') return serve(args)
    throw unknownAction('witness', action, ACTIONS)
  },
}

function init(args: string[]): number {
  const options = {
    dir: { type: 'string' },
    name: { type: 'string' },
    json: { type: 'boolean', default: false },
  } as const
  const { dir, name, json } = parseArgs({ args, options }).values
  if (dir === undefined || name === undefined) throw new UsageFault('a new witness needs --dir and --name')
  const vkey = createWitness(dir, name)
  show(json, { dir, name, vkey }, vkey)
  return DONE
}

async function serve(args: string[]): Promise<number> {
  const options = {
    dir: { type: 'string' },
    log: { type: 'string', multiple: true, default: [] as string[] },
    policy: { type: 'string' },
    port: { type: 'string', default: '8788' },
    host: { type: 'string', default: '127.0.0.1' },
  } as const
  const { dir, log, policy, port, host } = parseArgs({ args, options }).values
  if (dir === undefined) throw new UsageFault('name the folder of the witness: --dir FOLDER')
  if (!/^[0-9]{1,5}$/.test(port) || Number(port) > 65_535)
    throw new UsageFault('--port must be a number from 0 to 65535')
  const logs = [...log.map(logKey), ...(policy === undefined ? [] : logsOf(policy))]
  if (logs.length === 0)
    throw new UsageFault('name the logs to follow: --log with a verifier key, or --policy with a file')
  const observe = (error: unknown): void => console.error('atr witness: a request failed:', error)
  const running = await startWitness({ dir, logs, port: Number(port), host, observe }).catch((error: unknown) => {
    if ((error as { code?: unknown }).code !== 'EADDRINUSE') throw error
    const taken = `port ${port} is in use: stop what listens there, or choose another one with --port ${Number(port) + 1}`
    throw new ConfigFault(taken, { cause: error })
  })
  console.log(`listening on ${running.url}\n${running.vkey}`)
  await stopSignal()
  await running.stop()
  return DONE
}

function logKey(vkey: string): VerifierKey {
  const key = parseVerifierKey(vkey)
  if (key?.type !== ED25519) throw new UsageFault('--log needs the verifier key of a log, as its policy shows it')
  return key
}

function logsOf(file: string): VerifierKey[] {
  const policy = parsePolicy(readPolicy(file))
  if (!policy)
    throw new UsageFault('the file of --policy is not a log policy (C2SP tlog-policy): get it from /log/policy')
  return policy.logs.map(({ key }) => key)
}

function readPolicy(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    throw new UsageFault('the file of --policy cannot be read: check its name and permissions')
  }
}

const stopSignal = (): Promise<void> =>
  new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
  })
