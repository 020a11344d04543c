import { z } from 'zod'
import { answerValue, type Outcome } from '../../operation.ts'
import { withFullStop } from '../../problem.ts'
import { JsonError, parseJson } from '../../proof/canonical-json.ts'
import { problemDocument } from '../http/response.ts'
import { GRAMMAR, type Question } from './question.ts'

// Tasks are complete when they are made, and nothing of them is stored: the id of a task is its question. Whoever has it can
// ask again, at any process of the service, under the same rules of access.

/** What a task is about. `question` is left out if nothing in the message was understood. */
export interface Subject {
  question?: Question | undefined
  contextId: string
  /** Epoch milliseconds. */
  at: number
}

const Encoded = z.tuple([
  z.literal(1),
  z.string(),
  z.record(z.string(), z.unknown()),
  z.string().max(128),
  z.int().min(0).max(8.64e15),
])
/** Longer questions are refused, because their ids would be unwieldy. */
export const MOST_ID_LENGTH = 4096

export const taskId = ({ question, contextId, at }: Subject): string =>
  Buffer.from(JSON.stringify([1, question?.skill ?? '', question?.input ?? {}, contextId, at])).toString('base64url')

/** The subject of a task by its id, which is hostile text; undefined if it is none of ours. */
export function subjectOf(id: string): Subject | undefined {
  if (id.length > MOST_ID_LENGTH || !/^[A-Za-z0-9_-]+$/.test(id)) return undefined
  try {
    const [, skill, input, contextId, at] = Encoded.parse(parseJson(Buffer.from(id, 'base64url').toString('utf8')))
    return { question: skill === '' ? undefined : { skill, input }, contextId, at }
  } catch (error) {
    if (error instanceof JsonError || error instanceof z.ZodError) return undefined
    throw error
  }
}

const JSON_TYPE = 'application/json'

/** The task of a question that nobody understood: it says how to ask. */
export const rejectedTask = (subject: Subject): object => withStatus(subject, 'TASK_STATE_REJECTED', GRAMMAR)

/**
 * The task of a question that was asked. A price that is not there is an answer too, with its proof: the task is completed,
 * and its artifact is the problem. A question that has no meaning is rejected.
 */
export function taskOf(subject: Subject, outcome: Outcome, about: { baseUrl: string; requestId: string }): object {
  if (outcome.ok) {
    const data = answerValue(outcome.output)
    const artifacts = [{ artifactId: 'answer', name: subject.question?.skill, parts: [{ data, mediaType: JSON_TYPE }] }]
    return { ...withStatus(subject, 'TASK_STATE_COMPLETED', hasSample(data) ? SAMPLE : undefined), artifacts }
  }
  const { problem } = outcome
  const isAnswer = problem.entry.kind === 'not_found'
  const data = problemDocument(problem, { ...about, placeOf: () => 'body' })
  const artifacts = [{ artifactId: 'problem', name: problem.code, parts: [{ data, mediaType: JSON_TYPE }] }]
  const words = [withFullStop(problem.detail), problem.hint, ...(hasSample(data) ? [SAMPLE] : [])].join(' ')
  return { ...withStatus(subject, isAnswer ? 'TASK_STATE_COMPLETED' : 'TASK_STATE_REJECTED', words), artifacts }
}

const SAMPLE = 'Sample data, invented for demonstration: not real.'

/** Whether any part of an answer says so of itself: a row in its manifest, a list in its releases, the figures on top. */
function hasSample(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(([name, each]) => (name === 'data_class' ? each === 'sample' : hasSample(each)))
}

function withStatus(subject: Subject, state: string, words?: string): object {
  const [id, { contextId }] = [taskId(subject), subject]
  const message = words && {
    messageId: `${subject.at}`,
    contextId,
    taskId: id,
    role: 'ROLE_AGENT',
    parts: [{ text: words, mediaType: 'text/plain' }],
  }
  const status = { state, ...(message && { message }), timestamp: new Date(subject.at).toISOString() }
  return { id, contextId, status }
}
