#!/usr/bin/env bun
import { version } from '../../package.json' with { type: 'json' }
import { ConfigFault, readConfig } from '../config.ts'
import { StoreFault } from '../db/db.ts'
import { WitnessFault } from '../integrity/witness-client.ts'
import { faultOf } from '../main.ts'
import { refusalOf } from '../operation.ts'
import { tellContact } from '../outgoing/outgoing.ts'
import { backup } from './backup.ts'
import { citations } from './citations.ts'
import { type Command, REFUSED, UsageFault } from './command.ts'
import { exportCommand } from './export.ts'
import { figures, outcomes } from './figures.ts'
import { fsck } from './fsck.ts'
import { init } from './init.ts'
import { keys } from './keys.ts'
import { load } from './load.ts'
import { log } from './log.ts'
import { mcp } from './mcp.ts'
import { migrate } from './migrate.ts'
import { monitor } from './monitor.ts'
import { providers } from './providers.ts'
import { release } from './release.ts'
import { restore } from './restore.ts'
import { serve } from './serve.ts'
import { verify } from './verify.ts'
import { witness } from './witness.ts'

const COMMANDS: Record<string, Command> = {
  init,
  serve,
  load,
  release,
  providers,
  outcomes,
  figures,
  keys,
  export: exportCommand,
  log,
  verify,
  monitor,
  citations,
  mcp,
  fsck,
  backup,
  restore,
  migrate,
  witness,
}
const USAGE = 2
const FAULT = 3

const usageOf = ({ usage, summary, options = [] }: Command): string =>
  [`  atr ${usage}`, `      ${summary}`, ...options.map(([name, what]) => `      ${name.padEnd(26)} ${what}`)].join(
    '\n',
  )

const help = (commands = Object.values(COMMANDS)): string =>
  [
    'atr: the Agent Trust Registry',
    '',
    ...commands.map((command) => usageOf(commands.length === 1 ? command : { ...command, options: [] })),
    '',
    '`atr help COMMAND` shows the options of one command. --json prints JSON. Settings: see .env.example.',
    'Exit codes: 0 done, 1 refused, 2 wrong usage, 3 fault.',
  ].join('\n')

const HELP = ['help', '--help', '-h']
const find = (name: string): Command | undefined => (Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined)

async function main([name = '', ...args]: string[]): Promise<number> {
  const asked = HELP.includes(name)
    ? find(args[0] ?? '')
    : args.some((arg) => HELP.includes(arg))
      ? find(name)
      : undefined
  if (HELP.includes(name) && args.length > 0 && !asked)
    throw new UsageFault('there is no such command: `atr help` lists them')
  if (name === '' || HELP.includes(name) || asked) {
    console.log(help(asked && [asked]))
    return name === '' ? USAGE : 0
  }
  if (name === '--version') {
    console.log(version)
    return 0
  }
  const command = find(name)
  if (!command) throw new UsageFault('there is no such command: `atr help` lists them')
  const config = readConfig(process.env)
  tellContact(config.CONTACT)
  return command.run(args, config)
}

/** Each kind of failure has its exit code, and one sentence on standard error. */
function explain(error: unknown): number {
  if (error instanceof UsageFault) {
    console.error(`atr: ${error.message}`)
    return USAGE
  }
  const problem = refusalOf(error)
  if (problem) {
    console.error(`refused: ${problem.code}: ${problem.detail}`)
    if (problem.extra.members) console.error(JSON.stringify(problem.extra.members))
    return REFUSED
  }
  if (error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')) {
    // The message names the option, and repeats nothing else of the command line.
    const option = /'(--?[a-z][a-z-]{0,29})/.exec(error.message)?.[1]
    console.error(
      `atr: the options of this command are not valid${option ? `: check ${option}` : ''}. See \`atr help COMMAND\``,
    )
    return USAGE
  }
  if (error instanceof WitnessFault) {
    console.error(`refused: not_cosigned: ${error.message}`)
    return REFUSED
  }
  if (error instanceof StoreFault || error instanceof ConfigFault) console.error(`atr: ${error.message}`)
  else console.error('atr: a fault in the program:', JSON.stringify(faultOf(error)))
  return FAULT
}

process.exitCode = await main(process.argv.slice(2)).catch(explain)
