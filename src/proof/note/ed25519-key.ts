// Which 32 bytes are good enough to be pinned as an Ed25519 public key.

import { toHex } from '../bytes.ts'

/**
 * The y coordinates of the eight points of small order, least byte first: 0, 1, two others, and 2^255 - 20. Under such a key
 * anyone can write signatures, some of which hold for every text, and libraries differ in which of them they refuse. What
 * comes after that is no coordinate: those are smaller than the prime, 2^255 - 19. The top bit is the sign of x, which plays
 * no part here.
 */
const UNSOUND =
  /^(0[01]0{60}[08]0|26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc[08]5|c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03[7f]a|(e[c-f]|f.)f{60}[7f]f)$/

export const isSoundEd25519Key = (publicKey: Uint8Array): boolean =>
  publicKey.length === 32 && !UNSOUND.test(toHex(publicKey))
