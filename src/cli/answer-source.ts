import { readFileSync } from 'node:fs'
import { ask, OutgoingFault } from '../outgoing/outgoing.ts'
import { isLoopbackAddress } from '../outgoing/public-address.ts'
import { UsageFault } from './command.ts'

/** Far more than any answer has, and longer than any should take. */
const MOST_BYTES = 64 * 1024 ** 2
const MOST_MS = 60_000
const MOST_REDIRECTS = 3

export const isAddress = (source: string): boolean => /^https?:\/\//.test(source)

/** Whether a text is from this machine: a file, standard input, or an address that says so. */
export const isFromHere = (source: string): boolean => {
  const { hostname = '' } = isAddress(source) ? (URL.parse(source) ?? {}) : { hostname: 'localhost' }
  return hostname === 'localhost' || isLoopbackAddress(hostname.replace(/^\[(.*)\]$/, '$1'))
}

export const TO_VERIFY = 'to verify'

/** A file, an address, or standard input as `-`. `which` is the option or argument that names it, as `of --policy`. */
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
  const refusal = provesNothing(status, text)
  if (refusal !== undefined) throw new UsageFault(refusal)
  return text
}

async function fetchAnswer(url: string, rails: string | undefined): Promise<{ status: number; text: string }> {
  // A token goes where it was meant to go: with one, no redirection is followed.
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

/** A refusal that proves nothing, such as of an old token, is not an answer that fails: it says why there is none. */
function provesNothing(status: number, text: string): string | undefined {
  if (status < 300) return undefined
  const [, code = ''] = /"code":"([a-z_]{1,60})"/.exec(text) ?? []
  return /"(proof|absence|because)":/.test(text) ? undefined : `that address answered ${status} ${code}`.trimEnd()
}
