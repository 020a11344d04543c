import { unreadable } from './unreadable.ts'

const MAX_DEPTH = 32
const MAX_STRING = 1024 * 1024
const MAX_NAME = 256
const MAX_MEMBER = 64 * 1024
const MAX_ITEM = 16 * 1024 * 1024
/** The most bytes outside the items. They are parsed as one, which takes up to 33 bytes of memory for each. */
const MAX_OUTSIDE = 4 * 1024 * 1024

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_LIST = 0x5b
const BACKSLASH = 0x5c
const CLOSE_LIST = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/** 1 for bytes of structure. All other bytes below the outermost object are skipped, except in strings. */
const STRUCTURE = new Uint8Array(256)
for (const byte of [QUOTE, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT]) STRUCTURE[byte] = 1

export interface JsonHandler {
  /** Takes an item of the list with its index, counted from 1. */
  item(value: unknown, ordinal: number): void
  /** Takes the text of an item that is not an object, or is not valid JSON although its brackets match. */
  malformed(ordinal: number, text: string): void
}

/**
 * Reads one JSON object of any size in constant memory: the items of one list in it, one at a time, and a few small
 * members, anywhere in the object. An item that is not valid JSON is mended or reported; everything else must be valid.
 */
export class JsonReader {
  /** The wanted members that were found. */
  readonly members = new Map<string, unknown>()
  items = 0
  /** Whether the list was found. */
  found = false

  /** The kinds of the open brackets, and how many there are. */
  readonly #open = new Uint8Array(MAX_DEPTH + 1)
  #depth = 0
  #inString = false
  #escape = false
  #stringBytes = 0
  #started = false
  #over = false

  /** At depth 1: the name last read, and whether its value comes next. */
  #name = ''
  #inValue = false
  #inList = false
  /** The state between two commas of the list: no value yet, a value, or a value whose brackets have ended. */
  #slot: 'first' | 'empty' | 'value' | 'closed' = 'first'
  /** The bytes outside the items, and where they go on in this chunk. */
  readonly #outside: Uint8Array[] = []
  #outsideBytes = 0
  #outsideFrom = 0

  /** The text that is being kept: its kind, its start in this chunk, its earlier parts and their size. */
  #keeping: 'name' | 'member' | 'item' | undefined
  #from = 0
  #kept: Uint8Array[] = []
  #keptBytes = 0

  constructor(
    readonly list: string,
    readonly wanted: ReadonlySet<string>,
    readonly handler: JsonHandler,
  ) {}

