import { z } from 'zod'
import { type Call, type Gate, type Operation, perform, refusalOf, type Visit } from '../../operation.ts'
import { type Kind, Problem } from '../../problem.ts'
import { isObject, type Members } from '../../proof/shape.ts'
import { STATUS } from '../../status.ts'
import type { Mount } from '../http/mount.ts'
import { readJson } from '../http/request.ts'
import { problemDocument, quotaHeaders, refusalHeaders } from '../http/response.ts'
import { readBill } from '../words/checked-bill.ts'
import { readInput } from '../words/input.ts'
import { readQuestion, skillFor, textProblem, wordsShown } from './question.ts'
import { envelope, RpcError, type RpcErrorName, type RpcId, readRequest } from './rpc.ts'
import {
  answeredTask,
  MOST_ID_LENGTH,
  type ReadQuestion,
  refusedTask,
  type Subject,
  subjectOf,
  taskId,
} from './task.ts'
import { readText } from './text.ts'

const MOST_BYTES = 64 * 1024

export interface A2aParts {
  /** The operations that are skills. */
  skills: () => readonly Operation[]
  gate: Gate
  baseUrl: () => string
  /** Epoch milliseconds. */
  now: () => number
  dayOf: (ms: number) => string
  randomId: () => string
}

interface Reply {
  result: unknown
  visit?: Visit
}

/** Answers a message: see `a2aEndpoint`. */
export async function answerMessage(
  parts: A2aParts,
  request: Request,
  { call, requestId }: Parameters<Mount['handle']>[1],
): Promise<Response> {
  let id: RpcId = null
  try {
    const body = await readBodyOf(request)
    const rpc = readRequest(body)
    id = rpc.id
    if (!isVersion(request)) throw new RpcError('version_not_supported')
    const method = METHODS[rpc.method]
    if (method === undefined) throw new RpcError('method_not_found')
    const { result, visit } = await method({ ...parts, call, requestId }, rpc.params)
    const counted = visit ?? (await count(parts, call))
    if (counted.refusal) throw new Refused(counted.refusal, counted)
    return answer(envelope(id, { result }), 200, counted)
  } catch (error) {
    if (!(error instanceof RpcError || error instanceof Refused)) throw error
    const visit = (error instanceof Refused ? error.visit : undefined) ?? (await count(parts, call))
    if (visit.refusal) return refused(parts, id, visit.refusal, visit, requestId)
    if (error instanceof Refused) return refused(parts, id, error.problem, visit, requestId)
    return answer(envelope(id, { error }), error.kind === 'version_not_supported' ? 400 : 200, visit)
  }
}

/** A refusal that is no task: the caller may not ask this, or not now. It has the status that every surface gives it. */
class Refused extends Error {
  constructor(
    readonly problem: Problem,
    readonly visit?: Visit,
  ) {
    super(problem.code)
  }
}

/** Counts a message that runs no operation as one request of the default quota. */
const count = async ({ gate }: A2aParts, call: Call): Promise<Visit> => gate.enter(call, 'public', 'default')

const NOT_IN_TASKS: readonly Kind[] = ['unauthenticated', 'forbidden', 'limited', 'unavailable', 'fault']

function refused({ baseUrl }: A2aParts, id: RpcId, problem: Problem, visit: Visit, requestId: string): Response {
  const details = [problemDocument(problem, { baseUrl: baseUrl(), requestId, locationOf: () => 'body' })]
  const error = new RpcError('refused', problem.detail, problem.code, details)
  const headers = refusalHeaders(problem, baseUrl())
  return answer(envelope(id, { error }), STATUS[problem.entry.kind], visit, headers)
}

const answer = (body: string, status: number, visit: Visit, headers: Record<string, string> = {}): Response =>
  new Response(body, {
    status,
    headers: {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      ...quotaHeaders(visit.quota),
      ...headers,
    },
  })

async function readBodyOf(request: Request): Promise<unknown> {
  try {
    return await readJson(request, MOST_BYTES)
  } catch (error) {
    const problem = refusalOf(error)
    if (problem?.code === 'invalid_json') throw new RpcError('parse_error')
    if (problem) throw new Refused(problem)
    throw error
  }
}

/** A request without a version is one of 0.3, which had other methods and shapes. A patch number means nothing. */
const isVersion = (request: Request): boolean => /^1\.0(\.[0-9]+)?$/.test(request.headers.get('a2a-version') ?? '')

interface Method extends A2aParts {
  call: Call
  requestId: string
}

const unsupported = (name: RpcErrorName) => async (): Promise<Reply> => {
  throw new RpcError(name)
}

/** Every method of A2A 1.0. Those that the card does not offer are refused by the names that the specification has for it. */
const METHODS: Readonly<Record<string, (parts: Method, params: unknown) => Promise<Reply>>> = Object.assign(
  Object.create(null),
  {
    SendMessage: sendMessage,
    GetTask: getTask,
    CancelTask: cancelTask,
    // Tasks are not kept, so there are none to list.
    ListTasks: async (): Promise<Reply> => ({ result: { tasks: [], nextPageToken: '', pageSize: 0, totalSize: 0 } }),
    SendStreamingMessage: unsupported('unsupported_operation'),
    SubscribeToTask: unsupported('unsupported_operation'),
    CreateTaskPushNotificationConfig: unsupported('push_notification_not_supported'),
    GetTaskPushNotificationConfig: unsupported('push_notification_not_supported'),
    ListTaskPushNotificationConfigs: unsupported('push_notification_not_supported'),
    DeleteTaskPushNotificationConfig: unsupported('push_notification_not_supported'),
    GetExtendedAgentCard: unsupported('extended_agent_card_not_configured'),
  },
)

