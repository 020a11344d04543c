// Commands that do the same thing again and again, until they are told to stop.

import { DONE, UsageFault } from './command.ts'

/** A duration, as `30m`. */
export function msOf(option: string, text: string, units: { [unit: string]: number }): number {
  const [, count = '', unit = ''] = /^([1-9][0-9]{0,4})([a-z])$/.exec(text) ?? []
  const ms = Object.hasOwn(units, unit) ? units[unit] : undefined
  if (ms === undefined)
    throw new UsageFault(
      `${option} takes a number and a unit (${Object.keys(units).join(', ')}), such as 30${Object.keys(units)[0]}`,
    )
  return Number(count) * ms
}

/** The exit code after a round, and what was said in it. */
export interface RoundReport {
  code: number
  said: ReadonlySet<string>
}

/** Round after round, until the process is told to stop. Fails if any of them alarmed. */
export async function rounds(
  round: (before: ReadonlySet<string>) => Promise<RoundReport>,
  every: number,
): Promise<number> {
  const stopping = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort())
  let [worst, before] = [DONE, new Set() as ReadonlySet<string>]
  while (!stopping.signal.aborted) {
    const { code, said } = await round(before)
    worst = Math.max(worst, code)
    before = said
    await pause(every, stopping.signal)
  }
  return worst
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((done) => {
    if (signal.aborted) return done()
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      done()
    })
  })
