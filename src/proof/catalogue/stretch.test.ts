import { expect, test } from 'bun:test'
import { isPageOf } from '../list/checked-list.ts'
import { isNextPage } from './stretch.ts'

const first = { checkpoint: 'c', page: { has_more: true, from: 0, to: 2 } }
const second = { checkpoint: 'c', page: { has_more: true, from: 2, to: 5 } }

test('a page goes on where the stretch of the one before it ends, under the same checkpoint', () => {
  expect(isNextPage(second, first)).toBe(true)
  // A page without a period ends where it began.
  const empty = { checkpoint: 'c', page: { has_more: true, from: 5, to: 5 } }
  expect([isNextPage(empty, second), isNextPage(empty, empty), isNextPage(second, second)]).toEqual([true, true, false])
  expect(isNextPage({ ...second, checkpoint: 'd' }, first)).toBe(false)
  for (const from of [0, 1, 3]) expect(isNextPage({ ...second, page: { ...second.page, from } }, first)).toBe(false)
  expect(isNextPage(second, { ...first, page: { ...first.page, has_more: false } })).toBe(false)
  // Where the whole list was not asked for, nobody knows what lies between.
  expect(isNextPage(second, { ...first, page: { has_more: true } })).toBe(false)
  expect(isNextPage({ ...second, page: { has_more: true } }, first)).toBe(false)
  expect(isNextPage({ ...second, page: { has_more: true } }, { ...first, page: { has_more: true } })).toBe(false)
  expect(isNextPage({ checkpoint: 'c' }, first)).toBe(false)
})

test('a page has its members and no others, and says where it stands', () => {
  const members = ['as_of']
  const page = { data: [], page: { offset: 0, has_more: false }, links: {}, proof: {}, as_of: 'a' }
  expect(isPageOf(page, members)).toBe(true)
  for (const bad of [
    { ...page, more: 1 },
    { ...page, data: {} },
    { ...page, data: Array(201).fill(1) },
    { ...page, page: { offset: -1, has_more: false } },
    { ...page, page: { offset: 0.5, has_more: false } },
    { ...page, page: { offset: 0 } },
    { ...page, page: { offset: 0, has_more: 1 } },
    { ...page, page: undefined },
    { ...page, page: null },
  ])
    expect([bad, isPageOf(bad, members)]).toEqual([bad, false])
  expect(isPageOf(page, [])).toBe(false)
  expect(isPageOf({ ...page, data: Array(200).fill(1) }, members)).toBe(true)
})
