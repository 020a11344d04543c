import { readFileSync } from 'node:fs'
import { ask, OutgoingFault } from '../outgoing/outgoing.ts'
import { isLoopbackAddress } from '../outgoing/public-address.ts'
import { UsageFault } from './command.ts'

/** Limits far above the size and the time of any answer. */
const MOST_BYTES = 64 * 1024 ** 2
const MOST_MS = 60_000
const MOST_REDIRECTS = 3

export const isAddress = (source: string): boolean => /^https?:\/\//.test(source)

/** Whether a source is on this machine: a file, standard input, or a loopback address. */
export const isFromHere = (source: string): boolean => {
  const { hostname = '' } = isAddress(source) ? (URL.parse(source) ?? {}) : { hostname: 'localhost' }
  return hostname === 'localhost' || isLoopbackAddress(hostname.replace(/^\[(.*)\]$/, '$1'))
}

export const TO_VERIFY = 'to verify'

/** Reads a file, an address, or standard input as `-`. `which` names the option or argument in errors, as `of --policy`. */
export async function read(source: string, which: string): Promise<string> {
  if (source === '-') return Bun.stdin.text()
  if (isAddress(source)) return fetchText(source)
  return readBytes(source, which).toString()
}

export function readBytes(file: string, which: string): Buffer {
  try {
    return readFileSync(file) // not Bun.file: a shell's <(...) is a pipe with no size
  } catch {
    throw new UsageFault(`the file ${which} does not exist or cannot be read`)
  }
}

export async function fetchText(url: string, rails?: string): Promise<string> {
  const { status, text } = await fetchAnswer(url, rails)
  const refusal = refusalText(status, text)
  if (refusal !== undefined) throw new UsageFault(refusal)
  return text
}

async function fetchAnswer(url: string, rails: string | undefined): Promise<{ status: number; text: string }> {
  // With a token no redirection is followed, because it could lead the token elsewhere.
  const how = rails === undefined ? { redirects: MOST_REDIRECTS } : { headers: { 'x-agent-rails': rails } }
  try {
    const limits = { timeoutMs: MOST_MS, mostBytes: MOST_BYTES, loopback: true }
    const { status, bytes } = await ask(url, { ...limits, ...how })
    return { status, text: new TextDecoder().decode(bytes) }
  } catch (error) {
    if (error instanceof OutgoingFault) throw new UsageFault(error.message)
    throw error
  }
}

/** The text of a refusal without proof, such as of an old token. Undefined for answers, and for refusals with proof. */
function refusalText(status: number, text: string): string | undefined {
  if (status < 300) return undefined
  const [, code = ''] = /"code":"([a-z_]{1,60})"/.exec(text) ?? []
  return /"proof":/.test(text) ? undefined : `that address answered ${status} ${code}`.trimEnd()
}
