import type { Config } from '../config.ts'
import { StoreFault } from '../db/fault.ts'
import { type Installation, openInstallation } from '../installation.ts'
import { isOfOlderForm } from '../upgrade/store.ts'

/** The help of a command or one of its actions. */
export interface Help {
  /** The words after `atr`. */
  usage: string
  summary: string
  options?: readonly (readonly [option: string, meaning: string])[]
  /** The words after `atr` as a user types them. A test runs each. */
  examples?: readonly (readonly [words: string, meaning: string])[]
}

/** A command. It returns its exit code; refusals and faults are thrown. */
export interface Command extends Help {
  /** The actions of a command whose first word names one. Each has its own options and examples. */
  actions?: Readonly<Record<string, Help>>
  run(args: string[], config: Config): Promise<number>
}

/** The command line is not valid: exit code 2. */
export class UsageFault extends Error {}

export const DONE = 0
export const REFUSED = 1

export const JSON_OPTION = ['--json', 'prints JSON'] as const

/** Whether output is JSON. It does not parse the options, because they may be wrong. */
export const printsJson = (): boolean => process.argv.includes('--json')

/** Prints a message on standard error that is not a failure. */
export const notice = (message: string): void =>
  console.error(printsJson() ? JSON.stringify({ notice: { message } }) : `atr: ${message}`)

interface OpenOptions {
  isTaken?: boolean
  withoutFiles?: boolean
  /** For commands that neither serve releases nor make new ones: a store of an older form is opened too. */
  takesOlder?: boolean
}

/** Opens the installation. Prints a notice if a signed checkpoint is not public yet. */
export async function openStore(
  config: Config,
  { takesOlder = false, ...options }: OpenOptions = {},
): Promise<Installation> {
  const installation = await openInstallation(config, { ...options, tell: notice })
  try {
    if (!takesOlder && (await isOfOlderForm(installation.db))) throw new StoreFault(OLDER_FORM)
    return installation
  } catch (error) {
    await installation.db.close()
    throw error
  }
}

export const OLDER_FORM =
  'the releases of the store have an older form: run `atr upgrade --sources FOLDER` with the folder of the published files'

/** The fault for a first word that is not an action of the command. */
export function unknownAction(command: string, name: string, actions: Readonly<Record<string, unknown>>): UsageFault {
  const names = Object.keys(actions)
  const near = nearest(name, names)
  const guess = near === undefined ? '' : `did you mean \`atr ${command} ${near}\`? `
  return new UsageFault(`${guess}say what to do: atr ${command} ${listed(names)}`)
}

const listed = (names: readonly string[]): string =>
  names.length > 1 ? `${names.slice(0, -1).join(', ')} or ${names.at(-1)}` : (names[0] ?? '')

/** The name that a mistyped word probably means; undefined if none is similar. */
export function nearest(typed: string, names: readonly string[]): string | undefined {
  const word = typed.toLowerCase()
  if (word.length < 2 || word.length > 30) return undefined
  const [best] = names
    .map((name) => ({ name, changes: name.startsWith(word) ? 1 : changesBetween(word, name) }))
    .sort((one, other) => one.changes - other.changes)
  return best && best.changes <= Math.max(1, Math.floor(word.length / 3)) ? best.name : undefined
}

/** The edit distance of two words: letters that are inserted, removed, replaced or swapped with the next one. */
function changesBetween(one: string, other: string): number {
  let [before, row]: [number[], number[]] = [[], Array.from({ length: other.length + 1 }, (_, i) => i)]
  for (let i = 1; i <= one.length; i++) {
    const next = [i]
    for (let j = 1; j <= other.length; j++) {
      const isSame = one[i - 1] === other[j - 1]
      const isSwapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
      const least = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (isSame ? 0 : 1))
      next.push(isSwapped ? Math.min(least, (before[j - 2] ?? 0) + 1) : least)
    }
    ;[before, row] = [row, next]
  }
  return row[other.length] ?? 0
}

/** Prints JSON with `--json`, otherwise text. */
export function show(asJson: boolean, value: unknown, text: string): void {
  console.log(asJson ? JSON.stringify(value) : text)
}

/** Columns padded to their widest cell. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = rows.reduce<number[]>((most, row) => row.map((cell, i) => Math.max(most[i] ?? 0, cell.length)), [])
  return rows
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
