import { z } from 'zod'
import { Problem } from '../../problem.ts'
import { jsonIn } from '../../proof/canonical-json.ts'
import { RpcError } from './rpc.ts'
import { readText, type Unread } from './text.ts'

/** A question: an operation by its name, and its input. */
export interface Question {
  skill: string
  input: Record<string, unknown>
}

/** What is asked by those who do not name a skill. */
const skillFor = (input: object): string => ('lines' in input ? 'lookup_references' : 'lookup_reference')

/** What a text may say, told to those whose text was not understood. */
export const GRAMMAR =
  'Write: price of CODE[-MODIFIER] [in PLACE] [on YYYY-MM-DD] [at NPI]; for example "price of 99213 in 94102" or ' +
  '"99213-25 in California on 2026-11-02 at 1234567893". PLACE is a ZIP code, a state, an address that ends with one of them, a ' +
  'Medicare locality such as US-CA-05, or national; a hospital is named by its NPI. Or send a data part: {"skill": "lookup_reference", "cpt": "99213", "region": "94102"}; the skills are in the agent card.'
const AS_LINES =
  'Send a data part: {"skill": "lookup_references", "lines": [{"cpt": "99213", "region": "94102", "units": 1, "billed": "300.00"}]}, with a line for each code; or write "99213 $300, 36415 $30 in 94102", or for one price "price of 99213 in 94102".'

const REFUSALS: { readonly [why in Unread]: readonly [detail: string, hint: string] } = {
  words: ['not all of the text was understood, so nothing was looked up', GRAMMAR],
  no_code: ['the text has no code of five characters, such as 99213; services are not known by their names', GRAMMAR],
  several_codes: ['the text has several codes, or a ZIP code without "in" before it', AS_LINES],
  bill: ['it is not clear what the amounts or units in the text belong to', AS_LINES],
}

/** The refusal of a text that is no question. Nothing of the text is in it. */
export function unreadText(why: Unread): Problem {
  const [detail, hint] = REFUSALS[why]
  return new Problem('invalid_request', detail, { hint })
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

/** Reads the parts of a message; says why if they are a text that is no question. */
export function readQuestion(parts: readonly unknown[]): Question | Unread {
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
export function questionOfText(text: string): Question | Unread {
  const data = text.trimStart().startsWith('{') ? jsonIn(text) : undefined
  if (data !== undefined) return questionOfData(data)
  const input = readText(text)
  return typeof input === 'string' ? input : { skill: skillFor(input), input }
}
