import { write } from 'node:fs'

const MOST_CHARACTERS = 1024 * 1024
const RETRY_MS = 50
const DRAIN_MS = 1_000

/**
 * Lines on their way to a file descriptor. They are written by another thread, one write at a time, so whoever reads them
 * slowly, or not at all, holds up nobody. Past a bounded number of characters lines are dropped, and counted: the next line
 * that is written says how many.
 */
export class LineQueue {
  #waiting = ''
  #dropped = 0
  #isWriting = false

  constructor(
    readonly descriptor: number,
    readonly mostCharacters = MOST_CHARACTERS,
  ) {}

  /** Adds whole lines, each with its end. */
  add(lines: string): void {
    if (this.#waiting.length + lines.length > this.mostCharacters) {
      for (let at = lines.indexOf('\n'); at >= 0; at = lines.indexOf('\n', at + 1)) this.#dropped++
      return
    }
    this.#waiting += lines
    if (!this.#isWriting) this.#next()
  }

  /** Waits until all is written, or for a second: whoever does not read must not keep the process from ending. */
  async drain(): Promise<void> {
    for (const began = performance.now(); this.#isWriting && performance.now() - began < DRAIN_MS; )
      await new Promise((resolve) => setTimeout(resolve, 5))
  }

  #next(): void {
    if (this.#dropped > 0) {
      const said = { at: new Date().toISOString(), level: 'warn', dropped_lines: this.#dropped }
      this.#waiting += `${JSON.stringify(said)}\n`
      this.#dropped = 0
    }
    this.#isWriting = this.#waiting !== ''
    const bytes = Buffer.from(this.#waiting)
    this.#waiting = ''
    if (this.#isWriting) this.#write(bytes)
  }

  #write(bytes: Buffer): void {
    write(this.descriptor, bytes, 0, bytes.length, null, (error, written) => {
      const rest = bytes.subarray(written ?? 0)
      if (error?.code === 'EAGAIN') setTimeout(() => this.#write(rest), RETRY_MS)
      // Nobody reads it any more: there is nowhere to say so.
      else if (error || rest.length === 0) this.#next()
      else this.#write(rest)
    })
  }
}
