// QR codes (ISO/IEC 18004) for addresses: byte mode, error correction level M, versions 1 to 20.

import { codewords, LARGEST_VERSION, versionFor } from './qr-codewords.ts'

/** Rows of modules; true is dark. The quiet zone around it is not part of it. */
export type Modules = readonly (readonly boolean[])[]

type Mask = (x: number, y: number) => boolean
const MASKS: readonly Mask[] = [
  (x, y) => (x + y) % 2 === 0,
  (_, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
]

/** Undefined for a text that is too long for a code that a telephone can read. */
export function qrModules(text: string): Modules | undefined {
  const bytes = new TextEncoder().encode(text)
  const version = versionFor(bytes.length)
  if (version > LARGEST_VERSION) return undefined
  const grid = new Grid(version)
  grid.drawPatterns()
  grid.drawData(codewords(bytes, version))
  const drawn = MASKS.map((mask, number) => grid.masked(mask, number))
  return drawn.reduce((best, each) => (penalty(each) < penalty(best) ? each : best))
}

/** One code while it is drawn: what is a pattern, and what is data and will be masked. */
class Grid {
  readonly size: number
  readonly dark: boolean[][]
  readonly isPattern: boolean[][]

  constructor(readonly version: number) {
    this.size = 17 + 4 * version
    this.dark = Array.from({ length: this.size }, () => Array<boolean>(this.size).fill(false))
    this.isPattern = this.dark.map((row) => [...row])
  }

  #set(x: number, y: number, dark: boolean): void {
    const [row, kinds] = [this.dark[y], this.isPattern[y]]
    if (!row || !kinds || x < 0 || x >= this.size) return
    row[x] = dark
    kinds[x] = true
  }

  drawPatterns(): void {
    const { size, version } = this
    for (let i = 0; i < size; i++) {
      this.#set(6, i, i % 2 === 0)
      this.#set(i, 6, i % 2 === 0)
    }
    for (const [x, y] of [
      [3, 3],
      [size - 4, 3],
      [3, size - 4],
    ] as const)
      this.#square(x, y, 4, (distance) => distance !== 2 && distance !== 4)
    const places = alignments(version)
    const last = places.length - 1
    for (const [i, x] of places.entries())
      for (const [j, y] of places.entries()) {
        const isFinder = (i === 0 && j === 0) || (i === 0 && j === last) || (i === last && j === 0)
        if (!isFinder) this.#square(x, y, 2, (distance) => distance !== 1)
      }
    this.#drawFormat(0)
    this.#drawVersion()
  }

  #square(centerX: number, centerY: number, reach: number, isDark: (distance: number) => boolean): void {
    for (let dy = -reach; dy <= reach; dy++)
      for (let dx = -reach; dx <= reach; dx++)
        this.#set(centerX + dx, centerY + dy, isDark(Math.max(Math.abs(dx), Math.abs(dy))))
  }

  /** Level and mask, twice, with their own error correction. */
  #drawFormat(mask: number): void {
    const { size } = this
    // Level M has the number 0.
    const bits = ((mask << 10) | remainder(mask, 10, 0x537)) ^ 0x5412
    const bit = (i: number): boolean => ((bits >>> i) & 1) === 1
    for (let i = 0; i <= 5; i++) this.#set(8, i, bit(i))
    this.#set(8, 7, bit(6))
    this.#set(8, 8, bit(7))
    this.#set(7, 8, bit(8))
    for (let i = 9; i < 15; i++) this.#set(14 - i, 8, bit(i))
    for (let i = 0; i < 8; i++) this.#set(size - 1 - i, 8, bit(i))
    for (let i = 8; i < 15; i++) this.#set(8, size - 15 + i, bit(i))
    this.#set(8, size - 8, true)
  }

  #drawVersion(): void {
    if (this.version < 7) return
    const bits = (this.version << 12) | remainder(this.version, 12, 0x1f25)
    for (let i = 0; i < 18; i++) {
      const [a, b] = [this.size - 11 + (i % 3), Math.floor(i / 3)]
      const dark = ((bits >>> i) & 1) === 1
      this.#set(a, b, dark)
      this.#set(b, a, dark)
    }
  }

  /** In pairs of columns from the right, upwards and downwards in turn. */
  drawData(data: Uint8Array): void {
    let at = 0
    for (let right = this.size - 1; right >= 1; right -= 2) {
      if (right === 6) right = 5
      const isUpward = ((right + 1) & 2) === 0
      for (let step = 0; step < this.size; step++)
        for (const x of [right, right - 1]) {
          const y = isUpward ? this.size - 1 - step : step
          const row = this.dark[y]
          if (!row || this.isPattern[y]?.[x] || at >= data.length * 8) continue
          row[x] = (((data[at >>> 3] ?? 0) >>> (7 - (at & 7))) & 1) === 1
          at++
        }
    }
  }

  masked(mask: Mask, number: number): boolean[][] {
    const copy = new Grid(this.version)
    for (const [y, row] of this.dark.entries())
      for (const [x, dark] of row.entries()) {
        const isPattern = this.isPattern[y]?.[x] === true
        copy.#set(x, y, isPattern ? dark : dark !== mask(x, y))
      }
    copy.#drawFormat(number)
    return copy.dark
  }
}

/** The remainder of a division of polynomials over bits, as many as `bits`. */
function remainder(value: number, bits: number, generator: number): number {
  let rest = value
  for (let i = 0; i < bits; i++) rest = (rest << 1) ^ ((rest >>> (bits - 1)) * generator)
  return rest
}

/** Where the centers of the alignment patterns are, in both directions. */
function alignments(version: number): number[] {
  if (version === 1) return []
  const count = Math.floor(version / 7) + 2
  const step = Math.floor((version * 8 + count * 3 + 5) / (count * 4 - 4)) * 2
  const last = 4 * version + 10
  return [6, ...Array.from({ length: count - 1 }, (_, i) => last - step * (count - 2 - i))]
}

/** 7.8.3: what makes a code hard to read. */
function penalty(dark: Modules): number {
  const size = dark.length
  const columns = dark.map((_, x) => dark.map((row) => row[x] === true))
  const lines = [...dark, ...columns]
  let sum = 0
  for (const line of lines) {
    const text = line.map((each) => (each ? '1' : '0')).join('')
    for (const [run] of text.matchAll(/0{5,}|1{5,}/g)) sum += run.length - 2
    sum += 40 * [...text.matchAll(/(?=00001011101|10111010000)/g)].length
  }
  for (let y = 0; y + 1 < size; y++)
    for (let x = 0; x + 1 < size; x++) {
      const same = dark[y]?.[x]
      if (same === dark[y]?.[x + 1] && same === dark[y + 1]?.[x] && same === dark[y + 1]?.[x + 1]) sum += 3
    }
  const count = dark.reduce((total, row) => total + row.filter(Boolean).length, 0)
  return sum + 10 * Math.floor(Math.abs((count * 100) / (size * size) - 50) / 5)
}