  push(chunk: Uint8Array): void {
    const end = chunk.length
    let i = 0
    this.#from = 0
    this.#outsideFrom = 0
    while (i < end) {
      if (this.#inString) {
        i = this.#throughString(chunk, i)
        continue
      }
      if (this.#depth > 1 && !(this.#inList && this.#depth === 2)) {
        while (i < end && STRUCTURE[chunk[i] as number] === 0) i++
        if (chunk[i] === QUOTE) {
          this.#inString = true
          this.#stringBytes = 0
          i++
          continue
        }
      }
      if (i < end) this.#step(chunk, i++)
    }
    if (this.#keeping) this.#keep(chunk, end)
    if (!this.#inList) this.#putOutside(chunk, end)
  }

  end(): void {
    if (!this.#started) throw unreadable('the file is empty: download it again')
    if (this.#depth > 0) throw unreadable('the file ends in the middle of its JSON: download it again')
    const outside = Buffer.concat(this.#outside).toString()
    if (parsed(outside.replace(/^\ufeff/, '')) === undefined) throw this.#notJson()
  }

  #putOutside(chunk: Uint8Array, end: number): void {
    this.#outsideBytes += end - this.#outsideFrom
    if (this.#outsideBytes > MAX_OUTSIDE) throw this.#refused('has a part that is too large')
    this.#outside.push(chunk.slice(this.#outsideFrom, end))
  }

  #throughString(chunk: Uint8Array, start: number): number {
    const end = chunk.length
    let i = start
    if (this.#escape) {
      this.#escape = false
      i++
    }
    while (i < end) {
      const byte = chunk[i] as number
      if (byte === QUOTE || byte === BACKSLASH) break
      i++
    }
    this.#stringBytes += i - start + 1
    if (this.#stringBytes > MAX_STRING) throw this.#refused('has a text longer than 1 MiB')
    if (i >= end) return end
    if (chunk[i] === BACKSLASH) this.#escape = true
    else {
      this.#inString = false
      if (this.#keeping === 'name')
        this.#name = String(this.#endKept(chunk, i + 1) ?? '')
          .toLowerCase()
          .trim()
    }
    return i + 1
  }

  #step(chunk: Uint8Array, at: number): void {
    const byte = chunk[at] as number
    if (byte <= 0x20) return
    if (this.#depth === 0) {
      this.#outermost(byte)
      return
    }
    if (this.#depth === 1 && this.#inValue && !this.#keeping) this.#beginMember(byte, at)
    else if (this.#inList && this.#depth === 2) this.#inSlot(chunk, byte, at)
    switch (byte) {
      case QUOTE:
        this.#inString = true
        this.#stringBytes = 0
        if (this.#depth === 1 && !this.#inValue) this.#begin('name', at)
        break
      case COLON:
        if (this.#depth === 1) this.#inValue = true
        break
      case COMMA:
        if (this.#depth === 1) this.#endMember(chunk, at)
        break
      case OPEN_OBJECT:
      case OPEN_LIST:
        this.#down(byte)
        if (this.#inList && this.#depth === 2) this.#putOutside(chunk, at + 1)
        break
      case CLOSE_OBJECT:
      case CLOSE_LIST:
        if (this.#depth === 1) this.#endMember(chunk, at)
        this.#up(byte)
        if (this.#inList && this.#depth === 2) this.#slot = 'closed'
        if (this.#inList && this.#depth === 1) {
          this.#inList = false
          this.#outsideFrom = at
        }
        if (this.#depth === 0) this.#over = true
    }
  }

  #outermost(byte: number): void {
    // A byte order mark is not part of the text.
    if (!this.#started && (byte === 0xef || byte === 0xbb || byte === 0xbf)) return
    if (this.#over)
      throw unreadable(
        this.found
          ? 'the JSON file goes on after its end: download it again'
          : 'the file has one JSON object after another, where one is expected: get the publisher\u2019s current file',
      )
    if (byte !== OPEN_OBJECT) throw unreadable('the JSON is not one object: get the publisher\u2019s current file')
    this.#started = true
    this.#down(byte)
  }

  #down(byte: number): void {
    if (this.#depth === MAX_DEPTH) throw this.#refused(`is nested more than ${MAX_DEPTH} deep`)
    this.#open[this.#depth++] = byte
  }

  #up(byte: number): void {
    const open = this.#open[--this.#depth]
    if ((open === OPEN_OBJECT) !== (byte === CLOSE_OBJECT)) throw this.#refused('has brackets that do not match')
  }

  #beginMember(byte: number, at: number): void {
    if (this.#name === this.list && byte === OPEN_LIST && !this.#inList) {
      if (this.found) throw unreadable(`the JSON has the list ${this.list} twice: ${WHICH}`)
      this.#inList = true
      this.#slot = 'first'
      this.found = true
    } else if (this.wanted.has(this.#name) && byte !== COMMA && byte !== CLOSE_OBJECT) this.#begin('member', at)
  }

  #endMember(chunk: Uint8Array, at: number): void {
    if (this.#keeping === 'member') {
      if (this.members.has(this.#name)) throw unreadable(`the JSON has ${this.#name} twice: ${WHICH}`)
      this.members.set(this.#name, this.#endKept(chunk, at))
    }
    this.#inValue = false
    this.#name = ''
  }

  /** Handles a byte directly in the list, which must have one value between two commas. */
  #inSlot(chunk: Uint8Array, byte: number, at: number): void {
    if (byte === COMMA || byte === CLOSE_LIST) {
      if (this.#slot === 'empty' || (this.#slot === 'first' && byte === COMMA)) throw this.#notJson()
      if (this.#slot !== 'first') this.#endSlot(chunk, at)
      this.#slot = 'empty'
    } else if (this.#slot === 'closed') throw this.#notJson()
    else if (this.#slot !== 'value') {
      this.#begin('item', at)
      this.#slot = 'value'
    }
  }

  /** Ends an item. Errors inside its brackets are reported to the handler; anything else makes the file invalid. */
  #endSlot(chunk: Uint8Array, end: number): void {
    const text = this.#textTo(chunk, end)
    let value = parsed(text)
    if (value === undefined && this.#slot !== 'closed') throw this.#notJson()
    if (value === undefined) value = parsed(mended(text))
    this.items++
    if (typeof value !== 'object' || value === null || Array.isArray(value)) this.handler.malformed(this.items, text)
    else this.handler.item(value, this.items)
  }

  #begin(what: 'name' | 'member' | 'item', at: number): void {
    this.#keeping = what
    this.#from = at
    this.#kept = []
    this.#keptBytes = 0
  }

  /** Copies a part that is kept, because the buffer of a chunk is reused. */
  #keep(chunk: Uint8Array, end: number): void {
    const part = chunk.slice(this.#from, end)
    this.#keptBytes += part.length
    const most = this.#keeping === 'name' ? MAX_NAME : this.#keeping === 'member' ? MAX_MEMBER : MAX_ITEM
    if (this.#keptBytes > most) throw this.#refused('has a part that is too large')
    this.#kept.push(part)
  }

  /** Ends the text that is being kept and parses it; undefined if it is not JSON. */
  #endKept(chunk: Uint8Array, end: number): unknown {
    return parsed(this.#textTo(chunk, end))
  }

  #textTo(chunk: Uint8Array, end: number): string {
    let text: string
    if (this.#kept.length === 0) text = asText(chunk, this.#from, end)
    else {
      this.#keep(chunk, end)
      text = Buffer.concat(this.#kept).toString()
    }
    this.#keeping = undefined
    this.#kept = []
    return text
  }

  #refused(what: string): Error {
    return unreadable(`the JSON ${what} (${this.#inList ? `item ${this.items + 1}` : 'before or after the items'})`)
  }

  #notJson(): Error {
    return this.#refused('is not valid: ask the publisher for a corrected file')
  }
}

/** Undefined if the text is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Mends common errors of programs whose meaning is clear: NaN for a missing number, and tabs and line ends in a text. */
const mended = (text: string): string =>
  text.replace(/"[^"\\]*(?:\\.[^"\\]*)*"|(?<![\w-])NaN(?!\w)/gs, (part) =>
    part === 'NaN' ? 'null' : part.replace(/\p{Cc}/gu, ' '),
  )

const WHICH = 'it is not clear which one is meant: get the publisher\u2019s current file'

const asText = (bytes: Uint8Array, from: number, end: number): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset + from, end - from).toString()
