import { z } from 'zod'
import { BILL_FORMS, LINE_FORMS, MOST_BILL_LINES, TOTAL_FORMS } from '../../proof/check/bill.ts'
import { BILL_RULES } from '../../tables/bill-rules.ts'
import { BILL_KINDS } from '../../tables/sides.ts'
import { LostSources } from '../lookup/answer-schema.ts'
import { Npi, ProofForm, RegionText } from '../lookup/query.ts'
import { Amount, Proof } from '../lookup/row-schema.ts'

// The forms of bills and of their checks, for documents and callers. What a bill means is in proof/check/bill.ts.

/** Members whose names do not say what they take. An agent pays for every word. */
const DESCRIBED = ['units', 'billed']

const described = (forms: typeof LINE_FORMS): Record<string, z.ZodType> =>
  Object.fromEntries(
    Object.entries(forms).map(([member, [, takes]]) => [
      member,
      z
        .string()
        .optional()
        .meta(DESCRIBED.includes(member) ? { description: takes } : {}),
    ]),
  )

const Line = z.strictObject({
  ...described(LINE_FORMS),
  modifiers: z.array(z.string()).max(4).optional().meta({ description: LINE_FORMS['modifiers']?.[1] }),
})
const Totals = z.strictObject(described(TOTAL_FORMS))
/** Described by a form and taken as anything: what is wrong in it is told by line and member. */
const takenAsAny = (form: z.ZodType): z.ZodType =>
  z.lazy(() => {
    const { $schema: _, ...schema } = z.toJSONSchema(form, { io: 'input' })
    return z.unknown().meta(schema)
  })

const takes = (member: string): string => BILL_FORMS[member]?.[1] ?? ''

export const BillQuery = z.strictObject({
  kind: z
    .enum(BILL_KINDS)
    .optional()
    .meta({ description: `whose bill it is: ${takes('kind')}` }),
  region: RegionText.optional(),
  npi: Npi.optional(),
  payer: z
    .string()
    .max(64)
    .optional()
    .meta({ description: takes('payer') }),
  type_of_bill: z
    .string()
    .max(4)
    .optional()
    .meta({ description: takes('type_of_bill') }),
  day: z.iso.date().optional().meta({ description: 'the day of each line that states none; today if left out' }),
  lines: z
    .array(takenAsAny(Line))
    .min(1)
    .max(MOST_BILL_LINES)
    .meta({ description: takes('lines') }),
  totals: takenAsAny(Totals)
    .optional()
    .meta({ description: takes('totals') }),
  proof: ProofForm,
})

const Pointer = z.strictObject({ release: z.int(), index: z.int() }).meta({
  id: 'RowPlace',
  description: 'The place of a row in `proof`: the release by its place there, and the row by its index',
})
const Permalink = z.string().meta({ description: 'The permalink of the row, with its whole proof' })

const answerWith = <Row extends z.ZodType>(Row: Row, more: z.ZodRawShape) => {
  const Figure = z.strictObject({
    amount: Amount.optional(),
    low: Amount.optional(),
    high: Amount.optional(),
    row: Row,
  })
  const rules = z.enum(BILL_RULES)
  const lines = z.array(z.int())
  const Step = z.strictObject({ rule: rules, variant: z.string(), with: z.int().optional(), amount: Amount })
  const OfLine = z.strictObject({
    line: z.int().meta({ description: 'Counted from 1, in the order sent' }),
    code: z.string().optional(),
    units: z.string(),
    billed: Amount.optional(),
    side: z.enum(BILL_KINDS).optional().meta({ description: 'Where it is not that of the bill' }),
    medicare: z
      .union([
        z.strictObject({ basis: z.string(), amount: Amount, row: Row }),
        z.strictObject({ basis: z.string(), absent: z.string(), row: Row }),
        z.strictObject({ none: z.string() }),
      ])
      .optional()
      .meta({
        description:
          'What the schedule of its side lists for all units; or the stated absence; or why there is neither',
      }),
    hospital_gross: Figure.optional(),
    hospital_cash: Figure.optional(),
    hospital_negotiated_low: Figure.optional(),
    hospital_negotiated_high: Figure.optional(),
    payer: Figure.optional(),
    by_rules: z
      .strictObject({ amount: Amount, steps: z.array(Step).optional() })
      .optional()
      .meta({ description: 'What Medicare would pay for this line on this bill, with the steps' }),
  })
  const Found = z.strictObject({
    rule: rules,
    certainty: z.enum(['rule', 'unless', 'ask']),
    lines,
    amount_at_issue: Amount.optional(),
    says: z.string(),
    ask: z.string().meta({ description: 'What to ask the billing office' }),
    evidence: z.array(Row).optional(),
  })
  const Skipped = z.strictObject({
    rule: rules,
    chart: z.string(),
    day: z.string(),
    why: z.string().optional().meta({ description: 'Left out where no edition of the chart is held for the day' }),
    lines,
  })
  const Medicare = z
    .strictObject({ listed: Amount, at_most: Amount, by_rules: Amount })
    .meta({ description: 'All listed prices; after findings of certainty `rule`; after those of `unless` too' })
  return z.strictObject({
    side: z.strictObject({
      kind: z.enum(BILL_KINDS),
      why: z.enum(['kind', 'revenue_code', 'place_of_service', 'none_stated']),
    }),
    claim: z.enum(["one day's lines", 'type of bill', 'total']).meta({
      description: 'What made lines one claim: those of a day, or all, as the type of bill or the total says',
    }),
    by_history: z.array(z.strictObject({ chart: z.string(), day: z.string() })).optional(),
    prolonged: z.array(z.strictObject({ chart: z.string(), publisher_until: z.string() })).optional(),
    lines: z.array(OfLine),
    findings: z.array(Found),
    skipped: z.array(Skipped).meta({ description: 'What could not be checked. It is no pass.' }),
    sums: z.strictObject({
      billed: Amount.optional(),
      medicare: Medicare.optional(),
      other_sides: z.record(z.string(), Medicare).optional(),
      hospital_gross: Amount.optional(),
      hospital_cash: Amount.optional(),
      hospital_negotiated_low: Amount.optional(),
      hospital_negotiated_high: Amount.optional(),
      payer: Amount.optional(),
      at_issue: Amount,
    }),
    about: z.strictObject({
      day: z.iso.date().optional().meta({ description: 'The day of lines that state none, where it was not sent' }),
      missing: z
        .array(z.strictObject({ chart: z.string(), day: z.string(), command: z.string() }))
        .optional()
        .meta({ description: 'Editions that are not held, and the command by which the operator brings each' }),
      not_checked: z.string().meta({ description: 'What no check of this kind knows' }),
      sources_lost: LostSources.optional(),
    }),
    ...more,
  })
}

const WholeCheck = answerWith(Pointer, { proof: Proof }).meta({ id: 'BillCheck' })
const ShortCheck = answerWith(Permalink, {}).meta({
  id: 'ShortBillCheck',
  description: 'The same with permalinks in place of the proof (`proof=ref`)',
})
export const BillAnswer = z.union([WholeCheck, ShortCheck])
