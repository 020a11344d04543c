import { expect, test } from 'bun:test'
import type { Manifest, Period } from '../price/release.ts'
import { leafSet } from '../tree/leaf-set.ts'
import { isNextPage, isPageOf, isWholePageOf } from './page.ts'

const period = (from: string): Period => ({ chart: 'a', from, to: '2026-12-31', release: 'r' })
const edition = (from?: string) => ({ release: {} as Manifest, period: from === undefined ? undefined : period(from) })

const first = {
  checkpoint: 'c',
  editions: [edition('1'), edition('2'), edition()],
  page: { has_more: true, before: null },
}
const second = { checkpoint: 'c', editions: [edition()], page: { has_more: true, before: period('2') } }

test('a page goes on where the last period of the one before it ends, under the same checkpoint', () => {
  expect(isNextPage(second, first)).toBe(true)
  // A page without a period ends where it began.
  expect(isNextPage(second, second)).toBe(true)
  expect(isNextPage({ ...second, checkpoint: 'd' }, first)).toBe(false)
  expect(isNextPage({ ...second, page: { has_more: true, before: period('1') } }, first)).toBe(false)
  expect(isNextPage(second, { ...first, page: { has_more: false, before: null } })).toBe(false)
  // Where the whole list was not asked for, nobody knows what lies between.
  expect(isNextPage(second, { ...first, page: { has_more: true } })).toBe(false)
  expect(isNextPage({ ...second, page: { has_more: true } }, first)).toBe(false)
  expect(isNextPage({ checkpoint: 'c', editions: [] }, first)).toBe(false)
})

test('a page has its members and no others, and says where it stands', () => {
  const members = ['data', 'page', 'as_of']
  const page = { data: [], page: { offset: 0, has_more: false }, as_of: 'a' }
  expect([isPageOf(page, members), isWholePageOf(page, members)]).toEqual([true, true])
  const { as_of: _, ...less } = page
  expect([isPageOf(less, members), isWholePageOf(less, members)]).toEqual([true, false])
  for (const bad of [
    { ...page, more: 1 },
    { ...page, data: {} },
    { ...page, data: Array(201).fill(1) },
    { ...page, page: { offset: -1, has_more: false } },
    { ...page, page: { offset: 0.5, has_more: false } },
    { ...page, page: { offset: 0 } },
    { ...page, page: { offset: 0, has_more: 1 } },
    { ...page, page: undefined },
  ])
    expect([bad, isPageOf(bad, members), isWholePageOf(bad, members)]).toEqual([bad, false, false])
  expect(isPageOf({ ...page, data: Array(200).fill(1) }, members)).toBe(true)
})

test('no key stands at two places of a sorted tree, whichever was seen first', () => {
  const places = (...given: [number, string][]): boolean[] => {
    const set = leafSet<string>(10, '', (leaf) => leaf)
    return given.map(([index, key]) => set.add(index, key))
  }
  expect(places([5, 'b'], [3, 'b'])).toEqual([true, false])
  expect(places([3, 'b'], [5, 'b'])).toEqual([true, false])
  expect(places([3, 'b'], [5, 'a'])).toEqual([true, false])
  expect(places([5, 'a'], [3, 'b'])).toEqual([true, false])
  expect(places([5, 'c'], [3, 'a'], [4, 'b'], [4, 'b'], [4, 'x'])).toEqual([true, true, true, true, false])
})
