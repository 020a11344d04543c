// SHA-256 behind one synchronous function. Bun and Node have fast ones; browsers only an
// asynchronous one, so the algorithm itself stands here for them. Nothing is imported.

type Sha256 = (bytes: Uint8Array) => Uint8Array

interface Platform {
  Bun?: { SHA256: { hash(bytes: Uint8Array): Uint8Array } }
  process?: {
    getBuiltinModule?: (
      name: string,
    ) => { createHash?: (name: string) => { update(bytes: Uint8Array): { digest(): Uint8Array } } } | undefined
  }
}

function fastest(): Sha256 {
  const { Bun, process } = globalThis as Platform
  if (Bun) return (bytes) => Bun.SHA256.hash(bytes)
  const createHash = process?.getBuiltinModule?.('node:crypto')?.createHash
  if (createHash) return (bytes) => new Uint8Array(createHash('sha256').update(bytes).digest())
  return portableSha256
}

const K = new Uint32Array(64)
const INITIAL = new Uint32Array(8)
// The constants are the fractional bits of the cube and square roots of the first primes (FIPS 180-4, 4.2.2 and 5.3.3).
for (let candidate = 2, found = 0; found < 64; candidate++) {
  let factor = 2
  while (candidate % factor !== 0) factor++
  if (factor < candidate) continue
  // Of the square roots only the first eight have a place.
  INITIAL[found] = (candidate ** (1 / 2) % 1) * 2 ** 32
  K[found++] = (candidate ** (1 / 3) % 1) * 2 ** 32
}

const rotate = (word: number, by: number): number => (word >>> by) | (word << (32 - by))

/** FIPS 180-4, for platforms with no synchronous SHA-256 of their own. */
export function portableSha256(message: Uint8Array): Uint8Array {
  const padded = new Uint8Array(((message.length + 8) >> 6) * 64 + 64)
  padded.set(message)
  padded[message.length] = 0x80
  const view = new DataView(padded.buffer)
  view.setUint32(padded.length - 8, Math.floor(message.length / 2 ** 29))
  view.setUint32(padded.length - 4, message.length << 3)

  const state = INITIAL.slice()
  const w = new Uint32Array(64)
  for (let block = 0; block < padded.length; block += 64) {
    for (let t = 0; t < 16; t++) w[t] = view.getUint32(block + 4 * t)
    for (let t = 16; t < 64; t++) {
      const w15 = w[t - 15] as number
      const w2 = w[t - 2] as number
      const s0 = rotate(w15, 7) ^ rotate(w15, 18) ^ (w15 >>> 3)
      const s1 = rotate(w2, 17) ^ rotate(w2, 19) ^ (w2 >>> 10)
      w[t] = (w[t - 16] as number) + s0 + (w[t - 7] as number) + s1
    }
    let [a, b, c, d, e, f, g, h] = state as unknown as [number, number, number, number, number, number, number, number]
    for (let t = 0; t < 64; t++) {
      const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)
      const t1 = (h + s1 + ((e & f) ^ (~e & g)) + (K[t] as number) + (w[t] as number)) | 0
      const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)
      const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0
      h = g
      g = f
      f = e
      e = (d + t1) | 0
      d = c
      c = b
      b = a
      a = (t1 + t2) | 0
    }
    for (const [i, mixed] of [a, b, c, d, e, f, g, h].entries()) (state[i] as number) += mixed
  }
  // The words are written where the message was.
  state.forEach((word, i) => {
    view.setUint32(4 * i, word)
  })
  return padded.slice(0, 32)
}

export const sha256: Sha256 = fastest()
