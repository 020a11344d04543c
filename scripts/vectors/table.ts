// The tables that vectors are made of: each line has a name, inputs, and what a verifier must say, which is written there
// and never asked of a verifier.

import { classOf, type Fault } from '../../src/proof/fault.ts'
import type { Kind, VectorOf } from '../../test/support/vector.ts'

/** The expected result: a reason word, or the computed value if the inputs are good. */
type Expected = string | object
export type Line<Input> = readonly [name: string, input: Input, expected: Expected]

/** Lines that expect the same: it is stated once. */
export const all = <Input>(expected: Expected, inputs: Readonly<Record<string, Input>>): Line<Input>[] =>
  Object.entries(inputs).map(([name, input]) => [name, input, expected])

/**
 * The lines of a table that is written as text. ` | ` parts the name and the cells. `= <reason>`, or `= <JSON>` with what
 * is computed, says what the lines after it expect. A last cell `for <words>` makes a line for each of its words: the word
 * stands after the name and for `$1`, or its two halves before and after a colon for `$1` and `$2`.
 */
export function tableOf(text: string): Line<string[]>[] {
  let expected: Expected = {}
  return text
    .trim()
    .split('\n')
    .flatMap((line): Line<string[]>[] => {
      if (line.startsWith('= ')) {
        expected = line.startsWith('= {') ? (JSON.parse(line.slice(2)) as object) : line.slice(2)
        return []
      }
      const [name = '', ...cells] = line.split(/ \|(?= |$)/).map((cell) => cell.trim())
      const last = cells.at(-1) ?? ''
      if (!last.startsWith('for ')) return [[name, cells, expected]]
      return last
        .slice(4)
        .split(' ')
        .map((word) => {
          const [one = '', two = ''] = line.includes('$2') ? word.split(/:(.*)/) : [word]
          const fill = (cell: string): string => cell.replaceAll('$1', one).replaceAll('$2', two)
          return [`${name} ${word}`, cells.slice(0, -1).map(fill), expected]
        })
    })
}

/** Meanings of the words of a table. */
export function named<Value>(parts: Readonly<Record<string, Value>>, word: string): Value {
  if (!Object.hasOwn(parts, word)) throw new Error(`no part of the table is called ${word}`)
  return parts[word] as Value
}
export const wordsIn = (cell = ''): string[] => cell.split(' ').filter((word) => word !== '')

/** The vectors of a kind: the inputs that each line has are written as the kind has them. */
export const vectorsOf = <K extends Kind, Input>(
  kind: K,
  lines: readonly Line<Input>[],
  inputsOf: (input: Input) => object,
): VectorOf<K>[] =>
  lines.map(([name, input, expected]) => {
    const expect = typeof expected === 'string' ? refusal(expected) : { ok: true, ...expected }
    return { name, kind, ...inputsOf(input), expect } as unknown as VectorOf<K>
  })

/** A policy that has not its form is no verdict of a verifier, and counts as malformed here. */
const refusal = (reason: string): object => ({ ok: false, class: classOf(reason as Fault) ?? 'malformed', reason })
