// Rounds of a command that makes them again and again, until it is told to stop, and what it prints after each.

import { DONE, REFUSED, UsageFault } from '../../src/cli/command.ts'
import type { Alarm } from './alarm.ts'
import type { StateFile } from './memory.ts'

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

/** The exit code after a round, and the sentences of its alarms and notes. */
export interface RoundReport {
  code: number
  sentences: ReadonlySet<string>
}

/** Makes round after round until the process is told to stop. Returns the worst exit code. */
export async function rounds(
  round: (before: ReadonlySet<string>) => Promise<RoundReport>,
  every: number,
): Promise<number> {
  const stopping = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort())
  let [worst, before] = [DONE, new Set() as ReadonlySet<string>]
  while (!stopping.signal.aborted) {
    const { code, sentences } = await round(before)
    worst = Math.max(worst, code)
    before = sentences
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

interface ReportOptions {
  /** Where evidence is kept. */
  state: StateFile
  now: number
  asJson: boolean
  /** The sentences of the round before, which are not printed again. JSON is complete each time. */
  before: ReadonlySet<string>
  printAlarm: (alarm: Alarm, evidence: string | undefined) => void
  summary: string
}

/** Prints the alarms, notes and counts of a round. */
export function report(
  { alarms, notes, ...counts }: { alarms: readonly Alarm[]; notes: readonly string[] },
  { state, now, asJson, before, printAlarm, summary }: ReportOptions,
): RoundReport {
  const code = alarms.length === 0 ? DONE : REFUSED
  const keep = (alarm: Alarm): string | undefined => keptEvidence(state, alarm, now)
  if (asJson) {
    const shown = alarms.map((alarm) => ({ ...alarm, evidence: keep(alarm) ?? null }))
    console.log(JSON.stringify({ ok: code === DONE, alarms: shown, notes, ...counts }))
  } else {
    for (const alarm of alarms) if (!before.has(alarm.sentence)) printAlarm(alarm, keep(alarm))
    for (const note of notes) if (!before.has(note)) console.error(`note: ${note}`)
    console.error(summary)
  }
  return { code, sentences: new Set([...alarms.map(({ sentence }) => sentence), ...notes]) }
}

/** A full disk must not silence an alarm. */
function keptEvidence(state: StateFile, alarm: Alarm, now: number): string | undefined {
  try {
    return state.keep(alarm, now)
  } catch {
    return undefined
  }
}
