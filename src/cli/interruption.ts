import { constants } from 'node:os'
import { printsJson } from './command.ts'

/** Exit codes of programs that a signal ended are this plus the number of the signal. */
const BY_SIGNAL = 128

let message: string | undefined

/**
 * Sets the message for Ctrl-C: what is left, and what the next command does. The work of these commands may be cut off at any
 * moment, so the process ends at once. Call `done` when the work is done: from then on a signal does nothing, and the
 * command prints its result.
 */
export function ifInterrupted(text: string): Disposable & { done(): void } {
  if (!isWatched) for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop(signal))
  isWatched = true
  message = text
  const done = (): void => {
    message = undefined
  }
  return { done, [Symbol.dispose]: done }
}
let isWatched = false

function stop(signal: 'SIGINT' | 'SIGTERM'): void {
  if (message === undefined) return
  if (printsJson()) console.error(JSON.stringify({ error: { code: 'interrupted', message } }))
  // Clears the line, in which a terminal has printed ^C, perhaps after progress.
  else console.error(`${process.stderr.isTTY ? '\r\u001b[K' : ''}stopped: ${message}`)
  process.exit(BY_SIGNAL + constants.signals[signal])
}
