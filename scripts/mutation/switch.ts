// The switches of the changed code: which change is made now, which were reached, and an end for what does not end.

/** Thrown where a change is reached again and again: the test has failed, whatever catches this. */
export class Endless extends Error {}

class Switch {
  /** The change that is made; -1 is none. */
  on = -1
  /** Which changes were reached, while this is wanted. */
  reached: Uint8Array | undefined
  /** In microseconds of processor time: on a busy machine the clock says little. */
  endsAt = Number.POSITIVE_INFINITY
  isEndless = false
  #hits = 0

  is(id: number): boolean {
    if (this.reached) this.reached[id] = 1
    if (this.on !== id) return false
    if ((++this.#hits & 1023) === 0 && process.cpuUsage().user > this.endsAt) {
      this.isEndless = true
      throw new Endless('reached for too long')
    }
    return true
  }
}

declare global {
  var MUTANT: Switch
}

globalThis.MUTANT = new Switch()
