// Checks that the witnesses cosign and answer, and that their clocks agree with this one. The requests change nothing.

import { DAY_MS } from '../calendar.ts'
import type { WitnessAddress } from '../integrity/witness-client.ts'
import { ask, OutgoingFault } from '../outgoing/outgoing.ts'
import { cosignersOf } from '../proof/note/cosignature.ts'
import { parseNote } from '../proof/note/signed-note.ts'
import { type Finding, finding } from './finding.ts'
import { at, type FactsAndFindings, type Subject } from './records.ts'

export interface WitnessFact {
  name: string
  cosigned_at: string | null
  /** Whether it answers any request now. */
  answers: boolean
}

const SILENT_MS = 2 * DAY_MS
/** How far clocks may differ. Headers have whole seconds, and an answer takes time. */
const SKEW_MS = 5 * 60_000

export async function witnessFacts(subject: Subject): Promise<FactsAndFindings<WitnessFact[]>> {
  const { installation, config, now } = subject
  const { db, registryLog, witnesses } = installation
  const note = parseNote((await registryLog.head(db)).note)
  const keys = witnesses.keys.map(({ key }) => key)
  const cosigners = (note && (await cosignersOf(note, keys))) ?? []
  const clocks = await Promise.all(witnesses.keys.map((witness) => clockOf(witness, config.WITNESS_TIMEOUT_MS)))
  const facts = keys.map(({ name }, i) => {
    const seconds = cosigners.find(({ key }) => key.name === name)?.seconds
    return {
      name,
      cosigned_at: seconds === undefined ? null : at(seconds * 1000),
      answers: clocks[i] !== undefined,
    }
  })
  const silent = facts.filter((witness) => whySilent(witness, now) !== '')
  const level = facts.length - silent.length < witnesses.quorum ? 'fail' : 'warn'
  const findings = silent.map((witness) =>
    finding('witness_silent', `${witness.name} ${whySilent(witness, now)}`, level),
  )
  return { facts, findings: [...findings, ...clockFindings(facts, clocks, now)] }
}

function whySilent({ cosigned_at, answers }: WitnessFact, now: number): string {
  const why = [
    ...(cosigned_at === null ? ['has not cosigned the public checkpoint'] : []),
    ...(cosigned_at !== null && now - Date.parse(cosigned_at) > SILENT_MS ? [`cosigned last at ${cosigned_at}`] : []),
    ...(answers ? [] : ['does not answer']),
  ]
  return why.join(', and ')
}

/** Compares clocks. If only a minority of the witnesses differs, their own clocks may be wrong, so it is a warning. */
function clockFindings(facts: readonly WitnessFact[], clocks: readonly (number | undefined)[], now: number): Finding[] {
  const known = facts.flatMap(({ name }, i) => {
    const time = clocks[i]
    return time === undefined || Number.isNaN(time) ? [] : [{ name, time }]
  })
  const differing = known.filter(({ time }) => Math.abs(time - now) > SKEW_MS)
  const level = differing.length * 2 > known.length ? 'fail' : 'warn'
  return differing.map(({ name, time }) =>
    finding('clock_wrong', `the clock says ${at(now)}, and that of the witness ${name} ${at(time)}`, level),
  )
}

/** The time in the headers of any answer of a witness; undefined if it does not answer. */
async function clockOf({ url }: WitnessAddress, timeoutMs: number): Promise<number | undefined> {
  try {
    const { headers } = await ask(url, { timeoutMs, mostBytes: 65_536, loopback: true })
    return Date.parse(headers.get('date') ?? '')
  } catch (error) {
    if (error instanceof OutgoingFault) return undefined
    throw error
  }
}
