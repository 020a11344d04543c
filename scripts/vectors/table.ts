// The tables that vectors are made of: each line has a name, inputs, and what a verifier must say, which is written there
// and never asked of a verifier.

import type { Kind, VectorOf } from '../../test/support/vector.ts'

/** What must be said: a reason word, or what is computed if the inputs are good. */
export type Expected = string | object
export type Line<Input> = readonly [name: string, input: Input, expected: Expected]

/** Lines that expect the same: it is stated once. */
export const all = <Input>(expected: Expected, inputs: Readonly<Record<string, Input>>): Line<Input>[] =>
  Object.entries(inputs).map(([name, input]) => [name, input, expected])

/** The vectors of a kind, with the same inputs for each line but those that the line has. */
export const vectorsOf = <K extends Kind, Input>(
  kind: K,
  lines: readonly Line<Input>[],
  inputsOf: (input: Input) => object,
): VectorOf<K>[] =>
  lines.map(([name, input, expected]) => {
    const expect = typeof expected === 'string' ? { ok: false, reason: expected } : { ok: true, ...expected }
    return { name, kind, ...inputsOf(input), expect } as unknown as VectorOf<K>
  })
