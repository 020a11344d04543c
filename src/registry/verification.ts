import { z } from 'zod'
import { Problem } from '../problem.ts'
import { ReferenceQuery } from './lookup/query.ts'

const HREF = /^\/rows\/([A-Za-z0-9._:-]{1,120})\/(0|[1-9][0-9]{0,14})$/

export const VerificationQuery = z.strictObject({
  href: z
    .string()
    .max(160)
    .regex(HREF)
    .optional()
    .meta({ description: 'the permalink of a row, from the member `proof.href` of an answer' }),
  answer: z
    .record(z.string(), z.unknown())
    .optional()
    .meta({ description: 'or an answer of the registry with its whole proof, as it came' }),
  question: ReferenceQuery.optional().meta({
    description: 'what was asked, so that an answer to another question is refused; `as_of` is today if left out',
  }),
})

export const Verification = z
  .strictObject({
    verified: z.boolean(),
    reason: z.string().nullable().meta({ description: 'What is wrong, in one fixed word; null if nothing is' }),
    rows: z.int().min(0).meta({ description: 'How many rows are proved' }),
    question_checked: z.boolean().meta({ description: 'Whether it was checked that this answers the question' }),
    origin: z.string().nullable().meta({ description: 'The log that proves them' }),
    log_size: z.int().min(0).nullable().meta({ description: 'How many entries the log had' }),
  })
  .meta({ id: 'Verification' })
export type Verification = z.input<typeof Verification>

/** The place that a permalink names. */
export function placeIn(href: string): { release_id: string; index: number } {
  const [, release_id = '', index = ''] = HREF.exec(href) ?? []
  return { release_id, index: Number(index) }
}

/** Either a permalink or an answer is checked, not both and not neither. */
export function checkedText(
  { href, answer }: z.output<typeof VerificationQuery>,
  cite: (place: { release_id: string; index: number }) => Promise<object>,
): Promise<string> | string {
  if ((href === undefined) === (answer === undefined))
    throw Problem.parameter(href === undefined ? 'answer' : 'href', 'give href or answer, and not both')
  return href === undefined ? JSON.stringify(answer) : cite(placeIn(href)).then((row) => JSON.stringify(row))
}
