import type { Operation } from '../../operation.ts'

/** The operations that are skills: those that only read. */
export const skillsOf = (operations: readonly Operation[]): Operation[] =>
  operations.filter(({ http }) => http.method === 'GET')
