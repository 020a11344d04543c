import { isDeepStrictEqual } from 'node:util'
import { type CallToolResult, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { answerValue, type Operation } from '../../operation.ts'
import { type Problem, withFullStop } from '../../problem.ts'
import { withOwnPath } from '../http/request.ts'
import { lastKnownNote } from '../written/last-known.ts'
import { answeredQuestion, readingOf, writtenInput } from '../written/lookup.ts'
import { placeOf } from '../written/sentence-words.ts'
import { SENTENCES, type Sentence } from '../written/sentences.ts'
import { nextCall } from './next-call.ts'
import { placeAt, untoldOf } from './place-at.ts'
import type { Tool } from './tools.ts'
import type { Visitor } from './visitor.ts'

type Arguments = Record<string, unknown>

/** Under this name a result has the arguments as they were understood, where they were sent in another form. */
export const QUESTION = 'agent-trust-registry/question'

/**
 * Calls a tool. The first content is a sentence for people and for models that see nothing else; the structured content is
 * the answer as the HTTP surface gives it. The whole proof is a link, unless it was asked for: nobody pays for it twice.
 */
export async function callTool(
  tools: readonly Tool[],
  { name, arguments: given = {} }: { name: string; arguments?: Arguments | undefined },
  visitor: Visitor,
  today: () => string,
): Promise<CallToolResult> {
  const tool = tools.find((each) => each.name === name)
  if (!tool)
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `There is no such tool. The tools are: ${tools.map((each) => each.name).join(', ')}`,
    )
  const args = withOwnPath(given, [visitor.baseUrl])
  const op = tool.operationFor(args)
  const now = today()
  const asked = writtenInput(args, Object.keys(op.input.shape), now)
  const reading = readingOf(args, asked)
  const day = typeof asked['as_of'] === 'string' && asked['as_of'] !== '' ? asked['as_of'] : now
  // Whoever verifies the answer needs the question that it answers, on its day, and nothing that is no part of one.
  const toldOf = (answer?: unknown): Pick<CallToolResult, '_meta'> => {
    const { include: _, ...question } = asked
    const dated = 'as_of' in op.input.shape ? { ...question, as_of: day } : question
    const told = isDeepStrictEqual(args, asked) ? undefined : answeredQuestion(dated, answer)
    return told ? { _meta: { [QUESTION]: told } } : {}
  }
  const outcome = await visitor.perform(op, async () => asked)
  if (!outcome.ok) return { ...refused(tool, op, outcome.problem, visitor), ...(isAnswer(outcome.problem) && toldOf()) }
  const answer = answerValue(outcome.output) as Arguments
  const lookup = tools.find(({ operationFor }) => operationFor({}).name === 'lookup_reference')?.operationFor({})
  const place = lookup && (await placeAt(lookup, asked, { day, answer }))
  const untold = lookup && (await untoldOf(lookup, asked, { day, answer }))
  const about = { baseUrl: visitor.baseUrl, day, asked, place, untold }
  const sentence = (SENTENCES[op.name] as Sentence)(answer as never, about)
  const text = reading === undefined ? sentence : `${reading} ${sentence}`
  return {
    content: [{ type: 'text', text }, ...linksOf(answer, visitor.baseUrl)],
    structuredContent: answer,
    ...toldOf(answer),
  }
}

/** A price that is not there is the answer to a question that was understood; what was not understood is not repeated. */
const isAnswer = ({ entry }: Problem): boolean => entry.kind === 'not_found'

function refused(tool: Tool, op: Operation, problem: Problem, visitor: Visitor): CallToolResult {
  const next = nextCall(problem, { name: tool.name, takes: Object.keys(op.input.shape) })
  const said = [withFullStop(problem.detail), ...lastKnownNote(problem.extra.members), next].join(' ')
  const text = `${problem.code}: ${said}`
  return { content: [{ type: 'text', text }], structuredContent: visitor.document(problem, op), isError: true }
}

/** Where the whole proof of one row is, if the answer has only the pointer to it. */
function linksOf({ proof }: Arguments, baseUrl: string): CallToolResult['content'] {
  const isPointer = typeof proof === 'object' && proof !== null && 'href' in proof
  const place = isPointer ? placeOf(proof) : undefined
  if (!place) return []
  return [{ type: 'resource_link', uri: `${baseUrl}${place.href}`, name: 'proof', mimeType: 'application/json' }]
}
