import { z } from 'zod'
import { answerValue } from '../../operation.ts'
import { type Problem, withFullStop } from '../../problem.ts'
import { JsonError, parseJson } from '../../proof/canonical-json.ts'
import type { Members } from '../../proof/shape.ts'
import { problemDocument } from '../http/response.ts'
import { lastKnownNote } from '../written/last-known.ts'
import { answeredQuestion } from '../written/lookup.ts'
import { SENTENCES } from '../written/sentences.ts'
import type { Question } from './question.ts'
import { UNREAD, type Unread } from './text.ts'

// Tasks are complete when they are made, and nothing of them is stored: the id of a task is its question. Whoever has it can
// ask again, at any process of the service, under the same rules of access.

/** What a task is about: a question, or why the message was none. */
export interface Subject {
  question: Question | Unread
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
  Buffer.from(JSON.stringify([1, ...encoded(question), contextId, at])).toString('base64url')

const encoded = (question: Subject['question']): [skill: string, input: object] =>
  typeof question === 'string' ? ['', { unread: question }] : [question.skill, question.input]

/** The subject of a task by its id, which is hostile text; undefined if it is none of ours. */
export function subjectOf(id: string): Subject | undefined {
  if (id.length > MOST_ID_LENGTH || !/^[A-Za-z0-9_-]+$/.test(id)) return undefined
  try {
    const [, skill, input, contextId, at] = Encoded.parse(parseJson(Buffer.from(id, 'base64url').toString('utf8')))
    const unread = UNREAD.find((why) => why === input['unread']) ?? 'words'
    return { question: skill === '' ? unread : { skill, input }, contextId, at }
  } catch (error) {
    if (error instanceof JsonError || error instanceof z.ZodError) return undefined
    throw error
  }
}

const JSON_TYPE = 'application/json'

interface About {
  baseUrl: string
  requestId: string
}

/** The task of a question that was answered. The artifact has the question too, as it was understood. */
export function answeredTask(subject: Subject & { question: Question }, output: unknown, { baseUrl }: About): object {
  const { skill, input } = subject.question
  const data = answerValue(output)
  const sentence = SENTENCES[skill]?.(data as never, { baseUrl, day: String(input['as_of']), asked: input }) ?? ''
  const words = hasSample(data) && !/sample data/i.test(sentence) ? `${sentence} ${SAMPLE}`.trim() : sentence
  return {
    ...withStatus(subject, 'TASK_STATE_COMPLETED', words),
    artifacts: [artifactOf('answer', skill, data, answeredQuestion(input, data))],
  }
}

/**
 * The task of a question that was refused. A price that is not there is an answer too, with its proof: the task is completed,
 * and its artifact is the problem. What has no meaning is rejected, and not repeated.
 */
export function refusedTask(subject: Subject, problem: Problem, about: About): object {
  const isAnswer = problem.entry.kind === 'not_found'
  const { question: asked } = subject
  const question = isAnswer && typeof asked !== 'string' ? answeredQuestion(asked.input, undefined) : undefined
  const data = problemDocument(problem, { ...about, locationOf: () => 'body' })
  const known = lastKnownNote(problem.extra.members)
  const sample = hasSample(data) && !known.some((note) => /sample data/i.test(note)) ? [SAMPLE] : []
  const words = [withFullStop(problem.detail), ...known, problem.hint, ...sample].join(' ')
  return {
    ...withStatus(subject, isAnswer ? 'TASK_STATE_COMPLETED' : 'TASK_STATE_REJECTED', words),
    artifacts: [artifactOf('problem', problem.code, data, question)],
  }
}

const artifactOf = (artifactId: string, name: string, data: unknown, question: Members | undefined): object => ({
  artifactId,
  name,
  parts: [{ data, mediaType: JSON_TYPE }],
  ...(question && { metadata: { question } }),
})

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