const SendMessage = z.object({
  message: z.object({
    messageId: z.string().min(1),
    role: z.literal('ROLE_USER'),
    parts: z.array(z.unknown()).min(1),
    contextId: z
      .string()
      .regex(/^[A-Za-z0-9._:-]{0,128}$/)
      .optional(),
    taskId: z.string().optional(),
  }),
  configuration: z
    .object({
      acceptedOutputModes: z.array(z.string()).optional(),
      taskPushNotificationConfig: z.unknown().optional(),
    })
    .optional(),
})
const TaskReference = z.object({ id: z.string().min(1) })

function parsed<Schema extends z.ZodType>(schema: Schema, params: unknown): z.output<Schema> {
  const read = schema.safeParse(params)
  if (read.success) return read.data
  throw new RpcError('invalid_params')
}

const ACCEPTED = ['application/json', 'application/*', '*/*']

async function sendMessage(parts: Method, params: unknown): Promise<Reply> {
  const { message, configuration = {} } = parsed(SendMessage, params)
  if (configuration.taskPushNotificationConfig) throw new RpcError('push_notification_not_supported')
  const modes = configuration.acceptedOutputModes ?? []
  if (modes.length > 0 && !modes.some((mode) => ACCEPTED.includes(mode)))
    throw new RpcError('content_type_not_supported')
  if (message.taskId) {
    subjectOrThrow(message.taskId)
    throw new RpcError('unsupported_operation', 'the task is completed: ask the next question without a taskId')
  }
  const question = readQuestion(message.parts)
  const subject = { question, contextId: message.contextId || parts.randomId(), at: parts.now() }
  return taskOf(parts, subject, 'task')
}

function subjectOrThrow(id: string): Subject {
  const subject = subjectOf(id)
  if (!subject) throw new RpcError('task_not_found')
  return subject
}

async function getTask(parts: Method, params: unknown): Promise<Reply> {
  const subject = subjectOrThrow(parsed(TaskReference, params).id)
  const { question } = subject
  if ('skill' in question && !operationOf(parts, question.skill)) throw new RpcError('task_not_found')
  return taskOf(parts, subject)
}

async function cancelTask(_: Method, params: unknown): Promise<Reply> {
  subjectOrThrow(parsed(TaskReference, params).id)
  throw new RpcError('task_not_cancelable')
}

const operationOf = ({ skills }: A2aParts, skill: string): Operation | undefined =>
  skills().find(({ name }) => name === skill)

/** Asks the question of a task, and puts the task under the given name. */
async function taskOf(parts: Method, subject: Subject, name?: 'task'): Promise<Reply> {
  const named = (task: object): unknown => (name ? { [name]: task } : task)
  const context = { baseUrl: parts.baseUrl(), requestId: parts.requestId }
  const asked = questionOf(subject, parts.dayOf)
  if (asked instanceof Problem) return { result: named(refusedTask(checked(subject), undefined, asked, context)) }
  const op = operationOf(parts, asked.skill)
  if (!op) {
    const names = parts.skills().map(({ name }) => name)
    throw new RpcError('invalid_params', `there is no such skill; the skills are ${names.join(', ')}`)
  }
  const day = parts.dayOf(subject.at)
  const isBill = op.name === 'check_bill'
  const input = isBill ? readBill(asked.input, day) : readInput(asked.input, Object.keys(op.input.shape), day)
  const question = { ...asked, input: onItsDay(op, input, day) }
  const { skill } = question
  const dated = checked(
    'text' in subject.question ? subject : { ...subject, question: { skill, input: question.input } },
  )
  const outcome = await perform(op, parts.call, parts.gate, async () => input)
  const { visit } = outcome
  if (outcome.ok) return { result: named(answeredTask(dated, question, outcome.output, context)), visit }
  if (NOT_IN_TASKS.includes(outcome.problem.entry.kind)) throw new Refused(outcome.problem, visit)
  return { result: named(refusedTask(dated, question, outcome.problem, context)), visit }
}

/** The question of a task; for a text that is none, why. */
function questionOf({ question, at }: Subject, dayOf: (ms: number) => string): ReadQuestion | Problem {
  if ('skill' in question) return question
  const reading = readText(question.text, dayOf(at))
  const { result } = reading
  if ('refusal' in result) return textProblem(result.refusal, reading)
  return { skill: skillFor(result.input), input: result.input, not_understood: wordsShown(reading) }
}

/** The subject, if its id is not too long. */
function checked(subject: Subject): Subject {
  if (taskId(subject).length <= MOST_ID_LENGTH) return subject
  throw new RpcError(
    'invalid_params',
    'the question is too long for a task: send fewer lines, or POST /reference/batch',
  )
}

/** A question without a day is about the day on which it is asked. Asked again later, it is still about that day. */
function onItsDay(op: Operation, input: Members, as_of: string): Members {
  const dated = (asked: unknown): unknown => (isObject(asked) && !asked['as_of'] ? { ...asked, as_of } : asked)
  if ('as_of' in op.input.shape) return dated(input) as Members
  const { lines } = input
  return 'lines' in op.input.shape && Array.isArray(lines) ? { ...input, lines: lines.map(dated) } : input
}
