// Signatures that two libraries of Ed25519 could disagree about (RFC 8032, 5.1.7).

import { createHash } from 'node:crypto'
import { concat } from '../../src/proof/bytes.ts'
import { registry, signerOf } from '../../test/support/vector-keys.ts'

/** The order of the group, and the prime of the field. */
const L = 2n ** 252n + 27742317777372353535851937790883648493n
const P = 2n ** 255n - 19n
const numberOf = (bytes: Uint8Array): bigint => bytes.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n)
const bytesOf = (value: bigint): Uint8Array =>
  Uint8Array.from({ length: 32 }, (_, i) => Number((value >> BigInt(8 * i)) & 255n))
const sha512 = (...parts: readonly Uint8Array[]): Uint8Array =>
  createHash('sha512')
    .update(concat(...parts))
    .digest()

/** The scalar of the key whose seed is this byte 32 times. */
function scalarOf(seed: number): bigint {
  const half = sha512(new Uint8Array(32).fill(seed)).slice(0, 32)
  half[0] = (half[0] as number) & 248
  half[31] = ((half[31] as number) & 63) | 64
  return numberOf(half)
}

/** The signature with this R whose S would be right if R were `r` times the base point. */
function withR(seed: number, R: Uint8Array, r: bigint, message: Uint8Array): Uint8Array {
  const { publicKey } = signerOf('', seed)
  const k = numberOf(sha512(R, publicKey, message))
  return concat(R, bytesOf((r + k * scalarOf(seed)) % L))
}

/** Adds the order to S: a second signature of the same text. */
export const unreduced = (signature: Uint8Array): Uint8Array =>
  concat(signature.slice(0, 32), bytesOf(numberOf(signature.slice(32)) + L))

/**
 * R has the point of order 2 added, which takes both coordinates from the prime. The equation with the cofactor holds,
 * the one without it does not. The point before is the public key of another seed, whose scalar is known.
 */
export function cofactored(seed: number, message: Uint8Array): Uint8Array {
  const encoded = numberOf(signerOf('', 9).publicKey)
  const [signOfX, y] = [encoded >> 255n, encoded & (2n ** 255n - 1n)]
  return withR(seed, bytesOf((P - y) | ((1n - signOfX) << 255n)), scalarOf(9), message)
}

/** R is the neutral point, with the prime added to its y: the equation holds, and the bytes are not those of the point. */
export const neutral = (seed: number, message: Uint8Array): Uint8Array => withR(seed, bytesOf(P + 1n), 0n, message)

/** Two keys of the registry's name with one key id, found by trying. */
export const twins = [
  signerOf(registry.name, Uint8Array.of(0, 2, 35, 74)),
  signerOf(registry.name, Uint8Array.of(0, 2, 156, 142)),
] as const
