import type { Config } from '../config.ts'
import { type Installation, openInstallation } from '../installation.ts'

/** One subcommand. It returns its exit code; refusals and faults are thrown. */
export interface Command {
  /** The words after `atr`, as in a help text. */
  usage: string
  summary: string
  /** Shown by `atr help COMMAND` only. */
  options?: readonly (readonly [option: string, meaning: string])[]
  run(args: string[], config: Config): Promise<number>
}

/** The command line is not valid: exit code 2. */
export class UsageFault extends Error {}

export const DONE = 0
export const REFUSED = 1

/** Opens the installation. Prints a line on standard error if something is signed but not public yet. */
export const openStore = (config: Config, options: { isTaken?: boolean } = {}): Promise<Installation> =>
  openInstallation(config, { ...options, tell: (why) => console.error(`atr: ${why}`) })

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
