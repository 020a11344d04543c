import type { Operation } from '../../operation.ts'
import type { Mount } from '../http/mount.ts'
import type { A2aParts } from './answer.ts'

export const A2A_PATH = '/a2a'

/** The operations that are skills: those that only read. What is open to all only reads. */
export const skillsOf = (operations: readonly Operation[]): Operation[] =>
  operations.filter(({ http, access }) => http.method === 'GET' || access === 'public')

/** A2A 1.0 over JSON-RPC: small and deterministic. A message is a question, and its task is completed at once. */
export const a2aEndpoint = (parts: A2aParts): Mount => ({
  name: 'answer_message',
  path: A2A_PATH,
  handle: async (request, caller) => (await import('./answer.ts')).answerMessage(parts, request, caller),
})
