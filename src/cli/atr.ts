#!/usr/bin/env bun
import { ConfigFault, readConfig } from '../config.ts'
import { StoreFault } from '../db/db.ts'
import { WitnessFault } from '../integrity/witness-client.ts'
import { Problem } from '../problem.ts'
import { type Command, REFUSED, UsageFault } from './command.ts'
import { exportCommand } from './export.ts'
import { figures, outcomes } from './figures.ts'
import { fsck } from './fsck.ts'
import { init } from './init.ts'
import { keys } from './keys.ts'
import { load } from './load.ts'
import { log } from './log.ts'
import { release } from './release.ts'
import { serve } from './serve.ts'
import { verify } from './verify.ts'
import { witness } from './witness.ts'

const COMMANDS: Record<string, Command> = {
  init,
  serve,
  load,
  release,
  outcomes,
  figures,
  keys,
  export: exportCommand,
  log,
  verify,
  fsck,
  witness,
}
const USAGE = 2
const FAULT = 3

const help = (): string =>
  [
    'atr: the Agent Trust Registry',
    '',
    ...Object.values(COMMANDS).map(({ usage, summary }) => `  atr ${usage}\n      ${summary}`),
    '',
    'Exit codes: 0 done, 1 refused, 2 usage, 3 fault. Settings: see .env.example.',
  ].join('\n')

async function main([name = '', ...args]: string[]): Promise<number> {
  if (['', 'help', '--help', '-h'].includes(name)) {
    console.log(help())
    return name === '' ? USAGE : 0
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (!command) throw new UsageFault(`there is no such command\n\n${help()}`)
  return command.run(args, readConfig(process.env))
}

/** Each way to fail has its exit code, and one plain sentence on standard error. */
function explain(error: unknown): number {
  if (error instanceof UsageFault) {
    console.error(`atr: ${error.message}`)
    return USAGE
  }
  if (error instanceof Problem) {
    console.error(`refused: ${error.code}: ${error.detail}`)
    if (error.extra.members) console.error(JSON.stringify(error.extra.members))
    return REFUSED
  }
  if (error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')) {
    console.error('atr: the options do not fit this command: see `atr help`')
    return USAGE
  }
  if (error instanceof WitnessFault) {
    console.error(`refused: not_cosigned: ${error.message}`)
    return REFUSED
  }
  if (error instanceof StoreFault || error instanceof ConfigFault) console.error(`atr: ${error.message}`)
  else console.error('atr: a fault in the program:', error)
  return FAULT
}

process.exitCode = await main(process.argv.slice(2)).catch(explain)
