import { z } from 'zod'

const MAX_LIMIT = 200
/** Deeper pages cost more than they are worth; what lies past this is reached by a cursor. */
export const MAX_OFFSET = 100_000

/** The two query parameters of every list. Out of range is refused, never clamped. */
export const pageInput = {
  limit: z.int().min(1).max(MAX_LIMIT).default(50).meta({ description: 'How many entries to return' }),
  offset: z.int().min(0).max(MAX_OFFSET).default(0).meta({ description: 'How many entries to skip' }),
}

export const Page = z
  .strictObject({
    limit: z.int().min(1).max(MAX_LIMIT),
    offset: z.int().min(0).max(MAX_OFFSET),
    total: z.int().min(0).meta({ description: 'How many entries fit the query in all' }),
    has_more: z.boolean(),
    next_offset: z.int().nullable().meta({ description: 'Null on the last page that an offset can reach' }),
  })
  .meta({ description: 'Where this page stands in the list' })

export const Links = z
  .strictObject({
    self: z.string(),
    first: z.string(),
    prev: z.string().nullable(),
    next: z.string().nullable(),
    last: z.string().nullable(),
  })
  .meta({ description: 'Paths with query to the neighbouring pages; null where there is none' })

export interface PageQuery {
  path: string
  /** The other parameters of the query, kept in every link. */
  params: Readonly<Record<string, string | number | undefined>>
  limit: number
  offset: number
  total: number
}

export function pageOf({ path, params, limit, offset, total }: PageQuery): {
  page: z.infer<typeof Page>
  links: z.infer<typeof Links>
} {
  const at = (start: number): string => {
    const query = new URLSearchParams()
    for (const [name, value] of Object.entries(params)) if (value !== undefined) query.set(name, String(value))
    query.set('limit', String(limit))
    query.set('offset', String(start))
    return `${path}?${query}`
  }
  const within = (start: number): number | null => (start <= MAX_OFFSET ? start : null)
  const link = (start: number | null): string | null => (start === null ? null : at(start))

  const has_more = offset + limit < total
  const next_offset = has_more ? within(offset + limit) : null
  return {
    page: { limit, offset, total, has_more, next_offset },
    links: {
      self: at(offset),
      first: at(0),
      prev: offset > 0 ? at(Math.max(0, offset - limit)) : null,
      next: link(next_offset),
      last: total > 0 ? link(within(Math.floor((total - 1) / limit) * limit)) : null,
    },
  }
}
