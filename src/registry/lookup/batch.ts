import { z } from 'zod'
import type { Db } from '../../db/db.ts'
import { parseFields, withoutEmpty } from '../../operation.ts'
import { Problem } from '../../problem.ts'
import { MOST_LINES } from '../../proof/list/batch.ts'
import { type BillLine, extended, MOST_UNITS, summaryOf } from '../../proof/lookup/bill.ts'
import { lineAnswer } from '../../status.ts'
import { setShared } from '../answer-schema.ts'
import { ourTurn } from '../turn.ts'
import { LINE_KINDS, LineProblem, lineFor, orRefusal, pricedFields, refusedAsLine } from './line.ts'
import type { Proofs } from './proofs.ts'
import { questionOf, ReferenceQuery } from './query.ts'
import { SharedParts } from './share.ts'

export const BATCH_BYTES = 64 * 1024

const Amount = z.string().regex(/^(0|[1-9][0-9]{0,11})\.[0-9]{2}([0-9]?[1-9])?$/)
const LineQuery = ReferenceQuery.extend({
  units: z.int().min(1).max(MOST_UNITS).default(1).meta({ description: 'How often the service is billed' }),
  billed: Amount.optional().meta({ description: 'What the bill asks for this line', examples: ['300.00'] }),
})
const { $schema: _, ...lineForm } = z.toJSONSchema(LineQuery, { io: 'input' })

export const BatchQuery = z.strictObject({
  lines: z
    // Described as a lookup and taken as anything: a line that is no lookup is refused alone, in its place.
    .array(
      z.unknown().meta({ ...lineForm, description: 'The parameters of one lookup, with units and the amount billed' }),
    )
    .min(1)
    .max(MOST_LINES)
    .meta({ description: `The lookups, at most ${MOST_LINES}` }),
})

const billed = { units: z.int().min(1), billed: Amount.nullable() }
const Ends = z.union([z.strictObject({ amount: Amount }), z.strictObject({ low: Amount, high: Amount })])
const BillAnswer = lineAnswer(
  {
    ...pricedFields,
    ...billed,
    extended: Ends.nullable().meta({ description: 'The amount times the units, exactly; null for a factor' }),
  },
  { problem: LineProblem, ...billed },
  LINE_KINDS,
)

export const BatchAnswer = z
  .strictObject({
    results: z.array(BillAnswer).meta({ description: 'One for each line, in the order of the lines' }),
    summary: z
      .strictObject({
        lines: z.int(),
        priced: z.int().meta({ description: 'How many lines have a price' }),
        totals: z.array(
          z.strictObject({ basis: z.string(), lines: z.int(), low: Amount, high: Amount, billed: Amount.nullable() }),
        ),
      })
      .meta({
        description:
          'What the lines with a price come to, for each basis; low and high differ where a hospital lists several amounts',
      }),
    as_of: z.iso.date().meta({ description: 'The day that lines without a day of their own were asked about' }),
    ...setShared,
  })
  .meta({ id: 'ReferenceBatch' })

/** Looks up each line as if it had been asked alone. What the answers have in common stands once. */
export async function lookUpLines(
  db: Db,
  proofs: Proofs,
  lines: readonly unknown[],
  today: string,
): Promise<z.input<typeof BatchAnswer>> {
  const sharing = new SharedParts(proofs)
  const results: object[] = []
  const bill: (BillLine | undefined)[] = []
  for (const line of lines) {
    // A batch is a hundred lookups' work, and other requests must not wait for all of it.
    await ourTurn()
    const one = await lineOf(db, sharing, line, today)
    results.push(one.result)
    bill.push(one.billed)
  }
  return { results, summary: summaryOf(bill), as_of: today, ...(await sharing.parts()) } as z.input<typeof BatchAnswer>
}

async function lineOf(
  db: Db,
  sharing: SharedParts,
  line: unknown,
  today: string,
): Promise<{ result: object; billed?: BillLine }> {
  const asked = await orRefusal(async () => {
    if (typeof line !== 'object' || line === null || Array.isArray(line))
      throw new Problem('invalid_request', 'a line must be an object')
    const {
      units,
      billed: bill = null,
      ...query
    } = parseFields(LineQuery, withoutEmpty(line as Record<string, unknown>))
    return { question: questionOf(query, today), units, bill }
  })
  if (asked instanceof Problem) return { result: { ...refusedAsLine(sharing, asked), units: 1, billed: null } }
  const { question, units, bill } = asked
  const { result, price } = await lineFor(db, sharing, question)
  const said = { units, billed: bill }
  if (!price) return { result: { ...result, ...said } }
  const comesTo = extended(price.row, price.adjustment, units)
  return {
    result: { ...result, ...said, extended: comesTo },
    billed: { basis: price.row.basis, extended: comesTo, billed: bill },
  }
}
