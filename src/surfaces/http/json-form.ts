import type { z } from 'zod'
import type { ResourceForm } from './resource.ts'

/** The JSON form of a resource. It is checked against its schema before it is sent. */
export const jsonForm = <S extends z.ZodType>(
  schema: S,
  make: (parameter: string) => z.input<S> | Promise<z.input<S>>,
): ResourceForm => ({
  type: 'application/json',
  schema,
  render: async (parameter) => JSON.stringify(schema.parse(await make(parameter))),
})
