#!/usr/bin/env bun
import { version } from '../../package.json' with { type: 'json' }
import { ConfigFault, readConfig } from '../config.ts'
import { DamageFault, StoreFault } from '../db/db.ts'
import { faultOf } from '../fault.ts'
import { WitnessFault } from '../integrity/witnesses/witness-client.ts'
import { refusalOf } from '../operation.ts'
import { tellContact } from '../outgoing/outgoing.ts'
import { type Command, REFUSED, UsageFault } from './command.ts'

/** What a command needs is loaded when it is run: a service is ready sooner without the readers of price lists. */
const COMMANDS: Record<string, () => Promise<Command>> = {
  init: async () => (await import('./init.ts')).init,
  serve: async () => (await import('./serve.ts')).serve,
  load: async () => (await import('./load.ts')).load,
  release: async () => (await import('./release.ts')).release,
  providers: async () => (await import('./providers.ts')).providers,
  outcomes: async () => (await import('./figures.ts')).outcomes,
  figures: async () => (await import('./figures.ts')).figures,
  keys: async () => (await import('./keys.ts')).keys,
  export: async () => (await import('./export.ts')).exportCommand,
  log: async () => (await import('./log.ts')).log,
  verify: async () => (await import('./verify.ts')).verify,
  monitor: async () => (await import('./monitor.ts')).monitor,
  citations: async () => (await import('./citations.ts')).citations,
  status: async () => (await import('./doctor.ts')).status,
  doctor: async () => (await import('./doctor.ts')).doctor,
  mcp: async () => (await import('./mcp.ts')).mcp,
  fsck: async () => (await import('./fsck.ts')).fsck,
  backup: async () => (await import('./backup.ts')).backup,
  restore: async () => (await import('./restore.ts')).restore,
  migrate: async () => (await import('./migrate.ts')).migrate,
  witness: async () => (await import('./witness.ts')).witness,
}
const USAGE = 2
const FAULT = 3

const usageOf = ({ usage, summary, options = [] }: Command): string =>
  [`  atr ${usage}`, `      ${summary}`, ...options.map(([name, what]) => `      ${name.padEnd(26)} ${what}`)].join(
    '\n',
  )

const help = (commands: readonly Command[]): string =>
  [
    'atr: the Agent Trust Registry',
    '',
    ...commands.map((command) => usageOf(commands.length === 1 ? command : { ...command, options: [] })),
    '',
    '`atr help COMMAND` shows the options of one command. --json prints JSON. Settings: see .env.example.',
    'Exit codes: 0 done, 1 refused, 2 wrong usage, 3 fault.',
  ].join('\n')

const HELP = ['help', '--help', '-h']
const everyCommand = (): Promise<Command[]> => Promise.all(Object.values(COMMANDS).map((load) => load()))
const find = async (name: string): Promise<Command | undefined> =>
  Object.hasOwn(COMMANDS, name) ? COMMANDS[name]?.() : undefined

async function main([name = '', ...args]: string[]): Promise<number> {
  const asked = HELP.includes(name)
    ? await find(args[0] ?? '')
    : args.some((arg) => HELP.includes(arg))
      ? await find(name)
      : undefined
  if (HELP.includes(name) && args.length > 0 && !asked)
    throw new UsageFault('there is no such command: `atr help` lists them')
  if (name === '' || HELP.includes(name) || asked) {
    console.log(help(asked ? [asked] : await everyCommand()))
    return name === '' ? USAGE : 0
  }
  if (name === '--version') {
    console.log(version)
    return 0
  }
  const command = await find(name)
  if (!command) throw new UsageFault('there is no such command: `atr help` lists them')
  const config = readConfig(process.env)
  tellContact(config.CONTACT)
  return command.run(args, config)
}

/** What could not be done, for people and for programs. */
interface Failure {
  exit: number
  code: string
  message: string
  members?: Record<string, unknown> | undefined
}

/** Each kind of failure has its exit code, and one sentence on standard error; with `--json`, one JSON object. */
function explain(error: unknown): number {
  const { exit, code, message, members } = failureOf(error)
  if (process.argv.includes('--json')) console.error(JSON.stringify({ error: { code, message, ...members } }))
  else {
    console.error(exit === REFUSED ? `refused: ${code}: ${message}` : `atr: ${message}`)
    if (members) console.error(JSON.stringify(members))
  }
  return exit
}

function failureOf(error: unknown): Failure {
  if (error instanceof UsageFault) return { exit: USAGE, code: 'usage', message: error.message }
  const problem = error instanceof DamageFault ? undefined : refusalOf(error)
  if (problem) return { exit: REFUSED, code: problem.code, message: problem.detail, members: problem.extra.members }
  const named = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (named.startsWith('ERR_PARSE_ARGS')) {
    // The message names the option, and repeats nothing else of the command line.
    const option = /'(--?[a-z][a-z-]{0,29})/.exec((error as Error).message)?.[1]
    const where = option ? `: check ${option}` : ''
    return {
      exit: USAGE,
      code: 'usage',
      message: `the options of this command are not valid${where}. See \`atr help COMMAND\``,
    }
  }
  if (error instanceof WitnessFault) return { exit: REFUSED, code: 'not_cosigned', message: error.message }
  if (error instanceof StoreFault || error instanceof ConfigFault)
    return { exit: FAULT, code: 'fault', message: error.message }
  const system = SYSTEM_FAULTS[named]
  if (system) return { exit: FAULT, code: named, message: system }
  const fault = JSON.stringify(faultOf(error))
  return { exit: FAULT, code: 'fault', message: `a fault in the program: ${fault}` }
}

/** What the system refuses, and what to do about it. */
const SYSTEM_FAULTS: Readonly<Record<string, string>> = {
  EROFS: 'the disk is read-only: name a folder on another one, for the store by DATA_DIR',
  EACCES: 'a file or folder belongs to another user: run this as its owner, or name another folder by DATA_DIR',
  EPERM: 'a file or folder belongs to another user: run this as its owner, or name another folder by DATA_DIR',
  ENOSPC: 'the disk is full: make room, and run the command again',
  EMFILE: 'too many files are open: raise the limit with `ulimit -n`, and run the command again',
}

// First of all: whatever is made from here on, only its owner can read.
process.umask(0o077)
process.exitCode = await main(process.argv.slice(2)).catch(explain)
