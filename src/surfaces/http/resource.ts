import type { z } from 'zod'
import type { Access, Tag } from '../../operation.ts'

/** A page or file that is not an operation: same rules of access, method, quota and caching, bytes of its own. */
export interface Resource {
  name: string
  path: string
  summary: string
  /** What a reader of the OpenAPI document should know beyond the summary. */
  description?: string
  tag: Tag
  /** Public unless this says otherwise. */
  access?: Access
  cache: string
  /** Unknown query parameters are ignored on pages for people, refused elsewhere. */
  lenient?: boolean
  /** The first form is the default. */
  forms: readonly ResourceForm[]
  /** The parameters of the path, in its order. */
  parameters?: readonly PathParameter[]
  /** For probes: never refused for a quota, and no use of one. */
  unmetered?: boolean
  headers?: Record<string, string>
}

export interface PathParameter {
  name: string
  description: string
  /** The values it can take, where they can be listed. */
  values?: readonly string[]
  /** A regular expression that its values match. */
  pattern?: string
  /** It stands last and takes the rest of the path, slashes included, spelled as it was sent. */
  rest?: true
}

export interface ResourceForm {
  type: string
  schema?: z.ZodType
  /** Is given the values of the path's parameters, in their order. */
  render(...parameters: string[]): string | Uint8Array | Promise<string | Uint8Array>
}
