import type { Tool as ListedTool } from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { Operation } from '../../operation.ts'
import { READ_NAMES, SHARED_NAMES } from '../words/input.ts'
import { CARD_URI } from './card.ts'

/** A tool is one operation under a name that says what an agent gets, or two that belong together. */
interface ToolSpec {
  name: string
  title: string
  operation: string
  /** A second operation about the same thing, chosen by the argument `view`. */
  view?: { name: string; operation: string }
  /** Whether a client can show the answer as the evidence card. */
  card?: true
}

/** In this order they are listed. Names, arguments and texts never depend on the caller. */
const TOOLS: readonly ToolSpec[] = [
  { name: 'lookup_price', title: 'Price of a code', operation: 'lookup_reference', card: true },
  { name: 'price_bill', title: 'Prices of a bill', operation: 'lookup_references' },
  { name: 'code_sheet', title: 'All prices of a code', operation: 'get_reference_sheet' },
  { name: 'price_history', title: 'Past prices of a code', operation: 'get_reference_history' },
  { name: 'coverage', title: 'What the registry has', operation: 'get_coverage' },
  { name: 'verify_proof', title: 'Check a proof', operation: 'verify_answer' },
  {
    name: 'figures',
    title: 'Dispute figures',
    operation: 'get_figures',
    view: { name: 'changes', operation: 'list_figure_changes' },
  },
  { name: 'browse_registry', title: 'Rows of the registry', operation: 'browse_registry' },
  { name: 'provider_stats', title: 'Statistics of a provider', operation: 'get_provider_stats' },
  { name: 'data_integrity', title: 'Integrity report', operation: 'get_data_integrity' },
]

export interface Tool {
  name: string
  /** Its entry in `tools/list`. */
  listed: ListedTool
  /** The operation to perform for these arguments. It takes the arguments of the tool as its input. */
  operationFor: (args: Readonly<Record<string, unknown>>) => Operation
}

const HINTS = { readOnlyHint: true, idempotentHint: true, destructiveHint: false, openWorldHint: false }
const INCLUDE = z
  .literal('proof')
  .optional()
  .meta({ description: '`proof` for the whole proof in the answer; without it, a pointer to the proof' })

/**
 * The tools, made from the operations: what an operation takes, does and refuses is written there alone. Without its
 * operation there is no tool, and no view.
 */
export function toolsOf(operations: readonly Operation[]): Tool[] {
  const find = (name: string | undefined): Operation | undefined => operations.find((each) => each.name === name)
  const lookup = find('lookup_reference')?.input ?? z.object({})
  return TOOLS.flatMap(({ name, title, operation, view, card }) => {
    const [op, other] = [find(operation), find(view?.operation)].map((each) => each && asTool(each))
    if (!op) return []
    const { input } = view && other ? inViews(op, view.name, other) : op
    const [current, chosen] = view && other ? [oneView(op), oneView(other, view.name)] : [op]
    return {
      name,
      listed: {
        name,
        title,
        description: inToolNames(
          descriptionOf(op) + (other ? ` With view = ${view?.name}: ${descriptionOf(other)}` : ''),
        ),
        inputSchema: schemaOf(input, lookup) as ListedTool['inputSchema'],
        annotations: HINTS,
        ...(card && { _meta: { ui: { resourceUri: CARD_URI } } }),
      },
      operationFor: (args) => (chosen && args['view'] === view?.name ? chosen : current),
    }
  })
}

/** An agent gets the short form of an answer unless it asks for the proof. */
function asTool(op: Operation): Operation {
  if (!('proof' in op.input.shape)) return op
  return {
    ...op,
    input: op.input.omit({ proof: true }).extend({ include: INCLUDE }),
    run: ({ include, ...query }, caller) => op.run({ ...query, proof: include === 'proof' ? 'full' : 'ref' }, caller),
  }
}

/** One of two operations, with the argument that chose it. */
const oneView = (op: Operation, view?: string): Operation => ({
  ...op,
  input: op.input.extend({ view: view === undefined ? z.literal('current').optional() : z.literal(view) }),
  run: ({ view: _, ...query }, caller) => op.run(query, caller),
})

/** The schema of a tool with two views has the arguments of both. */
const inViews = (first: Operation, view: string, second: Operation): Operation => ({
  ...first,
  input: first.input.extend({
    view: z
      .enum(['current', view])
      .default('current')
      .meta({ description: `\`${view}\` takes the other arguments and needs the scope ${second.access}` }),
    ...second.input.shape,
  }),
})

function descriptionOf({ summary, description, access }: Operation): string {
  const needs = access === 'public' ? '' : ` Needs a rails token with the scope ${access}.`
  return `${summary}. ${description}${needs}`
}

/** Operations that a text mentions, by the name that they have here. */
const inToolNames = (text: string): string =>
  TOOLS.reduce((said, { name, operation }) => said.replaceAll(`\`${operation}\``, `\`${name}\``), text)

/** Words of a schema that the description says better. */
const NOISE = new Set(['$schema', 'examples', 'maxLength', 'propertyNames'])

type Schema = Readonly<Record<string, unknown>>

/**
 * The input as JSON Schema 2020-12, as short as it can be: an agent pays for every word of the list of tools. The
 * arguments of a lookup inside those of another tool mean the same there, so only their types are repeated.
 */
function schemaOf(input: z.ZodObject, lookup: z.ZodObject): Schema {
  const shortened = (schema: Schema, isNested: boolean): Schema => {
    // A format says what its pattern says, in one word.
    const kept = Object.entries(schema).filter(
      ([word, value]) =>
        !NOISE.has(word) &&
        !(word === 'pattern' && 'format' in schema) &&
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
      isNested && name in lookup.shape ? { type: schema['type'] } : inAnyForm(name, shortened(schema, true)),
    ])
    return Object.fromEntries(members)
  }
  const schema = shortened(z.toJSONSchema(input, { io: 'input' }) as Schema, false)
  return 'lines' in input.shape ? { ...schema, properties: { ...(schema['properties'] as object), ...ONCE } } : schema
}

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
const ONCE = Object.fromEntries(
  SHARED_NAMES.map((name) => [name, { type: 'string', description: 'for all lines without one of their own' }]),
)
