import { readFraming } from './framing.ts'
import { Head, malformed, type Refusal } from './head.ts'
import { readTarget } from './target.ts'

// The head of a request, RFC 9112. What the standard lets a server repair is refused here, because a proxy in front may
// repair it differently, and then one of the two sees a request that the other does not (request smuggling).

export const MOST_HEAD_BYTES = 20 * 1024
const MOST_HEADERS = 100

const [TAB, LF, CR, SPACE, SLASH, ZERO, COLON] = [9, 10, 13, 32, 47, 48, 58]

/** What a byte can be part of. */
const [TOKEN, FIELD, TARGET, UNUSUAL] = [1, 2, 4, 8]
const KINDS = new Uint8Array(256)
for (let byte = 0; byte < 256; byte++) {
  const text = String.fromCharCode(byte)
  if (/[\w!#$%&'*+.^`|~-]/.test(text)) KINDS[byte] = TOKEN
  if (byte === TAB || (byte >= SPACE && byte !== 127)) KINDS[byte] = (KINDS[byte] as number) | FIELD
  if (byte > SPACE && byte < 127 && text !== '#') KINDS[byte] = (KINDS[byte] as number) | TARGET
  if (/[.%\\]/.test(text)) KINDS[byte] = (KINDS[byte] as number) | UNUSUAL
}

const METHOD = /^[A-Z][A-Z-]{0,19}$/
const VERSIONS = new Set(['HTTP/1.1', 'HTTP/1.0'])

/** What the next byte is part of. */
const PART = { method: 0, target: 1, version: 2, versionEnd: 3, name: 4, value: 5, valueEnd: 6, end: 7 } as const

/** Which bytes a part may have. A line break and an end have none of their own. */
const KIND_OF_PART = [TOKEN, TARGET, TARGET, 0, TOKEN, FIELD, 0, 0]

const NOT_HTTP = malformed('the request does not begin as HTTP/1.1 does')
const BAD_TARGET = malformed('the target is missing, or has a byte that must be percent-encoded')
const BAD_LINE = malformed('a header line has no name, a space before its colon, or is folded')
const BAD_VALUE = malformed('a header has a control character, or a line does not end with CR and LF')

/**
 * Reads heads, each in as many pieces as it comes in. No byte is looked at twice, and the first byte that does not fit
 * decides, so the result does not depend on the pieces.
 */
export class HeadReader {
  /** Why the last head was refused. */
  refusal: Refusal | undefined
  #head: Head | undefined
  #part: (typeof PART)[keyof typeof PART] = PART.method
  /** How many bytes of the head were looked at. What follows are places in it. */
  #read = 0
  #methodEnd = 0
  #targetEnd = 0
  #lineStart = 0
  #nameEnd = 0
  #isUnusual = false
  #headerBytes = 0
  #marks: number[] = []

  /** Whether something of a head has come. */
  get hasBegun(): boolean {
    return this.#read > 0
  }

  /**
   * Goes on with the head that starts at `start`: the same bytes as before must stand there, and more after them. Gives
   * the length of the head when it is whole, 0 if more must come, and -1 if it is refused.
   */
  read(bytes: Buffer, start: number): number {
    const end = Math.min(bytes.length, start + MOST_HEAD_BYTES)
    let at = start + this.#read
    while (at < end) {
      const part = this.#part
      const from = at
      const kind = KIND_OF_PART[part] as number
      let kinds = 0
      for (; at < end; at++) {
        const found = KINDS[bytes[at] as number] as number
        if ((found & kind) === 0) break
        kinds |= found
      }
      if (part === PART.target && (kinds & UNUSUAL) !== 0) this.#isUnusual = true
      if (at === end && at > from) break
      const refusal = this.#after(bytes[at] as number, at - start, bytes, start)
      if (refusal) return this.#refuse(refusal)
      at++
      if (part === PART.end) return this.#finish(bytes, start, at)
    }
    this.#read = at - start
    if (this.#read < MOST_HEAD_BYTES) return 0
    return this.#refuse({ code: this.#part === PART.target ? 'uri_too_long' : 'headers_too_large' })
  }

  /** The head that was read whole. */
  take(): Head {
    return this.#head as Head
  }

  /** Decides by the first byte after a part, which is at this place of the head. */
  #after(byte: number, at: number, bytes: Buffer, start: number): Refusal | undefined {
    switch (this.#part) {
      case PART.method:
        if (byte !== SPACE || at === 0) return NOT_HTTP
        this.#methodEnd = at
        this.#part = PART.target
        return undefined
      case PART.target:
        if (byte !== SPACE || at === this.#methodEnd + 1) return BAD_TARGET
        this.#targetEnd = at
        this.#part = PART.version
        return undefined
      case PART.version:
        if (byte !== CR || !VERSIONS.has(bytes.toString('latin1', start + this.#targetEnd + 1, start + at)))
          return NOT_HTTP
        this.#part = PART.versionEnd
        return undefined
      case PART.versionEnd:
      case PART.valueEnd:
        if (byte !== LF) return this.#part === PART.versionEnd ? NOT_HTTP : BAD_VALUE
        this.#lineStart = at + 1
        this.#part = PART.name
        return undefined
      case PART.name:
        if (byte === COLON && at > this.#lineStart) {
          this.#nameEnd = at
          this.#part = PART.value
          return undefined
        }
        if (byte !== CR || at > this.#lineStart) return BAD_LINE
        this.#part = PART.end
        return undefined
      case PART.value:
        if (byte !== CR) return BAD_VALUE
        this.#part = PART.valueEnd
        return this.#field(bytes, start, at)
      default:
        return byte === LF ? undefined : BAD_LINE
    }
  }

  /** Notes a header whose value ends here, without the spaces around it. */
  #field(bytes: Buffer, start: number, end: number): Refusal | undefined {
    let from = this.#nameEnd + 1
    let to = end
    while (from < to && isSpace(bytes[start + from])) from++
    while (to > from && isSpace(bytes[start + to - 1])) to--
    this.#marks.push(this.#lineStart, this.#nameEnd, from, to)
    this.#headerBytes += this.#nameEnd - this.#lineStart + to - from + 4
    return this.#marks.length > MOST_HEADERS * 4 ? { code: 'headers_too_large' } : undefined
  }

  #refuse(refusal: Refusal): -1 {
    this.refusal = refusal
    return -1
  }

  /** All bytes fit. Now what they say together must have one meaning. */
  #finish(bytes: Buffer, start: number, end: number): number {
    const text = bytes.toString('latin1', start, end)
    const method = text.slice(0, this.#methodEnd)
    if (method !== 'GET' && !METHOD.test(method)) return this.#refuse({ code: 'method_not_implemented' })
    // From the bytes: it is remembered with its answer, and must not keep the whole head.
    let target = bytes.toString('latin1', start + this.#methodEnd + 1, start + this.#targetEnd)
    if (this.#isUnusual || target.charCodeAt(0) !== SLASH || target.includes('//')) {
      const read = readTarget(target)
      if ('fault' in read) return this.#refuse(malformed(read.fault))
      target = read.target
    }
    const isOld = text.charCodeAt(this.#targetEnd + 'HTTP/1.x'.length) === ZERO
    const said = readFraming(text, this.#marks, isOld)
    if ('code' in said) return this.#refuse(said)
    this.#head = new Head(method, target, isOld, said, this.#headerBytes, text, this.#marks)
    this.#part = PART.method
    this.#read = 0
    this.#isUnusual = false
    this.#headerBytes = 0
    this.#marks = []
    return end - start
  }
}

const isSpace = (byte: number | undefined): boolean => byte === SPACE || byte === TAB
