/** Small and fast, and the same for everyone who runs the test. */
export function dice(seed: number): { below: (n: number) => number; chance: (p: number) => boolean } {
  let state = seed
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
  return { below: (n) => Math.floor(next() * n), chance: (p) => next() < p }
}
export type Dice = ReturnType<typeof dice>
