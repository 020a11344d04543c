import { z } from 'zod'
import type { Db } from '../../db/db.ts'
import type { Log } from '../../integrity/log.ts'
import { parseFields } from '../../operation.ts'
import { type Kind, PROBLEMS, Problem, type ProblemCode } from '../../problem.ts'
import { foundLine, lineAnswer, refusedLine } from '../../status.ts'
import type { Charts } from '../charts.ts'
import { AbsenceProof, CitedRow, PriceRow } from '../row-schema.ts'
import { ourTurn } from '../turn.ts'
import { answer } from './answer.ts'
import { Proofs } from './proofs.ts'
import { type Found, findReference, ReferenceQuery } from './reference.ts'

export const BATCH_BYTES = 64 * 1024
const MAX_LINES = 100

const { $schema: _, ...lineForm } = z.toJSONSchema(ReferenceQuery, { io: 'input' })

export const BatchQuery = z.strictObject({
  lines: z
    // Described as a lookup and taken as anything: a line that is no lookup is refused alone, in its place.
    .array(z.unknown().meta({ ...lineForm, description: 'The parameters of one lookup' }))
    .min(1)
    .max(MAX_LINES)
    .meta({ description: `The lookups, at most ${MAX_LINES}` }),
})

const CODES = Object.keys(PROBLEMS) as [ProblemCode, ...ProblemCode[]]

const LineProblem = z
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
    row: CitedRow.optional(),
    absence: z.array(AbsenceProof).optional(),
    regions: z.array(z.string()).optional(),
  })
  .meta({ id: 'LineProblem', description: 'What the same lookup alone would have been refused with' })

/** What can be wrong with one line; any other refusal is that of the whole batch. */
const LINE_KINDS: readonly Kind[] = ['invalid', 'not_found']
const LineAnswer = lineAnswer(PriceRow, LineProblem, LINE_KINDS)
type LineAnswer = z.input<typeof LineAnswer>

export const BatchAnswer = z
  .strictObject({
    results: z.array(LineAnswer).meta({ description: 'One for each line, in the order of the lines' }),
    as_of: z.iso.date().meta({ description: 'The day that lines without a day of their own were asked about' }),
  })
  .meta({ id: 'ReferenceBatch' })

/** Looks up each line as if it had been asked alone. All proofs stand under one checkpoint. */
export async function lookUpLines(
  db: Db,
  log: Log,
  lines: readonly unknown[],
  today: string,
  charts: Charts,
): Promise<LineAnswer[]> {
  const found: (Found | Problem)[] = []
  for (const line of lines) {
    // A batch is a hundred lookups' work, and other requests must not wait for all of it.
    await ourTurn()
    found.push(await orRefusal(() => find(db, line, today, charts)))
  }
  // Only now: a checkpoint taken before the search might not cover a release that the search found.
  const proofs = await Proofs.at(db, log)
  const results: LineAnswer[] = []
  for (const each of found) {
    await ourTurn()
    const row = each instanceof Problem ? each : await orRefusal(() => answer(proofs, each))
    results.push(row instanceof Problem ? refused(row) : foundLine(row))
  }
  return results
}

function find(db: Db, line: unknown, today: string, charts: Charts): Promise<Found> {
  if (typeof line !== 'object' || line === null || Array.isArray(line))
    throw new Problem('invalid_request', 'a line must be an object')
  const query = parseFields(ReferenceQuery, line as Record<string, unknown>)
  return findReference(db, query, query.as_of ?? today, charts)
}

async function orRefusal<T>(work: () => Promise<T>): Promise<T | Problem> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Problem && LINE_KINDS.includes(error.entry.kind)) return error
    throw error
  }
}

function refused({ code, detail, entry, extra }: Problem): LineAnswer {
  const errors = extra.errors?.map((error) => ({ ...error, in: 'body' as const }))
  return refusedLine(entry.kind, { code, detail, agent_hint: entry.hint, ...(errors && { errors }), ...extra.members })
}
