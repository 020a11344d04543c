// Which 32 bytes are good enough to be pinned as an Ed25519 public key.

import { toHex } from '../bytes.ts'

/**
 * The y coordinates of the eight points of small order, least byte first: 0, 1, and these; the fifth is the largest
 * coordinate there is, 2^255 - 20. Under such a key anyone can write signatures, some of which hold for every text, and
 * libraries differ in which of them they refuse.
 */
const SMALL_ORDER = [
  '0'.padEnd(64, '0'),
  '01'.padEnd(64, '0'),
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
]
/** What all numbers from 2^255 - 256 on have after their least byte. */
const LARGEST = `${'f'.repeat(60)}7f`

/** The top bit of the last byte is the sign of x, which plays no part here. */
export function isSoundEd25519Key(publicKey: Uint8Array): boolean {
  if (publicKey.length !== 32) return false
  const y = toHex(publicKey.map((byte, i) => (i === 31 ? byte & 0x7f : byte)))
  // Coordinates are smaller than the prime, 2^255 - 19, and the one before it is of small order.
  return !SMALL_ORDER.includes(y) && !(y.slice(2) === LARGEST && y >= 'ec')
}
