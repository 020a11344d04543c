import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { unpackBytes } from './bundle.ts'
import { contentSize } from './zstd-frame.ts'

/** A frame of one block that repeats a byte, and says any size. */
function repeating(stated: number, times: number): Buffer {
  const frame = Buffer.from('28b52ffd a0 00000000 000000 78'.replaceAll(' ', ''), 'hex')
  frame.writeUInt32LE(stated, 5)
  frame.writeUIntLE(1 | (1 << 1) | (times << 3), 9, 3)
  return frame
}

test('a frame says how much it unpacks to, and is unpacked', () => {
  const text = fc.oneof(
    fc.uint8Array({ maxLength: 2_000 }),
    fc.nat(200_000).map((size) => new Uint8Array(size)),
  )
  fc.assert(
    fc.property(text, fc.constantFrom(1, 3, 19), (bytes, level) => {
      const frame = Bun.zstdCompressSync(bytes, { level })
      expect(contentSize(frame)).toBe(bytes.length)
      expect(Buffer.from(unpackBytes(frame)).equals(bytes)).toBe(true)
    }),
    { numRuns: 60 },
  )
})

test('what is not one whole frame is refused, and never unpacked', () => {
  const frame = Bun.zstdCompressSync(Buffer.from('some text'))
  const others = [
    Buffer.concat([frame, frame]),
    Buffer.concat([frame, Buffer.from('0')]),
    frame.subarray(0, -1),
    frame.subarray(1),
    Buffer.from('28b52ffd0058010000', 'hex'), // it has a window in place of a size
    Buffer.alloc(0),
    Buffer.from('x'.repeat(100)),
  ]
  for (const bytes of others) {
    expect(contentSize(bytes)).toBeUndefined()
    expect(() => unpackBytes(bytes)).toThrow()
  }
})

test('a bomb is refused by what it says, and one that says less than it holds does not go off', () => {
  const large = repeating(400 * 1024 * 1024, 128 * 1024)
  expect(contentSize(large)).toBe(400 * 1024 * 1024)
  expect(() => unpackBytes(large)).toThrow('too large')
  expect(() => unpackBytes(repeating(10, 128 * 1024))).toThrow()
  expect(Buffer.from(unpackBytes(repeating(1_000, 1_000))).toString()).toBe('x'.repeat(1_000))
})
