// Numbers are written seven bits to a byte, the lowest first; every byte but the last has its highest bit set.

/** Writes numbers and bytes one after the other. */
export class ByteWriter {
  at = 0
  room = new Uint8Array(4096)

  /** Makes sure of so many bytes after the last one. */
  reserve(bytes: number): void {
    if (this.at + bytes <= this.room.length) return
    const larger = new Uint8Array(2 * (this.at + bytes))
    larger.set(this.room)
    this.room = larger
  }

  number(value: number): void {
    this.reserve(5)
    let rest = value
    for (; rest >= 128; rest >>>= 7) this.room[this.at++] = 128 | (rest & 127)
    this.room[this.at++] = rest
  }

  /** How many they are, and then the bytes from one place to another. */
  text(from: Uint8Array, start: number, end: number): void {
    this.number(end - start)
    this.reserve(end - start)
    for (let i = start; i < end; i++) this.room[this.at++] = from[i] as number
  }

  bytes(): Uint8Array<ArrayBuffer> {
    return this.room.slice(0, this.at)
  }
}

/** Reads them. Bytes from elsewhere may hold anything: it throws where they end too early. */
export class ByteReader {
  constructor(
    readonly bytes: Uint8Array,
    public at = 0,
  ) {}

  get isAtEnd(): boolean {
    return this.at === this.bytes.length
  }

  /** At most `most`, which four bytes can say. */
  number(most: number): number {
    let value = 0
    for (let shift = 0; shift <= 21; shift += 7) {
      const byte = this.bytes[this.at++]
      if (byte === undefined) break
      value |= (byte & 127) << shift
      if (byte < 128 && value <= most) return value
    }
    throw new RangeError('a number is cut short or too large')
  }

  /** Goes past so many bytes, and gives the place where they begin. */
  pass(size: number): number {
    const start = this.at
    this.at += size
    if (this.at > this.bytes.length) throw new RangeError('a text is cut short')
    return start
  }
}
