import type { z } from 'zod'
import type { Access, Bucket, Stamp, Tag } from '../../operation.ts'

/** A GET route that is not an operation, such as a page or a tile. It has the same rules of access, quota and caching. */
export interface Resource {
  name: string
  path: string
  summary: string
  /** More than the summary, for readers of the OpenAPI document. */
  description?: string
  tag: Tag
  /** Public unless this says otherwise. */
  access?: Access
  cache: string
  /** Which quota it counts against; the default one if left out. */
  limit?: Bucket
  /** How many requests it counts as; one if left out. */
  cost?: number
  /** Takes long to render: it waits for its turn, and light work goes first. */
  heavy?: true
  /** Equal stamps and paths give equal bytes: see `Operation`. */
  stamp?: Stamp
  /** Its bytes are worth compressing, though their type does not say so. Text always is. */
  compressed?: true
  /** It does not change while a process lives and is loaded often, so its compressed form is made as small as it gets. */
  isMadeOnce?: true
  /** Unknown query parameters are ignored on pages for people, refused elsewhere. */
  lenient?: boolean
  /** The parameters of its query. Their values follow those of the path, empty where one is left out. */
  query?: readonly string[]
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
  /** Gets the values of the path parameters and of the query, in order. */
  render(...parameters: string[]): Rendered | RenderedFile | Promise<Rendered | RenderedFile>
}

export type Rendered = string | Uint8Array | RenderedPage

/** A file that is too large to be held in memory: it is sent piece by piece, as the caller takes it. */
export interface RenderedFile {
  /** Names its content. */
  etag: string
  /** For a caller, until it has hung up. Refused where too many are being sent. */
  open(who: string, hungUp: AbortSignal): Promise<ReadableStream<Uint8Array<ArrayBuffer>>>
}

export const isFile = (rendered: Rendered | RenderedFile): rendered is RenderedFile =>
  typeof rendered === 'object' && 'open' in rendered

/** A page that answers with another status than 200: it says that there is nothing, or where to go. */
export interface RenderedPage {
  body: string
  status: number
  headers?: Record<string, string>
}

export function wholePage(rendered: Rendered): Omit<RenderedPage, 'body'> & { bytes: Uint8Array<ArrayBuffer> } {
  if (typeof rendered === 'string') return { bytes: Buffer.from(rendered), status: 200 }
  if (rendered instanceof Uint8Array) return { bytes: Buffer.from(rendered), status: 200 }
  const { body, ...page } = rendered
  return { ...page, bytes: Buffer.from(body) }
}

/** The JSON form of a resource. It is checked against its schema before it is sent. */
export const jsonForm = <S extends z.ZodType>(
  schema: S,
  make: (parameter: string) => z.input<S> | Promise<z.input<S>>,
): ResourceForm => ({
  type: 'application/json',
  schema,
  render: async (parameter) => JSON.stringify(schema.parse(await make(parameter))),
})
