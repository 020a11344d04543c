import { createHash } from 'node:crypto'
import { Problem, type ProblemCode } from '../../problem.ts'

/** All allowed values are short, so a longer line cannot be valid. */
const MAX_LINE = 1024

/** A broken rule and its place in a file. It never has the value, which may be personal data. */
export interface BrokenRule {
  line: number
  column: number
  rule: string
}

/** Counts all broken rules of a file and keeps the first few. */
export class Complaints {
  static readonly SHOWN = 5
  count = 0
  readonly #first: BrokenRule[] = []

  add(line: number, column: number, rule: string): void {
    this.addAll(1, [{ line, column, rule }])
  }

  /** Adds `count` broken rules, of which only the first few are listed. */
  addAll(count: number, first: readonly BrokenRule[]): void {
    this.count += count
    this.#first.push(...first.slice(0, Complaints.SHOWN - this.#first.length))
  }

  /** One broken rule refuses the whole file, because a part of it would make a different ledger. */
  refuse(code: ProblemCode): void {
    if (this.count === 0) return
    const first = this.#first.map(({ line, column, rule }) => `line ${line} column ${column}: ${rule}`).join('; ')
    const detail = `the file breaks a rule in ${this.count} ${this.count === 1 ? 'place' : 'places'}; first: ${first}`
    throw new Problem(code, detail, { members: { refused: this.count, places: [...this.#first] } })
  }
}

/**
 * Reads CSV without quotes, which no allowed value needs: one of the given headers, then one record per line. The input
 * is hostile. Returns the SHA-256 of the bytes read.
 */
export async function readRecords(
  file: AsyncIterable<Uint8Array>,
  headers: readonly (readonly string[])[],
  complaints: Complaints,
  take: (fields: string[], line: number, columns: readonly string[]) => void,
  /** Awaited between chunks of the file, so that records can be stored while the file is read. */
  pause: () => Promise<void> | undefined = () => undefined,
): Promise<string> {
  const hash = createHash('sha256')
  // A byte order mark stays in the text and spoils the header; bytes that are not UTF-8 spoil their field.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  let line = 0
  let rest = ''
  let columns: readonly string[] = []

  /** Returns false if the rest cannot be read as records of this file. */
  const read = (text: string): boolean => {
    line++
    if (text.length > MAX_LINE) {
      complaints.add(line, 1, 'line_too_long')
      return false
    }
    const fields = text.replace(/\r$/, '').split(',')
    if (line > 1) {
      take(fields, line, columns)
      return true
    }
    // If no header has as many columns, the longest one shows where this one is wrong.
    columns = headers.find(({ length }) => length === fields.length) ?? (headers.at(-1) as readonly string[])
    const wrong = columns.findIndex((name, i) => fields[i] !== name)
    if (wrong < 0 && fields.length === columns.length) return true
    complaints.add(1, wrong < 0 ? columns.length + 1 : wrong + 1, 'header')
    return false
  }

  for await (const bytes of file) {
    hash.update(bytes)
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    if (!lines.every(read)) return ''
    if (rest.length > MAX_LINE) {
      complaints.add(line + 1, 1, 'line_too_long')
      return ''
    }
    await pause()
  }
  rest += decoder.decode()
  if (rest !== '' || line === 0) read(rest)
  return hash.digest('hex')
}
