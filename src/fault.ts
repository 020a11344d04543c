import { StoreBusy, StoreFault } from './db/db.ts'

/**
 * Where a fault happened, but not its message, which may quote a request or a file. The messages of store faults are
 * our own text, and the codes of system faults are a fixed set, so those are logged.
 */
export function faultOf(error: unknown): object {
  if (!(error instanceof Error)) return {}
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line))
  const said = error instanceof StoreFault || error instanceof StoreBusy ? { said: error.message } : {}
  const [code] = /^[A-Z][A-Z0-9_]{1,40}$/.exec(String('code' in error ? error.code : '')) ?? []
  const named = code === undefined ? {} : { code }
  return { fault: error.constructor.name, ...named, ...said, stack: frames.slice(0, 6).map((frame) => frame.trim()) }
}
