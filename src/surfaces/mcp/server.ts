// The tools, and the server that lists them, calls them and says in words what came of it.

import { isDeepStrictEqual } from 'node:util'
import {
  type CallToolResult,
  type Tool as ListedTool,
  ProtocolError,
  ProtocolErrorCode,
  Server,
} from '@modelcontextprotocol/server'
import { z } from 'zod'
import { jsonText } from '../../json-text.ts'
import { answerValue, type Operation, perform, refusalOf, withoutEmpty } from '../../operation.ts'
import { type Problem, withFullStop } from '../../problem.ts'
import { parseRegion } from '../../proof/lookup/region.ts'
import type { Basis } from '../../proof/price/row.ts'
import { isObject, type Members } from '../../proof/shape.ts'
import { API_VERSION } from '../discovery/about-api.ts'
import { ABOUT } from '../discovery/descriptor.ts'
import { withOwnPath } from '../http/request.ts'
import type { Resource } from '../http/resource.ts'
import { readBill } from '../words/checked-bill.ts'
import { answeredQuestion, readInput, readingNote } from '../words/input.ts'
import { refusalNotes, sourceOf } from '../words/row-text.ts'
import { needsEvidence, type ZipPlace } from '../words/schedules.ts'
import { type Evidence, SENTENCES, type Sentence } from '../words/sentences.ts'
import { CARD_URI, type Card } from './card.ts'
import { nextCall } from './next-call.ts'
import { answerMessage, guarded } from './protocol.ts'
import { listResources, listTemplates, readResource } from './resources.ts'
import { schemaOf } from './tool-schema.ts'
import type { Visitor } from './visitor.ts'

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
  { name: 'check_bill', title: 'Check of a bill', operation: 'check_bill' },
  { name: 'code_sheet', title: 'All prices of a code', operation: 'get_reference_sheet' },
  { name: 'compare_hospitals', title: 'Hospitals compared', operation: 'compare_hospitals' },
  { name: 'find_hospital', title: 'Hospitals by name', operation: 'find_hospital' },
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

export interface ServerParts {
  operations: () => readonly Operation[]
  /** The operations that answer: all, except on a mirror. */
  answered: () => readonly Operation[]
  resources: () => readonly Resource[]
  /** The day, as an ISO date in UTC. */
  today: () => string
  card: Card
  /** The notice of a mirror; undefined on the service itself. */
  notice: string | undefined
}

const FIVE_MINUTES = { ttlMs: 300_000, cacheScope: 'public' } as const
const CACHE_HINTS = {
  'server/discover': FIVE_MINUTES,
  'tools/list': FIVE_MINUTES,
  'prompts/list': FIVE_MINUTES,
  'resources/list': FIVE_MINUTES,
  'resources/templates/list': FIVE_MINUTES,
  'resources/read': FIVE_MINUTES,
}
const INSTRUCTIONS = `${ABOUT} A Medicare amount is a reference, not what a patient owes. A refusal that says there is no price is an answer: do not invent one. Cite the source that stands in each answer.`

/** The tools and resources of this service, as a function that answers a message. Each message has a server of its own. */
export function registryServer({ operations, answered, resources, card, today, notice }: ServerParts) {
  const tools = toolsOf(operations())
  // Tools that do not answer here are not listed; a call of one is told where to ask.
  const listed = answered() === operations() ? tools : toolsOf(answered())
  const serverFor = (visitor: Visitor): Server => {
    const { baseUrl } = visitor
    const readable = { operations: operations(), resources: resources(), card }
    const shown = { ...readable, operations: answered() }
    const server = new Server(
      { name: 'agent-trust-registry', version: API_VERSION },
      {
        // No changes are announced, so a stream to listen on ends at once and cannot be held.
        capabilities: { tools: {}, resources: {}, prompts: {} },
        instructions: notice === undefined ? INSTRUCTIONS : `${INSTRUCTIONS} ${notice}`,
        cacheHints: CACHE_HINTS,
      },
    )
    server.setRequestHandler('tools/list', () => ({ tools: listed.map((tool) => tool.listed) }))
    server.setRequestHandler('tools/call', ({ params }) =>
      guarded(visitor, () => callTool(tools, params, visitor, today())),
    )
    server.setRequestHandler('resources/list', () => ({ resources: listResources(shown, baseUrl) }))
    server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: listTemplates(shown, baseUrl) }))
    server.setRequestHandler('resources/read', ({ params }) =>
      guarded(visitor, () => readResource(readable, params.uri, visitor)),
    )
    server.setRequestHandler('prompts/list', () => ({ prompts: [] }))
    return server
  }
  return (request: Request, message: unknown, visitor: Visitor): Promise<Response> =>
    answerMessage(request, message, visitor, () => serverFor(visitor))
}

