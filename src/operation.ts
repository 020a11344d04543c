import { z } from 'zod'
import { DamageFault, StoreBusy } from './db/db.ts'
import { type FieldError, Problem, type ProblemCode } from './problem.ts'
import type { Queue } from './queue.ts'

/** The permissions that a credential can have. */
export const SCOPES = {
  'figures:read': 'Aggregate dispute metrics (w, r, p, savings)',
  'registry:read': 'Cited CPT reference prices with proof blocks',
  'provider:read': 'Redacted provider negotiation stats, no personal information',
  'integrity:read': 'Reference chart staleness and citation health',
  'audit:read': 'Figure change audit log',
} as const
export type Scope = keyof typeof SCOPES
export const SCOPE_NAMES = Object.keys(SCOPES) as Scope[]

export type Bucket = 'default' | 'reference' | 'log' | 'probe'
export type Tag = 'discovery' | 'metrics' | 'agent-tools' | 'agent-rails'
/** Open to all, open to the holder of an agent key, or open to a rails token with this scope. */
export type Access = 'public' | 'agent_key' | Scope

export interface Agent {
  key_id: string
  scopes: readonly Scope[]
  /** The signed assertion that identified the agent. It can be used once, and is stored until it expires. */
  assertion?: { id: string; expires_at: number } | undefined
}

export interface Quota {
  bucket: string
  limit: number
  windowSeconds: number
  remaining: number
  /** Seconds until more is available. */
  resetSeconds: number
}

export interface CallerProof {
  /** The key that it says it is of. Not proved yet. */
  keyId: string | undefined
  agent(): Promise<Agent | undefined>
}

/** The caller, as far as a surface can tell. Header texts are hostile. */
export interface Call {
  address: string
  agentKey?: string | undefined
  railsToken?: string | undefined
  bearer?: string | undefined
  /** Identifies the caller of an operation for agent keys by what the request proves, in place of a key. */
  proof?: CallerProof | undefined
  /** Set if the request says that it is signed. Nothing of it is checked yet. */
  signed?: SignedCall | undefined
  /** Aborted when the caller hangs up. */
  signal?: AbortSignal
}

/** Headers and body of a signed request, which its signature may cover. Hostile. */
export interface SignedCall {
  header(name: string): string | undefined
  body(): Promise<Uint8Array>
}

export interface Visit {
  quota?: Quota | undefined
  agent?: Agent | undefined
  /** Whom the call is counted for: a key or an address. */
  who?: string
  /** Set when the call is refused: over the quota, or a credential is missing, invalid or lacks the scope. */
  refusal?: Problem | undefined
}

/** Decides whether a call may go on. The rails implement it, and every surface uses it. */
export interface Gate {
  /** Counts the call as one request, or as `cost` requests, all or none. `cost` is not called for a refused caller. */
  enter(
    call: Call,
    access: Access,
    bucket: Bucket,
    cost?: (() => number | Promise<number>) | undefined,
  ): Visit | Promise<Visit>
  /** The queue in which heavy work of all surfaces waits for its turn. */
  queue: Queue
}

export interface Operation<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodType = z.ZodType> {
  name: string
  summary: string
  description: string
  tag: Tag
  http: { method: 'GET' | 'POST'; path: string }
  access: Access
  limit: Bucket
  /** How many requests it counts as; one if left out. */
  cost?: (input: z.output<Input>) => number | Promise<number>
  /** Whether it takes long to answer: then it waits for its turn, and light work goes first. */
  heavy?: true | ((input: z.output<Input>) => boolean | Promise<boolean>)
  /** The Cache-Control header of a successful answer over HTTP. */
  cache: string
  /**
   * Names everything that its answers depend on besides the input: the same stamp and the same input give the same
   * bytes for all callers, so they are made once. Cheap, because each request needs it. Undefined while it is not known.
   */
  stamp?: Stamp
  /** The largest body it accepts, if more than the usual 16 KiB. */
  bodyBytes?: number
  input: Input
  output: Output
  /** The refusals of this operation, in addition to those that every operation can give. */
  problems: readonly ProblemCode[]
  run(
    input: z.output<Input>,
    caller: { agent?: Agent | undefined; signed?: SignedCall | undefined },
  ): Promise<z.input<Output> | ReadyAnswer> | ReadyAnswer
}

export type Stamp = () => string | undefined

/** An answer as finished JSON text, made of parts that were checked before. Tests check it against the output schema. */
export class ReadyAnswer {
  #value: unknown

