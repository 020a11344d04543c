// Whether the witnesses cosign and answer, and whether their clocks agree with ours. They are asked for nothing that changes them.

import { DAY_MS } from '../calendar.ts'
import type { WitnessAddress } from '../integrity/witness-client.ts'
import { ask, OutgoingFault } from '../outgoing/outgoing.ts'
import { cosignersOf } from '../proof/note/cosignature.ts'
import { parseNote } from '../proof/note/signed-note.ts'
import { type Finding, finding } from './finding.ts'
import { at, type Examined, type WithFindings } from './records.ts'

export interface WitnessFact {
  name: string
  cosigned_at: string | null
  /** Whether it answers at all now. */
  answers: boolean
}

const SILENT_MS = 2 * DAY_MS
/** Headers tell the time in seconds, and an answer takes some. */
const SKEW_MS = 5 * 60_000

export async function witnessFacts(examined: Examined): Promise<WithFindings<WitnessFact[]>> {
  const { installation, config, now } = examined
  const { db, registryLog, witnesses } = installation
  const note = parseNote((await registryLog.head(db)).note)
  const keys = witnesses.keys.map(({ key }) => key)
  const cosigners = (note && (await cosignersOf(note, keys))) ?? []
  const clocks = await Promise.all(witnesses.keys.map((witness) => clockOf(witness, config.WITNESS_TIMEOUT_MS)))
  const found = keys.map(({ name }, i) => {
    const seconds = cosigners.find(({ key }) => key.name === name)?.seconds
    return {
      name,
      cosigned_at: seconds === undefined ? null : at(seconds * 1000),
      answers: clocks[i] !== undefined,
    }
  })
  const silent = found.filter((witness) => whySilent(witness, now) !== '')
  const level = found.length - silent.length < witnesses.quorum ? 'fail' : 'warn'
  const findings = silent.map((witness) =>
    finding('witness_silent', `${witness.name} ${whySilent(witness, now)}`, level),
  )
  return { found, findings: [...findings, ...clockFindings(found, clocks, now)] }
}

function whySilent({ cosigned_at, answers }: WitnessFact, now: number): string {
  const why = [
    ...(cosigned_at === null ? ['has not cosigned the public checkpoint'] : []),
    ...(cosigned_at !== null && now - Date.parse(cosigned_at) > SILENT_MS ? [`cosigned last at ${cosigned_at}`] : []),
    ...(answers ? [] : ['does not answer']),
  ]
  return why.join(', and ')
}

/** One clock of several may be wrong itself: then it only warns. */
function clockFindings(found: readonly WitnessFact[], clocks: readonly (number | undefined)[], now: number): Finding[] {
  const told = found.flatMap(({ name }, i) => {
    const time = clocks[i]
    return time === undefined || Number.isNaN(time) ? [] : [{ name, time }]
  })
  const differing = told.filter(({ time }) => Math.abs(time - now) > SKEW_MS)
  const level = differing.length * 2 > told.length ? 'fail' : 'warn'
  return differing.map(({ name, time }) =>
    finding('clock_wrong', `the clock says ${at(now)}, and that of the witness ${name} ${at(time)}`, level),
  )
}

/** What time it is by the headers of whatever it answers; undefined if it does not. */
async function clockOf({ url }: WitnessAddress, timeoutMs: number): Promise<number | undefined> {
  try {
    const { headers } = await ask(url, { timeoutMs, mostBytes: 65_536, loopback: true })
    return Date.parse(headers.get('date') ?? '')
  } catch (error) {
    if (error instanceof OutgoingFault) return undefined
    throw error
  }
}
