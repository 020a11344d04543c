// Byte strings, and their two text forms on the wire: lowercase hex for digests of documents, strict base64 for hashes of
// Merkle trees, so that the two cannot be mixed up.

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

/** Uses the platform's method where there is one (ES2026): an answer has dozens of hashes, and it is ten times faster. */
export const toBase64 = (bytes: Uint8Array): string =>
  (bytes as { toBase64?: () => string }).toBase64?.() ?? portableBase64(bytes)

export function portableBase64(bytes: Uint8Array): string {
  let binary = ''
  for (let i = 0; i < bytes.length; i += 8192) binary += String.fromCharCode(...bytes.subarray(i, i + 8192))
  return btoa(binary)
}

/** A last group with padding ends in a symbol whose unused bits are zero. */
const BASE64 = /^[A-Za-z0-9+/]*([AQgw]==|[AEIMQUYcgkosw048]=)?$/

/** Reads canonical base64 (RFC 4648, section 4), of which each byte string has one spelling; undefined for any other text. */
export function fromBase64(text: string): Uint8Array | undefined {
  if (text.length % 4 !== 0 || !BASE64.test(text)) return undefined
  const binary = atob(text)
  const bytes = new Uint8Array(binary.length)
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i)
  return bytes
}
