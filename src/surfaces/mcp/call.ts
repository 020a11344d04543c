import { isDeepStrictEqual } from 'node:util'
import { type CallToolResult, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { answerValue, type Operation } from '../../operation.ts'
import { type Problem, withFullStop } from '../../problem.ts'
import { withOwnPath } from '../http/request.ts'
import { answeredQuestion, readInput, readingNote } from '../words/input.ts'
import { lastKnownNote, sourceOf } from '../words/row-text.ts'
import { SENTENCES, type Sentence } from '../words/sentences.ts'
import { nextCall } from './next-call.ts'
import type { Tool } from './tools.ts'
import type { Visitor } from './visitor.ts'
import { evidenceOf, placeAt } from './whole-answer.ts'

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
  const question = readInput(args, Object.keys(op.input.shape), now)
  const reading = readingNote(args, question)
  const day = typeof question['as_of'] === 'string' && question['as_of'] !== '' ? question['as_of'] : now
  // A verifier of the answer needs the question, on its day, without arguments that are no part of one.
  const metaOf = (answer?: unknown): Pick<CallToolResult, '_meta'> => {
    const { include: _, ...asked } = question
    const dated = 'as_of' in op.input.shape ? { ...asked, as_of: day } : asked
    const answered = isDeepStrictEqual(args, question) ? undefined : answeredQuestion(dated, answer)
    return answered ? { _meta: { [QUESTION]: answered } } : {}
  }
  const outcome = await visitor.perform(op, async () => question)
  if (!outcome.ok) return { ...refused(tool, op, outcome.problem, visitor), ...(isAnswer(outcome.problem) && metaOf()) }
  const answer = answerValue(outcome.output) as Arguments
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
  const said = [withFullStop(problem.detail), ...lastKnownNote(problem.extra.members), next].join(' ')
  const text = `${problem.code}: ${said}`
  return { content: [{ type: 'text', text }], structuredContent: visitor.document(problem, op), isError: true }
}

/** A link to the whole proof of one row, if the answer has only the pointer to it. */
function linksOf({ proof }: Arguments, baseUrl: string): CallToolResult['content'] {
  const isPointer = typeof proof === 'object' && proof !== null && 'href' in proof
  const source = isPointer ? sourceOf(proof) : undefined
  if (!source) return []
  return [{ type: 'resource_link', uri: `${baseUrl}${source.href}`, name: 'proof', mimeType: 'application/json' }]
}
