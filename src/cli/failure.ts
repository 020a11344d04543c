import { ConfigFault } from '../config.ts'
import { DamageFault, DiskFault, StoreFault } from '../db/db.ts'
import { faultOf } from '../fault.ts'
import { WitnessFault } from '../integrity/witness-client.ts'
import { refusalOf } from '../operation.ts'
import { type Help, nearest, printsJson, REFUSED, UsageFault } from './command.ts'

const USAGE = 2
const FAULT = 3

/** A failure for people and for programs. */
interface Failure {
  exit: number
  code: string
  message: string
  members?: Record<string, unknown> | undefined
}

/** Prints a failure as one sentence on standard error, or as a JSON object with `--json`, and returns its exit code. */
export function explain(error: unknown, name: string, help: Help | undefined): number {
  const { exit, code, message, members } = failureOf(error, name, help)
  if (printsJson()) console.error(JSON.stringify({ error: { code, message, ...members } }))
  else {
    console.error(exit === REFUSED ? `refused: ${code}: ${message}` : `atr: ${message}`)
    if (members) console.error(JSON.stringify(members))
  }
  return exit
}

function failureOf(error: unknown, name: string, help: Help | undefined): Failure {
  if (error instanceof UsageFault) return { exit: USAGE, code: 'usage', message: error.message }
  const problem = error instanceof DamageFault ? undefined : refusalOf(error)
  if (problem) return { exit: REFUSED, code: problem.code, message: problem.detail, members: problem.extra.members }
  const named = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (named.startsWith('ERR_PARSE_ARGS'))
    return { exit: USAGE, code: 'usage', message: optionText((error as Error).message, name, help) }
  if (error instanceof WitnessFault) return { exit: REFUSED, code: 'not_cosigned', message: error.message }
  if (error instanceof DiskFault)
    return { exit: FAULT, code: 'fault', message: `${error.message}. Make room, and run the command again` }
  if (error instanceof StoreFault || error instanceof ConfigFault)
    return { exit: FAULT, code: 'fault', message: error.message }
  const system = SYSTEM_FAULTS[named]
  if (system) return { exit: FAULT, code: named, message: system }
  const fault = JSON.stringify(faultOf(error))
  return { exit: FAULT, code: 'fault', message: `a fault in the program: ${fault}` }
}

/** The text for invalid options. It repeats only the name of the option, which it takes from Node's message. */
function optionText(message: string, name: string, help: Help | undefined): string {
  const option = /'(--?[a-z][a-z-]{0,29})/.exec(message)?.[1]
  const known = [...new Set((help?.options ?? []).flatMap(([text]) => /^--[a-z-]+/.exec(text)?.[0] ?? []))]
  const near = option === undefined || known.includes(option) ? undefined : nearest(option, known)
  const where = option ? `: check ${option}` : ''
  const guess = near === undefined ? '' : `. Did you mean ${near}?`
  return `the options of this command are not valid${where}${guess || '.'} See \`atr help ${name}\``
}

/** The texts for faults of the operating system. */
const SYSTEM_FAULTS: Readonly<Record<string, string>> = {
  EROFS: 'the disk is read-only: name a folder on another one, for the store by DATA_DIR',
  EACCES: 'a file or folder belongs to another user: run this as its owner, or name another folder by DATA_DIR',
  EPERM: 'a file or folder belongs to another user: run this as its owner, or name another folder by DATA_DIR',
  ENOSPC: 'the disk is full: make room, and run the command again',
  EMFILE: 'too many files are open: raise the limit with `ulimit -n`, and run the command again',
}
