import { dayOf } from '../calendar.ts'
import { jsonIn } from '../proof/canonical-json.ts'
import { parseNote } from '../proof/note/signed-note.ts'
import type { Members } from '../proof/shape.ts'
import { mainPointer, periodOf, releaseOf, type ShownBody } from '../proof/shown.ts'
import { askedAt, billAsked, type ExpectedAnswer } from '../proof/whole/asked.ts'
import { kindOf } from '../proof/whole/kind.ts'
import { isShortAnswer } from '../proof/whole/open-points.ts'
import { isAddress } from './answer-source.ts'
import { UsageFault } from './command.ts'

/** The question on the command line. */
export const QUESTION_OPTIONS = {
  asked: { type: 'string' },
  lines: { type: 'string' },
  cpt: { type: 'string' },
  region: { type: 'string' },
  npi: { type: 'string' },
  modifier: { type: 'string' },
  setting: { type: 'string' },
  basis: { type: 'string' },
  kind: { type: 'string' },
  'revenue-code': { type: 'string' },
  'place-of-service': { type: 'string' },
  'as-of': { type: 'string' },
  any: { type: 'boolean', default: false },
} as const
const PARTS = [
  ...(['cpt', 'region', 'npi', 'modifier', 'setting', 'basis', 'payer'] as const),
  ...(['kind', 'revenue-code', 'place-of-service'] as const),
] as const

type QuestionValues = { [part in (typeof PARTS)[number] | 'asked' | 'lines' | 'as-of']?: string | undefined } & {
  any?: boolean | undefined
}

/**
 * The question of an answer: from its address, from `--asked`, or from other options. The answer itself never decides it,
 * because a true answer to another question proves nothing. Without its question, the answer to a lookup is checked only
 * with `--any`.
 */
export function questionFrom(source: string, text: string, values: QuestionValues): ExpectedAnswer {
  if (values.any) return { anyQuestion: true }
  const parts = PARTS.flatMap((part) =>
    values[part] === undefined ? [] : [[part.replaceAll('-', '_'), values[part]] as const],
  )
  const address = values.asked ?? (isAddress(source) ? source : undefined)
  if (address !== undefined && parts.length > 0)
    throw new UsageFault('say what was asked in the address or by options such as --cpt, not both')
  if (address !== undefined) return questionAt(address, values['as-of'])
  const day = values['as-of'] ?? dayOf(Date.now())
  if (values.lines !== undefined) return billQuestions(values.lines, day)
  if (parts.length > 0) return { question: { cpt: '', ...Object.fromEntries(parts), as_of: day } }
  return withoutQuestion(text, day)
}

function questionAt(address: string, asOf: string | undefined): ExpectedAnswer {
  const asked = askedAt(address, dayOf(Date.now()), asOf)
  if (asked) return asked
  throw new UsageFault(
    'this is not an address of an answer with proofs, with each parameter once: --any checks only that it was published',
  )
}

/** The questions of a bill, from the request that was sent. */
function billQuestions(request: string, as_of: string): ExpectedAnswer {
  const { lines } = bodyOf(request)
  if (!Array.isArray(lines)) throw new UsageFault('--lines is the request that was sent: JSON with a list of lines')
  return billAsked(lines, as_of)
}

/** Handles answers without a question. Some kinds have none; a list must then be the whole list. */
function withoutQuestion(text: string, as_of: string): ExpectedAnswer {
  if (isNote(text)) return { anyQuestion: true, checkpoint: true }
  const kind = kindOf(bodyOf(text))
  if (kind === 'figures') return { figures: true }
  if (kind === 'releases') return { releases: {} }
  if (kind === 'coverage') return { coverage: { as_of } }
  if (kind === 'entries') return { anyQuestion: true }
  throw new UsageFault(
    'give the question that was asked: --cpt and --as-of (and --region, --npi, --modifier, --setting, --basis, --kind, --revenue-code, --place-of-service), --asked with the address, --lines with the request of a bill, or --any to check only that it was published',
  )
}

/** Whether a text is a checkpoint, which can be verified by itself. */
const isNote = (text: string): boolean => parseNote(text) !== undefined

const bodyOf = (text: string): Members => (jsonIn(text) ?? {}) as Members

/** Whether an answer was requested with `proof=ref`, so that it has nothing to check. */
export const isReference = (text: string): boolean => isShortAnswer(jsonIn(text))

/** Whether the row of a verified answer belongs to a release that is in force on no day. */
export const isLapsed = (text: string): boolean => {
  const body = bodyOf(text) as ShownBody
  const release = releaseOf(body, mainPointer(body))
  return release !== undefined && periodOf(body, release) === undefined
}
