import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { toHex, utf8 } from './bytes.ts'
import { INITIAL_HASH, portableSha256, ROUND_CONSTANTS, sha256 } from './sha256.ts'

const FIPS_180_4: [string, string][] = [
  ['', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
  ['abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
  [
    'abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq',
    '248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1',
  ],
  [
    'abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu',
    'cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1',
  ],
  ['a'.repeat(1_000_000), 'cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0'],
]

test('both implementations give the published digests', () => {
  for (const [text, digest] of FIPS_180_4) {
    expect(toHex(sha256(utf8(text)))).toBe(digest)
    expect(toHex(portableSha256(utf8(text)))).toBe(digest)
  }
})

test('the portable one equals the platform at every length around the block boundaries', () => {
  for (let length = 0; length <= 260; length++) {
    const message = new Uint8Array(length).map((_, i) => (i * 31 + length) % 256)
    expect(portableSha256(message)).toEqual(sha256(message))
  }
})

test('the portable one equals the platform on any bytes, views into larger buffers included', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 2000 }), fc.nat(64), (whole, start) => {
      const view = whole.subarray(Math.min(start, whole.length))
      const untouched = view.slice()
      expect(portableSha256(view)).toEqual(sha256(view))
      expect(view).toEqual(untouched)
    }),
  )
})

test('the constants are the fractions of the roots of the first primes, as FIPS 180-4 defines them', () => {
  const isPrime = (n: number): boolean => !Array.from({ length: n - 2 }, (_, i) => i + 2).some((by) => n % by === 0)
  const primes = Array.from({ length: 310 }, (_, i) => i + 2).filter(isPrime)
  /** The first 32 bits of the fraction: the root of the prime times 2^(32 * degree), in whole numbers. */
  const fraction = (prime: number, degree: bigint): number => {
    const scaled = BigInt(prime) << (32n * degree)
    let root = 0n
    for (let bit = 1n << 40n; bit > 0n; bit >>= 1n) if ((root + bit) ** degree <= scaled) root += bit
    return Number(root & 0xffff_ffffn)
  }
  expect([...ROUND_CONSTANTS]).toEqual(primes.slice(0, 64).map((prime) => fraction(prime, 3n)))
  expect([...INITIAL_HASH]).toEqual(primes.slice(0, 8).map((prime) => fraction(prime, 2n)))
})
