import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { parsePolicy } from '../proof/note/policy.ts'
import { ED25519, parseVerifierKey, type VerifierKey } from '../proof/note/signed-note.ts'
import { startWitness } from '../witness/serve.ts'
import { createWitness } from '../witness/witness-key.ts'
import { type Command, DONE, show, UsageFault } from './command.ts'

export const witness: Command = {
  usage:
    'witness init|serve --dir <folder> [--name host/path] [--log <vkey>]... [--policy <file>] [--port N] [--host H] [--json]',
  summary: 'Creates or runs a witness, which cosigns the checkpoints of logs as long as they only grow',
  options: [
    ['--dir FOLDER', 'the folder of the witness'],
    ['--name HOST/PATH', 'init: its name, without a scheme'],
    ['--log VKEY', 'serve: the verifier key of a log to follow, as `atr log keys` prints it; may be repeated'],
    ['--policy FILE', 'serve: a log policy, whose logs are followed'],
    ['--port N', 'serve: 8788 by default; 0 picks a free port'],
    ['--host H', 'serve: 127.0.0.1 by default'],
    ['--json', 'init: prints JSON'],
  ],
  async run([action = '', ...args]) {
    if (action === 'init') return init(args)
    if (action === 'serve') return serve(args)
    throw new UsageFault('say what to do: atr witness init or atr witness serve')
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
  const running = await startWitness({ dir, logs, port: Number(port), host, observe })
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
