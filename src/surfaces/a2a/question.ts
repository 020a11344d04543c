import { z } from 'zod'
import { writtenPlaces } from '../written/place.ts'
import { writtenDay } from '../written/written.ts'
import { RpcError } from './rpc.ts'

/** A question: an operation by its name, and its input. */
export interface Question {
  skill: string
  input: Record<string, unknown>
}

export const LOOKUP = 'lookup_reference'

/** What a text may say, told to those whose text was not understood. */
export const GRAMMAR =
  'Write: price of CODE[-MODIFIER] [in PLACE] [on YYYY-MM-DD] [at NPI]; for example "price of 99213 in 94102" or ' +
  '"99213-25 in California on 2026-11-02 at 1234567893". PLACE is a ZIP code, a state, an address that ends with one of them, a ' +
  'Medicare locality such as US-CA-05, or national. Or send a data part: {"skill": "lookup_reference", "cpt": "99213", "region": "94102"}; the skills are in the agent card.'

const Part = z.object({
  text: z.string().optional(),
  data: z.unknown().optional(),
  raw: z.unknown().optional(),
  url: z.unknown().optional(),
  mediaType: z.string().optional(),
})

const MOST_TEXT = 300
const isOneOf = (mediaType: string | undefined, type: string): boolean =>
  mediaType === undefined || mediaType === '' || mediaType.split(';')[0]?.trim().toLowerCase() === type

/** Reads the parts of a message; undefined if they are a text that the grammar does not know. */
export function readQuestion(parts: readonly unknown[]): Question | undefined {
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
  const { skill = LOOKUP, ...input } = data as Record<string, unknown>
  if (typeof skill !== 'string') throw new RpcError('invalid_params', 'the member skill is the id of a skill')
  return { skill, input }
}

const OPENING =
  /^(?:(?:what(?:'s| is)|show(?: me)?|give me|find|look ?up|get) )?(?:the )?(?:(?:medicare )?(?:price|fee|rate|cost)s? )?(?:(?:of|for) )?/i
const CODE = /^(?:code |cpt |hcpcs )?([0-9]{4}[0-9a-z]|[a-z][0-9]{4})((?:-[0-9a-z]{2}){0,4})(?: |$)/i
const CLAUSE = /^(in|on|at|modifier) (.+?)(?= (?:in|on|at|modifier) |$) ?/i

/** A plain grammar, read from left to right: the same text is always the same question. */
export function questionOfText(text: string): Question | undefined {
  const plain = text
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replace(/ ?[?.!]$/, '')
  if (plain.length > MOST_TEXT) return undefined
  const asked = plain.replace(OPENING, '')
  const [code, cpt = '', modifiers = ''] = CODE.exec(asked) ?? []
  if (code === undefined) return undefined
  const input: Record<string, string> = { cpt, ...(modifiers !== '' && { modifier: modifiers.slice(1) }) }
  for (let rest = asked.slice(code.length); rest !== ''; ) {
    const [clause, word = '', value = ''] = CLAUSE.exec(rest) ?? []
    if (clause === undefined) return undefined
    const [name, meant] = memberOf(word.toLowerCase(), value)
    if (name in input) return undefined
    input[name] = meant
    rest = rest.slice(clause.length)
  }
  return { skill: LOOKUP, input }
}

function memberOf(word: string, value: string): [name: string, meant: string] {
  if (word === 'on') return ['as_of', writtenDay(value)]
  if (word === 'at') return ['npi', value]
  if (word === 'modifier') return ['modifier', value]
  // What may mean several places, or none, goes through as it is: the lookup refuses it and says what to write.
  const [place = value, ...others] = writtenPlaces(value)
  return ['region', others.length > 0 ? value : place]
}
