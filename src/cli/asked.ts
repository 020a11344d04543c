import { dayOf } from '../calendar.ts'
import { isFiguresBody } from '../proof/body.ts'
import { RELEASE_STATES } from '../proof/catalogue/releases.ts'
import type { BillQuestion } from '../proof/list/batch.ts'
import { parseNote } from '../proof/note/signed-note.ts'
import { PROOF_REF } from '../proof/price/proofs.ts'
import type { Inquiry } from '../proof/verify-lists.ts'
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

/** A row by its permalink, or a checkpoint by itself: they answer no question, and are what was asked for all the same. */
export type Expected = Inquiry & { checkpoint?: true; permalink?: { release_id: string; index: number } }

type Query = { [part: string]: string | undefined }

/**
 * What was asked: the question in the address, in `--asked`, or on the command line. The body never decides it where
 * there is one: a true answer to another question proves nothing to the one who asked. An answer to a lookup without its
 * question is checked only if that is asked for.
 */
export function askedOf(what: string, text: string, values: QuestionValues): Expected {
  if (values.any) return { anyQuestion: true }
  const parts = PARTS.flatMap((part) => (values[part] === undefined ? [] : [[part, values[part]] as const]))
  const address = values.asked ?? (isAddress(what) ? what : undefined)
  if (address !== undefined && parts.length > 0)
    throw new UsageFault('say what was asked in the address or by options such as --cpt, not both')
  if (address !== undefined) return askedAt(address, values['as-of'])
  const day = values['as-of'] ?? dayOf(Date.now())
  if (values.lines !== undefined) return { questions: linesIn(values.lines, day) }
  if (parts.length > 0) return { question: { cpt: '', ...Object.fromEntries(parts), as_of: day } }
  return askedBy(text, day)
}

const PLACES: readonly [RegExp, (query: Query, day: string, path: readonly string[]) => Expected][] = [
  [/\/reference$/, ({ proof: _, ...query }, as_of) => ({ question: { cpt: '', ...query, as_of } })],
  [/\/reference\/sheet$/, (query, as_of) => ({ sheet: { cpt: '', ...query, as_of } })],
  [/\/reference\/history$/, ({ cpt = '', ...query }) => ({ history: { ...query, cpt, offset: offsetOf(query) } })],
  [/\/api\/registry$/, ({ offset: _, after: _a, ...query }, as_of) => ({ page: { ...query, as_of } })],
  [/\/api\/coverage$/, (query, as_of) => ({ coverage: { ...query, as_of, offset: offsetOf(query) } })],
  [
    /\/api\/releases$/,
    ({ state, ...query }) => ({ releases: { ...query, ...stateIn(state), offset: offsetOf(query) } }),
  ],
  [/\/api\/figures$/, () => ({ figures: true })],
  [/\/api\/figure-changes$/, () => ({ anyQuestion: true })],
  [/\/log\/[a-z]+\/checkpoint$/, () => ({ anyQuestion: true, checkpoint: true })],
  [
    /\/rows\/([^/]+)\/([0-9]+)$/,
    (_, _day, [release_id = '', index]) => ({ anyQuestion: true, permalink: { release_id, index: Number(index) } }),
  ],
]
const offsetOf = ({ offset }: Query): number => Number(offset ?? 0)
const stateIn = (text: string | undefined) => {
  const state = RELEASE_STATES.find((each) => each === text)
  return state === undefined ? {} : { state }
}

/** By the path: what stands there is known, whatever was sent from it. */
function askedAt(address: string, asOf: string | undefined): Expected {
  const { pathname, searchParams } = new URL(address, 'http://localhost')
  const { limit: _, as_of, ...query } = Object.fromEntries([...searchParams].filter(([, value]) => value !== ''))
  for (const [pattern, asked] of PLACES) {
    const [whole, ...path] = pattern.exec(decodeURIComponent(pathname)) ?? []
    if (whole !== undefined) return asked(query, asOf ?? as_of ?? dayOf(Date.now()), path)
  }
  throw new UsageFault('this is not an address of an answer with proofs: --any checks only that it was published')
}

/** The lines of a bill, from the request that was sent. */
function linesIn(request: string, as_of: string): BillQuestion[] {
  const { lines } = bodyOf(request)
  if (!Array.isArray(lines)) throw new UsageFault('--lines is the request that was sent: JSON with a list of lines')
  return lines.map((line) => ({ as_of, ...line }))
}

/** A file without a question. Some answers have none; a list must then be the whole one. */
function askedBy(text: string, as_of: string): Expected {
  if (isNote(text)) return { anyQuestion: true, checkpoint: true }
  const body = bodyOf(text)
  if (isFiguresBody(body)) return { figures: true }
  const { data, proof } = body
  if (Array.isArray(data) && proof !== undefined)
    return body['as_of'] === undefined ? { releases: {} } : { coverage: { as_of } }
  if (isListOfChanges(body)) return { anyQuestion: true }
  throw new UsageFault(
    'give the question that was asked: --cpt and --as-of (and --region, --npi, --modifier, --setting, --basis), --asked with the address, --lines with the request of a bill, or --any to check only that it was published',
  )
}

/** A checkpoint by itself can be verified too: there is nothing in it but what was signed. */
const isNote = (text: string): boolean => parseNote(text) !== undefined

const bodyOf = (text: string): Record<string, unknown> => {
  try {
    return (JSON.parse(text) ?? {}) as Record<string, unknown>
  } catch {
    return {}
  }
}
/** Whether an answer was asked for with `proof=ref`: there is nothing in it to check. */
export const isReference = (text: string): boolean =>
  (bodyOf(text)['proof'] as { type?: unknown } | undefined)?.type === PROOF_REF

const isListOfChanges = ({ data, states }: Record<string, unknown>): boolean =>
  Array.isArray(data) &&
  (states !== undefined || data.some((item) => typeof item === 'object' && item !== null && 'seq' in item))

/** Where the row of a body stands, and in what period it is in force, by its proof. */
export function placeIn(text: string): { release_id: unknown; index: unknown; in_force: unknown } {
  const { release, row, in_force } = (bodyOf(text)['proof'] ?? {}) as {
    release?: { release_id?: unknown }
    row?: { index?: unknown }
    in_force?: unknown
  }
  return { release_id: release?.release_id, index: row?.index, in_force }
}