  constructor(
    readonly text: string,
    /** The neighbouring pages of a list. */
    readonly links?: Record<string, string | null>,
  ) {}

  /** For a surface that does not send the text as it is. */
  get value(): unknown {
    this.#value ??= JSON.parse(this.text)
    return this.#value
  }

  /** Lets it be a member of another answer. */
  toJSON(): unknown {
    return this.value
  }
}

/** The answer as a value, for a surface that does not send the text as it is. */
export const answerValue = (output: unknown): unknown => (output instanceof ReadyAnswer ? output.value : output)

/** The answer as JSON text. */
export const answerText = (output: unknown): string =>
  output instanceof ReadyAnswer ? output.text : JSON.stringify(output)

/** An answer that we made ourselves of what we hashed: it need not be checked again on its way out. */
export const ready = (answer: unknown): ReadyAnswer => new ReadyAnswer(JSON.stringify(answer))

/** Checks an operation's types, then drops them so that all operations fit in one list. */
export const operation = <I extends z.ZodObject, O extends z.ZodType>(spec: Operation<I, O>): Operation =>
  spec as unknown as Operation

/** Schemas whose bad values have a problem code of their own, however they are wrapped: `schema.register(refusedAs, …)`. */
export const refusedAs = z.registry<{
  problem: ProblemCode
  /** A sentence of ours about a bad value, which repeats nothing of it; undefined for the usual one. */
  says?: (value: unknown) => string | undefined
}>()

export type Outcome = {
  visit: Visit
  /** How many requests it counted as. */
  cost: number
} & ({ ok: true; output: unknown } | { ok: false; problem: Problem })

/**
 * The one way to run an operation: admission and quota, then input, then the work, in its turn if it is heavy, then a check that
 * the answer has the documented shape, unless it is ready to be sent. `read` is called only for a caller who was admitted.
 */
export async function perform(
  op: Operation,
  call: Call,
  gate: Gate,
  read: () => Record<string, unknown> | Promise<Record<string, unknown>>,
): Promise<Outcome> {
  let input: Promise<Record<string, unknown>> | undefined
  const readOnce = (): Promise<Record<string, unknown>> => {
    input ??= parseInput(op, read)
    return input
  }
  let cost = 1
  const countCost = async (): Promise<number> => {
    try {
      cost = (await op.cost?.(await readOnce())) ?? 1
    } catch (error) {
      if (!refusalOf(error)) throw error // input that is invalid counts as one request, and is refused below
    }
    return cost
  }
  const visit = await gate.enter(call, op.access, op.limit, op.cost && countCost)
  if (visit.refusal) return { visit, cost, ok: false, problem: visit.refusal }
  try {
    const parsed = await readOnce()
    const work = (): Promise<unknown> => checkedOutput(op, parsed, { agent: visit.agent, signed: call.signed })
    const isHeavy = typeof op.heavy === 'function' ? await op.heavy(parsed) : op.heavy === true
    const inQueue = (): Promise<unknown> => gate.queue.run(visit.who ?? call.address, work, call.signal)
    const output = await (isHeavy ? sharedWork(op, parsed, inQueue) : work())
    return { visit, cost, ok: true, output }
  } catch (error) {
    const problem = refusalOf(error)
    if (problem) return { visit, cost, ok: false, problem }
    throw error
  }
}

async function parseInput(op: Operation, read: Parameters<typeof perform>[3]): Promise<Record<string, unknown>> {
  const sent = await read()
  return parseFields(op.input, op.http.method === 'GET' ? withoutEmpty(sent) : sent)
}

async function checkedOutput(
  op: Operation,
  input: Record<string, unknown>,
  caller: Parameters<Operation['run']>[1],
): Promise<unknown> {
  const output = await op.run(input, caller)
  return output instanceof ReadyAnswer ? output : op.output.parse(output)
}

const underWay = new WeakMap<Operation, Map<string, Promise<unknown>>>()

/** Heavy work that others have asked for at the same time is done once, where its answer is the same for all. */
async function sharedWork(op: Operation, input: unknown, work: () => Promise<unknown>): Promise<unknown> {
  const stamp = op.stamp?.()
  if (stamp === undefined) return work()
  const known = underWay.get(op) ?? new Map<string, Promise<unknown>>()
  underWay.set(op, known)
  return madeOnce(known, `${stamp} ${JSON.stringify(input)}`, work)
}

