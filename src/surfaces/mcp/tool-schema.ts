import { z } from 'zod'
import { READ_NAMES, SHARED_NAMES } from '../words/input.ts'

/** Words of a schema that the description says better. */
const NOISE = new Set(['$schema', 'examples', 'maxLength', 'propertyNames'])

/** Arguments with many values or words, which the tool of the lookup has. */
const LONG: ReadonlySet<string> = new Set([
  'cpt',
  'as_of',
  'include',
  'region',
  'npi',
  'payer',
  'setting',
  'basis',
  'kind',
  'revenue_code',
  'place_of_service',
  'modifier',
])

/** Arguments whose names say what they are. */
const PLAIN: ReadonlySet<string> = new Set(['limit', 'offset'])

/** The pattern of charts has the names of all of them: `coverage` lists those that are held. */
const LONGEST_PATTERN = 120

type Schema = Readonly<Record<string, unknown>>

/**
 * The input as JSON Schema 2020-12, as short as it can be: an agent pays for every word of the list of tools. The
 * arguments of a lookup mean the same in another tool, so the words and values of the longest are not repeated there.
 */
export function schemaOf(input: z.ZodObject, lookup: z.ZodObject, isLookup: boolean): Schema {
  const shortened = (schema: Schema, isNested: boolean): Schema => {
    // A format says what its pattern says, in one word.
    const kept = Object.entries(schema).filter(
      ([word, value]) =>
        !NOISE.has(word) &&
        !(word === 'pattern' && ('format' in schema || String(value).length > LONGEST_PATTERN)) &&
        !(word === 'additionalProperties' && value !== false),
    )
    return Object.fromEntries(
      kept.map(([word, value]) => [
        word,
        word === 'items' ? shortened(value as Schema, true) : short(word, value, isNested),
      ]),
    )
  }
  const short = (word: string, value: unknown, isNested: boolean): unknown => {
    if (word !== 'properties') return value
    const members = Object.entries(value as Record<string, Schema>).map(([name, schema]) => [
      name,
      (isNested && name in lookup.shape) || (!isLookup && LONG.has(name))
        ? { type: schema['type'] }
        : inAnyForm(name, shortened(PLAIN.has(name) ? wordless(schema) : schema, true)),
    ])
    return Object.fromEntries(members)
  }
  const schema = shortened(z.toJSONSchema(input, { io: 'input' }) as Schema, false)
  return 'lines' in input.shape && !('totals' in input.shape)
    ? { ...schema, properties: { ...withShared(schema['properties'] as { lines: Schema }), ...ONCE } }
    : schema
}

const withShared = ({ lines, ...others }: { lines: Schema }): Schema => ({
  ...others,
  lines: { ...lines, description: `${lines['description']}; what is the same in all may stand once, beside the list` },
})

const wordless = ({ description: _, ...schema }: Schema): Schema => schema

/** A client that checks arguments before it sends them must not refuse `99213-25`, which is read: a description forbids nothing. */
function inAnyForm(name: string, schema: Schema): Schema {
  if (!READ_NAMES.includes(name)) return schema
  const { pattern: _, format, type, ...others } = schema
  // The other values may begin with zeros, which a number would lose: they stay texts.
  if (name === 'billed') return { ...others, anyOf: [{ type }, { type: 'number' }] }
  if (format !== 'date') return { type, ...others }
  return { type, ...others, description: `${others['description']}; as 2026-07-15` }
}

/** Arguments for all lines are no parameters of the operation: they are put into the lines before. */
const ONCE = Object.fromEntries(SHARED_NAMES.map((name) => [name, { type: 'string' }]))
