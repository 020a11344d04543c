import { closeSync, openSync, writeSync } from 'node:fs'
import { Problem } from '../problem.ts'
import { type BrokenRule, ruleOf } from '../registry/release/rules.ts'

const BUFFER = 64 * 1024

/** A CSV file of all refused and withheld lines: line, rule and key, never the values. */
export class RejectsFile {
  count = 0
  readonly #file: number
  #text = 'line,rule,then,key\n'

  /** Refuses an existing file, which could be the source. */
  constructor(readonly path: string) {
    try {
      this.#file = openSync(path, 'wx')
    } catch (cause) {
      throw new Problem('invalid_parameter', 'the --rejects file exists already, or cannot be written there', { cause })
    }
  }

  readonly note = ({ rule, line, key }: BrokenRule): void => {
    const { severity } = ruleOf(rule)
    if (severity === 'flag') return
    this.count++
    this.#text += `${line ?? ''},${rule},${severity},${key ?? ''}\n`
    if (this.#text.length > BUFFER) this.#write()
  }

  close(): void {
    this.#write()
    closeSync(this.#file)
  }

  #write(): void {
    writeSync(this.#file, this.#text)
    this.#text = ''
  }
}
