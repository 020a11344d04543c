import type { z } from 'zod'
import type { Access, Bucket, Stamp, Tag } from '../../operation.ts'

/** A GET route that is not an operation, such as a page or a tile. It has the same rules of access, quota and caching. */
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
  /** Which quota it counts against; the default one if left out. */
  limit?: Bucket
  /** Takes long to render: it waits for its turn, and light work goes first. */
  heavy?: true
  /** As of an operation: the same stamp and the same path give the same bytes. */
  stamp?: Stamp
  /** Its bytes are worth compressing, though their type does not say so. Text always is. */
  compressed?: true
  /** Unknown query parameters are ignored on pages for people, refused elsewhere. */
  lenient?: boolean
  /** The first form is the default. */
  forms: readonly ResourceForm[]
  /** The parameters of the path, in its order. */
  parameters?: readonly PathParameter[]
  /** A file or page beside the API, which the OpenAPI document leaves out. */
  isBesideApi?: true
  headers?: Record<string, string>
}

export interface PathParameter {
  name: string
  description: string
  /** The values it can take, where they can be listed. */
  values?: readonly string[]
  /** A regular expression that its values match. */
  pattern?: string
  /** It is the last one and takes the rest of the path as it was sent, slashes included. */
  rest?: true
}

export interface ResourceForm {
  type: string
  schema?: z.ZodType
  /** Gets the values of the path parameters, in order. */
  render(...parameters: string[]): string | Uint8Array | Promise<string | Uint8Array>
}
