// Reads JSON (RFC 8259) and builds only the members that are asked for. The text of a note or the name of a person is passed over, never
// stored. Numbers stay the text they are, so that no amount passes through a binary fraction. Hostile input: depth is bounded, and a
// member that stands twice is refused.

import { Refused } from './bill.ts'

export type Json = string | Json[] | { [name: string]: Json }

const MOST_DEPTH = 64

/** Every JSON value of a text, one after the other: a document, or NDJSON. `null`, `true` and `false` are left out of what is built. */
export function readJson(text: string, names: ReadonlySet<string>): Json[] {
  const reader = new Reader(text, names)
  const values: Json[] = []
  while (reader.hasMore()) {
    const value = reader.value(0, true)
    if (value !== undefined) values.push(value)
  }
  return values
}

class Reader {
  private at = 0

  constructor(
    private readonly text: string,
    private readonly names: ReadonlySet<string>,
  ) {}

  hasMore(): boolean {
    this.skipSpace()
    return this.at < this.text.length
  }

  value(depth: number, isBuilt: boolean): Json | undefined {
    if (depth > MOST_DEPTH) throw new Refused('json_deep')
    this.skipSpace()
    const symbol = this.text[this.at]
    if (symbol === '{') return this.object(depth, isBuilt)
    if (symbol === '[') return this.array(depth, isBuilt)
    if (symbol === '"') return this.string(isBuilt)
    WORD.lastIndex = this.at
    const [word] = WORD.exec(this.text) ?? []
    if (word === undefined) throw new Refused('json')
    this.at += word.length
    return /^[ntf]/.test(word) ? undefined : word
  }

  private object(depth: number, isBuilt: boolean): Json {
    const members: { [name: string]: Json } = Object.create(null)
    const seen = new Set<string>()
    this.at++
    if (this.takes('}')) return members
    do {
      this.skipSpace()
      if (this.text[this.at] !== '"') throw new Refused('json')
      const name = this.string(true)
      if (!this.takes(':')) throw new Refused('json')
      const isKept = isBuilt && this.names.has(name)
      if (isKept && seen.has(name)) throw new Refused('json_twice')
      if (isKept) seen.add(name)
      const value = this.value(depth + 1, isKept)
      if (isKept && value !== undefined) members[name] = value
    } while (this.takes(','))
    if (!this.takes('}')) throw new Refused('json')
    return members
  }

  private array(depth: number, isBuilt: boolean): Json {
    const items: Json[] = []
    this.at++
    if (this.takes(']')) return items
    do {
      const value = this.value(depth + 1, isBuilt)
      if (isBuilt && value !== undefined) items.push(value)
    } while (this.takes(','))
    if (!this.takes(']')) throw new Refused('json')
    return items
  }

  private string(isBuilt: boolean): string {
    const start = this.at
    let end = start + 1
    let hasEscape = false
    for (;;) {
      const code = this.text.charCodeAt(end)
      if (code === 0x22) break
      if (Number.isNaN(code) || code < 0x20) throw new Refused('json')
      if (code === 0x5c) {
        hasEscape = true
        end++
      }
      end++
    }
    this.at = end + 1
    if (!isBuilt) return ''
    if (!hasEscape) return this.text.slice(start + 1, end)
    try {
      return JSON.parse(this.text.slice(start, end + 1)) as string
    } catch {
      throw new Refused('json')
    }
  }

  private takes(symbol: string): boolean {
    this.skipSpace()
    if (this.text[this.at] !== symbol) return false
    this.at++
    return true
  }

  private skipSpace(): void {
    for (;;) {
      const code = this.text.charCodeAt(this.at)
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return
      this.at++
    }
  }
}

const WORD = /(?:-?(?:0|[1-9][0-9]{0,30})(?:\.[0-9]{1,40})?(?:[eE][+-]?[0-9]{1,3})?|true|false|null)(?![0-9A-Za-z.])/y
