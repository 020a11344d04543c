import { z } from 'zod'
import type { Kind } from './problem.ts'

/** The HTTP status of each kind of refusal, also used in answers that have refusals of single lines. */
export const STATUS: Readonly<Record<Kind, number>> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  method: 405,
  not_implemented: 501,
  not_acceptable: 406,
  precondition: 412,
  conflict: 422,
  too_large: 413,
  uri_too_long: 414,
  media_type: 415,
  headers_too_large: 431,
  limited: 429,
  fault: 500,
  unavailable: 503,
}

const FOUND = 200

/** The shape of the answer to one line of several: the status, and the members that a single answer would have. */
export const lineAnswer = <Found extends z.ZodRawShape, Refused extends z.ZodRawShape>(
  found: Found,
  refused: Refused,
  kinds: readonly Kind[],
) =>
  z.union([
    z.strictObject({ status: z.literal(FOUND), ...found }),
    z.strictObject({ status: z.literal(kinds.map((kind) => STATUS[kind])), ...refused }),
  ])

export const foundLine = <Found extends object>(found: Found) => ({ status: FOUND, ...found }) as const

export const refusedLine = <Refused extends object>(kind: Kind, refused: Refused) => ({
  status: STATUS[kind],
  ...refused,
})
