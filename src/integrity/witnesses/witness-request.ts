// One request to a witness. What it answers is hostile: it may be late, endless, or lead elsewhere.

import { ask, OutgoingFault } from '../../outgoing/outgoing.ts'

/** How long a witness is waited for. */
export interface Patience {
  /** For each request. */
  timeoutMs: number
  /** How often a request is repeated that had no answer, or one that says to come back later. */
  retries: number
}

const MAX_ANSWER_BYTES = 64 * 1024
const PAUSE_MS = 250

export interface WitnessResponse {
  status: number
  text: string
}

/** Posts `body`, or gets if there is none. Undefined if there was no answer in time, or it was too large. */
export async function request(url: string, patience: Patience, body?: string): Promise<WitnessResponse | undefined> {
  for (let tries = 0; ; tries++) {
    const response = await once(url, patience.timeoutMs, body)
    const mayRecover = !response || response.status === 429 || response.status >= 500
    if (!mayRecover || tries >= patience.retries) return response
    await Bun.sleep(PAUSE_MS * 2 ** tries)
  }
}

async function once(url: string, timeoutMs: number, body?: string): Promise<WitnessResponse | undefined> {
  const limits = { timeoutMs, mostBytes: MAX_ANSWER_BYTES, loopback: true }
  try {
    const { status, bytes } = await ask(url, body === undefined ? limits : { ...limits, body })
    // A redirection is nothing that a witness says.
    return status >= 300 && status < 400 ? undefined : { status, text: Buffer.from(bytes).toString('utf8') }
  } catch (error) {
    if (error instanceof OutgoingFault) return undefined
    throw error
  }
}
