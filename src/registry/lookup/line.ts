import { z } from 'zod'
import { type Kind, PROBLEMS, Problem, type ProblemCode } from '../../problem.ts'
import type { Adjustment } from '../../proof/lookup/modifiers.ts'
import type { ParsedQuestion } from '../../proof/lookup/question.ts'
import type { AbsenceProof, Because, CitedRow } from '../../proof/price/proofs.ts'
import type { Manifest } from '../../proof/price/release.ts'
import type { PlaceRow, PricedRow, Row } from '../../proof/price/row.ts'
import { foundLine, lineAnswer, refusedLine } from '../../status.ts'
import { type Answer, answer, shortAnswer } from './answer.ts'
import {
  Available,
  LeftOut,
  SetBecause,
  SetPlace,
  SetPrice,
  SetRow,
  ShortPrice,
  ShortRow,
  toldOfModifiers,
} from './answer-schema.ts'
import { find } from './find.ts'
import type { Proofs } from './proofs.ts'
import type { SharedParts } from './share.ts'

// One answer among several: what it has in common with the others stands once, beside them.

const CODES = Object.keys(PROBLEMS) as [ProblemCode, ...ProblemCode[]]

const problem = {
  code: z.enum(CODES),
  detail: z.string(),
  agent_hint: z.string().meta({ description: 'What to do next' }),
  errors: z
    .array(
      z.strictObject({
        in: z.literal('body'),
        name: z.string().optional(),
        code: z.enum(CODES),
        message: z.string(),
      }),
    )
    .optional(),
  charts: z.array(z.unknown()).optional(),
  choices: z.array(z.strictObject({ region: z.string(), href: z.string() })).optional(),
  available: Available.optional(),
}
const description = 'What the same lookup alone would have been refused with'
export const LineProblem = z
  .strictObject({
    ...problem,
    row: SetRow.optional(),
    because: SetBecause.optional(),
    place: SetPlace.optional(),
  })
  .meta({ id: 'LineProblem', description })
export const ShortLineProblem = z
  .strictObject({ ...problem, row: ShortRow.optional(), left_out: LeftOut.optional() })
  .meta({ id: 'ShortLineProblem', description })

export const pricedFields = {
  row: SetPrice,
  because: SetBecause.optional(),
  place: SetPlace.optional(),
  ...toldOfModifiers,
}

export const shortFields = { row: ShortPrice, ...toldOfModifiers }

/** Refusals of a single line; any other refuses the whole answer. */
export const LINE_KINDS: readonly Kind[] = ['invalid', 'not_found']
export const lineFields = lineAnswer(pricedFields, { problem: LineProblem }, LINE_KINDS)
export const shortLineFields = lineAnswer(shortFields, { problem: ShortLineProblem }, LINE_KINDS)
export type LineAnswer = z.input<typeof lineFields>

export interface Line {
  result: object
  /** Where it is a price. */
  price?: {
    row: Pick<PricedRow, 'basis' | 'kind' | 'npi' | 'price' | 'flags'>
    adjustment: Adjustment | undefined
    /** That the row is of. */
    release: Manifest | undefined
  }
}

/** The answer to one question, or its refusal, as a line; `beside` stands in it as well. */
export function lineFor(sharing: SharedParts, question: ParsedQuestion): Line {
  const { proofs } = sharing
  const found = orRefusal(() => answer(proofs, find(proofs, question), { related: false }))
  if (found instanceof Problem) return { result: refusedAsLine(sharing, found) }
  const { adjustment, proof } = found
  return { result: foundLine(pricedLine(sharing, found)), price: { row: found, adjustment, release: proof.release } }
}

/** A line in short form, with pointers in place of proofs. */
export function shortLineFor(proofs: Proofs, question: ParsedQuestion): Line {
  const found = orRefusal(() => shortAnswer(proofs, find(proofs, question)))
  if (found instanceof Problem) return { result: refusedInShort(found) }
  const { modifiers_ignored, adjustment, ...row } = found
  const release = proofs.view.releaseNamed(row.proof.release_id)?.manifest
  const told = { ...(modifiers_ignored ? { modifiers_ignored } : {}), ...(adjustment ? { adjustment } : {}) }
  return { result: foundLine({ row, ...told }), price: { row: found, adjustment, release } }
}

function pricedLine(
  sharing: SharedParts,
  { because, place, modifiers_ignored, adjustment, related: _, ...cited }: Answer,
): object {
  // A verifier takes them in this order, and what is shown later may resemble what was shown before.
  const row = sharing.cite(cited as CitedRow<Row>)
  const placed = place && sharing.citeOnce(place)
  const evidence = sharing.because(because, cited.proof)
  return {
    row,
    ...(evidence ? { because: evidence } : {}),
    ...(placed ? { place: placed } : {}),
    ...(modifiers_ignored ? { modifiers_ignored } : {}),
    ...(adjustment ? { adjustment } : {}),
  }
}

interface Members {
  row?: CitedRow<Row>
  because?: Because
  place?: CitedRow<PlaceRow>
  absence?: AbsenceProof[]
  last_known?: unknown
  allowed_parameters?: unknown
}

export function refusedInShort(refused: Problem): object {
  const { last_known: _, allowed_parameters: _a, ...members } = (refused.extra.members ?? {}) as Members
  return refusedLine(refused.entry.kind, { problem: { ...saidOf(refused), ...members } })
}

function saidOf({ code, detail, hint, extra }: Problem): object {
  const errors = extra.errors?.map((error) => ({ ...error, in: 'body' as const }))
  return { code, detail, agent_hint: hint, ...(errors && { errors }) }
}

export function refusedAsLine(sharing: SharedParts, refused: Problem): object {
  const given = (refused.extra.members ?? {}) as Members
  // A verifier knows the members of a line, and takes no other; `errors` names the parameters too.
  const { row, because, place, absence, last_known: _, allowed_parameters: _a, ...members } = given
  const shown = row && sharing.cite(row)
  const placed = place && sharing.citeOnce(place)
  const evidence = sharing.because(because, row?.proof, absence)
  const problem = {
    ...saidOf(refused),
    ...members,
    ...(shown ? { row: shown } : {}),
    ...(evidence ? { because: evidence } : {}),
    ...(placed ? { place: placed } : {}),
  }
  return refusedLine(refused.entry.kind, { problem })
}

export function orRefusal<T>(work: () => T): T | Problem {
  try {
    return work()
  } catch (error) {
    if (error instanceof Problem && LINE_KINDS.includes(error.entry.kind)) return error
    throw error
  }
}
