import { createHash, timingSafeEqual } from 'node:crypto'
import { utf8 } from '../../proof/bytes.ts'
import { isSignedBy, thumbprintOf } from '../possession.ts'
import { parseByteMembers, parseSignatureInput, type SignatureInput } from './signature-fields.ts'

// RFC 9421, in the profile of Web Bot Auth: the whole request is signed by the private key, in place of the nonce alone.

export const SIGNATURE_TAG = 'web-bot-auth'
/** The longest time between `created` and `expires`. */
export const SIGNATURE_SECONDS = 300
/** By how much the clock of a signer may be ahead of ours. */
const CLOCK_SECONDS = 30

/** A request as it was meant for us: the address is our own, never what a header says. */
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
  const meant = [...(inputs ?? [])].filter(
    ([, { parameters }]) => parameters.get('tag') === SIGNATURE_TAG && names.includes(String(parameters.get('keyid'))),
  )
  const [label = '', input] = meant[0] ?? []
  const signature = signatures?.get(label)
  if (meant.length !== 1 || !input || !signature) return false
  if (!coversRequest(input) || !isOfNow(input, now) || !hasDigestOf(request)) return false
  const base = signatureBase(request, input)
  return base !== undefined && (await isSignedBy(public_key, signature, utf8(base)))
}

const coversRequest = ({ components }: SignatureInput): boolean =>
  components.includes('@method') &&
  components.includes('content-digest') &&
  (components.includes('@target-uri') || (components.includes('@authority') && components.includes('@path')))

function isOfNow({ parameters }: SignatureInput, now: number): boolean {
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

/** RFC 9530. A digest of a kind that we do not know says nothing; each that we know must be right. */
function hasDigestOf({ header, body }: SignedRequest): boolean {
  const digests = parseByteMembers(header('content-digest') ?? '')
  const known = (['sha-256', 'sha-512'] as const).filter((name) => digests?.has(name))
  return known.length > 0 && known.every((name) => equal(digests?.get(name), hash(name, body)))
}

const hash = (name: 'sha-256' | 'sha-512', bytes: Uint8Array): Uint8Array =>
  createHash(name.replace('-', '')).update(bytes).digest()

const equal = (one: Uint8Array | undefined, other: Uint8Array): boolean =>
  one?.length === other.length && timingSafeEqual(one, other)

/** RFC 9421 section 2.5: what is signed. Undefined if a component is not known, or its field is not there. */
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
