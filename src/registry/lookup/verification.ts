import { z } from 'zod'
import { withoutEmpty } from '../../operation.ts'
import { Problem } from '../../problem.ts'
import { jsonIn } from '../../proof/canonical-json.ts'
import { RELEASE_STATES } from '../../proof/catalogue/releases.ts'
import { MOST_LINES } from '../../proof/list/batch.ts'
import { isObject } from '../../proof/shape.ts'
import { ReferenceQuery, RegionText } from './query.ts'

/** With an address before the path, which surfaces take off if it is that of this service. Who has none may send an empty text. */
const HREF = /^$|^(https?:[!-~]{1,120})?\/rows\/([A-Za-z0-9._:-]{1,120})\/(0|[1-9][0-9]{0,14})$/

/** The question, for every kind of answer: which members belong together is known when the answer is. */
const AskedQuestion = ReferenceQuery.partial().extend({
  region: RegionText.optional(),
  lines: z.array(z.unknown()).max(MOST_LINES).optional(),
  bill: z.record(z.string(), z.unknown()).optional(),
  chart: z.string().max(60).optional(),
  state: z.enum(RELEASE_STATES).optional(),
  offset: z.int().min(0).optional(),
  limit: z.int().min(1).optional(),
  after: z.string().max(200).optional(),
})
export type AskedQuestion = z.output<typeof AskedQuestion>

const QUESTION =
  'what was asked, so that an answer to another question is refused: the parameters of the request, such as `cpt`, `region`, `as_of`, of a batch `lines`, or of the check of a bill the whole request as `bill`; a day that is left out is today'
const ANSWER = 'an answer of the registry with its whole proof, as it came, in place of `href`'

/** An object, in few words; taken as anything, and looked at below. */
const described = (description: string) => z.unknown().optional().meta({ type: 'object', description })

export const VerificationQuery = z.strictObject({
  href: z
    .string()
    .max(300)
    .regex(HREF)
    .optional()
    .meta({ description: 'the permalink of a row of this service, from the member `proof.href` of an answer' }),
  answer: described(ANSWER),
  question: described(QUESTION),
})

/** The question in the form that it has for some kind of answer. */
export function askedIn(question: unknown): AskedQuestion | undefined {
  if (question === undefined || question === '') return undefined
  const given = typeof question === 'string' ? jsonIn(question) : question
  const parsed = AskedQuestion.safeParse(isObject(given) ? withoutEmpty(given) : given)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const [member] = issue?.path ?? []
  const known = Object.keys(AskedQuestion.shape)
  throw Problem.parameter(
    'question',
    known.includes(String(member))
      ? `the member ${String(member)} of question has no meaning`
      : `the parameter question takes an object with some of ${known.join(', ')}`,
  )
}

export const Verification = z
  .strictObject({
    verified: z.boolean(),
    class: z
      .string()
      .nullable()
      .meta({ description: 'What kind of fault it is, in one fixed word; null if there is none' }),
    reason: z.string().nullable().meta({ description: 'What is wrong, more finely; null if nothing is' }),
    detail: z.string().meta({ description: 'The same in words, and what was not checked' }),
    rows: z.int().min(0).meta({ description: 'How many rows are proved' }),
    question_checked: z.boolean().meta({ description: 'Whether it was checked that this answers the question' }),
    origin: z.string().nullable().meta({ description: 'The log that proves them' }),
    log_size: z.int().min(0).nullable().meta({ description: 'How many entries the log had' }),
  })
  .meta({ id: 'Verification' })
export type Verification = z.input<typeof Verification>

/** The place that a permalink names. One that still has an address is of another service. */
function placeIn(href: string): { release_id: string; index: number } {
  const [, address, release_id = '', index = ''] = HREF.exec(href) ?? []
  if (address !== undefined)
    throw Problem.parameter('href', 'the parameter href takes the permalink of a row of this service, as /rows/…')
  return { release_id, index: Number(index) }
}

/** Either a permalink or an answer is checked, not both and not neither. */
export function checkedText(
  { href: given, answer }: z.output<typeof VerificationQuery>,
  cite: (place: { release_id: string; index: number }) => Promise<string>,
): Promise<string> | string {
  const href = given || undefined
  if ((href === undefined) === (answer === undefined))
    throw Problem.parameter(href === undefined ? 'answer' : 'href', 'give href or answer, and not both')
  if (href !== undefined) return cite(placeIn(href))
  if (typeof answer === 'string') return answer
  if (!isObject(answer)) throw Problem.parameter('answer', `the parameter answer takes ${ANSWER}`)
  return JSON.stringify(answer)
}
