import { dayOf } from '../calendar.ts'
import { jsonIn } from '../proof/canonical-json.ts'
import { parseNote } from '../proof/note/signed-note.ts'
import type { Members } from '../proof/shape.ts'
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
  'as-of': { type: 'string' },
  any: { type: 'boolean', default: false },
} as const
const PARTS = ['cpt', 'region', 'npi', 'modifier', 'setting', 'basis'] as const

export type QuestionValues = { [part in (typeof PARTS)[number] | 'asked' | 'lines' | 'as-of']?: string | undefined } & {
  any?: boolean | undefined
}

/**
 * What was asked: the question in the address, in `--asked`, or on the command line. The body never decides it where
 * there is one: a true answer to another question proves nothing to the one who asked. An answer to a lookup without its
 * question is checked only if that is asked for.
 */
export function askedOf(what: string, text: string, values: QuestionValues): ExpectedAnswer {
  if (values.any) return { anyQuestion: true }
  const parts = PARTS.flatMap((part) => (values[part] === undefined ? [] : [[part, values[part]] as const]))
  const address = values.asked ?? (isAddress(what) ? what : undefined)
  if (address !== undefined && parts.length > 0)
    throw new UsageFault('say what was asked in the address or by options such as --cpt, not both')
  if (address !== undefined) return askedIn(address, values['as-of'])
  const day = values['as-of'] ?? dayOf(Date.now())
  if (values.lines !== undefined) return linesIn(values.lines, day)
  if (parts.length > 0) return { question: { cpt: '', ...Object.fromEntries(parts), as_of: day } }
  return askedBy(text, day)
}

function askedIn(address: string, asOf: string | undefined): ExpectedAnswer {
  const asked = askedAt(address, dayOf(Date.now()), asOf)
  if (asked) return asked
  throw new UsageFault('this is not an address of an answer with proofs: --any checks only that it was published')
}

/** The lines of a bill, from the request that was sent. */
function linesIn(request: string, as_of: string): ExpectedAnswer {
  const { lines } = bodyOf(request)
  if (!Array.isArray(lines)) throw new UsageFault('--lines is the request that was sent: JSON with a list of lines')
  return billAsked(lines, as_of)
}

/** A file without a question. Some answers have none; a list must then be the whole one. */
function askedBy(text: string, as_of: string): ExpectedAnswer {
  if (isNote(text)) return { anyQuestion: true, checkpoint: true }
  const kind = kindOf(bodyOf(text))
  if (kind === 'figures') return { figures: true }
  if (kind === 'releases') return { releases: {} }
  if (kind === 'coverage') return { coverage: { as_of } }
  if (kind === 'entries') return { anyQuestion: true }
  throw new UsageFault(
    'give the question that was asked: --cpt and --as-of (and --region, --npi, --modifier, --setting, --basis), --asked with the address, --lines with the request of a bill, or --any to check only that it was published',
  )
}

/** A checkpoint by itself can be verified too: there is nothing in it but what was signed. */
const isNote = (text: string): boolean => parseNote(text) !== undefined

const bodyOf = (text: string): Members => (jsonIn(text) ?? {}) as Members

/** Whether an answer was asked for with `proof=ref`: there is nothing in it to check. */
export const isReference = (text: string): boolean => isShortAnswer(jsonIn(text))

/** Whether the row of a body that was verified is of a release that is in force on no day. */
export const isLapsed = (text: string): boolean =>
  (bodyOf(text)['proof'] as { in_force?: unknown } | undefined)?.in_force === null
