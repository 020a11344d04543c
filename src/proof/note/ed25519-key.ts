// The public keys of Ed25519 that can be pinned (RFC 8032, 5.1.2).

import { toHex } from '../bytes.ts'

/**
 * The y coordinates of the eight points of small order, least byte first. Anyone can sign under such a key, for every
 * text, and libraries differ in which of the signatures they refuse.
 */
const SMALL_ORDER_Y: readonly string[] = [
  '0000000000000000000000000000000000000000000000000000000000000000', // order 4: y is 0
  '0100000000000000000000000000000000000000000000000000000000000000', // order 1: y is 1
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f', // order 2: y is -1
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05', // order 8
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a', // order 8
]

/** Coordinates of 2^255 - 19 and more are second spellings of 0 to 18. */
const NOT_BELOW_PRIME = /^(e[d-f]|f.)f{60}7f$/

export function isSoundEd25519Key(publicKey: Uint8Array): boolean {
  if (publicKey.length !== 32) return false
  const y = publicKey.slice()
  y[31] = (y[31] as number) & 0x7f // without the sign of x
  const coordinate = toHex(y)
  return !SMALL_ORDER_Y.includes(coordinate) && !NOT_BELOW_PRIME.test(coordinate)
}
