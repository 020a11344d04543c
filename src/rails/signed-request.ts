import { createHash, timingSafeEqual } from 'node:crypto'
import { utf8 } from '../proof/bytes.ts'
import { isSignedBy, thumbprintOf } from './possession.ts'

// RFC 9421 in the profile of Web Bot Auth: the private key signs the whole request instead of the nonce alone.

const SIGNATURE_TAG = 'web-bot-auth'
/** The longest time between `created` and `expires`. */
const SIGNATURE_SECONDS = 300
/** How far the clock of a signer may be ahead of ours. */
const CLOCK_SECONDS = 30

/** A request to this service. The address is our own, never taken from a header. */
export interface SignedRequest {
  method: string
  url: string
  header(name: string): string | undefined
  body: Uint8Array
}

/**
 * Whether the holder of the private key signed this request, for this service, just now. A signature must cover the
 * method, the address and the body: otherwise it could be moved to another request.
 */
export async function isSignedRequest(
  request: SignedRequest,
  { key_id, public_key }: { key_id: string; public_key: Uint8Array },
  now: number,
): Promise<boolean> {
  const inputs = parseSignatureInput(request.header('signature-input') ?? '')
  const signatures = parseByteMembers(request.header('signature') ?? '')
  const names = [key_id, thumbprintOf(public_key)]
  const candidates = [...(inputs ?? [])].filter(
    ([, { parameters }]) => parameters.get('tag') === SIGNATURE_TAG && names.includes(String(parameters.get('keyid'))),
  )
  const [label = '', input] = candidates[0] ?? []
  const signature = signatures?.get(label)
  if (candidates.length !== 1 || !input || !signature) return false
  if (!coversRequest(input) || !isCurrent(input, now) || !hasRightDigest(request)) return false
  const base = signatureBase(request, input)
  return base !== undefined && (await isSignedBy(public_key, signature, utf8(base)))
}

const coversRequest = ({ components }: SignatureInput): boolean =>
  components.includes('@method') &&
  components.includes('content-digest') &&
  (components.includes('@target-uri') || (components.includes('@authority') && components.includes('@path')))

function isCurrent({ parameters }: SignatureInput, now: number): boolean {
  const [created, expires, alg] = ['created', 'expires', 'alg'].map((name) => parameters.get(name))
  if (typeof created !== 'number' || typeof expires !== 'number') return false
  const seconds = now / 1000
  return (
    created <= seconds + CLOCK_SECONDS &&
    expires > seconds &&
    expires - created <= SIGNATURE_SECONDS &&
    (alg === undefined || alg === 'ed25519')
  )
}

/** Checks the digests of the body (RFC 9530). At least one must be of a known kind, and each of a known kind must be right. */
function hasRightDigest({ header, body }: SignedRequest): boolean {
  const digests = parseByteMembers(header('content-digest') ?? '')
  const known = (['sha-256', 'sha-512'] as const).filter((name) => digests?.has(name))
  return known.length > 0 && known.every((name) => equal(digests?.get(name), hash(name, body)))
}

const hash = (name: 'sha-256' | 'sha-512', bytes: Uint8Array): Uint8Array =>
  createHash(name.replace('-', '')).update(bytes).digest()

const equal = (one: Uint8Array | undefined, other: Uint8Array): boolean =>
  one?.length === other.length && timingSafeEqual(one, other)

/** The signature base of RFC 9421 section 2.5. Undefined if a component is unknown or its field is missing. */
export function signatureBase(request: SignedRequest, { components, text }: SignatureInput): string | undefined {
  const lines = components.map((name) => {
    const value = componentValue(request, name)
    return value === undefined ? undefined : `"${name}": ${value}`
  })
  return lines.includes(undefined) ? undefined : [...lines, `"@signature-params": ${text}`].join('\n')
}

function componentValue({ method, url, header }: SignedRequest, name: string): string | undefined {
  const { host, pathname, protocol, search } = new URL(url)
  switch (name) {
    case '@method':
      return method
    case '@target-uri':
      return url
    case '@authority':
      return host
    case '@scheme':
      return protocol.slice(0, -1)
    case '@path':
      return pathname
    case '@query':
      return search || '?'
    case '@request-target':
      return pathname + search
    default:
      return /^[a-z0-9][a-z0-9-]*$/.test(name) ? header(name)?.trim() : undefined
  }
}

// The header fields of RFC 9421, in the canonical form of RFC 9651. The text is hostile: a field in any other form is not
// read.

/** One signature, as a field announces it. */
interface SignatureInput {
  /** The signed components: header fields, and parts of the request that begin with `@`. */
  components: string[]
  parameters: ReadonlyMap<string, string | number>
  /** Components and parameters as they were sent. This text is part of the signature base. */
  text: string
}

const MOST_CHARACTERS = 4096
const MOST_MEMBERS = 8

const KEY = '[a-z*][a-z0-9_.*-]*'
/** Strings without backslashes, which no name, nonce or address here needs. */
const STRING = '"[\\x20\\x21\\x23-\\x5b\\x5d-\\x7e]*"'
const PARAMETER = `;${KEY}=(?:${STRING}|-?[0-9]{1,15})`
const BYTES = ':[A-Za-z0-9+/]*={0,2}:'
const INPUT = new RegExp(`(${KEY})=(\\(${STRING}(?: ${STRING})*\\)(?:${PARAMETER})*)(?:,[ \\t]*|$)`, 'y')
const BYTE_MEMBER = new RegExp(`(${KEY})=(${BYTES})(?:,[ \\t]*|$)`, 'y')

/** The members of a dictionary; undefined if a part of it has another form, or a name comes twice. */
function members(text: string, form: RegExp): Map<string, string> | undefined {
  if (text.length > MOST_CHARACTERS) return undefined
  const found = new Map<string, string>()
  form.lastIndex = 0
  while (form.lastIndex < text.length) {
    const [, name = '', value = ''] = form.exec(text) ?? []
    if (name === '' || found.has(name) || found.size === MOST_MEMBERS) return undefined
    found.set(name, value)
  }
  return found
}

/** Reads `Signature-Input`: the components and parameters of each signature, by label. */
export function parseSignatureInput(text: string): Map<string, SignatureInput> | undefined {
  const found = members(text, INPUT)
  if (!found) return undefined
  const inputs = new Map<string, SignatureInput>()
  for (const [label, value] of found) {
    const end = value.indexOf(')')
    const components = strings(value.slice(0, end))
    const parameters = new Map<string, string | number>()
    for (const [, name = '', raw = ''] of value.slice(end).matchAll(new RegExp(`;(${KEY})=(${STRING}|-?[0-9]+)`, 'g')))
      parameters.set(name, raw.startsWith('"') ? raw.slice(1, -1) : Number(raw))
    // A component that is listed twice could be read in two ways.
    if (new Set(components).size !== components.length) return undefined
    inputs.set(label, { components, parameters, text: value })
  }
  return inputs
}

const strings = (list: string): string[] => [...list.matchAll(/"([^"]*)"/g)].map(([, text = '']) => text)

/** Reads `Signature` and `Content-Digest`: bytes by name. */
export function parseByteMembers(text: string): Map<string, Uint8Array> | undefined {
  const found = members(text, BYTE_MEMBER)
  return (
    found &&
    new Map([...found].map(([name, value]) => [name, new Uint8Array(Buffer.from(value.slice(1, -1), 'base64'))]))
  )
}
