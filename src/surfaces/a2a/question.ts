import { z } from 'zod'
import { Problem } from '../../problem.ts'
import { jsonIn } from '../../proof/canonical-json.ts'
import { isObject } from '../../proof/shape.ts'
import { RpcError } from './rpc.ts'
import { MOST_CHARACTERS, REFUSALS, type Refusal, type TextReading } from './text.ts'

/** An operation by its name, with its input. */
export interface Question {
  skill: string
  input: Record<string, unknown>
}
/** A question as a text, which is read when it is answered. */
export interface TextQuestion {
  text: string
}

/** The operation that is asked by those who do not name one. */
export function skillFor(input: object): string {
  if (!('lines' in input)) return 'lookup_reference'
  const [first] = Array.isArray(input.lines) ? input.lines : []
  // The lines of a bill say `code`, and those of lookups `cpt`.
  return isObject(first) && 'code' in first ? 'check_bill' : 'lookup_references'
}

/** The form to send, for those whose text was not understood. */
export const GRAMMAR =
  'Write: price of CODE[-MODIFIER] [in PLACE] [on YYYY-MM-DD] [at NPI]; for example "price of 99213 in 94102" or ' +
  '"99213-25 in California on 2026-11-02 at 1234567893". PLACE is a ZIP code, a state, an address that ends with one of them, a ' +
  'Medicare locality such as US-CA-05, or national; a hospital is named by its NPI. Or send a data part: {"skill": "lookup_reference", "cpt": "99213", "region": "94102"}; the skills are in the agent card.'
const AS_LINES =
  'Send a data part: {"skill": "lookup_references", "lines": [{"cpt": "99213", "region": "94102", "units": 1, "billed": "300.00"}]}, with a line for each code; or write "99213 $300, 36415 $30 in 94102", or for one price "price of 99213 in 94102".'

/** Words beyond these are left out. */
const MOST_WORDS = 40
/** A word in letters, or a number; another one is not repeated. */
const SHOWN_WORD = /^([a-z'-]{1,20}|\$?[0-9][0-9a-z.,%-]{0,19})$/
export const wordsShown = ({ notUnderstood }: Pick<TextReading, 'notUnderstood'>): string[] =>
  notUnderstood.slice(0, MOST_WORDS).map((word) => (SHOWN_WORD.test(word) ? word : '…'))

/** The refusal of a text. Its sentences repeat nothing of the text but values in their closed form. */
export function textProblem(refusal: Refusal, reading: TextReading): Problem {
  const understood = reading.understood.slice(0, MOST_WORDS)
  const values = understood.flatMap((part) => Object.entries(part).map(([name, value]) => `${name}=${value}`))
  const hint = refusal === 'bill' || refusal === 'several_codes' ? AS_LINES : GRAMMAR
  const { result } = reading
  const said = 'says' in result ? result.says : undefined
  const detail = `${said ?? REFUSALS[refusal]}${values.length > 0 ? `. Understood: ${values.join(', ')}` : ''}`
  return new Problem('invalid_request', detail, { hint, members: { understood, not_understood: wordsShown(reading) } })
}

const Part = z.object({
  text: z.string().optional(),
  data: z.unknown().optional(),
  raw: z.unknown().optional(),
  url: z.unknown().optional(),
  mediaType: z.string().optional(),
})

const isOneOf = (mediaType: string | undefined, type: string): boolean =>
  mediaType === undefined || mediaType === '' || mediaType.split(';')[0]?.trim().toLowerCase() === type

/** Reads the parts of a message. */
export function readQuestion(parts: readonly unknown[]): Question | TextQuestion {
  const [read, ...more] = parts.map((part) => Part.safeParse(part))
  if (!read?.success || more.length > 0) throw new RpcError('invalid_params', 'a message has one part: data or text')
  const { text, data, mediaType } = read.data
  if (data !== undefined && isOneOf(mediaType, 'application/json')) return questionOfData(data)
  if (text !== undefined && isOneOf(mediaType, 'text/plain')) return questionOfText(text)
  throw new RpcError('content_type_not_supported')
}

function questionOfData(data: unknown): Question {
  if (typeof data !== 'object' || data === null || Array.isArray(data))
    throw new RpcError('invalid_params', 'the data part must be one JSON object')
  const { skill = skillFor(data), ...input } = data as Record<string, unknown>
  if (typeof skill !== 'string') throw new RpcError('invalid_params', 'the member skill is the id of a skill')
  return { skill, input }
}

/** A text that is JSON is data: programs that have only text send it so. */
export function questionOfText(text: string): Question | TextQuestion {
  if (text.trimStart().startsWith('{')) return questionOfData(jsonIn(text))
  if (text.length > MOST_CHARACTERS)
    throw new RpcError('invalid_params', `a text has at most ${MOST_CHARACTERS} characters: send a data part`)
  return { text }
}
