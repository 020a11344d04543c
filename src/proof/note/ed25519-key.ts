// Which 32 bytes are good enough to be pinned as an Ed25519 public key.

import { compareBytes, toHex } from '../bytes.ts'

/** The field prime, 2^255 - 19, highest byte first: a coordinate is smaller. */
const PRIME = Uint8Array.from({ length: 32 }, (_, i) => (i === 0 ? 0x7f : i === 31 ? 0xed : 0xff))

/**
 * The y coordinates of the eight points of small order, least byte first. Under such a key anyone can write signatures,
 * some of which hold for every text, and libraries differ in which of them they refuse.
 */
const SMALL_ORDER: readonly string[] = [
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000000',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
]

/** The top bit of the last byte is the sign of x, which plays no part here. */
export function isSoundEd25519Key(publicKey: Uint8Array): boolean {
  if (publicKey.length !== 32) return false
  const y = Uint8Array.from(publicKey, (byte, i) => (i === 31 ? byte & 0x7f : byte))
  return !SMALL_ORDER.includes(toHex(y)) && compareBytes(y.toReversed(), PRIME) < 0
}
