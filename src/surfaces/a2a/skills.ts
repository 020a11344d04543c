import type { Operation } from '../../operation.ts'

/** The operations that are skills: those that only read. What is open to all only reads. */
export const skillsOf = (operations: readonly Operation[]): Operation[] =>
  operations.filter(({ http, access }) => http.method === 'GET' || access === 'public')
