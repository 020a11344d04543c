/** What has come on a connection and was not read. */
export class HeldBytes {
  bytes: Buffer | undefined
  /** Where in them the first one is that was not read. */
  at = 0

  get size(): number {
    return this.bytes ? this.bytes.length - this.at : 0
  }

  add(chunk: Buffer): void {
    this.bytes = this.bytes ? Buffer.concat([this.bytes.subarray(this.at), chunk]) : chunk
    this.at = 0
  }

  /** Lets go of what stands before a place. A copy frees the memory, and is made when it is the smaller part: then each byte is copied once. */
  keepFrom(at: number): void {
    if (!this.bytes || at >= this.bytes.length) this.clear()
    else if (at * 2 < this.bytes.length) this.at = at
    else {
      this.bytes = Buffer.from(this.bytes.subarray(at))
      this.at = 0
    }
  }

  clear(): void {
    this.bytes = undefined
    this.at = 0
  }
}
