import { constants } from 'node:os'
import { printsJson } from './command.ts'

/** A shell reports a program that a signal ended as this plus the number of the signal. */
const BY_SIGNAL = 128

let message: string | undefined

/**
 * What to say if someone presses Ctrl-C from now on: what is left, and what the next command will do. Whatever these
 * commands do may be cut off at any moment, so the process ends at once. Call `done` when the work is done: then the command
 * says how it went, signal or not.
 */
export function ifInterrupted(says: string): Disposable & { done(): void } {
  if (!isWatched) for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop(signal))
  isWatched = true
  message = says
  const done = (): void => {
    message = undefined
  }
  return { done, [Symbol.dispose]: done }
}
let isWatched = false

function stop(signal: 'SIGINT' | 'SIGTERM'): void {
  if (message === undefined) return
  if (printsJson()) console.error(JSON.stringify({ error: { code: 'interrupted', message } }))
  // A terminal has printed ^C, perhaps behind a line of progress.
  else console.error(`${process.stderr.isTTY ? '\r\u001b[K' : ''}stopped: ${message}`)
  process.exit(BY_SIGNAL + constants.signals[signal])
}
