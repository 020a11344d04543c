import { z } from 'zod'
import { Problem } from '../problem.ts'
import { RELEASE_STATES } from '../proof/catalogue/releases.ts'
import { MOST_LINES } from '../proof/list/batch.ts'
import { BATCH_BYTES } from './lookup/batch.ts'
import { ReferenceQuery } from './lookup/query.ts'

const ROW = '/rows/([A-Za-z0-9._:-]{1,120})/(0|[1-9][0-9]{0,14})$'
const HREF = new RegExp(`^${ROW}`)

/** What was asked, of every kind of answer: which members belong together is known when the answer is. */
const AskedQuestion = ReferenceQuery.partial().extend({
  region: ReferenceQuery.shape.region.unwrap().optional(),
  lines: z
    .array(z.unknown())
    .max(MOST_LINES)
    .optional()
    .meta({ description: 'The lines of a bill, as they were sent' }),
  chart: z
    .string()
    .max(60)
    .regex(/^[a-z][a-z0-9-]{0,39}(:[12][0-9]{9})?$/)
    .optional(),
  state: z.enum(RELEASE_STATES).optional(),
  offset: z.int().min(0).optional(),
  limit: z.int().min(1).optional(),
  after: z.string().max(200).optional(),
})
export type AskedQuestion = z.output<typeof AskedQuestion>

export const VerificationQuery = z.strictObject({
  href: z
    .string()
    .max(300)
    // What stands before the path must be this service: see `checkedText`.
    .regex(new RegExp(`^(https?://[!-~]{1,120})?${ROW}`))
    .optional()
    .meta({ description: 'the permalink of a row of this service, from the member `proof.href` of an answer' }),
  answer: z
    .union([z.record(z.string(), z.unknown()), z.string().max(BATCH_BYTES)])
    .optional()
    .meta({
      description:
        'in place of `href`, an answer of the registry with its whole proof, as it came: the JSON or its text',
    }),
  question: AskedQuestion.optional().meta({
    description:
      'what was asked, with the parameters that it was asked with, so that an answer to another question is refused; `as_of` is today if left out',
  }),
})

export const Verification = z
  .strictObject({
    verified: z.boolean(),
    reason: z.string().nullable().meta({ description: 'What is wrong, in one fixed word; null if nothing is' }),
    detail: z.string().meta({ description: 'The same in words, and what was not checked' }),
    rows: z.int().min(0).meta({ description: 'How many rows are proved' }),
    question_checked: z.boolean().meta({ description: 'Whether it was checked that this answers the question' }),
    origin: z.string().nullable().meta({ description: 'The log that proves them' }),
    log_size: z.int().min(0).nullable().meta({ description: 'How many entries the log had' }),
  })
  .meta({ id: 'Verification' })
export type Verification = z.input<typeof Verification>

/** The place that a permalink names. Surfaces have taken the address of this service off before. */
function placeIn(href: string): { release_id: string; index: number } {
  const [whole, release_id = '', index = ''] = HREF.exec(href) ?? []
  if (whole === undefined)
    throw Problem.parameter('href', 'the parameter href takes the permalink of a row of this service, as /rows/…')
  return { release_id, index: Number(index) }
}

/** Either a permalink or an answer is checked, not both and not neither. */
export function checkedText(
  { href, answer }: z.output<typeof VerificationQuery>,
  cite: (place: { release_id: string; index: number }) => Promise<object>,
): Promise<string> | string {
  if ((href === undefined) === (answer === undefined))
    throw Problem.parameter(href === undefined ? 'answer' : 'href', 'give href or answer, and not both')
  if (href !== undefined) return cite(placeIn(href)).then((row) => JSON.stringify(row))
  return typeof answer === 'string' ? answer : JSON.stringify(answer)
}
