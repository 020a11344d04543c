import { z } from 'zod'
import type { Db } from '../../db/db.ts'
import { type Kind, PROBLEMS, Problem, type ProblemCode } from '../../problem.ts'
import type { Adjustment } from '../../proof/lookup/modifiers.ts'
import type { ParsedQuestion } from '../../proof/lookup/question.ts'
import type { AbsenceProof, Because, CitedRow } from '../../proof/price/proofs.ts'
import type { PlaceRow, PricedRow, Row } from '../../proof/price/row.ts'
import { foundLine, lineAnswer, refusedLine } from '../../status.ts'
import { Available, SetBecause, SetPlace, SetPrice, SetRow, toldOfModifiers } from '../answer-schema.ts'
import { type Answer, answer } from './answer.ts'
import { find } from './find.ts'
import type { SharedParts } from './share.ts'

// One answer among several: what it has in common with the others stands once, beside them.

const CODES = Object.keys(PROBLEMS) as [ProblemCode, ...ProblemCode[]]

export const LineProblem = z
  .strictObject({
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
    row: SetRow.optional(),
    because: SetBecause.optional(),
    place: SetPlace.optional(),
    charts: z.array(z.unknown()).optional(),
    choices: z.array(z.strictObject({ region: z.string(), href: z.string() })).optional(),
    available: Available.optional(),
  })
  .meta({ id: 'LineProblem', description: 'What the same lookup alone would have been refused with' })

export const pricedFields = {
  row: SetPrice,
  because: SetBecause.optional(),
  place: SetPlace.optional(),
  ...toldOfModifiers,
}

/** What can be wrong with one line; any other refusal is that of the whole answer. */
export const LINE_KINDS: readonly Kind[] = ['invalid', 'not_found']
export const lineFields = lineAnswer(pricedFields, { problem: LineProblem }, LINE_KINDS)
export type LineAnswer = z.input<typeof lineFields>

export interface Line {
  result: object
  /** Where it is a price. */
  price?: { row: PricedRow; adjustment: Adjustment | undefined }
}

/** The answer to one question, or its refusal, as a line; `beside` stands in it as well. */
export async function lineFor(db: Db, sharing: SharedParts, question: ParsedQuestion): Promise<Line> {
  const { proofs } = sharing
  const found = await orRefusal(async () => answer(db, proofs, await find(proofs, question), { related: false }))
  if (found instanceof Problem) return { result: refusedAsLine(sharing, found) }
  return { result: foundLine(pricedLine(sharing, found)), price: { row: found, adjustment: found.adjustment } }
}

function pricedLine(
  sharing: SharedParts,
  { because, place, modifiers_ignored, adjustment, related: _, ...cited }: Answer,
): object {
  const evidence = sharing.because(because, cited.proof)
  const placed = place && sharing.citeOnce(place)
  return {
    row: sharing.cite(cited as CitedRow<Row>),
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
}

export function refusedAsLine(sharing: SharedParts, { code, detail, entry, extra }: Problem): object {
  const errors = extra.errors?.map((error) => ({ ...error, in: 'body' as const }))
  const { row, because, place, absence, last_known: _, ...members } = (extra.members ?? {}) as Members
  const evidence = sharing.because(because, row?.proof, absence)
  const placed = place && sharing.citeOnce(place)
  const problem = {
    code,
    detail,
    agent_hint: entry.hint,
    ...(errors && { errors }),
    ...members,
    ...(row ? { row: sharing.cite(row) } : {}),
    ...(evidence ? { because: evidence } : {}),
    ...(placed ? { place: placed } : {}),
  }
  return refusedLine(entry.kind, { problem })
}

export async function orRefusal<T>(work: () => Promise<T>): Promise<T | Problem> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Problem && LINE_KINDS.includes(error.entry.kind)) return error
    throw error
  }
}
