import { malformed, type Refusal } from './head.ts'

/** Where the pieces of a body go. */
export type Sink = (piece: Uint8Array<ArrayBuffer>) => void

/** A body that is read in pieces. */
export interface BodyReader {
  /** Takes what belongs to the body, from a place on, and may change bytes that it has taken. Gives the place after it, or -1 if it is refused. */
  read(bytes: Buffer, from: number, sink: Sink): number
  readonly isDone: boolean
  readonly refusal: Refusal | undefined
}

/** A body of a known length. */
export class CountedBody implements BodyReader {
  readonly refusal = undefined

  constructor(private left: number) {}

  get isDone(): boolean {
    return this.left === 0
  }

  read(bytes: Buffer, from: number, sink: Sink): number {
    const to = Math.min(bytes.length, from + this.left)
    if (to > from) sink(bytes.subarray(from, to) as Buffer<ArrayBuffer>)
    this.left -= to - from
    return to
  }
}

const [TAB, LF, CR, SPACE, SEMICOLON] = [9, 10, 13, 32, 59]
/** Eight hexadecimal digits: no sum of two such numbers is inexact. */
const MOST_DIGITS = 8
/** Extensions mean nothing to us. */
const MOST_EXTENSION_BYTES = 256
const MOST_TRAILER_BYTES = 4 * 1024

const PART = { size: 0, extension: 1, sizeEnd: 2, data: 3, dataCr: 4, dataLf: 5, trailer: 6, done: 7 } as const

/** A body in chunks, RFC 9112 section 7.1. Extensions and trailers are bounded, and dropped. */
export class ChunkedBody implements BodyReader {
  refusal: Refusal | undefined
  #part: (typeof PART)[keyof typeof PART] = PART.size
  #size = 0
  #digits = 0
  /** Bytes of the extension of this chunk, or of all trailers. */
  #beside = 0
  /** Whether the line of a trailer has begun. */
  #isInLine = false
  #hasCr = false

  get isDone(): boolean {
    return this.#part === PART.done
  }

  read(bytes: Buffer, from: number, sink: Sink): number {
    let at = from
    // Data is moved to where the body began: as a piece each, chunks of one byte would take a hundred times their memory.
    let end = from
    while (at < bytes.length && this.#part !== PART.done) {
      if (this.#part === PART.data) {
        const to = Math.min(bytes.length, at + this.#size)
        if (at > end) bytes.copyWithin(end, at, to)
        end += to - at
        this.#size -= to - at
        at = to
        if (this.#size === 0) this.#part = PART.dataCr
      } else if (!this.#fits(bytes[at] as number)) {
        this.refusal = malformed('the body is not made of well-formed chunks')
        return -1
      } else at++
    }
    if (end > from) sink(ownBytes(bytes, from, end))
    return at
  }

  #fits(byte: number): boolean {
    switch (this.#part) {
      case PART.size:
        return this.#sizeByte(byte)
      case PART.extension:
        if (byte === CR) this.#part = PART.sizeEnd
        return byte === CR || (isText(byte) && ++this.#beside <= MOST_EXTENSION_BYTES)
      case PART.sizeEnd:
        this.#part = this.#size === 0 ? PART.trailer : PART.data
        this.#beside = 0
        return byte === LF
      case PART.dataCr:
        this.#part = PART.dataLf
        return byte === CR
      case PART.dataLf:
        this.#part = PART.size
        this.#digits = 0
        return byte === LF
      default:
        return this.#trailerByte(byte)
    }
  }

  #sizeByte(byte: number): boolean {
    const digit = hexadecimal(byte)
    if (digit >= 0) {
      this.#size = this.#size * 16 + digit
      return ++this.#digits <= MOST_DIGITS
    }
    if (byte === CR) this.#part = PART.sizeEnd
    else if (byte === SEMICOLON) this.#part = PART.extension
    else return false
    return this.#digits > 0
  }

  #trailerByte(byte: number): boolean {
    if (++this.#beside > MOST_TRAILER_BYTES) return false
    if (this.#hasCr) {
      if (!this.#isInLine) this.#part = PART.done
      this.#hasCr = this.#isInLine = false
      return byte === LF
    }
    if (byte === CR) this.#hasCr = true
    else {
      if (!this.#isInLine && (byte === SPACE || byte === TAB)) return false
      this.#isInLine = true
    }
    return byte === CR || isText(byte)
  }
}

/** A small part is copied, because it would keep all that came with it in memory. */
const ownBytes = (bytes: Buffer, from: number, to: number): Uint8Array<ArrayBuffer> => {
  const part = bytes.subarray(from, to) as Buffer<ArrayBuffer>
  return part.length * 2 < bytes.length ? new Uint8Array(part) : part
}

const isText = (byte: number): boolean => byte === TAB || (byte >= SPACE && byte !== 127)

function hexadecimal(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48
  const letter = byte | 0x20
  return letter >= 97 && letter <= 102 ? letter - 87 : -1
}