interface Tool {
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
function toolsOf(operations: readonly Operation[]): Tool[] {
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
        inputSchema: schemaOf(input, lookup, op.name === 'lookup_reference') as ListedTool['inputSchema'],
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

/** Under this name a result has the arguments as they were understood, where they were sent in another form. */
const QUESTION = 'agent-trust-registry/question'

/**
 * Calls a tool. The first content is a sentence for people and for models that see nothing else; the structured content is
 * the answer as the HTTP surface gives it. The whole proof is a link, unless it was asked for: nobody pays for it twice.
 */
async function callTool(
  tools: readonly Tool[],
  { name, arguments: given = {} }: { name: string; arguments?: Members | undefined },
  visitor: Visitor,
  today: string,
): Promise<CallToolResult> {
  const tool = tools.find((each) => each.name === name)
  if (!tool)
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `There is no such tool. The tools are: ${tools.map((each) => each.name).join(', ')}`,
    )
  const args = withOwnPath(given, [visitor.baseUrl])
  const op = tool.operationFor(args)
  const isBill = op.name === 'check_bill'
  const question = isBill ? readBill(args, today) : readInput(args, Object.keys(op.input.shape), today)
  const reading = isBill ? undefined : readingNote(args, question)
  const day = typeof question['as_of'] === 'string' && question['as_of'] !== '' ? question['as_of'] : today
  // A verifier of the answer needs the question, on its day, without arguments that are no part of one.
  const metaOf = (answer?: unknown): Pick<CallToolResult, '_meta'> => {
    const { include: _, ...asked } = question
    const dated = 'as_of' in op.input.shape ? { ...asked, as_of: day } : asked
    const answered = isDeepStrictEqual(args, question) ? undefined : answeredQuestion(dated, answer)
    return answered ? { _meta: { [QUESTION]: answered } } : {}
  }
  const outcome = visitor.note(await perform(op, visitor.call, visitor.gate, async () => question))
  if (!outcome.ok) return { ...refused(tool, op, outcome.problem, visitor), ...(isAnswer(outcome.problem) && metaOf()) }
  const answer = answerValue(outcome.output) as Members
  const lookup = tools.find(({ operationFor }) => operationFor({}).name === 'lookup_reference')?.operationFor({})
  const place = lookup && (await placeAt(lookup, question, { day, answer }))
  const evidence = lookup && (await evidenceOf(lookup, question, { day, answer }))
  const context = { baseUrl: visitor.baseUrl, day, question, place, evidence }
  const sentence = (SENTENCES[op.name] as Sentence)(answer as never, context)
  const text = reading === undefined ? sentence : `${reading} ${sentence}`
  return {
    content: [{ type: 'text', text }, ...linksOf(answer, visitor.baseUrl)],
    structuredContent: answer,
    ...metaOf(answer),
  }
}

/** Whether a refusal answers a question that was understood: there is no such price. A question that was not understood is not repeated. */
const isAnswer = ({ entry }: Problem): boolean => entry.kind === 'not_found'

function refused(tool: Tool, op: Operation, problem: Problem, visitor: Visitor): CallToolResult {
  const next = nextCall(problem, { name: tool.name, takes: Object.keys(op.input.shape) })
  const said = [withFullStop(problem.detail), ...refusalNotes(problem.extra.members), next].join(' ')
  const text = `${problem.code}: ${said}`
  return { content: [{ type: 'text', text }], structuredContent: visitor.document(problem, op), isError: true }
}

/** A link to the whole proof of one row, if the answer has only the pointer to it. */
function linksOf(answer: Members, baseUrl: string): CallToolResult['content'] {
  const { proof } = answer
  const isPointer = typeof proof === 'object' && proof !== null && 'href' in proof
  const source = isPointer ? sourceOf(answer) : undefined
  if (!source) return []
  return [{ type: 'resource_link', uri: `${baseUrl}${source.href}`, name: 'proof', mimeType: 'application/json' }]
}

// A tool answers in the short form, and its sentence may need more: the whole answer is then asked for, as a part of the
// same call.

interface ShortAnswer {
  day: string
  answer: Members
}

/** Whether it is the amount of a state, which may not be the one that applies at a ZIP code. */
const isOfState = (row: unknown): row is Members =>
  isObject(row) && /^(non_)?rural$/.test(String(row['setting'])) && String(row['region']).startsWith('US-')

/** The facts that decide about the price of equipment at the ZIP code of the question; undefined where they are not known, or change nothing. */
async function placeAt(
  lookup: Operation,
  { cpt, region, modifier }: Members,
  { day, answer }: ShortAnswer,
): Promise<ZipPlace | undefined> {
  const { data, place } = answer
  const row = (Array.isArray(data) ? data : [answer]).find(isOfState)
  if (place !== undefined || !row || !('zip' in (parseRegion(String(region)) ?? {}))) return undefined
  const found = await wholeAnswer(lookup, { cpt, region, modifier, as_of: day, basis: row['basis'] })
  const shown = isObject(found) ? found['place'] : undefined
  return isObject(shown) ? (shown as ZipPlace) : undefined
}

/** The members of the whole answer that decide what to say beside the amount, where the short one leaves it open. */
async function evidenceOf(
  lookup: Operation,
  question: Members,
  { day, answer }: ShortAnswer,
): Promise<Evidence | undefined> {
  const { indicators, adjustment, basis } = answer
  const isOpen = isObject(adjustment) || (typeof basis === 'string' && needsEvidence(basis as Basis, question))
  if (indicators !== undefined || !isOpen) return undefined
  const found = await wholeAnswer(lookup, { ...question, as_of: day })
  return isObject(found) ? (found as Evidence) : undefined
}

/** A refusal shows the place too. Whatever fails here, the answer is given without it. */
async function wholeAnswer(lookup: Operation, question: Members): Promise<unknown> {
  try {
    const input = lookup.input.parse(withoutEmpty({ ...question, include: 'proof' }))
    return answerValue(await lookup.run(input, {}))
  } catch (error) {
    const members = refusalOf(error)?.extra.members
    return members && JSON.parse(jsonText(members))
  }
}
