import { z } from 'zod'
import { type Kind, PROBLEMS, Problem, type ProblemCode } from '../../problem.ts'
import type { Adjustment } from '../../proof/lookup/modifiers.ts'
import type { ParsedQuestion } from '../../proof/lookup/question.ts'
import type { Manifest } from '../../proof/price/release.ts'
import type { PricedRow } from '../../proof/price/row.ts'
import { foundLine, lineAnswer, refusedLine } from '../../status.ts'
import { besidePrice, refusalIn, shortAnswer } from './answer.ts'
import type { AnswerProof } from './answer-proof.ts'
import { AboutRefusal, Charts, Rule, ShortPrice, ShortRow, SideTaken, toldOfAnswer } from './answer-schema.ts'
import { citable } from './cited-row.ts'
import { find, type LookupResult } from './find.ts'
import type { Proofs } from './proofs.ts'
import { AnswerRef, ShownPlace, ShownPrice, ShownRow } from './row-schema.ts'

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
  rule: Rule.optional(),
  side: SideTaken,
  charts: Charts.optional(),
  about: AboutRefusal,
}
const description = 'What the same lookup alone would have been refused with'
export const LineProblem = z
  .strictObject({ ...problem, row: ShownRow.optional(), place: ShownPlace.optional(), last_known: ShownRow.optional() })
  .meta({ id: 'LineProblem', description })
export const ShortLineProblem = z
  .strictObject({ ...problem, row: ShortRow.optional(), last_known: ShortRow.optional(), proof: AnswerRef.optional() })
  .meta({ id: 'ShortLineProblem', description })

export const pricedFields = { row: ShownPrice, place: ShownPlace.optional(), ...toldOfAnswer }

export const shortFields = { row: ShortPrice, ...toldOfAnswer }

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

/** The answer to one question, or its refusal, as a line. */
export function lineFor(proof: AnswerProof, question: ParsedQuestion): Line {
  const { proofs } = proof
  const finding = find(proofs, question)
  const { decision } = finding
  if (decision.outcome !== 'price') return { result: refusedLineOf(proof, finding) }
  const main = citable(finding, decision.chart, decision.row)
  const row = proof.show(main)
  const beside = besidePrice(proof, finding)
  proof.addTrace(finding.trace)
  const { adjustment } = decision
  return {
    result: foundLine({ row, ...beside }),
    price: { row: decision.row, adjustment, release: main.release.manifest },
  }
}

/** A line in short form, with pointers in place of proofs. */
export function shortLineFor(proofs: Proofs, question: ParsedQuestion): Line {
  const found = orRefusal(() => shortAnswer(proofs, find(proofs, question)))
  if (found instanceof Problem) return { result: refusedInShort(found) }
  const { side, modifiers_ignored, left_to_bill, adjustment, about: _, ...row } = found
  const release = proofs.view.releaseNamed(row.proof.release_id)?.manifest
  const told = {
    ...(side ? { side } : {}),
    ...(modifiers_ignored ? { modifiers_ignored } : {}),
    ...(left_to_bill ? { left_to_bill } : {}),
    ...(adjustment ? { adjustment } : {}),
  }
  return { result: foundLine({ row, ...told }), price: { row: found, adjustment, release } }
}

function refusedLineOf(proof: AnswerProof, finding: LookupResult): object {
  const { members, problem } = refusalIn(proof, finding)
  return refusedInShort(problem(members))
}

/** A refusal as a line: `errors` names the parameters that are allowed. */
export function refusedInShort(refused: Problem): object {
  const { allowed_parameters: _, ...members } = (refused.extra.members ?? {}) as { allowed_parameters?: unknown }
  return refusedLine(refused.entry.kind, { problem: { ...saidOf(refused), ...members } })
}

function saidOf({ code, detail, hint, extra }: Problem): object {
  const errors = extra.errors?.map((error) => ({ ...error, in: 'body' as const }))
  return { code, detail, agent_hint: hint, ...(errors && { errors }) }
}

export function orRefusal<T>(work: () => T): T | Problem {
  try {
    return work()
  } catch (error) {
    if (error instanceof Problem && LINE_KINDS.includes(error.entry.kind)) return error
    throw error
  }
}
