import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { Links, Page, pageOf } from './paging.ts'

const asked = (limit: number, offset: number, total: number) =>
  pageOf({ path: '/api/things', query: { kind: 'a b', since: undefined, limit, offset }, total })

test('a page in the middle links to both its neighbours and keeps the other parameters', () => {
  expect(asked(10, 10, 35)).toEqual({
    page: { limit: 10, offset: 10, total: 35, has_more: true, next_offset: 20 },
    links: {
      self: '/api/things?kind=a+b&limit=10&offset=10',
      first: '/api/things?kind=a+b&limit=10&offset=0',
      prev: '/api/things?kind=a+b&limit=10&offset=0',
      next: '/api/things?kind=a+b&limit=10&offset=20',
      last: '/api/things?kind=a+b&limit=10&offset=30',
    },
  })
})

test('an empty list has no neighbours', () => {
  const { page, links } = asked(10, 0, 0)
  expect(page).toEqual({ limit: 10, offset: 0, total: 0, has_more: false, next_offset: null })
  expect([links.prev, links.next, links.last]).toEqual([null, null, null])
})

test('following next visits every entry that an offset can reach, once', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 0, max: 3000 }), (limit, total) => {
      let seen = 0
      for (let offset: number | null = 0; offset !== null; ) {
        const { page, links } = asked(limit, offset, total)
        Page.parse(page)
        Links.parse(links)
        seen += Math.min(limit, total - offset)
        offset = page.next_offset
      }
      expect(seen).toBe(total)
    }),
  )
})

test('no link leads to an offset that would be refused', () => {
  const { page, links } = asked(200, 99_900, 1_000_000)
  expect(page).toMatchObject({ has_more: true, next_offset: null })
  expect([links.next, links.last]).toEqual([null, null])
})

test('a cursor goes on where offsets end, and its links keep the other parameters', () => {
  const path = '/api/things'
  const far = pageOf({ path, query: { kind: 'a', limit: 1, offset: 100_000 }, total: 1_000_000, next_after: 'c1' })
  expect(far.page).toMatchObject({ has_more: true, next_offset: null, next_after: 'c1' })
  expect(far.links.next).toBe('/api/things?kind=a&limit=1&after=c1')
  const query = { kind: 'a', limit: 1, offset: 0, after: 'c1' }
  const next = pageOf({ path, query, total: 1_000_000, next_after: 'c2' })
  expect([next.links.self, next.links.next]).toEqual([far.links.next, '/api/things?kind=a&limit=1&after=c2'])
  const last = pageOf({ path, query, total: 1_000_000, next_after: null })
  expect([last.page.has_more, last.links.next]).toEqual([false, null])
})
