import { z } from 'zod'
import { type Entry, type Kind, PROBLEMS, type ProblemCode } from '../../problem.ts'
import { STATUS } from '../../status.ts'

export const CODES = Object.keys(PROBLEMS) as ProblemCode[]

const MEANING: Record<Kind, string> = {
  invalid: 'Something in the request is wrong. If you send it again unchanged, it will be refused again.',
  unauthenticated: 'The request lacks the credential that this route needs, or the credential is not valid.',
  forbidden: 'The credential is valid but does not allow this.',
  not_found: 'There is nothing to return for this request. This is an answer, not a failure.',
  method: 'The path exists but does not accept this method.',
  not_implemented: 'No path of this service accepts this method.',
  precondition: 'What is stored is not what the request was made for. This is an answer, not a failure.',
  not_acceptable: 'The Accept header excludes every format in which the answer exists.',
  conflict: 'The request conflicts with what is stored.',
  too_large: 'The body was not read because it is larger than this route accepts.',
  uri_too_long: 'The address was not read because it is longer than this service accepts.',
  media_type: 'The body was not read because this route accepts JSON only.',
  headers_too_large: 'All headers together are larger than the service accepts.',
  limited: 'The caller has sent more requests than its quota allows.',
  fault: 'The service failed. The request may have been correct.',
  unavailable: 'The service is starting, stopping or cannot reach its store.',
}

export const ProblemType = z
  .strictObject({
    code: z.enum(CODES),
    title: z.string(),
    status: z.int().min(400).max(599),
    meaning: z.string(),
    agent_hint: z.string().meta({ description: 'What to do next' }),
  })
  .meta({ id: 'ProblemType', description: 'What one problem code means' })
export type ProblemType = z.infer<typeof ProblemType>

export function problemType(parameter: string): ProblemType {
  const code = ProblemType.shape.code.parse(parameter)
  const { kind, title, hint, meaning = MEANING[kind] }: Entry = PROBLEMS[code]
  return { code, title, status: STATUS[kind], meaning, agent_hint: hint }
}
