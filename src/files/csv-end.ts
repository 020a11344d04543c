/**
 * Finds out whether a CSV file was cut off while it was copied: its last line has no line end, and fewer cells than any other
 * line. Half an amount would look like an amount. Lines of one cell are blanks or remarks and do not count.
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
