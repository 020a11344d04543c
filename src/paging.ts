import { z } from 'zod'
import { jsonText } from './json-text.ts'
import { type Operation, operation, ReadyAnswer } from './operation.ts'

const MAX_LIMIT = 200
/** The largest offset, because larger ones are slow to read. A cursor reaches further entries. */
const MAX_OFFSET = 100_000

/** The two query parameters of every list. Values out of range are refused, never clamped. */
export const pageInput = {
  limit: z.int().min(1).max(MAX_LIMIT).default(50).meta({ description: 'How many entries to return' }),
  offset: z.int().min(0).max(MAX_OFFSET).default(0).meta({ description: 'How many entries to skip' }),
}

export const Page = z
  .strictObject({
    limit: z.int().min(1).max(MAX_LIMIT),
    offset: z.int().min(0).max(MAX_OFFSET),
    total: z.int().min(0).meta({ description: 'How many entries match the query in total' }),
    has_more: z.boolean(),
    next_offset: z.int().nullable().meta({ description: 'Null on the last page that an offset can reach' }),
  })
  .meta({ description: 'Position of this page in the list' })

/** The page of a list that can also be read with a cursor, beyond the largest offset. */
export const CursorPage = Page.extend({ next_after: z.string().nullable().meta({ description: 'Cursor for `after`' }) })

export const Links = z
  .strictObject({
    self: z.string(),
    first: z.string(),
    prev: z.string().nullable(),
    next: z.string().nullable(),
    last: z.string().nullable(),
  })
  .meta({ description: 'Paths with query of the neighbouring pages; null if there is none' })

type Query = { limit: number; offset: number; after?: string | undefined } & Readonly<
  Record<string, string | number | undefined>
>

interface PageQuery {
  path: string
  /** All parameters of the request; every link keeps them. */
  query: Query
  total: number
  /** The cursor of the next page, null on the last one; undefined if the list has no cursors. */
  next_after?: string | null | undefined
}

export function pageOf({ path, query, total, next_after }: PageQuery): {
  page: z.infer<typeof Page> & { next_after?: string | null }
  links: z.infer<typeof Links>
} {
  const { limit, offset, after, ...params } = query
  const to = (start: number): string => address(path, { ...params, limit, offset: start })
  const toCursor = (cursor: string): string => address(path, { ...query, offset: undefined, after: cursor })
  const within = (start: number): number | null => (start <= MAX_OFFSET ? start : null)
  const link = (start: number | null): string | null => (start === null ? null : to(start))

  const has_more = next_after === undefined ? offset + limit < total : next_after !== null
  const next_offset = has_more && after === undefined ? within(offset + limit) : null
  return {
    page: { limit, offset, total, has_more, next_offset, ...(next_after !== undefined && { next_after }) },
    links: {
      self: after === undefined ? to(offset) : toCursor(after),
      first: to(0),
      prev: offset > 0 ? to(Math.max(0, offset - limit)) : null,
      next: next_after && next_offset === null ? toCursor(next_after) : link(next_offset),
      last: total > 0 ? link(within(Math.floor((total - 1) / limit) * limit)) : null,
    },
  }
}

/** A path with its parameters, except those without a value. */
export function address(path: string, params: Readonly<Record<string, string | number | undefined>>): string {
  let query = ''
  for (const [name, value] of Object.entries(params))
    if (value !== undefined) query += `${query === '' ? '' : '&'}${name}=${encoded(String(value))}`
  return `${path}?${query}`
}

/** Encodes a value. Most values are plain words, which need no encoding. */
const encoded = (value: string): string =>
  /^[A-Za-z0-9*._-]*$/.test(value) ? value : new URLSearchParams({ '': value }).toString().slice(1)

/** The result of a paged operation: its answer without `page` and `links`, and the total number of entries. */
export type ListAnswer<Output extends z.ZodType> = Omit<z.input<Output>, 'page' | 'links'> &
  Pick<PageQuery, 'total' | 'next_after'>

type PagedOperation<I extends z.ZodObject, O extends z.ZodType> = Omit<Operation<I, O>, 'run'> & {
  /** Sends the answer without an output check, because its parts were checked before. */
  isReady?: true
  run(...args: Parameters<Operation<I, O>['run']>): Promise<ListAnswer<O>>
}

/** Makes an operation that returns a list. `page` and `links` are added here, from its path and its input. */
export const pagedOperation = <I extends z.ZodObject, O extends z.ZodType>(spec: PagedOperation<I, O>): Operation =>
  operation<I, z.ZodType>({
    ...spec,
    async run(input, caller) {
      const { total, next_after, ...found } = await spec.run(input, caller)
      const position = pageOf({ path: spec.http.path, query: input as Query, total, next_after })
      const answer = { ...found, ...position }
      return spec.isReady ? new ReadyAnswer(jsonText(answer), position.links) : answer
    },
  })
