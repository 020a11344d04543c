import { Problem } from '../problem.ts'

/** The refusal of a file whose format cannot be read. The message says what to do and never quotes the file. */
export const unreadable = (message: string, line?: number): Problem =>
  new Problem('source_unreadable', line === undefined ? message : `${message} (line ${line})`)
