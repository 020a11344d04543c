// Byte strings, and the two text forms they take on the wire: lowercase hex for document digests,
// strict base64 for Merkle hashes, so that the two cannot be mixed up.

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export const utf8 = (text: string): Uint8Array => encoder.encode(text)

/** Throws on anything that is not well-formed UTF-8. */
export const fromUtf8 = (bytes: Uint8Array): string => decoder.decode(bytes)

export function concat(...parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

export const equalBytes = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, i) => byte === b[i])

export const toHex = (bytes: Uint8Array): string => Array.from(bytes, (b) => b.toString(16).padStart(2, '0')).join('')

interface OwnBase64 {
  toBase64?: () => string
}

/** The platform's own way where it has one (ES2026): an answer has dozens of hashes, and this is ten times faster. */
export function toBase64(bytes: Uint8Array): string {
  return (bytes as OwnBase64).toBase64?.() ?? portableBase64(bytes)
}

/** The same for a hash, which is so short that its bytes can be arguments. */
export const hashToBase64 = (hash: Uint8Array): string =>
  (hash as OwnBase64).toBase64?.() ?? btoa(String.fromCharCode(...hash))

/** For platforms that have none. */
export function portableBase64(bytes: Uint8Array): string {
  let binary = ''
  for (let i = 0; i < bytes.length; i += 8192) binary += String.fromCharCode(...bytes.subarray(i, i + 8192))
  return btoa(binary)
}

/** The last group has two or three symbols before the padding, and the last of these has zeros where no byte is. */
const BASE64 = /^[A-Za-z0-9+/]*([AQgw]==|[AEIMQUYcgkosw048]=)?$/

/**
 * Canonical RFC 4648 section 4 base64, or undefined. Padding is required, white space is refused,
 * and the unused bits of the last group must be zero, so one byte string has exactly one spelling.
 */
export function fromBase64(text: string): Uint8Array | undefined {
  if (text.length % 4 !== 0 || !BASE64.test(text)) return undefined
  const binary = atob(text)
  const bytes = new Uint8Array(binary.length)
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i)
  return bytes
}
