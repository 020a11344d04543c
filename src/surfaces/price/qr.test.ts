import { expect, test } from 'bun:test'
import fc from 'fast-check'
import jsQR from 'jsqr'
import { type Modules, qrModules } from './qr.ts'

/** Read by a decoder that is not ours, from pixels, as a camera would see it. */
function decoded(modules: Modules, scale = 2): string | undefined {
  const quiet = 4
  const side = (modules.length + 2 * quiet) * scale
  const pixels = new Uint8ClampedArray(side * side * 4).fill(255)
  for (let y = 0; y < side; y++)
    for (let x = 0; x < side; x++) {
      const dark = modules[Math.floor(y / scale) - quiet]?.[Math.floor(x / scale) - quiet]
      if (dark) pixels.fill(0, (y * side + x) * 4, (y * side + x) * 4 + 3)
    }
  const read = (jsQR as unknown as { default?: typeof jsQR }).default ?? jsQR
  return read(pixels, side, side)?.data
}

/** Bytes that each version holds at level M (ISO/IEC 18004, table 7). */
const CAPACITY = [14, 26, 42, 62, 84, 106, 122, 152, 180, 213, 251, 287, 331, 362, 412, 450, 504, 560, 624, 666]

test('a code of every version is read by another decoder', () => {
  for (const [at, length] of CAPACITY.entries()) {
    const text = 'https://registry.example/price/99213?region=60611&as_of=2026-11-15#'.repeat(10).slice(0, length)
    const modules = qrModules(text)
    expect(modules?.length).toBe(17 + 4 * (at + 1))
    expect(modules && decoded(modules)).toBe(text)
  }
})

test('whatever the text, it is read as it was written, or refused as too long', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, maxLength: 120, unit: 'grapheme-ascii' }), (text) => {
      const modules = qrModules(text)
      expect(modules && decoded(modules)).toBe(text)
    }),
    { numRuns: 12 },
  )
  expect(qrModules('x'.repeat(666))).toBeDefined()
  expect(qrModules('x'.repeat(667))).toBeUndefined()
})