/** Makes something, or waits for it if somebody else has it made already. */
export async function madeOnce<Result>(
  known: Map<string, Promise<Result>>,
  what: string,
  make: () => Promise<Result>,
): Promise<Result> {
  const others = known.get(what)
  if (others) {
    const shared = await others.then(
      (made) => ({ made }),
      (error: unknown) => ({ error }),
    )
    // The caller who began it may have hung up, or have had no place in the queue: that is no answer to anyone else.
    if ('made' in shared) return shared.made
    return refusalOf(shared.error)?.code === 'unavailable' ? make() : Promise.reject(shared.error)
  }
  const mine = make().finally(() => known.delete(what))
  known.set(what, mine)
  return mine
}

/**
 * The refusal to send for an error; undefined for a fault. A busy store is not a fault: the caller can try again. What is
 * damaged is a fault of ours that the caller is told of, because trying again does not help.
 */
export function refusalOf(error: unknown): Problem | undefined {
  if (error instanceof Problem) return error
  if (error instanceof DamageFault) return new Problem('failed_verification', undefined, { cause: error })
  if (!(error instanceof StoreBusy)) return undefined
  const { message, retryAfterSeconds } = error
  return new Problem('unavailable', message, { retryAfterSeconds, cause: error })
}

/** In a question, an empty parameter is as if it were not there. */
export const withoutEmpty = (raw: Record<string, unknown>): Record<string, unknown> =>
  Object.values(raw).includes('') ? Object.fromEntries(Object.entries(raw).filter(([, value]) => value !== '')) : raw

/** An agent pays for every word. Who sends more that is wrong is told of the rest when these are put right. */
const MOST_ERRORS = 4

/** Parses what was sent; each bad member becomes an entry of the refusal's `errors`, up to a limit, without its value. */
export function parseFields<Input extends z.ZodObject>(input: Input, raw: Record<string, unknown>): z.output<Input> {
  const parsed = input.safeParse(raw)
  if (parsed.success) return parsed.data
  const found = parsed.error.issues.map((issue) => fieldError(input, issue, raw))
  const errors = [...new Map(found.map((error) => [JSON.stringify(error), error])).values()]
  const unknown = errors.find(({ code }) => code === 'unknown_parameter')
  const first = unknown ?? errors[0] // a value under another name is no missing one
  throw new Problem(first?.code ?? 'invalid_request', first?.message, {
    errors: errors.slice(0, MOST_ERRORS),
    ...(unknown ? allowedParameters(Object.keys(input.shape)) : {}),
  })
}

/** The names that a route knows, as a member of the refusal of another. */
export const allowedParameters = (known: readonly string[]) => ({ members: { allowed_parameters: [...known] } })
export const unknownParameter = (known: readonly string[]): string =>
  `a parameter is not known here; known are ${known.join(', ') || 'none'}`

function fieldError(input: z.ZodObject, issue: z.core.$ZodIssue, raw: Record<string, unknown>): FieldError {
  const name = String(issue.path[0] ?? '')
  const field = input.shape[name]
  if (!field)
    return issue.code === 'unrecognized_keys'
      ? { code: 'unknown_parameter', message: unknownParameter(Object.keys(input.shape)) }
      : { code: 'invalid_request', message: 'the parameters do not go together' }
  if (raw[name] === undefined) return { name, code: 'missing_parameter', message: `the parameter ${name} is required` }
  const { problem: code = 'invalid_parameter', says } = refusedAs.get(innermost(field)) ?? {}
  return { name, code, message: says?.(raw[name]) ?? `the parameter ${name} takes ${allowed(field)}` }
}

/** Says in words what a parameter takes: its documented form, never what was sent. */
function allowed(field: z.core.$ZodType): string {
  const inner = innermost(field)
  if (inner instanceof z.ZodEnum) return `one of ${inner.options.join(', ')}`
  if (inner instanceof z.ZodISODate) return 'a day that there is, as YYYY-MM-DD'
  if (inner instanceof z.ZodNumber) return `a whole number from ${inner.minValue} to ${inner.maxValue}`
  return descriptionOf(field) ?? 'another form: see /api/openapi.json'
}

function descriptionOf(field: z.core.$ZodType): string | undefined {
  const { description } = z.globalRegistry.get(field) ?? {}
  if (description !== undefined) return description
  return field instanceof z.ZodOptional || field instanceof z.ZodDefault ? descriptionOf(field.unwrap()) : undefined
}

const innermost = (field: z.core.$ZodType): z.core.$ZodType =>
  field instanceof z.ZodOptional || field instanceof z.ZodDefault ? innermost(field.unwrap()) : field
