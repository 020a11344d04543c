import { expect, test } from 'bun:test'
import { excess } from './connections.ts'

const of = (from: string, many: number) => Array.from({ length: many }, (_, i) => ({ descriptor: i, from }))
const nobody = () => false

test('an address keeps as many connections as it may have, and a proxy all of them', () => {
  const connections = [...of('192.0.2.1', 30), ...of('192.0.2.2', 3), ...of('10.0.0.1', 40)]
  const isExempt = (from: string) => from === '10.0.0.1'
  const closed = excess(connections, { most: 1_000, perAddress: 10, isExempt })
  expect(closed).toHaveLength(20)
  expect(closed.every(({ from }) => from === '192.0.2.1')).toBe(true)
  expect(excess(of('192.0.2.1', 10), { most: 10, perAddress: 10, isExempt: nobody })).toEqual([])
})

test('past the limit for all, those who have many give way to those who have few', () => {
  const few = Array.from({ length: 50 }, (_, i) => of(`198.51.100.${i}`, 1)).flat()
  const connections = [...of('192.0.2.1', 400), ...of('192.0.2.2', 300), ...few]
  const closed = excess(connections, { most: 100, perAddress: 1_000, isExempt: nobody })
  expect(connections.length - closed.length).toBeLessThanOrEqual(100)
  expect(closed.filter(({ from }) => from.startsWith('198.'))).toEqual([])
})

test('where more addresses come than there is room for, some are served, and a proxy keeps its connections', () => {
  const many = Array.from({ length: 966 }, (_, i) => of(`2001:db8:0:${i.toString(16)}::`, 1)).flat()
  const isExempt = (from: string) => from === '10.0.0.1'
  const closed = excess([...many, ...of('10.0.0.1', 100)], { most: 960, perAddress: 10, isExempt })
  expect(closed).toHaveLength(106)
  expect(closed.filter(({ from }) => isExempt(from))).toEqual([])
  expect(excess(of('10.0.0.1', 30), { most: 20, perAddress: 10, isExempt })).toHaveLength(10)
})
