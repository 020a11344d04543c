import { z } from 'zod'
import { DamageFault } from '../../db/db.ts'
import { jsonText } from '../../json-text.ts'
import { parseFields, ReadyAnswer, withoutEmpty } from '../../operation.ts'
import { Problem } from '../../problem.ts'
import { MOST_LINES } from '../../proof/list/batch.ts'
import { type BillLine, extended, MOST_UNITS, summaryOf } from '../../proof/lookup/bill.ts'
import type { ParsedQuestion } from '../../proof/lookup/question.ts'
import type { Manifest } from '../../proof/price/release.ts'
import { ourTurn } from '../../queue.ts'
import { lineAnswer } from '../../status.ts'
import { aboutLost, type LostSourcesOf } from './answer.ts'
import { AnswerProof } from './answer-proof.ts'
import { AboutList } from './answer-schema.ts'
import {
  LINE_KINDS,
  type Line,
  LineProblem,
  lineFor,
  orRefusal,
  pricedFields,
  refusedInShort,
  ShortLineProblem,
  shortFields,
  shortLineFor,
} from './line.ts'
import type { Proofs } from './proofs.ts'
import { ProofForm, questionOf, ReferenceQuery } from './query.ts'
import { Proof } from './row-schema.ts'

export const BATCH_BYTES = 64 * 1024

const Amount = z.string().regex(/^(0|[1-9][0-9]{0,11})\.[0-9]{2}([0-9]?[1-9])?$/)
const LineQuery = ReferenceQuery.extend({
  units: z.int().min(1).max(MOST_UNITS).default(1).meta({ description: 'How often the service is billed' }),
  billed: Amount.optional().meta({
    description: 'what the bill asks for this line, in dollars and cents as `300.00`',
    examples: ['300.00'],
  }),
})
/** Described as a lookup and taken as anything: a line that is no lookup is refused alone, in its place. */
const AnyLine = z.lazy(() => {
  const { $schema: _, ...form } = z.toJSONSchema(LineQuery, { io: 'input' })
  return z.unknown().meta({ ...form, description: 'The parameters of one lookup, with units and the amount billed' })
})

export const BatchQuery = z.strictObject({
  lines: z
    .array(AnyLine)
    .min(1)
    .max(MOST_LINES)
    .meta({ description: `a list of 1 to ${MOST_LINES} lookups` }),
  proof: ProofForm,
})

const billed = { units: z.int().min(1), billed: Amount.optional() }
const Ends = z.union([z.strictObject({ amount: Amount }), z.strictObject({ low: Amount, high: Amount })])
const ofLine = {
  ...billed,
  extended: Ends.nullable().meta({
    description: "The amount times the units, exactly; null for a factor and for a hospital's own unit",
  }),
}
const BillAnswer = lineAnswer({ ...pricedFields, ...ofLine }, { problem: LineProblem, ...billed }, LINE_KINDS)
const ShortBillAnswer = lineAnswer({ ...shortFields, ...ofLine }, { problem: ShortLineProblem, ...billed }, LINE_KINDS)

const results = { description: 'One for each line, in the order of the lines' }
const ofBill = {
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
  about: AboutList,
}
const WholeBatch = z
  .strictObject({ results: z.array(BillAnswer).meta(results), ...ofBill, proof: Proof })
  .meta({ id: 'ReferenceBatch' })
const ShortBatch = z
  .strictObject({ results: z.array(ShortBillAnswer).meta(results), ...ofBill })
  .meta({ id: 'ShortReferenceBatch', description: 'The same with pointers in place of proofs (`proof=ref`)' })
export const BatchAnswer = z.union([WholeBatch, ShortBatch])

/** How the lines of a batch are answered, and what proves them together. */
interface BatchForm {
  lineFor: (question: ParsedQuestion) => Line
  parts: () => object
}

function inFull(proofs: Proofs): BatchForm {
  const proof = new AnswerProof(proofs)
  return { lineFor: (question) => lineFor(proof, question), parts: () => ({ proof: proof.member() }) }
}

const inShort = (proofs: Proofs): BatchForm => ({
  lineFor: (question) => shortLineFor(proofs, question),
  parts: () => ({}),
})

/** Looks up each line as if it had been asked alone. What the answers have in common stands once. */
export async function lookUpLines(
  proofs: Proofs,
  { lines, proof }: z.output<typeof BatchQuery>,
  today: string,
  lostSources: LostSourcesOf,
): Promise<ReadyAnswer> {
  const form = proof === 'ref' ? inShort(proofs) : inFull(proofs)
  const results: object[] = []
  const bill: (BillLine | undefined)[] = []
  const shown: Manifest[] = []
  for (const [i, line] of lines.entries()) {
    // A batch is a hundred lookups' work, and other requests must not wait for all of it.
    await ourTurn()
    const one = unlessDamaged(i, () => lineOf(form, line, today))
    results.push(one.result)
    bill.push(one.billed)
    if (one.release) shown.push(one.release)
  }
  const said = { summary: summaryOf(bill), as_of: today, ...aboutLost(shown, lostSources) }
  return new ReadyAnswer(jsonText({ results, ...said, ...form.parts() }))
}

/** A row that failed its verification can be neither shown nor proved in a batch: the caller is told which line needs it. */
function unlessDamaged<T>(i: number, work: () => T): T {
  try {
    return work()
  } catch (cause) {
    if (!(cause instanceof DamageFault)) throw cause
    const detail = `line ${i + 1} needs a row that failed its verification: ask again without this line`
    throw new Problem('failed_verification', detail, { cause })
  }
}

interface BatchLine {
  result: object
  billed?: BillLine
  release?: Manifest | undefined
}

function lineOf(form: BatchForm, line: unknown, today: string): BatchLine {
  const asked = orRefusal(() => {
    if (typeof line !== 'object' || line === null || Array.isArray(line))
      throw new Problem('invalid_request', 'a line must be an object')
    const {
      units,
      billed: bill = null,
      ...query
    } = parseFields(LineQuery, withoutEmpty(line as Record<string, unknown>))
    return { question: questionOf(query, today), units, bill }
  })
  if (asked instanceof Problem) return { result: { ...refusedInShort(asked), units: 1 } }
  const { question, units, bill } = asked
  const { result, price } = form.lineFor(question)
  const said = { units, ...(bill === null ? {} : { billed: bill }) }
  if (!price) return { result: { ...result, ...said } }
  const comesTo = extended(price.row, price.adjustment, units)
  return {
    result: { ...result, ...said, extended: comesTo },
    billed: { basis: price.row.basis, extended: comesTo, billed: bill },
    release: price.release,
  }
}
