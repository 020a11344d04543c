// One request to a witness. What it answers is hostile: it may be late, endless, or lead elsewhere.

/** How long a witness is waited for. */
export interface Patience {
  /** For each request. */
  timeoutMs: number
  /** How often a request is repeated that had no answer, or one that says to come back later. */
  retries: number
}

const MAX_ANSWER_BYTES = 64 * 1024
const PAUSE_MS = 100

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
  try {
    const response = await fetch(url, {
      ...(body === undefined ? {} : { method: 'POST', body }),
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    })
    const chunks: Uint8Array[] = []
    let size = 0
    for await (const chunk of response.body ?? []) {
      size += chunk.length
      if (size > MAX_ANSWER_BYTES) return undefined
      chunks.push(chunk)
    }
    return { status: response.status, text: Buffer.concat(chunks).toString('utf8') }
  } catch {
    return undefined
  }
}
