/**
 * How a CSV file ends: a line that has no end, and fewer cells than any other, was cut off while it was copied. Half an
 * amount would pass for one. A line of one cell is a blank or a remark, and says nothing.
 */
export class FileEnd {
  lastByte = 0
  line = 0
  #cells = 0
  #fewest = Number.POSITIVE_INFINITY

  add(line: number, cells: number): void {
    if (this.#cells > 1) this.#fewest = Math.min(this.#fewest, this.#cells)
    this.#cells = cells
    this.line = line
  }

  isCut(): boolean {
    const isOnlyLine = this.#fewest === Number.POSITIVE_INFINITY
    return this.lastByte > 0x20 && this.#cells < this.#fewest && !isOnlyLine
  }
}
