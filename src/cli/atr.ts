#!/usr/bin/env bun
import { version } from '../../package.json' with { type: 'json' }
import { readConfig } from '../config.ts'
import { setContact } from '../outgoing/outgoing.ts'
import { findCommand } from './commands.ts'
import { enterUserFolder } from './user-folder.ts'

const HELP = ['help', '--help', '-h']
const isHelp = (word: string): boolean => HELP.includes(word)
const USAGE = 2

async function main([name = '', ...args]: string[]): Promise<number> {
  if (name === '--version') {
    console.log(version)
    return 0
  }
  const command = isHelp(name) || args.some(isHelp) ? undefined : await findCommand(name)
  if (command) {
    const config = readConfig(process.env)
    setContact(config.CONTACT)
    return command.run(args, config)
  }
  const { helpFor, unknownCommand, widthOf } = await import('./help.ts')
  if (name !== '' && !isHelp(name) && !args.some(isHelp)) throw unknownCommand(name)
  const words = [name, ...args].filter((word) => word !== '' && !isHelp(word))
  console.log(await helpFor(words, widthOf(process.env['COLUMNS'], process.stdout.columns)))
  return name === '' ? USAGE : 0
}

// Makes all new files readable by their owner only.
process.umask(0o077)
enterUserFolder(process.env)
process.exitCode = await main(process.argv.slice(2)).catch(async (error: unknown) => {
  const { explain } = await import('./failure.ts')
  const [name = '', action = ''] = process.argv.slice(2)
  const command = await findCommand(name)
  return explain(error, name, command?.actions?.[action] ?? command)
})
