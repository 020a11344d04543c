import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { toHex, utf8 } from './bytes.ts'
import { portableSha256, sha256 } from './sha256.ts'

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
