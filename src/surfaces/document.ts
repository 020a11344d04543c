import type { z } from 'zod'
import type { Tag } from '../operation.ts'

/** A public page or file that is not an operation: same rules of method, quota and caching, bytes of its own. */
export interface Document {
  name: string
  path: string
  summary: string
  tag: Tag
  cache: string
  /** Unknown query parameters are ignored on pages for people, refused elsewhere. */
  lenient?: boolean
  /** The first form is the default. */
  forms: readonly DocumentForm[]
  /** The values a path parameter can take, where the path has one. */
  parameter?: { name: string; values: readonly string[]; description: string }
  headers?: Record<string, string>
}

export interface DocumentForm {
  type: string
  schema?: z.ZodType
  render(parameter: string): string | Promise<string>
}
