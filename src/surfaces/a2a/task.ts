import { z } from 'zod'
import { jsonText } from '../../json-text.ts'
import { answerValue } from '../../operation.ts'
import { type Problem, withFullStop } from '../../problem.ts'
import { JsonError, parseJson } from '../../proof/canonical-json.ts'
import { problemDocument } from '../http/response.ts'
import { answeredQuestion, readingNote } from '../words/input.ts'
import { refusalNotes } from '../words/row-text.ts'
import { SENTENCES } from '../words/sentences.ts'
import type { Question, TextQuestion } from './question.ts'
import { MOST_CHARACTERS } from './text.ts'

// Tasks are complete when they are made, and nothing of them is stored: the id of a task is its question. It can be asked
// again by the id, at any process of the service, under the same rules of access.

/** The subject of a task. A text is read when it is answered. */
export interface Subject {
  question: Question | TextQuestion
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
const EncodedText = z.strictObject({ text: z.string().max(MOST_CHARACTERS) })
/** Longer questions are refused, because their ids would be unwieldy. */
export const MOST_ID_LENGTH = 4096

export const taskId = ({ question, contextId, at }: Subject): string => {
  const [skill, input] = 'text' in question ? ['', question] : [question.skill, question.input]
  return Buffer.from(JSON.stringify([1, skill, input, contextId, at])).toString('base64url')
}

/** The subject of a task by its id, which is hostile text; undefined for a text that is no id of ours. */
export function subjectOf(id: string): Subject | undefined {
  if (id.length > MOST_ID_LENGTH || !/^[A-Za-z0-9_-]+$/.test(id)) return undefined
  try {
    const [, skill, input, contextId, at] = Encoded.parse(parseJson(Buffer.from(id, 'base64url').toString('utf8')))
    return { question: skill === '' ? EncodedText.parse(input) : { skill, input }, contextId, at }
  } catch (error) {
    if (error instanceof JsonError || error instanceof z.ZodError) return undefined
    throw error
  }
}

const JSON_TYPE = 'application/json'

/** A question as it was understood, and of a text the words that were not. */
export interface ReadQuestion extends Question {
  not_understood?: readonly string[]
}

interface TaskContext {
  baseUrl: string
  requestId: string
}

/** The task of a question that was answered. The artifact has the question too, as it was understood. */
export function answeredTask(
  subject: Subject,
  question: ReadQuestion,
  output: unknown,
  { baseUrl }: TaskContext,
): object {
  const { skill, input } = question
  const data = answerValue(output)
  const sentence = SENTENCES[skill]?.(data as never, { baseUrl, day: String(input['as_of']), question: input }) ?? ''
  const sample = hasSample(data) && !/sample data/i.test(sentence) ? [SAMPLE] : []
  const words = [...readingOf(question), ...(sentence === '' ? [] : [sentence]), ...sample].join(' ')
  const artifact = artifactOf('answer', skill, data, metadataOf(question, data))
  return { ...withStatus(subject, 'TASK_STATE_COMPLETED', words), artifacts: [artifact] }
}

/**
 * The task of a question that was refused. A price that is not there is an answer too, with its proof: the task is completed,
 * and its artifact is the problem. A question without a meaning, and a text that is no question, are rejected and not repeated.
 */
export function refusedTask(
  subject: Subject,
  question: ReadQuestion | undefined,
  problem: Problem,
  context: TaskContext,
): object {
  const isAnswer = problem.entry.kind === 'not_found'
  const answered = isAnswer ? question : undefined
  const data = problemDocument(problem, { ...context, locationOf: () => 'body' })
  const notes = refusalNotes(problem.extra.members)
  const sample =
    hasSample(JSON.parse(jsonText(data))) && !notes.some((note) => /sample data/i.test(note)) ? [SAMPLE] : []
  const reading = answered ? readingOf(answered) : []
  const words = [...reading, withFullStop(problem.detail), ...notes, problem.hint, ...sample].join(' ')
  const artifact = artifactOf('problem', problem.code, data, answered && metadataOf(answered, undefined))
  return {
    ...withStatus(subject, isAnswer ? 'TASK_STATE_COMPLETED' : 'TASK_STATE_REJECTED', words),
    artifacts: [artifact],
  }
}

/** Says how a text was read. */
const readingOf = ({ input, not_understood }: ReadQuestion): string[] =>
  not_understood ? [readingNote({}, input) ?? []].flat() : []

function metadataOf({ input, not_understood }: ReadQuestion, answer: unknown): object | undefined {
  const question = answeredQuestion(input, answer)
  return question && { question, ...(not_understood && { not_understood }) }
}

const artifactOf = (artifactId: string, name: string, data: unknown, metadata: object | undefined): object => ({
  artifactId,
  name,
  parts: [{ data, mediaType: JSON_TYPE }],
  ...(metadata && { metadata }),
})

const SAMPLE = 'Sample data, invented for demonstration: not real.'

/** Whether any part of an answer says that it is sample data: a row in its manifest, a list in its releases, the figures on top. */
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
